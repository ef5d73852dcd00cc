//! Counting on threads of its own: an [`Observer`] a worker, which pass on what they find through
//! an [`Inbox`].
//!
//! ```text
//!   workers ─► Counter::held ── once a picture ──► Inbox ── Inbox::take, once a picture ──► model
//! ```
//!
//! A worker takes the inbox's lock at most once for each picture, and never waits for a terminal.

use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use brisk::usage::{HardLinks, Observer, Sums, Total, Usage};
use brisk::{
    Entry, Error, Fields, Flow, Flushed, Meta, Operation, Outcome, Pause, Timestamp, Walk,
};
use brisk_cli::internal::error_text;
use brisk_sys::Identity;
use brisk_sys::threads::lock;

/// What a count has found.
#[derive(Debug)]
pub enum Counted {
    /// Entries of a directory that has not been left.
    Entries { path: Box<[u8]>, depth: usize, sums: Sums },
    /// A file with several names, which counts in this directory unless one that comes first has it.
    Linked { path: Box<[u8]>, depth: usize, file: Identity },
    /// A root that is no directory.
    Root { path: Box<[u8]>, sums: Sums },
    /// A directory with all below it.
    Total { path: Box<[u8]>, depth: usize, all: Sums, is_partial: bool },
    /// What failed, in words.
    Failed { path: Box<[u8]>, depth: usize, why: String },
}

/// What the workers have found since it was last taken.
#[derive(Debug, Default)]
pub struct Inbox {
    found: Mutex<Vec<Counted>>,
    /// How often it was taken.
    turn: AtomicU32,
    is_done: AtomicBool,
    is_stopped: AtomicBool,
}

impl Inbox {
    /// The count shall end: what it finds is not wanted any more.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    /// What has been found since the last call, and whether the count is done.
    pub fn take(&self) -> (Vec<Counted>, bool) {
        let is_done = self.is_done.load(Relaxed);
        self.turn.fetch_add(1, Relaxed);
        (take(&mut *lock(&self.found)), is_done)
    }
}

/// Counts these roots by the rules of `usage`, which has none; returns at once.
///
/// # Errors
/// The system starts no thread.
pub fn start(usage: &Usage, roots: &[PathBuf]) -> io::Result<Arc<Inbox>> {
    let inbox = Arc::new(Inbox::default());
    let mut usage = usage.clone();
    usage.walk = roots.iter().fold(usage.walk, Walk::root);
    let shared = Arc::clone(&inbox);
    let counts_once = usage.links != HardLinks::Each;
    let count = move || {
        let (mut counter, _) = usage.run(Counter::new(shared, counts_once));
        counter.pass_on();
        counter.inbox.is_done.store(true, Relaxed);
    };
    std::thread::Builder::new().name("count".into()).spawn(count)?;
    Ok(inbox)
}

/// One worker of a count.
struct Counter {
    inbox: Arc<Inbox>,
    /// A file counts once, however many names it has.
    counts_once: bool,
    /// What has been found since the inbox was taken.
    held: Vec<Counted>,
    turn: u32,
}

impl Counter {
    fn new(inbox: Arc<Inbox>, counts_once: bool) -> Counter {
        Counter { inbox, counts_once, held: Vec::new(), turn: 0 }
    }

    /// Which file it is, if it has several names and counts once.
    fn linked(&self, entry: &Entry<'_>) -> Option<Identity> {
        let may_be = self.counts_once && !entry.file_type().is_dir();
        let meta = entry.meta().filter(|meta| may_be && meta.nlink().is_some_and(|it| it > 1));
        meta.and_then(Meta::identity)
    }

    fn pass_on(&mut self) {
        lock(&self.inbox.found).append(&mut self.held);
    }
}

impl Observer for Counter {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        let path = total.path.as_os_str().as_encoded_bytes();
        let is_same =
            |found: &Counted| matches!(found, Counted::Entries { path: it, .. } if **it == *path);
        if self.held.last().is_some_and(is_same) {
            self.held.pop();
        }
        let Total { depth, all, outcome, .. } = *total;
        let is_partial = outcome != Outcome::Complete;
        self.held.push(Counted::Total { path: path.into(), depth, all, is_partial });
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        if error.operation() != Operation::FollowLoop {
            let path = error.path().as_os_str().as_encoded_bytes().into();
            let why = error_text(&error);
            self.held.push(Counted::Failed { path, depth: error.depth(), why });
        }
        Flow::Continue
    }

    fn fields(&self) -> Fields {
        Fields::MTIME
    }

    fn time(&self, meta: &Meta) -> Option<Timestamp> {
        meta.mtime()
    }

    fn file(&mut self, entry: &Entry<'_>, more: Sums) -> Flow {
        if entry.depth() == 0 {
            let path = entry.path().as_os_str().as_encoded_bytes().into();
            self.held.push(Counted::Root { path, sums: more });
            return Flow::Continue;
        }
        let dir = entry.directory().path().as_os_str().as_encoded_bytes();
        let depth = entry.depth() - 1;
        if let Some(file) = self.linked(entry).filter(|_| more.entries > 0) {
            // The entries of the directory stay last.
            let at = self.held.len().saturating_sub(1);
            self.held.insert(at, Counted::Linked { path: dir.into(), depth, file });
        }
        match self.held.last_mut() {
            Some(Counted::Entries { path, sums, .. }) if **path == *dir => *sums += more,
            _ => self.held.push(Counted::Entries { path: dir.into(), depth, sums: more }),
        }
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        let turn = self.inbox.turn.load(Relaxed);
        if turn != self.turn && !self.held.is_empty() {
            self.turn = turn;
            self.pass_on();
        }
        let is_stopped = self.inbox.is_stopped.load(Relaxed);
        let flow = if is_stopped { Flow::Stop } else { Flow::Continue };
        Flushed { flow, ..Flushed::default() }
    }

    fn fork(&self, _: usize) -> Counter {
        Counter::new(Arc::clone(&self.inbox), self.counts_once)
    }

    fn merge(&mut self, other: Counter) {
        self.held.extend(other.held);
    }
}
