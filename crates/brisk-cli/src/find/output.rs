//! How lines reach standard output: each worker gathers them and writes many whole lines at a time.
//!
//! ```text
//!   worker ── Lines ──┐            At first, results are held back: those of a short search
//!   worker ── Lines ──┼─► Sink     with few results are printed sorted by path.
//!   worker ── Lines ──┘            Then, or with an explicit order, they stream.
//! ```
//!
//! While results stream, each worker fills a buffer of its own. The worker writes its buffer in one
//! piece, under a lock, when the buffer is full, when a line has waited in it long enough, or when
//! the storage makes the worker wait anyway. Breadth first, the chunks come in order but from
//! changing workers: there, each chunk goes into one shared buffer at once.

mod lines;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use brisk::Flow;
use brisk::unstable::bound;
use brisk_sys::threads;

use crate::ls::long::Long;
use crate::show::long::Page;
use crate::write::out::Out;
use crate::write::out::PIECE;
use brisk_sys::threads::lock;
pub(crate) use lines::Lines;

/// The most results that are held back to be sorted: fd's number.
const MAX_HELD: usize = 1_000;

/// The same for `--list-details`, whose lines are aligned while they are held back: 16,384 results
/// take about four megabytes.
const MAX_DETAILS: usize = 1 << 14;

/// How long results are held back to be sorted, unless the user says otherwise; also the longest
/// that a line waits in a buffer while its worker is busy. fd's number.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// Longer than any search takes.
pub(crate) const ENDLESS: Duration = Duration::from_secs(u32::MAX as u64);

/// How lines are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Held back for this long and sorted by path if the search ends by then; else as they come.
    SortedIfSoon(Duration),
    /// Held back to the end and sorted; then the first `most` are written.
    Sorted { reverse: bool, most: usize },
    /// As they come. Where one thread alone receives all entries (depth first, sorted), its buffer
    /// keeps their order.
    Streaming,
    /// In the order of the walk, although the chunks come from several workers.
    InTurn,
}

/// Where all lines of a search end up.
pub(crate) struct Sink {
    arrangement: Arrangement,
    /// What makes the lines of `--list-details`.
    long: Option<Arc<Long>>,
    started: Instant,
    /// Whether results are still being held back.
    holding: AtomicBool,
    state: Mutex<SinkState>,
    /// The lines of workers that ask for metadata, and may wait for an answer at any moment.
    shared: Mutex<Vec<SharedLines>>,
}

/// Where a worker puts its lines while it asks for metadata, so that other workers can write them.
type SharedLines = Arc<Mutex<Vec<u8>>>;

struct SinkState {
    /// Lines in their final order.
    out: Out<Box<dyn Write + Send>>,
    held: Held,
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
        long: Option<Arc<Long>>,
    ) -> Arc<Sink> {
        let held = Held::default();
        let state = SinkState { out: Out::new(out), held, is_full: false, timer: false };
        Arc::new(Sink {
            arrangement,
            long,
            started: Instant::now(),
            holding: AtomicBool::new(matches!(
                arrangement,
                Arrangement::SortedIfSoon(_) | Arrangement::Sorted { .. }
            )),
            state: Mutex::new(state),
            shared: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, SinkState> {
        lock(&self.state)
    }

    /// When lines were last written, or when the search began.
    fn written(&self, state: &SinkState) -> Instant {
        state.out.written.unwrap_or(self.started)
    }

    fn is_holding(&self) -> bool {
        self.holding.load(Ordering::Relaxed)
    }

    /// The time from which results are no longer held back.
    fn deadline(&self) -> Instant {
        match self.arrangement {
            Arrangement::SortedIfSoon(patience) => self.started + patience,
            Arrangement::Sorted { .. } => self.started + ENDLESS,
            Arrangement::Streaming | Arrangement::InTurn => self.started,
        }
    }

    /// Stops holding back: writes the held lines as they came.
    fn release(&self) -> Flow {
        let mut state = self.lock();
        self.holding.store(false, Ordering::Relaxed);
        let held = std::mem::take(&mut state.held);
        state.out.write(&self.lines(held, false))
    }

    /// Held lines, sorted or as they came.
    fn lines(&self, mut held: Held, is_sorted: bool) -> Vec<u8> {
        if let Some(long) = &self.long {
            return long.lines(&held.page, is_sorted);
        }
        match self.arrangement {
            Arrangement::Sorted { reverse, most } => held.sort(reverse, most),
            _ if is_sorted => held.sort(false, usize::MAX),
            _ => {}
        }
        held.bytes
    }

    /// Takes the lines that a worker holds back.
    fn hold(&self, more: &mut Held) -> Flow {
        let mut state = self.lock();
        if !self.is_holding() {
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
        let too_many = state.held.len() > if self.long.is_some() { MAX_DETAILS } else { MAX_HELD };
        drop(state);
        if too_many || Instant::now() >= self.deadline() { self.release() } else { Flow::Continue }
    }

    /// Whether more results came than can be sorted in memory: none is printed.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().is_full
    }

    /// Writes the lines that other workers share.
    fn write_shared(&self) -> Flow {
        let Ok(shared) = self.shared.try_lock() else { return Flow::Continue };
        let mut flow = Flow::Continue;
        for lines in shared.iter() {
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
            if let Some(sink) = sink.upgrade().filter(|sink| sink.is_holding()) {
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
    /// Why standard output did not take everything. A reader that has gone is no error.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut state = self.lock();
        let held = std::mem::take(&mut state.held);
        let mut lines = self.lines(held, self.is_holding());
        if let Some(long) = &self.long {
            long.finish(&mut lines);
        }
        let _ = state.out.write(&lines);
        state.out.finish()
    }
}

/// Lines that may yet be sorted.
#[derive(Debug, Default)]
struct Held {
    bytes: Vec<u8>,
    /// The lines' paths, by which the lines are sorted. A NUL, which no name contains, stands for a
    /// separator: so bytes in order are components in order.
    keys: Vec<u8>,
    /// Where each line ends in `bytes`, and its key in `keys`.
    ends: Vec<(usize, usize)>,
    /// Results of `--list-details`, whose lines are not made yet: their columns will be aligned.
    page: Page,
}

impl Held {
    /// The number of lines.
    fn len(&self) -> usize {
        self.ends.len() + self.page.len()
    }

    /// Says that the line at the end of `bytes` is complete and has this path.
    fn end_line(&mut self, key: &[u8]) {
        self.keys.extend(key.iter().map(|&byte| if byte == b'/' { 0 } else { byte }));
        self.ends.push((self.bytes.len(), self.keys.len()));
    }

    /// Bytes that are held.
    fn size(&self) -> usize {
        let ends = self.ends.len() * size_of::<(usize, usize)>();
        self.bytes.len() + self.keys.len() + ends + self.page.bytes()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        self.ends.clear();
        self.page.clear();
    }

    /// Moves the lines of `more` to the end of these.
    fn append(&mut self, more: &mut Held) {
        if self.ends.is_empty() {
            // Growing by doubling would touch twice as many pages.
            self.bytes.reserve(PIECE);
            self.keys.reserve(PIECE);
        }
        let line_base = self.bytes.len();
        let key_base = self.keys.len();
        self.bytes.append(&mut more.bytes);
        self.keys.append(&mut more.keys);
        self.page.append(&mut more.page);
        self.ends.extend(more.ends.drain(..).map(|(line, key)| (line_base + line, key_base + key)));
    }

    /// Sorts the lines by their keys, and keeps the first `most`. No line can be added afterwards.
    fn sort(&mut self, reverse: bool, most: usize) {
        let starts = std::iter::once((0, 0)).chain(self.ends.iter().copied());
        let mut lines: Vec<(&[u8], &[u8])> = starts
            .zip(&self.ends)
            .map(|(start, end)| (&self.keys[start.1..end.1], &self.bytes[start.0..end.0]))
            .collect();
        lines.sort_unstable_by_key(|line| line.0);
        if reverse {
            lines.reverse();
        }
        lines.truncate(most);
        let mut sorted = Vec::with_capacity(self.bytes.len());
        lines.iter().for_each(|(_, line)| sorted.extend_from_slice(line));
        self.bytes = sorted;
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests;
