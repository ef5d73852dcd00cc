//! [`Chunks`]: the stream of a walk's entries, packed, for the thread that pulls them.
//!
//! ```text
//!   the thread that pulls:  chunk waits? ─ yes ─► takes it
//!                                 └─ no ─► performs tasks of the walk until one waits ─┐
//!   other workers ─► Packing ─► Pipe ◄── Packing ◄─────────────────────────────────────┘
//!                       ▲        │ read
//!                       └─ spare ┘
//! ```
//! So the thread that pulls never waits while it could read directories itself, and a walk on two
//! processors needs only one more thread. Memory is reused: a chunk that was read goes back to the
//! workers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::drive::steps::{Steps, Waker};
use crate::sched::lock;
use crate::{
    DirEntry, Directory, Entry, Error, Fields, Flow, Flushed, Needs, Order, OwnedChunk, Parallel,
    Pause, Select, Visitor, Walk,
};

/// A worker hands its chunk over once there are this many entries: waking the other thread then
/// costs little in comparison, and all of a chunk is still in the processor's cache.
const ENTRIES: usize = 512;

/// A worker also hands its chunk over once names and paths take this many bytes.
const BYTES: usize = 64 << 10;

/// The maximum of entries that wait for the thread that pulls. It bounds memory, and is large
/// enough for workers to go on while that thread is busy.
const WAITING: usize = 32 * ENTRIES;

/// Where chunks wait.
#[derive(Default)]
struct Pipe {
    state: Mutex<PipeState>,
    /// A chunk waits.
    has_chunk: AtomicBool,
    /// There is room again.
    room: Condvar,
    /// Wakes the thread that pulls.
    waker: OnceLock<Waker>,
}

#[derive(Default)]
struct PipeState {
    chunks: VecDeque<OwnedChunk>,
    /// How many entries they have.
    entries: usize,
    errors: VecDeque<Error>,
    /// Chunks that were read, to be filled again.
    spare: Vec<OwnedChunk>,
    /// How many workers wait for room.
    waiting: usize,
    /// The walk ends, and no worker waits any more.
    ends: bool,
}

impl Pipe {
    /// Hands a chunk over, and puts an empty one in its place. If there is no room, waits for it if
    /// `keep_open` is set. Returns how long it has waited.
    fn send(&self, chunk: &mut OwnedChunk, keep_open: bool) -> Duration {
        let mut waited = Duration::ZERO;
        let mut state = lock(&self.state);
        if keep_open && state.is_full() {
            let began = Instant::now();
            while state.is_full() {
                state.waiting += 1;
                state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
            }
            waited = began.elapsed();
        }
        let empty = state.spare.pop().unwrap_or_default();
        state.entries += chunk.len();
        state.chunks.push_back(std::mem::replace(chunk, empty));
        self.has_chunk.store(true, Ordering::Release);
        drop(state);
        if keep_open && let Some(wake) = self.waker.get() {
            wake();
        }
        waited
    }

    /// Takes the next chunk in place of one that was read.
    fn take(&self, chunk: &mut OwnedChunk) -> bool {
        let mut state = lock(&self.state);
        let Some(next) = state.chunks.pop_front() else { return false };
        self.has_chunk.store(!state.chunks.is_empty(), Ordering::Relaxed);
        let was_full = state.is_full();
        state.entries -= next.len();
        let mut read = std::mem::replace(chunk, next);
        read.clear();
        state.spare.push(read);
        if was_full && state.waiting > 0 {
            self.room.notify_all();
        }
        true
    }

    /// The walk ends: lets all workers go that wait for room.
    fn end(&self) {
        lock(&self.state).ends = true;
        self.room.notify_all();
    }
}

impl PipeState {
    fn is_full(&self) -> bool {
        self.entries >= WAITING && !self.ends
    }
}

/// Packs entries.
pub(crate) struct Packing {
    fields: Fields,
    chunk: OwnedChunk,
    pipe: Arc<Pipe>,
    /// The worker is not the thread that pulls.
    keep_open: bool,
    /// The walk is breadth first: all entries of a level are handed over before that level ends.
    by_level: bool,
    /// How long the worker waited for room since the last flush.
    waited: Duration,
}

impl Packing {
    fn new(fields: Fields, pipe: &Arc<Pipe>, keep_open: bool, by_level: bool) -> Packing {
        let chunk = OwnedChunk::default();
        let pipe = Arc::clone(pipe);
        Packing { fields, chunk, pipe, keep_open, by_level, waited: Duration::ZERO }
    }

    fn send(&mut self) {
        self.waited += self.pipe.send(&mut self.chunk, self.keep_open);
    }
}

impl Visitor for Packing {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.chunk.add(dir, entries);
        if self.by_level {
            self.send();
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        lock(&self.pipe.state).errors.push_back(error);
        Flow::Continue
    }

    fn flush(&mut self, Pause { write_is_cheap, .. }: Pause) -> Flushed {
        let is_full = self.chunk.len() >= ENTRIES || self.chunk.bytes() >= BYTES;
        if is_full || (write_is_cheap && !self.chunk.is_empty()) {
            self.send();
        }
        Flushed { waited: std::mem::take(&mut self.waited), ..Flushed::default() }
    }
}

impl Parallel for Packing {
    fn fork(&self, _: usize) -> Packing {
        Packing::new(self.fields, &self.pipe, true, self.by_level)
    }

    fn merge(&mut self, mut other: Packing) {
        if !other.chunk.is_empty() {
            self.pipe.send(&mut other.chunk, false);
        }
    }
}

/// The entries of a walk, packed in chunks; made by [`Walk::par_chunks`].
///
/// The walk goes on in two ways. A thread that waits here for a chunk performs the walk's tasks
/// meanwhile, so nothing happens before it asks for the first one. The walk's other workers, which
/// it starts if they are worth while, go on while that thread is busy elsewhere, until 16,384
/// entries wait. Dropping this ends the walk and waits for its threads.
///
/// As an iterator it yields a new chunk each time, and errors between them.
/// [`refill`](Chunks::refill) uses the memory of chunks again.
pub struct Chunks {
    /// `None` once the walk has ended.
    walk: Option<Box<dyn Steps>>,
    pipe: Arc<Pipe>,
}

impl Chunks {
    /// The chunks of a walk. `visitor` gets the [`Packing`], and returns the walk's visitor around
    /// it.
    pub(crate) fn new<V>(walk: Walk, fields: Fields, visitor: impl FnOnce(Packing) -> V) -> Chunks
    where
        V: Parallel + 'static,
        V::State: 'static,
    {
        let pipe = Arc::<Pipe>::default();
        let by_level = walk.order == Order::Breadth;
        let walk = walk.steps(visitor(Packing::new(fields, &pipe, false, by_level)));
        let _ = pipe.waker.set(walk.waker());
        Chunks { walk: Some(walk), pipe }
    }

    /// Puts the next chunk, of at least one entry, in place of `chunk`, and uses the memory of
    /// `chunk` again. `false` at the end of the walk, also of one that was cancelled.
    pub fn refill(&mut self, chunk: &mut OwnedChunk) -> bool {
        if self.pipe.take(chunk) {
            return true;
        }
        let Some(walk) = &mut self.walk else { return false };
        walk.resume();
        let has_chunk = || self.pipe.has_chunk.load(Ordering::Acquire);
        while !has_chunk() {
            if !walk.step(&has_chunk) {
                self.pipe.end();
                walk.end();
                self.walk = None;
                return self.pipe.take(chunk);
            }
        }
        walk.leave();
        self.pipe.take(chunk)
    }

    /// The next error that the walk has met, if there is one now. The walk goes on after each.
    pub fn next_error(&mut self) -> Option<Error> {
        lock(&self.pipe.state).errors.pop_front()
    }
}

impl Iterator for Chunks {
    type Item = Result<OwnedChunk, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.next_error() {
            return Some(Err(error));
        }
        let mut chunk = OwnedChunk::default();
        if self.refill(&mut chunk) { Some(Ok(chunk)) } else { self.next_error().map(Err) }
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.pipe.end();
        if let Some(mut walk) = self.walk.take() {
            walk.end();
        }
    }
}

/// An iterator over entries, whose walk runs in parallel; made by [`Walk::par_iter`].
///
/// The walk goes on as that of [`Chunks`]. Dropping this ends it and waits for its threads.
pub struct ParallelIter {
    chunks: Chunks,
    chunk: OwnedChunk,
    /// The number of the chunk's entries that were yielded.
    yielded: usize,
}

impl Iterator for ParallelIter {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.yielded == self.chunk.len() {
            if let Some(error) = self.chunks.next_error() {
                return Some(Err(error));
            }
            self.yielded = 0;
            if !self.chunks.refill(&mut self.chunk) {
                self.chunk.clear();
                return self.chunks.next_error().map(Err);
            }
        }
        let entry = self.chunk.get(self.yielded)?;
        self.yielded += 1;
        Some(Ok(entry.to_owned()))
    }
}

impl Walk {
    /// An iterator over a walk that runs in parallel, with these metadata fields filled. It
    /// goes on as that of [`Chunks`], and yields entries in the order of
    /// [`par_chunks`](Walk::par_chunks).
    ///
    /// Costs an allocation an entry for the path, and another for metadata, on the consumer's
    /// thread: [`par_chunks`](Walk::par_chunks) does without.
    ///
    /// # Example
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::write(scratch.path().join("a"), "12345")?;
    /// # let root = scratch.path();
    /// use brisk::{Fields, Walk};
    ///
    /// let entries = Walk::new(root).min_depth(1).par_iter(Fields::SIZE);
    /// let sizes = entries.filter_map(|entry| entry.ok()?.meta()?.size());
    /// assert_eq!(sizes.sum::<u64>(), 5);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn par_iter(self, fields: Fields) -> ParallelIter {
        let chunks = self.par_chunks(fields);
        ParallelIter { chunks, chunk: OwnedChunk::default(), yielded: 0 }
    }

    /// Like [`par_iter`](Walk::par_iter), but yields a chunk of entries at a time. A chunk has at
    /// least 512 entries or 64 KiB of names, but less if entries come slowly, at the end, and in
    /// [breadth-first](Order::Breadth) walks. Entries of one directory come together, some hundreds
    /// at a time. In an [unordered](Order::Unordered) walk, what is in a directory may come before the
    /// directory itself, in another worker's chunk. Errors come between the chunks.
    ///
    /// Costs one or two copies of each name, and nothing else for an entry; with
    /// [`refill`](Chunks::refill) no allocation.
    ///
    /// # Example
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::write(scratch.path().join("a"), "12345")?;
    /// # std::fs::write(scratch.path().join("b"), "678")?;
    /// # let root = scratch.path();
    /// use brisk::{Fields, Walk};
    ///
    /// let mut path = Vec::new();
    /// let mut bytes = 0;
    /// for chunk in Walk::new(root).min_depth(1).par_chunks(Fields::SIZE) {
    ///     for entry in chunk?.iter() {
    ///         path.clear();
    ///         entry.path_into(&mut path);
    ///         assert!(path.ends_with(b"a") || path.ends_with(b"b"));
    ///         bytes += entry.meta().and_then(|meta| meta.size()).unwrap_or(0);
    ///     }
    /// }
    /// assert_eq!(bytes, 8);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn par_chunks(self, fields: Fields) -> Chunks {
        Chunks::new(self, fields, |packing| packing)
    }
}
