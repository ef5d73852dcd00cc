//! The queue of a walk in turn: directories to be read ahead, the one whose turn comes next first.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use crossbeam_deque::Worker as Deque;

use super::slot::{OrderedDir, ReadAhead, ReadyDir};
use crate::sched::lock;
use crate::sched::pace::Pace;
use crate::task::{DirNode, Kind, Queue, Task};
use crate::tree::Ancestor;

/// Bytes that may be held out of turn: some hundred thousand entries.
const OUT_OF_TURN: usize = 8 << 20;
/// Once that is full, readers rest until it has shrunk to this: not for one directory at a time.
const ROOM_AGAIN: usize = OUT_OF_TURN / 2;

/// Where a directory stands among its parent's entries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position(pub u32);

/// When the turn of a directory comes: after everything that stands before it in the directories from
/// the roots down to its parent.
struct Turn<K: Kind> {
    parent: Arc<DirNode<K>>,
    position: u32,
}

impl<K: Kind<Extra = Position>> Ord for Turn<K> {
    /// Compares the positions below the closest directory that both stand in.
    fn cmp(&self, other: &Turn<K>) -> Ordering {
        let (mine, theirs) = self.parent.fork(&other.parent);
        let here = mine.map_or(self.position, |node| node.extra.0);
        let there = theirs.map_or(other.position, |node| node.extra.0);
        here.cmp(&there).then(self.parent.child_depth.cmp(&other.parent.child_depth))
    }
}

impl<K: Kind<Extra = Position>> PartialOrd for Turn<K> {
    fn partial_cmp(&self, other: &Turn<K>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Kind<Extra = Position>> PartialEq for Turn<K> {
    fn eq(&self, other: &Turn<K>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Kind<Extra = Position>> Eq for Turn<K> {}

/// The queue of a walk in turn.
pub(crate) struct Turns<K: Kind> {
    pub(super) is_sorted: bool,
    ahead: Mutex<Ahead<K>>,
    /// Bytes held out of turn.
    bytes: AtomicUsize,
    is_full: AtomicBool,
    /// What readers gathered and the calling thread has handed on. Readers free it: memory that goes
    /// back to another thread's allocator has both wait for its lock (700 times in 129,000 entries).
    spent: Mutex<Vec<ReadyDir<K>>>,
}

/// More than this is not left to readers, which may be busy with slow storage.
const MOST_SPENT: usize = 256;

/// Batches for each worker that last about as long as it takes to read the next buffer.
const BATCHES_EACH: usize = 8;

/// Directories with unclaimed directories, by turn.
type Unread<K> = BTreeMap<Turn<K>, ReadyDir<K>>;

struct Ahead<K: Kind> {
    /// Continued readings of directories that were begun.
    readings: Vec<Task<K>>,
    /// Batches of what was read of them.
    batches: Vec<Task<K>>,
    unread: Unread<K>,
}

impl<K: Kind<Extra = Position>> Ahead<K> {
    fn has_begun(&self) -> bool {
        !(self.readings.is_empty() && self.batches.is_empty())
    }

    /// The next task of a directory that was begun. It is read on before its batches run out, so that
    /// no worker is idle meanwhile, but not long before, because each of its buffers would wait.
    fn begun(&mut self, workers: usize) -> Option<Task<K>> {
        let few = self.batches.len() < workers * BATCHES_EACH;
        let reading = if few { self.readings.pop() } else { None };
        reading.or_else(|| self.batches.pop())
    }

    /// Puts a directory where the turn of its next unclaimed directory comes.
    fn queue(&mut self, contents: &ReadyDir<K>) {
        if let Some(position) = contents.queued() {
            let turn = Turn { parent: Arc::clone(&contents.node), position };
            self.unread.insert(turn, contents.clone());
        }
    }
}

impl<K: Kind<Extra = Position>> Turns<K> {
    pub fn new(is_sorted: bool) -> Turns<K> {
        let ahead = Ahead { readings: Vec::new(), batches: Vec::new(), unread: BTreeMap::new() };
        Turns {
            is_sorted,
            ahead: Mutex::new(ahead),
            bytes: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            spent: Mutex::default(),
        }
    }

    fn has_room(&self) -> bool {
        !self.is_full.load(Relaxed)
    }

    /// A directory is ready, whose directories readers may begin with.
    pub fn queue(&self, dir: &ReadyDir<K>) {
        lock(&self.ahead).queue(dir);
    }

    /// A directory that was handed on, or never will be, has no directory left to read ahead.
    pub fn forget(&self, dir: &OrderedDir<K>) {
        if dir.directories.is_empty() {
            return;
        }
        let mut ahead = lock(&self.ahead);
        if let Some(position) = dir.unqueued() {
            ahead.unread.remove(&Turn { parent: Arc::clone(&dir.node), position });
        }
    }

    /// Leaves a directory that was handed on to readers.
    pub fn spend(&self, dir: ReadyDir<K>) {
        let mut spent = lock(&self.spent);
        if spent.len() < MOST_SPENT {
            spent.push(dir);
        }
    }

    /// Frees what was left to readers.
    pub fn free_spent(&self) {
        let spent = std::mem::take(&mut *lock(&self.spent));
        drop(spent);
    }

    /// More is held out of turn.
    pub fn grow(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes, Relaxed) + bytes >= OUT_OF_TURN {
            self.is_full.store(true, Relaxed);
        }
    }

    /// Something has come in turn; `true` if there is room again.
    pub fn shrink(&self, bytes: usize) -> bool {
        let left = self.bytes.fetch_sub(bytes, Relaxed) - bytes;
        left <= ROOM_AGAIN && self.is_full.swap(false, Relaxed)
    }

    pub fn has_work(&self) -> bool {
        let ahead = lock(&self.ahead);
        ahead.has_begun() || (self.has_room() && !ahead.unread.is_empty())
    }
}

impl<K> Turns<K>
where
    K: Kind<Extra = Position, Ahead = ReadAhead<K>>,
{
    /// The next task for one of so many workers: of a directory that was begun, or the unread
    /// directory whose turn comes first.
    pub fn take(&self, are_quick: bool, workers: usize) -> Option<Task<K>> {
        let mut ahead = lock(&self.ahead);
        if let Some(task) = ahead.begun(workers) {
            return Some(task);
        }
        if !self.has_room() {
            return None;
        }
        loop {
            let (_, dir) = ahead.unread.pop_first()?;
            let claim = dir.claim(self.is_sorted, are_quick);
            ahead.queue(&dir);
            if let Some(claim) = claim {
                return Some(Task::Ahead(claim));
            }
        }
    }
}

impl<K> Queue<K> for Turns<K>
where
    K: Kind<Extra = Position, Ahead = ReadAhead<K>>,
{
    fn push(&self, _: &Deque<Task<K>>, task: Task<K>) {
        let mut ahead = lock(&self.ahead);
        match task {
            Task::Continue(..) => ahead.readings.push(task),
            _ => ahead.batches.push(task),
        }
    }

    /// It may be several directories if they are quickly read.
    fn pop(&self, _: &Deque<Task<K>>, pace: &Pace) -> Option<Task<K>> {
        self.take(pace.is_quick(), pace.target())
    }

    fn has_work(&self) -> bool {
        Turns::has_work(self)
    }

    /// A worker that is alone reads the next directory itself.
    fn waiting(&self, _: usize, pace: &Pace) -> usize {
        let ahead = lock(&self.ahead);
        let unclaimed = ahead.unread.values().take(64).map(|dir| dir.unclaimed()).sum::<usize>();
        let own = usize::from(pace.target() == 1);
        ahead.readings.len() + ahead.batches.len() + unclaimed.saturating_sub(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::ordered::InOrder;
    use crate::emit::ordered::arrange::ByName;
    use crate::task::{Chunk, Reading};
    use crate::tree::Node;
    use brisk_sys::{Backend, Buffer, Dir};

    type Kept = InOrder<(), ByName>;

    /// Stacked on top of it, batches would keep the next buffer from being read until no worker has
    /// any work.
    #[test]
    fn a_directory_is_read_on_before_its_batches_run_out() {
        let (node, handle) = (Arc::new(Node::top(())), Arc::new(Dir::current(Backend::Native)));
        let reading = Reading::<Kept>::of_roots(node, handle, None);
        let chunk = Arc::new(Chunk::new(reading.clone(), Buffer::with_capacity(64), 0, None));
        let (turns, own) = (Turns::new(true), Deque::new_lifo());
        turns.push(&own, Task::Continue(reading, 1));
        for _ in 0..3 * BATCHES_EACH {
            turns.push(&own, Task::Batch(Arc::clone(&chunk), 0..0));
        }
        assert_eq!(turns.waiting(0, &Pace::new(1, None, false)), 3 * BATCHES_EACH + 1);
        let workers = 2;
        let is_reading = |task: &Task<Kept>| matches!(task, Task::Continue(..));
        let tasks: Vec<_> = std::iter::from_fn(|| turns.take(true, workers)).collect();
        assert_eq!(tasks.len(), 3 * BATCHES_EACH + 1);
        assert_eq!(tasks.iter().position(is_reading), Some(BATCHES_EACH + 1));
        assert!(!turns.has_work());
    }
}
