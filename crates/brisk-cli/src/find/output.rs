//! How lines reach standard output: gathered by each worker, written whole and many at a time.
//!
//! ```text
//!   worker ── Lines ──┐            at first, results are held back: a search of few results that
//!   worker ── Lines ──┼─► Sink     is over soon is printed sorted by path
//!   worker ── Lines ──┘            then, or with an explicit order, they stream
//! ```
//!
//! Streaming, each worker fills a buffer of its own and writes it in one piece, under a lock, when
//! it is full, has waited long enough, or when the storage makes the worker wait anyway. Breadth first
//! the calls come in turn but from changing workers: there, each chunk goes into one shared buffer at
//! once.

use std::cmp::Ordering as Comparison;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use brisk::Flow;

use crate::standard::{Output, PIECE};

/// More results than this are not held back to be sorted. fd's number.
const MOST_HELD: usize = 1_000;

/// For how long results are held back to be sorted, unless told otherwise; also the longest that a
/// line waits in a buffer while its worker is busy. fd's number.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// How lines are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Held back for this long and sorted by path if the search ends by then; else as they come.
    SortedIfSoon(Duration),
    /// As they come. Where the walk hands on from one thread alone (depth first, sorted), that thread's
    /// buffer keeps the order.
    Streaming,
    /// As the walk hands them on, across workers.
    InTurn,
}

/// Where all lines of a search end up.
pub(crate) struct Sink {
    arrangement: Arrangement,
    started: Instant,
    /// Results are still being held back.
    holding: AtomicBool,
    state: Mutex<State>,
    /// Lines of workers that may wait for an answer at any moment.
    left: Mutex<Vec<Left>>,
}

/// Where a worker leaves its lines while it asks for metadata, so that others can write them.
type Left = Arc<Mutex<Vec<u8>>>;

struct State {
    out: Output<Box<dyn Write + Send>>,
    held: Held,
    /// Lines in their final order that are not written yet.
    ready: Vec<u8>,
    written: Instant,
    /// The thread that ends the holding back while all workers wait for storage was started.
    timer: bool,
}

/// Lines that may yet be sorted.
#[derive(Debug, Default)]
struct Held {
    bytes: Vec<u8>,
    /// What they are sorted by: paths.
    keys: Vec<u8>,
    /// Where each line, and its key, ends.
    ends: Vec<(usize, usize)>,
}

impl Sink {
    /// A sink that writes to `out`.
    pub(crate) fn new(out: Box<dyn Write + Send>, arrangement: Arrangement) -> Arc<Sink> {
        let now = Instant::now();
        let state = State {
            out: Output::new(out),
            held: Held::default(),
            ready: Vec::new(),
            written: now,
            timer: false,
        };
        Arc::new(Sink {
            arrangement,
            started: now,
            holding: AtomicBool::new(matches!(arrangement, Arrangement::SortedIfSoon(_))),
            state: Mutex::new(state),
            left: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_holding(&self) -> bool {
        self.holding.load(Ordering::Relaxed)
    }

    /// When results are no longer held back.
    fn deadline(&self) -> Instant {
        match self.arrangement {
            Arrangement::SortedIfSoon(patience) => self.started + patience,
            Arrangement::Streaming | Arrangement::InTurn => self.started,
        }
    }

    /// Ends the holding back: what was held goes out as it came.
    fn release(&self) -> Flow {
        let mut state = self.lock();
        self.holding.store(false, Ordering::Relaxed);
        let held = std::mem::take(&mut state.held);
        state.write(&held.bytes)
    }

    /// Takes in what a worker holds back.
    fn hold(&self, more: &mut Held) -> Flow {
        let mut state = self.lock();
        if !self.is_holding() {
            let flow = state.write(&more.bytes);
            more.clear();
            return flow;
        }
        state.held.append(more);
        let too_many = state.held.ends.len() > MOST_HELD;
        drop(state);
        if too_many || Instant::now() >= self.deadline() { self.release() } else { Flow::Continue }
    }

    /// Writes what other workers have left.
    fn write_left(&self) -> Flow {
        let Ok(left) = self.left.try_lock() else { return Flow::Continue };
        let mut flow = Flow::Continue;
        for lines in left.iter() {
            // Locked until it is written: its worker would otherwise find nothing and end before that.
            let Ok(mut lines) = lines.try_lock() else { continue };
            if !lines.is_empty() && flow == Flow::Continue {
                flow = self.lock().write(&lines);
                lines.clear();
            }
        }
        flow
    }

    /// Makes sure that what is held back appears in time even if every worker is stuck in a request
    /// to slow storage: the only case in which the output has a thread of its own.
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
        // Without it the lines appear when the first worker gets its answer.
        let _ = std::thread::Builder::new().name("brisk-output".into()).spawn(wait);
    }

    /// Writes what is left, sorted if it was all held back.
    ///
    /// # Errors
    /// Why standard output did not take everything. That its reader has left is no error.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut state = self.lock();
        let mut held = std::mem::take(&mut state.held);
        if self.is_holding() {
            held.sort();
        }
        let ready = std::mem::take(&mut state.ready);
        let _ = state.write(&held.bytes);
        let _ = state.write(&ready);
        state.out.finish()
    }
}

impl State {
    fn write(&mut self, bytes: &[u8]) -> Flow {
        let flow = self.out.write(bytes);
        if flow == Flow::Continue && !bytes.is_empty() {
            self.written = Instant::now();
        }
        flow
    }

    fn write_ready(&mut self) -> Flow {
        let mut ready = std::mem::take(&mut self.ready);
        let flow = self.write(&ready);
        ready.clear();
        self.ready = ready;
        flow
    }
}

impl Held {
    fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        self.ends.clear();
    }

    fn append(&mut self, more: &mut Held) {
        let (line_base, key_base) = (self.bytes.len(), self.keys.len());
        self.bytes.append(&mut more.bytes);
        self.keys.append(&mut more.keys);
        self.ends.extend(more.ends.drain(..).map(|(line, key)| (line_base + line, key_base + key)));
    }

    fn sort(&mut self) {
        let starts = std::iter::once((0, 0)).chain(self.ends.iter().copied());
        let mut lines: Vec<(&[u8], &[u8])> = starts
            .zip(&self.ends)
            .map(|(start, end)| (&self.keys[start.1..end.1], &self.bytes[start.0..end.0]))
            .collect();
        lines.sort_by(|a, b| compare_paths(a.0, b.0));
        self.bytes = lines.into_iter().flat_map(|(_, line)| line).copied().collect();
        self.ends.clear();
    }
}

/// Component by component: a separator comes before every other byte.
fn compare_paths(a: &[u8], b: &[u8]) -> Comparison {
    let rank = |byte: &u8| if *byte == b'/' { 0 } else { u16::from(*byte) + 1 };
    a.iter().map(rank).cmp(b.iter().map(rank))
}

/// One worker's lines.
pub(crate) struct Lines {
    sink: Arc<Sink>,
    /// Keys and ends are kept only while results are held back.
    own: Held,
    holding: bool,
    /// Where lines are left between two chunks, in a search that asks for metadata.
    left: Option<Left>,
    /// There were some when that was last known.
    has_left: bool,
    /// When this worker last had nothing to write.
    clean: Instant,
    /// How long it has waited to hand lines over, since last asked.
    waited: Duration,
}

impl Lines {
    /// A worker's way to the sink.
    pub(crate) fn new(sink: &Arc<Sink>) -> Lines {
        Lines {
            sink: Arc::clone(sink),
            own: Held::default(),
            holding: sink.is_holding(),
            left: None,
            has_left: false,
            clean: sink.started,
            waited: Duration::ZERO,
        }
    }

    /// A way to the same sink for another worker.
    pub(crate) fn fork(&self) -> Lines {
        Lines::new(&self.sink)
    }

    /// For a search that asks for metadata: a worker may wait for an answer that does not come, and others
    /// write its lines then.
    pub(crate) fn leaving(mut self) -> Lines {
        if self.streams() {
            let left = Left::default();
            let mut all = self.sink.left.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(Arc::clone(&left));
            drop(all);
            self.left = Some(left);
        }
        self
    }

    /// Exchanges the worker's lines for those that it has left: none of the two holds any, or one does.
    #[inline]
    fn exchange(&mut self) {
        if let Some(left) = &self.left {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut *left, &mut self.own.bytes);
        }
    }

    /// Says that a chunk of entries begins.
    #[inline]
    pub(crate) fn begin_chunk(&mut self) {
        if !self.holding {
            self.exchange();
        }
    }

    /// Whether lines need a key.
    #[inline]
    pub(crate) fn are_held(&self) -> bool {
        self.holding
    }

    /// Where to append a line, with its end.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.own.bytes
    }

    /// Says that a line of this path was appended.
    pub(crate) fn end_line(&mut self, key: &[u8]) {
        if self.holding {
            self.own.keys.extend_from_slice(key);
            self.own.ends.push((self.own.bytes.len(), self.own.keys.len()));
        }
    }

    /// Says that a chunk of entries is done.
    #[inline]
    pub(crate) fn end_chunk(&mut self) -> Flow {
        if self.own.bytes.len() < PIECE && !self.holding && self.streams() {
            self.has_left |= !self.own.bytes.is_empty();
            self.exchange();
            return Flow::Continue;
        }
        self.hand_over()
    }

    #[inline]
    fn streams(&self) -> bool {
        self.sink.arrangement != Arrangement::InTurn
    }

    /// Moves everything on towards standard output.
    fn hand_over(&mut self) -> Flow {
        let began = Instant::now();
        let flow = self.move_on();
        self.note_wait(began.elapsed());
        flow
    }

    /// Counts time spent on output.
    pub(crate) fn note_wait(&mut self, time: Duration) {
        self.waited += time;
    }

    /// How long this worker has waited for its output since it was last asked.
    pub(crate) fn waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    fn move_on(&mut self) -> Flow {
        if self.holding {
            let flow = self.sink.hold(&mut self.own);
            self.holding = self.sink.is_holding();
            return flow;
        }
        let mut state = self.sink.lock();
        let flow = if self.streams() {
            let flow = state.write(&self.own.bytes);
            self.clean = state.written;
            flow
        } else {
            state.ready.extend_from_slice(&self.own.bytes);
            if state.ready.len() >= PIECE { state.write_ready() } else { Flow::Continue }
        };
        self.own.clear();
        flow
    }

    /// Says that the worker pauses between two units of work, or (`slow`) that its storage makes it
    /// wait anyway: what has waited long enough is written.
    pub(crate) fn pause(&mut self, slow: bool) -> Flow {
        if self.holding {
            if slow {
                self.sink.start_timer();
            }
            return self.hand_over();
        }
        if !self.streams() {
            return self.pause_in_turn(slow);
        }
        if self.left.is_some() {
            return self.pause_left(slow);
        }
        if self.own.bytes.is_empty() {
            return Flow::Continue;
        }
        if slow || self.clean.elapsed() >= PATIENCE { self.hand_over() } else { Flow::Continue }
    }

    /// Where lines are left between chunks: while the storage is slow, those of all workers are written.
    fn pause_left(&mut self, slow: bool) -> Flow {
        let mut flow = Flow::Continue;
        if slow || (self.has_left && self.clean.elapsed() >= PATIENCE) {
            self.has_left = false;
            self.exchange();
            if !self.own.bytes.is_empty() {
                flow = self.hand_over();
            }
        }
        if slow && flow == Flow::Continue { self.sink.write_left() } else { flow }
    }

    fn pause_in_turn(&mut self, slow: bool) -> Flow {
        let mut state = self.sink.lock();
        if state.ready.is_empty() || !(slow || state.written.elapsed() >= PATIENCE) {
            return Flow::Continue;
        }
        state.write_ready()
    }

    /// Hands over the last lines. Whatever goes wrong is told by [`Sink::finish`].
    pub(crate) fn close(mut self) {
        self.begin_chunk();
        let _ = self.hand_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        fn pieces(&self) -> Vec<String> {
            let pieces = self.0.lock().unwrap();
            pieces.iter().map(|piece| String::from_utf8(piece.clone()).unwrap()).collect()
        }
    }

    struct Full(io::ErrorKind);

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn line(lines: &mut Lines, text: &str) {
        lines.bytes().extend_from_slice(text.as_bytes());
        lines.bytes().push(b'\n');
        lines.end_line(text.as_bytes());
    }

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn few_lines_of_several_workers_come_out_sorted_in_one_piece() {
        let out = Shared::default();
        let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(LONG));
        let (mut a, mut b) = (Lines::new(&sink), Lines::new(&sink));
        line(&mut a, "b/c");
        line(&mut b, "b");
        assert_eq!(a.end_chunk(), Flow::Continue);
        line(&mut a, "b-c");
        line(&mut b, "a");
        assert_eq!(b.pause(true), Flow::Continue);
        a.close();
        b.close();
        assert!(out.pieces().is_empty());
        sink.finish().unwrap();
        assert_eq!(out.pieces(), ["a\nb\nb/c\nb-c\n"]);
    }

    #[test]
    fn many_lines_stream_as_they_come() {
        let out = Shared::default();
        let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(LONG));
        let mut lines = Lines::new(&sink);
        for number in (0..MOST_HELD + 1).rev() {
            line(&mut lines, &number.to_string());
        }
        assert!(lines.are_held());
        assert_eq!(lines.end_chunk(), Flow::Continue);
        assert!(!lines.are_held());
        assert!(out.pieces()[0].starts_with("1000\n999\n"));
        line(&mut lines, "more");
        assert_eq!(lines.end_chunk(), Flow::Continue);
        assert_eq!(out.pieces().len(), 1, "a small piece waits");
        assert_eq!(lines.pause(true), Flow::Continue);
        assert_eq!(out.pieces()[1], "more\n");
    }

    #[test]
    fn held_lines_appear_in_time_though_nobody_calls() {
        let out = Shared::default();
        let patience = Duration::from_millis(5);
        let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(patience));
        let mut lines = Lines::new(&sink);
        line(&mut lines, "a");
        let _ = lines.pause(true);
        let started = Instant::now();
        while out.pieces().is_empty() {
            assert!(started.elapsed() < Duration::from_secs(10), "the timer never came");
            std::thread::yield_now();
        }
        assert_eq!(out.pieces(), ["a\n"]);
    }

    #[test]
    fn in_turn_lines_of_several_workers_stay_in_turn() {
        let out = Shared::default();
        let sink = Sink::new(Box::new(out.clone()), Arrangement::InTurn);
        let (mut a, mut b) = (Lines::new(&sink), Lines::new(&sink));
        line(&mut a, "2");
        assert_eq!(a.end_chunk(), Flow::Continue);
        line(&mut b, "1");
        assert_eq!(b.end_chunk(), Flow::Continue);
        line(&mut a, "3");
        assert_eq!(a.end_chunk(), Flow::Continue);
        b.close();
        a.close();
        sink.finish().unwrap();
        assert_eq!(out.pieces(), ["2\n1\n3\n"]);
    }

    #[test]
    fn a_reader_that_left_is_no_error_and_a_full_disk_is() {
        for (kind, fails) in
            [(io::ErrorKind::BrokenPipe, false), (io::ErrorKind::StorageFull, true)]
        {
            let sink = Sink::new(Box::new(Full(kind)), Arrangement::SortedIfSoon(Duration::ZERO));
            let mut lines = Lines::new(&sink);
            line(&mut lines, "a");
            assert_eq!(lines.pause(true), Flow::Stop);
            assert_eq!(sink.finish().is_err(), fails, "{kind}");
        }
    }

    #[test]
    fn paths_compare_by_component() {
        assert_eq!(compare_paths(b"a/b", b"a-b"), Comparison::Less);
        assert_eq!(compare_paths(b"a", b"a/b"), Comparison::Less);
        assert_eq!(compare_paths(b"b", b"a/b"), Comparison::Greater);
    }
}
