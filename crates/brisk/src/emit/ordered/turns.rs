//! The queue of an ordered walk, and the bound on what waits for its turn. Readers first take tasks
//! of directories that were begun, then claim the unread directories whose turns come next.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicIsize};
use std::sync::{Arc, Mutex};

use brisk_sys::Dir;
use crossbeam_deque::Worker as Deque;

use super::arrange::Acts;
use super::slot::{OrderedDir, ReadAhead, ReadyDir, Slot};
use crate::drive::task::{DirNode, Queue, Task, WalkKind};
use crate::sched::lock;
use crate::sched::pace::Pace;
use crate::tree::EmitState;
use crate::walk::SiblingOrder;

/// The bytes of ready directories that may wait for their turn: some hundred thousand entries.
const OUT_OF_TURN: isize = 8 << 20;
/// The bytes to which that must shrink before readers claim directories again: half, so that they
/// are not woken for one directory at a time.
const ROOM_AGAIN: isize = OUT_OF_TURN / 2;

/// Where a directory stands among its parent's entries.
#[derive(Default)]
pub(crate) struct Position {
    pub at: u32,
    /// In the node above the roots: its handle.
    above_roots: Option<Arc<Dir>>,
}

impl EmitState for Position {
    fn hold_above_roots(&mut self, handle: &Arc<Dir>) {
        self.above_roots = Some(Arc::clone(handle));
    }

    fn held(&self) -> Option<Arc<Dir>> {
        self.above_roots.clone()
    }
}

/// When the turn of a directory comes: after everything that stands before it in the directories
/// from the roots down to its parent.
struct Turn<K: WalkKind> {
    parent: Arc<DirNode<K>>,
    position: u32,
}

impl<K: WalkKind<EmitState = Position>> Ord for Turn<K> {
    /// Compares the positions in the deepest directory that is above both.
    fn cmp(&self, other: &Turn<K>) -> Ordering {
        let (mine, theirs) = self.parent.fork(&other.parent);
        let here = mine.map_or(self.position, |node| node.emit_state.at);
        let there = theirs.map_or(other.position, |node| node.emit_state.at);
        here.cmp(&there).then(self.parent.child_depth.cmp(&other.parent.child_depth))
    }
}

impl<K: WalkKind<EmitState = Position>> PartialOrd for Turn<K> {
    fn partial_cmp(&self, other: &Turn<K>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: WalkKind<EmitState = Position>> PartialEq for Turn<K> {
    fn eq(&self, other: &Turn<K>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: WalkKind<EmitState = Position>> Eq for Turn<K> {}

/// The kind of an ordered walk; `A` decides the order of siblings.
pub(crate) struct InOrder<S, A>(PhantomData<(S, A)>);

impl<S: Default + Send + Sync, A: Acts> WalkKind for InOrder<S, A> {
    type State = S;
    type EmitState = Position;
    type Slot = Option<Arc<Slot<Self>>>;
    type Ahead = ReadAhead<Self>;
    type Queue = Turns<Self>;

    const IN_ORDER: bool = true;
    const ACTS: bool = A::ACTS;
    // The visitor's type is not known here. Most that act in order remove.
    const REMOVES: bool = A::ACTS;

    fn emit_state(at: u32) -> Position {
        Position { at, above_roots: None }
    }
}

/// The queue of an ordered walk.
pub(crate) struct Turns<K: WalkKind> {
    pub(super) siblings: SiblingOrder,
    ahead: Mutex<Ahead<K>>,
    /// The bytes of ready directories that wait for their turn. For a moment it may be less than
    /// nothing: the calling thread takes a directory as soon as that is ready.
    bytes: AtomicIsize,
    /// `bytes` has reached the bound, and has not shrunk enough since.
    is_full: AtomicBool,
    /// Directories that readers have read and the calling thread has delivered. Readers free them,
    /// because a thread that frees memory of another thread's allocator waits for that one's lock
    /// (700 times in 129,000 entries).
    spent: Mutex<Vec<ReadyDir<K>>>,
}

/// The most directories that are left to readers to free. Readers may be busy with slow storage, so
/// the calling thread frees what is above this number.
const MAX_SPENT: usize = 256;

/// The number of batches per worker below which a directory is read on: they last about as long as
/// reading its next buffer takes.
const BATCHES_EACH: usize = 8;

/// Ready directories with unclaimed directories in them, by the turn of the first unclaimed one.
type Unread<K> = BTreeMap<Turn<K>, ReadyDir<K>>;

/// What readers may take.
struct Ahead<K: WalkKind> {
    /// Directories that were begun and have more to read.
    readings: Vec<Task<K>>,
    /// Batches of records of directories that were begun.
    batches: Vec<Task<K>>,
    unread: Unread<K>,
}

impl<K: WalkKind<EmitState = Position>> Ahead<K> {
    /// The next task of directories that were begun. A directory is read on before its batches run
    /// out, so that no worker is idle meanwhile, but not long before, because each buffer would
    /// wait in memory.
    fn begun(&mut self, workers: usize) -> Option<Task<K>> {
        let few = self.batches.len() < workers * BATCHES_EACH;
        let reading = if few { self.readings.pop() } else { None };
        reading.or_else(|| self.batches.pop())
    }

    /// Queues a directory at the turn of its first unclaimed directory.
    fn queue(&mut self, contents: &ReadyDir<K>) {
        if let Some(position) = contents.queued() {
            let turn = Turn { parent: Arc::clone(&contents.node), position };
            self.unread.insert(turn, contents.clone());
        }
    }
}

impl<K: WalkKind<EmitState = Position>> Turns<K> {
    pub fn new(siblings: SiblingOrder) -> Turns<K> {
        let ahead = Ahead { readings: Vec::new(), batches: Vec::new(), unread: BTreeMap::new() };
        Turns {
            siblings,
            ahead: Mutex::new(ahead),
            bytes: AtomicIsize::new(0),
            is_full: AtomicBool::new(false),
            spent: Mutex::default(),
        }
    }

    fn has_room(&self) -> bool {
        !self.is_full.load(Relaxed)
    }

    /// A directory is ready: readers may claim its directories.
    pub fn queue(&self, dir: &ReadyDir<K>) {
        lock(&self.ahead).queue(dir);
    }

    /// Takes a directory out of the queue: it was delivered, or never will be, so readers need not
    /// claim its directories any more.
    pub fn forget(&self, dir: &OrderedDir<K>) {
        if dir.directories.is_empty() {
            return;
        }
        let mut ahead = lock(&self.ahead);
        if let Some(position) = dir.unqueued() {
            ahead.unread.remove(&Turn { parent: Arc::clone(&dir.node), position });
        }
    }

    /// Leaves a delivered directory to the readers, which free it.
    pub fn spend(&self, dir: ReadyDir<K>) {
        let mut spent = lock(&self.spent);
        if spent.len() < MAX_SPENT {
            spent.push(dir);
        }
    }

    /// Frees the directories that were left to readers.
    pub fn free_spent(&self) {
        let spent = std::mem::take(&mut *lock(&self.spent));
        drop(spent);
    }

    /// A directory of this many bytes waits for its turn.
    pub fn grow(&self, bytes: usize) {
        let bytes = bytes as isize;
        if self.bytes.fetch_add(bytes, Relaxed) + bytes >= OUT_OF_TURN {
            self.is_full.store(true, Relaxed);
        }
    }

    /// The turn of a directory of this many bytes has come; `true` if there is room again.
    pub fn shrink(&self, bytes: usize) -> bool {
        let bytes = bytes as isize;
        let left = self.bytes.fetch_sub(bytes, Relaxed) - bytes;
        left <= ROOM_AGAIN && self.is_full.swap(false, Relaxed)
    }
}

impl<K> Turns<K>
where
    K: WalkKind<EmitState = Position, Ahead = ReadAhead<K>>,
{
    /// The next task for one of `workers` workers: of a directory that was begun, or the unread
    /// directories whose turns come first.
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
            let claim = dir.claim(self.siblings, are_quick);
            ahead.queue(&dir);
            if let Some(claim) = claim {
                return Some(Task::Ahead(claim));
            }
        }
    }
}

impl<K> Queue<K> for Turns<K>
where
    K: WalkKind<EmitState = Position, Ahead = ReadAhead<K>>,
{
    fn push(&self, _: &Deque<Task<K>>, task: Task<K>) {
        let mut ahead = lock(&self.ahead);
        match task {
            Task::ReadNext(..) => ahead.readings.push(task),
            _ => ahead.batches.push(task),
        }
    }

    /// The task may be several directories once reading one is known to take little time. Before, a
    /// reader of slow storage would keep them from the others.
    fn pop(&self, _: &Deque<Task<K>>, _: usize, pace: &Pace) -> Option<Task<K>> {
        self.take(pace.is_calm(), pace.target())
    }

    fn has_work(&self) -> bool {
        let ahead = lock(&self.ahead);
        let has_begun = !(ahead.readings.is_empty() && ahead.batches.is_empty());
        has_begun || (self.has_room() && !ahead.unread.is_empty())
    }

    /// A worker that is alone reads the next directory itself.
    fn pending(&self, _: usize, pace: &Pace) -> usize {
        let ahead = lock(&self.ahead);
        let unclaimed = ahead.unread.values().take(64).map(|dir| dir.unclaimed()).sum::<usize>();
        let own = usize::from(pace.target() == 1);
        ahead.readings.len() + ahead.batches.len() + unclaimed.saturating_sub(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::task::{Chunk, Reading};
    use crate::emit::ordered::arrange::ByName;
    use crate::tree::Node;
    use brisk_sys::{Backend, Buffer, Dir};

    type OrderedKind = InOrder<(), ByName>;

    /// If batches always came first, the next buffer would be read only when no worker has any
    /// work.
    #[test]
    fn a_directory_is_read_on_before_its_batches_run_out() {
        let node = Arc::new(Node::above_roots(c"", ()));
        let handle = Arc::new(Dir::current(Backend::Native));
        let reading = Reading::<OrderedKind>::without_permit(node, handle, None);
        let chunk = Arc::new(Chunk::new(reading.clone(), Buffer::with_capacity(64), None));
        let turns = Turns::new(SiblingOrder::ByRank);
        let own = Deque::new_lifo();
        turns.push(&own, Task::ReadNext(reading));
        for _ in 0..3 * BATCHES_EACH {
            turns.push(&own, Task::Batch(Arc::clone(&chunk), 0..0));
        }
        assert_eq!(turns.pending(0, &Pace::new(1, None, false)), 3 * BATCHES_EACH + 1);
        let workers = 2;
        let is_reading = |task: &Task<OrderedKind>| matches!(task, Task::ReadNext(..));
        let tasks: Vec<_> = std::iter::from_fn(|| turns.take(true, workers)).collect();
        assert_eq!(tasks.len(), 3 * BATCHES_EACH + 1);
        assert_eq!(tasks.iter().position(is_reading), Some(BATCHES_EACH + 1));
        assert!(!turns.has_work());
    }
}
