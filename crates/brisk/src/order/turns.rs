//! The queue of an ordered walk: directories to be read ahead, the one whose turn comes next first.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use super::place::{Contents, Filled};
use crate::queue::Unit;
use crate::sched::lock;
use crate::tree::Node;

/// What may be held out of turn, in bytes: some hundred thousand entries.
const OUT_OF_TURN: usize = 8 << 20;
/// Once that is full, readers rest until it has shrunk to this: not for one directory at a time.
const ROOM_AGAIN: usize = OUT_OF_TURN / 2;

/// When the turn of a directory comes: after everything that stands before it in the directories from
/// the roots down to its parent.
struct Turn<S> {
    parent: Arc<Node<S>>,
    position: u32,
}

impl<S> Ord for Turn<S> {
    /// Compares the positions below the closest directory that both stand in.
    fn cmp(&self, other: &Turn<S>) -> Ordering {
        let (mine, theirs) = self.parent.fork(&other.parent);
        let here = mine.map_or(self.position, |node| node.position);
        let there = theirs.map_or(other.position, |node| node.position);
        here.cmp(&there).then(self.parent.child_depth.cmp(&other.parent.child_depth))
    }
}

impl<S> PartialOrd for Turn<S> {
    fn partial_cmp(&self, other: &Turn<S>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> PartialEq for Turn<S> {
    fn eq(&self, other: &Turn<S>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<S> Eq for Turn<S> {}

/// The queue of an ordered walk.
pub(crate) struct Turns<S> {
    pub(super) sorted: bool,
    pub(super) ahead: Mutex<Ahead<S>>,
    /// Bytes held out of turn.
    bytes: AtomicUsize,
    is_full: AtomicBool,
    /// What readers gathered and the calling thread has handed on. Readers free it: memory that goes
    /// back to another thread's allocator has both wait for its lock (700 times in 129,000 entries).
    spent: Mutex<Vec<Filled<S>>>,
}

/// More than this is not left to readers, which may be busy with slow storage.
const MOST_SPENT: usize = 256;

/// Batches for each worker that last about as long as it takes to read the next buffer.
const BATCHES_EACH: usize = 8;

/// Contents with unclaimed directories, by turn.
type Unread<S> = BTreeMap<Turn<S>, Filled<S>>;

pub(super) struct Ahead<S> {
    /// Continued readings of directories that were begun.
    readings: Vec<Unit<S>>,
    /// Batches of what was read of them.
    batches: Vec<Unit<S>>,
    unread: Unread<S>,
}

impl<S> Ahead<S> {
    fn has_begun(&self) -> bool {
        !(self.readings.is_empty() && self.batches.is_empty())
    }

    /// The next unit of a directory that was begun. It is read on before its batches run out, so that
    /// nobody is idle meanwhile, but not long before, because each of its buffers would wait.
    fn begun(&mut self, workers: usize) -> Option<Unit<S>> {
        let few = self.batches.len() < workers * BATCHES_EACH;
        let reading = if few { self.readings.pop() } else { None };
        reading.or_else(|| self.batches.pop())
    }

    /// Puts contents where the turn of their next unclaimed directory comes.
    pub(super) fn queue(&mut self, contents: &Filled<S>) {
        if let Some(position) = contents.queued() {
            let turn = Turn { parent: Arc::clone(&contents.node), position };
            self.unread.insert(turn, contents.clone());
        }
    }
}

impl<S> Turns<S> {
    pub fn new(sorted: bool) -> Turns<S> {
        let ahead = Ahead { readings: Vec::new(), batches: Vec::new(), unread: BTreeMap::new() };
        Turns {
            sorted,
            ahead: Mutex::new(ahead),
            bytes: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            spent: Mutex::default(),
        }
    }

    pub fn push(&self, unit: Unit<S>) {
        let mut ahead = lock(&self.ahead);
        match unit {
            Unit::Continue(..) => ahead.readings.push(unit),
            _ => ahead.batches.push(unit),
        }
    }

    fn has_room(&self) -> bool {
        !self.is_full.load(Relaxed)
    }

    /// Contents that were handed on, or never will be, have no directory left to read ahead.
    pub(super) fn forget(&self, contents: &Contents<S>) {
        if contents.directories.is_empty() {
            return;
        }
        let mut ahead = lock(&self.ahead);
        if let Some(position) = contents.unqueued() {
            ahead.unread.remove(&Turn { parent: Arc::clone(&contents.node), position });
        }
    }

    /// Leaves contents that were handed on to readers.
    pub(super) fn spend(&self, contents: Filled<S>) {
        let mut spent = lock(&self.spent);
        if spent.len() < MOST_SPENT {
            spent.push(contents);
        }
    }

    /// Frees what was left to readers.
    pub(super) fn free_spent(&self) {
        let spent = std::mem::take(&mut *lock(&self.spent));
        drop(spent);
    }

    /// More is held out of turn.
    pub(super) fn grow(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes, Relaxed) + bytes >= OUT_OF_TURN {
            self.is_full.store(true, Relaxed);
        }
    }

    /// Something has come in turn; `true` if there is room again.
    pub(super) fn shrink(&self, bytes: usize) -> bool {
        let left = self.bytes.fetch_sub(bytes, Relaxed) - bytes;
        left <= ROOM_AGAIN && self.is_full.swap(false, Relaxed)
    }

    pub fn has_work(&self) -> bool {
        let ahead = lock(&self.ahead);
        ahead.has_begun() || (self.has_room() && !ahead.unread.is_empty())
    }

    /// The next unit for one of so many workers: of a directory that was begun, or the unread directory
    /// whose turn comes first.
    pub fn pop(&self, are_quick: bool, workers: usize) -> Option<Unit<S>> {
        let mut ahead = lock(&self.ahead);
        if let Some(unit) = ahead.begun(workers) {
            return Some(unit);
        }
        if !self.has_room() {
            return None;
        }
        loop {
            let (_, contents) = ahead.unread.pop_first()?;
            let claim = contents.claim(self.sorted, are_quick);
            ahead.queue(&contents);
            if let Some(claim) = claim {
                return Some(Unit::Ahead(contents, claim));
            }
        }
    }

    /// How many units wait for other workers than these, by and large. A worker that is alone reads
    /// the next directory itself.
    pub fn unread(&self, workers: usize) -> usize {
        let ahead = lock(&self.ahead);
        let count = |contents: &Filled<S>| contents.unclaimed();
        let unclaimed = ahead.unread.values().take(64).map(count).sum::<usize>();
        let own = usize::from(workers == 1);
        ahead.readings.len() + ahead.batches.len() + unclaimed.saturating_sub(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Chunk, Reading};
    use brisk_sys::{Backend, Buffer, Dir};

    /// Stacked on top of it, batches would keep the next buffer from being read until nobody has any work.
    #[test]
    fn a_directory_is_read_on_before_its_batches_run_out() {
        let reading: Reading<()> = Reading {
            node: Arc::new(Node::top(())),
            handle: Arc::new(Dir::current(Backend::Native)),
            lasting: None,
            gathering: None,
            read_on: Default::default(),
        };
        let chunk = Arc::new(Chunk::new(reading.clone(), Buffer::with_capacity(64), 0));
        let turns = Turns::new(true);
        turns.push(Unit::Continue(reading, 1));
        for _ in 0..3 * BATCHES_EACH {
            turns.push(Unit::Batch(Arc::clone(&chunk), 0..0));
        }
        assert_eq!(turns.unread(1), 3 * BATCHES_EACH + 1);
        let workers = 2;
        let is_reading = |unit: &Unit<()>| matches!(unit, Unit::Continue(..));
        let units: Vec<_> = std::iter::from_fn(|| turns.pop(true, workers)).collect();
        assert_eq!(units.len(), 3 * BATCHES_EACH + 1);
        assert_eq!(units.iter().position(is_reading), Some(BATCHES_EACH + 1));
        assert!(!turns.has_work());
    }
}
