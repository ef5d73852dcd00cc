//! Iterators over a walk: visitors that copy entries. They cost an owned path for each entry, or a
//! packed copy of each chunk.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::emit::ordered::InOrder;
use crate::emit::ordered::arrange::ByName;
use crate::emit::ordered::emission::Emission;
use crate::emit::ordered::turns::Turns;
use crate::emit::unordered::Unordered;
use crate::queue::Streaming;
use crate::run::Setup;
use crate::walk::Order;
use crate::worker::Worker;
use crate::{
    DirEntry, Directory, Entry, Error, Fields, Flow, Needs, OwnedChunk, Parallel, Select, Visitor,
    Walk,
};

/// The most chunks of entries that wait in a [`ParallelChunks`]: enough that workers need not wait
/// while the consumer is busy, few enough to bound memory.
const CHUNKS: usize = 64;

/// Collects owned entries.
#[derive(Default)]
struct Collect {
    fields: Fields,
    found: VecDeque<Result<DirEntry, Error>>,
}

impl Visitor for Collect {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.found.extend(entries.iter().map(|entry| Ok(entry.to_owned())));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.found.push_back(Err(error));
        Flow::Continue
    }
}

/// A serial iterator over a [`Walk`], on the calling thread; made by `walk.into_iter()`.
///
/// It reads one buffer of a directory at a time, so that a directory of any size streams. Dropping
/// it ends the walk.
pub struct Iter(Steps);

/// A walk that goes on step by step.
enum Steps {
    AsListed(Worker<'static, Collect, Unordered<()>>),
    InTurn(Worker<'static, Collect, InOrder<(), ByName>>, Emission<Collect, ByName>),
}

impl Iter {
    fn new(walk: Walk, fields: Fields) -> Iter {
        let visitor = Collect { fields, ..Collect::default() };
        let walk = walk.threads(std::num::NonZeroUsize::new(1));
        let order = walk.order;
        if matches!(order, Order::Unordered | Order::Breadth) {
            let queue = Streaming::new(order == Order::Breadth);
            let setup = Setup::<Unordered<()>>::new(walk, &visitor, queue);
            let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, None, 0);
            setup.begin(&mut worker);
            return Iter(Steps::AsListed(worker));
        }
        let queue = Turns::new(walk.siblings());
        let setup = Setup::<InOrder<(), ByName>>::new(walk, &visitor, queue);
        let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, None, 0);
        let roots = setup.begin(&mut worker).expect("BUG: the roots of a walk in turn have a slot");
        let emission = Emission::new(&mut worker, &roots);
        Iter(Steps::InTurn(worker, emission))
    }
}

impl Iterator for Iter {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = match &mut self.0 {
                Steps::AsListed(worker) => &mut worker.local.visitor.found,
                Steps::InTurn(worker, _) => &mut worker.local.visitor.found,
            };
            if let Some(entry) = found.pop_front() {
                return Some(entry);
            }
            let has_more = match &mut self.0 {
                Steps::AsListed(worker) => worker.step(),
                Steps::InTurn(worker, emission) => emission.step(worker),
            };
            if !has_more {
                return None;
            }
        }
    }
}

impl IntoIterator for Walk {
    type Item = Result<DirEntry, Error>;
    type IntoIter = Iter;

    /// Walks serially. System calls: those of the walk, none of its own.
    fn into_iter(self) -> Iter {
        Iter::new(self, Fields::empty())
    }
}

/// Packs chunks and sends them.
struct Send {
    fields: Fields,
    channel: SyncSender<Result<OwnedChunk, Error>>,
}

impl Send {
    fn send(&self, chunk: Result<OwnedChunk, Error>) -> Flow {
        // The channel is closed once the caller has dropped the iterator.
        if self.channel.send(chunk).is_ok() { Flow::Continue } else { Flow::Stop }
    }
}

impl Visitor for Send {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.send(Ok(OwnedChunk::new(dir, entries)))
    }

    fn error(&mut self, error: Error) -> Flow {
        self.send(Err(error))
    }
}

impl Parallel for Send {
    fn fork(&self, _: usize) -> Self {
        Send { fields: self.fields, channel: self.channel.clone() }
    }

    fn merge(&mut self, _: Self) {}
}

/// An iterator over chunks of entries, whose walk runs in threads of its own; made by
/// [`Walk::par_chunks`].
///
/// Dropping it ends the walk and waits for its threads.
pub struct ParallelChunks {
    chunks: Option<Receiver<Result<OwnedChunk, Error>>>,
    thread: Option<JoinHandle<()>>,
}

impl Iterator for ParallelChunks {
    type Item = Result<OwnedChunk, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chunks.as_ref()?.recv().ok()
    }
}

impl Drop for ParallelChunks {
    fn drop(&mut self) {
        // Closing the channel stops the walk.
        self.chunks = None;
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

/// An iterator over entries, whose walk runs in threads of its own; made by [`Walk::par_iter`].
///
/// Dropping it ends the walk and waits for its threads.
pub struct ParallelIter {
    chunks: ParallelChunks,
    chunk: Option<OwnedChunk>,
    /// The number of the chunk's entries that were yielded.
    yielded: usize,
}

impl Iterator for ParallelIter {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.chunk.as_ref().and_then(|chunk| chunk.get(self.yielded)) {
                self.yielded += 1;
                return Some(Ok(entry.to_owned()));
            }
            match self.chunks.next()? {
                Ok(chunk) => {
                    self.chunk = Some(chunk);
                    self.yielded = 0;
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Walk {
    /// A serial iterator whose entries have these metadata fields filled, as far as the system
    /// gives them.
    ///
    /// Costs one statx an entry, unless the fields are those that the directory gives.
    #[must_use]
    pub fn iter_with(self, fields: Fields) -> Iter {
        Iter::new(self, fields)
    }

    /// An iterator over a walk that runs in parallel, in threads of its own, with these metadata
    /// fields filled. At most 64 chunks of entries wait for the consumer.
    ///
    /// Costs an allocation an entry for the path, and another for metadata, on the consumer's
    /// thread: [`par_chunks`](Walk::par_chunks) does without.
    ///
    /// # Errors
    /// No thread can be started.
    ///
    /// # Example
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::write(scratch.path().join("a"), "12345")?;
    /// # let root = scratch.path();
    /// use brisk::{Fields, Walk};
    ///
    /// let entries = Walk::new(root).min_depth(1).par_iter(Fields::SIZE)?;
    /// let sizes = entries.filter_map(|entry| entry.ok()?.meta()?.size());
    /// assert_eq!(sizes.sum::<u64>(), 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn par_iter(self, fields: Fields) -> std::io::Result<ParallelIter> {
        Ok(ParallelIter { chunks: self.par_chunks(fields)?, chunk: None, yielded: 0 })
    }

    /// As [`par_iter`](Walk::par_iter), a chunk at a time: the entries that a visitor gets in one
    /// call. The entries of a chunk are siblings. A small directory is one chunk, a large one
    /// several. Errors come between the chunks.
    ///
    /// Costs two or three allocations a chunk ([`OwnedChunk`]) and one send; nothing for an entry.
    ///
    /// # Errors
    /// No thread can be started.
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
    /// for chunk in Walk::new(root).min_depth(1).par_chunks(Fields::SIZE)? {
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
    pub fn par_chunks(self, fields: Fields) -> std::io::Result<ParallelChunks> {
        let (channel, chunks) = sync_channel(CHUNKS);
        let walk = move || drop(self.visit_parallel(Send { fields, channel }));
        let thread = Builder::new().name("brisk-iter".into()).spawn(walk)?;
        Ok(ParallelChunks { chunks: Some(chunks), thread: Some(thread) })
    }
}
