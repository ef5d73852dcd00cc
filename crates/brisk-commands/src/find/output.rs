//! How lines reach standard output: each worker gathers them and writes many whole lines at a time.
//!
//! ```text
//!   worker ── Lines ──┐            At first, results are held back: those of a short search
//!   worker ── Lines ──┼─► Sink     with few results are printed sorted by path.
//!   worker ── Lines ──┘            Then, or with an explicit order, they stream.
//! ```
//!
//! While results stream, each worker fills a buffer of its own. The worker writes its buffer in one
//! piece, under a lock, when the buffer is full, when its last write was [`HOLD_BACK`] ago, after a
//! slow task, or before it waits for work. Breadth first, the calls with entries come in order, but
//! from changing workers: the lines of each call move at once to one common buffer.

mod held;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use brisk::Flow;
use brisk::unstable::bound;
use brisk_sys::threads;

use crate::ls::long::Long;
use crate::show::long::Page;
use crate::write::out::{Out, PIECE};
use brisk_sys::threads::lock;
use held::LineBuffer;

/// The most results that are held back to be sorted: fd's number.
const MAX_HELD: usize = 1_000;

/// The same for `--list-details`, whose lines are aligned while they are held back: 16,384 results
/// take about four megabytes.
const MAX_DETAILS: usize = 1 << 14;

/// How long results are held back to be sorted, unless the user says otherwise: fd's number. It is
/// also the time between two writes of a busy worker while results stream.
pub(crate) const HOLD_BACK: Duration = Duration::from_millis(100);

/// Longer than any search takes.
pub(crate) const ENDLESS: Duration = Duration::from_secs(u32::MAX as u64);

/// How lines are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Sorted by path if the search ends within this time with few results; else as they come.
    SortedIfSoon(Duration),
    /// Held back to the end and sorted; then the first `most` are written.
    Sorted { reverse: bool, most: usize },
    /// Written as they come. Where one thread alone receives all entries (depth first, sorted), its
    /// buffer keeps their order.
    AsTheyCome,
    /// In the order of the walk, although the chunks come from several workers.
    InTurn,
}

impl Arrangement {
    /// How many of the sorted lines are written.
    fn most(self) -> usize {
        if let Arrangement::Sorted { most, .. } = self { most } else { usize::MAX }
    }
}

/// Where all lines of a search end up.
pub(crate) struct Sink {
    arrangement: Arrangement,
    /// What makes the lines of `--list-details`.
    details: Option<Arc<Long>>,
    started: Instant,
    /// Whether results are still being held back.
    is_holding_back: AtomicBool,
    state: Mutex<SinkState>,
    /// The lines of workers that ask for metadata, and may wait for an answer at any moment.
    exposed: Mutex<Vec<ExposedLines>>,
}

/// Where a worker exposes its lines while it asks for metadata: other workers can write them.
type ExposedLines = Arc<Mutex<Vec<u8>>>;

struct SinkState {
    /// Lines in their final order.
    out: Out<Box<dyn Write + Send>>,
    held: LineBuffer,
    /// Whether more results came than can be sorted in memory.
    is_full: bool,
    /// Whether the thread was started that releases held lines while all workers wait for storage.
    timer: bool,
}

impl Sink {
    /// A sink that writes to `out`.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        arrangement: Arrangement,
        details: Option<Arc<Long>>,
    ) -> Arc<Sink> {
        let held = LineBuffer::default();
        let state = SinkState { out: Out::new(out), held, is_full: false, timer: false };
        Arc::new(Sink {
            arrangement,
            details,
            started: Instant::now(),
            is_holding_back: AtomicBool::new(matches!(
                arrangement,
                Arrangement::SortedIfSoon(_) | Arrangement::Sorted { .. }
            )),
            state: Mutex::new(state),
            exposed: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, SinkState> {
        lock(&self.state)
    }

    /// When lines were last written, or when the search began.
    fn last_write(&self, state: &SinkState) -> Instant {
        state.out.last_write.unwrap_or(self.started)
    }

    fn is_holding_back(&self) -> bool {
        self.is_holding_back.load(Ordering::Relaxed)
    }

    /// The time from which results are no longer held back.
    fn deadline(&self) -> Instant {
        match self.arrangement {
            Arrangement::SortedIfSoon(patience) => self.started + patience,
            Arrangement::Sorted { .. } => self.started + ENDLESS,
            Arrangement::AsTheyCome | Arrangement::InTurn => self.started,
        }
    }

    /// Stops holding back: writes the held lines as they came.
    fn release(&self) -> Flow {
        let mut state = self.lock();
        self.is_holding_back.store(false, Ordering::Relaxed);
        let held = std::mem::take(&mut state.held);
        state.out.write(&self.lines(held, false))
    }

    /// The held lines as text, sorted or as they came.
    fn lines(&self, mut held: LineBuffer, is_sorted: bool) -> Vec<u8> {
        if let Some(details) = &self.details {
            return details.lines(&held.page, is_sorted, self.arrangement.most());
        }
        match self.arrangement {
            Arrangement::Sorted { reverse, most } => held.sort(reverse, most),
            _ if is_sorted => held.sort(false, usize::MAX),
            _ => {}
        }
        held.bytes
    }

    /// Takes the lines of a worker that holds results back. The sink holds them back too, or writes
    /// them if that has ended meanwhile.
    fn take(&self, more: &mut LineBuffer) -> Flow {
        let mut state = self.lock();
        if !self.is_holding_back() {
            return state.out.write(&self.lines(std::mem::take(more), false));
        }
        state.held.append(more);
        if let Arrangement::Sorted { .. } = self.arrangement {
            if state.is_full || bound::is_reached(state.held.size()) {
                state.is_full = true;
                state.held.clear();
                return Flow::Stop;
            }
            return Flow::Continue;
        }
        let too_many =
            state.held.len() > if self.details.is_some() { MAX_DETAILS } else { MAX_HELD };
        drop(state);
        if too_many || Instant::now() >= self.deadline() { self.release() } else { Flow::Continue }
    }

    /// Whether more results came than can be sorted in memory: none is printed.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().is_full
    }

    /// Writes the lines that other workers expose.
    fn write_exposed(&self) -> Flow {
        let Ok(exposed) = self.exposed.try_lock() else { return Flow::Continue };
        let mut flow = Flow::Continue;
        for lines in exposed.iter() {
            // Locked until the lines are written. Otherwise their worker could find the buffer
            // empty, and end the search before the lines are out.
            let Ok(mut lines) = lines.try_lock() else { continue };
            if !lines.is_empty() && flow == Flow::Continue {
                flow = self.lock().out.write(&lines);
                lines.clear();
            }
        }
        flow
    }

    /// Starts a thread that releases held lines at the deadline, even if every worker is waiting
    /// for slow storage by then: the only case in which the output has a thread of its own.
    fn start_timer(self: &Arc<Sink>) {
        if std::mem::replace(&mut self.lock().timer, true) {
            return;
        }
        let sink = Arc::downgrade(self);
        let deadline = self.deadline();
        let wait = move || {
            while let Some(left) = deadline.checked_duration_since(Instant::now())
                && !left.is_zero()
            {
                std::thread::park_timeout(left);
            }
            if let Some(sink) = sink.upgrade().filter(|sink| sink.is_holding_back()) {
                let _ = sink.release();
            }
        };
        // Without this thread the lines appear when the first worker gets its answer.
        let builder = threads::one_of(1).map(|builder| builder.name("brisk-output".into()));
        let _ = builder.map(|builder| builder.spawn(wait));
    }

    /// Writes the remaining lines, sorted if all lines of the search were held back.
    ///
    /// # Errors
    /// Why standard output did not take everything. A reader that has gone is not an error.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut state = self.lock();
        let held = std::mem::take(&mut state.held);
        let mut lines = self.lines(held, self.is_holding_back());
        if let Some(details) = &self.details {
            details.finish(&mut lines);
        }
        let _ = state.out.write(&lines);
        state.out.finish()
    }
}

/// One worker's lines.
pub(crate) struct Lines {
    pub(super) sink: Arc<Sink>,
    /// Lines that are not in the sink yet. Their keys are kept only while results are held back.
    own: LineBuffer,
    /// Whether results were still being held back when this worker last looked.
    is_holding_back: bool,
    /// Where other workers find this worker's lines between two calls with entries, if the search
    /// requests metadata.
    exposed: Option<ExposedLines>,
    /// Whether lines were exposed since this worker last moved lines to the sink.
    has_exposed: bool,
    /// When this worker last wrote lines, or when the search began.
    last_write: Instant,
    /// How long this worker has waited for its output since [`Lines::waited`] was last called.
    waited: Duration,
}

impl Lines {
    /// A worker's way to the sink.
    pub(crate) fn new(sink: &Arc<Sink>) -> Lines {
        Lines {
            sink: Arc::clone(sink),
            own: LineBuffer::default(),
            is_holding_back: sink.is_holding_back(),
            exposed: None,
            has_exposed: false,
            last_write: sink.started,
            waited: Duration::ZERO,
        }
    }

    /// For a search that asks for metadata: while this worker waits for an answer, other workers
    /// can write its lines.
    pub(crate) fn exposing(mut self) -> Lines {
        if self.may_write_any_time() {
            let exposed = ExposedLines::default();
            let mut all = lock(&self.sink.exposed);
            all.push(Arc::clone(&exposed));
            drop(all);
            self.exposed = Some(exposed);
        }
        self
    }

    /// Lets other workers write this worker's lines until the next call with entries.
    #[inline]
    fn expose(&mut self) {
        if let Some(exposed) = &self.exposed {
            std::mem::swap(&mut *lock(exposed), &mut self.own.bytes);
        }
    }

    /// Takes the lines that other workers could write meanwhile: the caller will append to them.
    #[inline]
    pub(crate) fn take_back_exposed(&mut self) {
        if let Some(exposed) = self.exposed.as_ref().filter(|_| !self.is_holding_back) {
            std::mem::swap(&mut *lock(exposed), &mut self.own.bytes);
        }
    }

    /// Whether results were still being held back when this worker last looked: then a line needs a
    /// key.
    #[inline]
    pub(crate) fn is_holding_back(&self) -> bool {
        self.is_holding_back
    }

    /// Where the caller leaves results whose lines are not made yet.
    pub(crate) fn page(&mut self) -> &mut Page {
        &mut self.own.page
    }

    /// Makes the lines of these results.
    pub(crate) fn make(&mut self, write: impl FnOnce(&Page, &mut Vec<u8>)) {
        write(&self.own.page, &mut self.own.bytes);
        self.own.page.clear();
    }

    /// Where the caller appends a line and its end.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.own.bytes
    }

    /// Says that a line was appended; `key` is what it is sorted by.
    pub(crate) fn end_line(&mut self, key: &[u8]) {
        if self.is_holding_back {
            self.own.end_line(key);
        }
    }

    /// Keeps the lines in this worker while results stream, the order of workers does not matter
    /// (not `InTurn`), and there are fewer than [`PIECE`] bytes; otherwise moves them to the sink.
    /// If the search requests metadata, other workers may write the lines that are kept (they are
    /// exposed).
    #[inline]
    pub(crate) fn keep_or_sink(&mut self) -> Flow {
        if self.own.bytes.len() < PIECE && !self.is_holding_back && self.may_write_any_time() {
            self.has_exposed |= self.exposed.is_some() && !self.own.bytes.is_empty();
            self.expose();
            return Flow::Continue;
        }
        self.move_to_sink()
    }

    /// Whether this worker may write at any time: no other worker's lines must come before its own.
    #[inline]
    fn may_write_any_time(&self) -> bool {
        self.sink.arrangement != Arrangement::InTurn
    }

    /// Moves all lines to the sink, which holds them back or writes them, and counts the time that
    /// this takes.
    fn move_to_sink(&mut self) -> Flow {
        let began = Instant::now();
        let flow = if self.is_holding_back { self.hold_back() } else { self.write() };
        self.add_wait(began.elapsed());
        flow
    }

    /// Counts time spent on output.
    pub(crate) fn add_wait(&mut self, time: Duration) {
        self.waited += time;
    }

    /// How long this worker has waited for its output since the last call.
    pub(crate) fn waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    fn hold_back(&mut self) -> Flow {
        let flow = self.sink.take(&mut self.own);
        self.is_holding_back = self.sink.is_holding_back();
        flow
    }

    fn write(&mut self) -> Flow {
        let mut state = self.sink.lock();
        let flow = if self.may_write_any_time() {
            state.out.write(&self.own.bytes)
        } else {
            state.out.bytes.extend_from_slice(&self.own.bytes);
            state.out.write_if_full()
        };
        self.last_write = self.sink.last_write(&state);
        self.own.clear();
        flow
    }

    /// Says that the worker pauses between two units of work. Lines move to the sink while
    /// they are held back, if a write is cheap (after a slow task, or before the worker waits for
    /// work), or if the worker last wrote [`HOLD_BACK`] ago.
    pub(crate) fn pause(&mut self, write_is_cheap: bool) -> Flow {
        if self.is_holding_back {
            if write_is_cheap {
                self.sink.start_timer();
            }
            return self.move_to_sink();
        }
        if !self.may_write_any_time() {
            return self.pause_in_turn(write_is_cheap);
        }
        if self.exposed.is_some() {
            return self.pause_exposing(write_is_cheap);
        }
        if self.own.bytes.is_empty() {
            return Flow::Continue;
        }
        if write_is_cheap || self.last_write.elapsed() >= HOLD_BACK {
            self.move_to_sink()
        } else {
            Flow::Continue
        }
    }

    /// The pause where lines are exposed between two calls with entries. When a write is
    /// cheap, this worker writes the lines of all workers.
    fn pause_exposing(&mut self, write_is_cheap: bool) -> Flow {
        let mut flow = Flow::Continue;
        if write_is_cheap || (self.has_exposed && self.last_write.elapsed() >= HOLD_BACK) {
            self.has_exposed = false;
            self.take_back_exposed();
            if !self.own.bytes.is_empty() {
                flow = self.move_to_sink();
            }
        }
        if write_is_cheap && flow == Flow::Continue { self.sink.write_exposed() } else { flow }
    }

    /// The pause where all workers share one buffer.
    fn pause_in_turn(&mut self, write_is_cheap: bool) -> Flow {
        let mut state = self.sink.lock();
        let has_waited = || self.sink.last_write(&state).elapsed() >= HOLD_BACK;
        if !state.out.bytes.is_empty() && (write_is_cheap || has_waited()) {
            return state.out.flush();
        }
        Flow::Continue
    }

    /// Moves the last lines to the sink. [`Sink::finish`] reports what goes wrong.
    pub(crate) fn close(mut self) {
        self.take_back_exposed();
        let _ = self.move_to_sink();
    }
}

#[cfg(test)]
mod tests;
