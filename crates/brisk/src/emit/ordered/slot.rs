//! A directory in a walk in turn, from the moment that a worker claims it until its last entry was
//! handed on: first entries are gathered, from one or more workers; then they are put in order.

use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::Dir;

use super::packed::{Entries, Gathered, Packet, Record};
use crate::entry::{Directory, Entry};
use crate::sched::lock;
use crate::task::{DirNode, Gather, Kind, Reading};
use crate::tree::{HandleBudget, Permit, bound};

/// Bytes that an empty directory counts for while it is out of turn: about what its slot takes.
const EMPTY: usize = 256;
/// As many as a worker claims at once of directories that need no waiting: by then the queue's lock is
/// cheap in comparison.
const CLAIM: usize = 8;

/// A directory that was claimed: being read, perhaps by several workers, or read already.
pub(crate) struct Slot<K: Kind> {
    gathered: Mutex<Gathered>,
    /// Readings and batches that are not done.
    left: AtomicUsize,
    /// By rank; else in the directory's own order, chunk by chunk.
    pub(super) is_sorted: bool,
    /// What was gathered, in bytes.
    bytes: AtomicUsize,
    /// The directory has more than the one chunk that was read.
    has_more: AtomicBool,
    /// How many chunks came before this one.
    ordinal: u32,
    /// `None` inside if the visitor did not want it.
    dir: OnceLock<Option<OrderedDir<K>>>,
}

impl<K: Kind> Slot<K> {
    pub fn new(is_sorted: bool, ordinal: u32) -> Arc<Self> {
        Arc::new(Slot {
            gathered: Mutex::default(),
            left: AtomicUsize::new(1),
            is_sorted,
            bytes: AtomicUsize::new(0),
            has_more: AtomicBool::new(false),
            ordinal,
            dir: OnceLock::new(),
        })
    }

    /// Takes entries in.
    pub fn gather(&self, packet: Packet) {
        self.bytes.fetch_add(packet.size(), Relaxed);
        lock(&self.gathered).add(packet);
    }

    /// A reading or batch is done; `true` if it was the last.
    pub fn part_done(&self) -> bool {
        self.left.fetch_sub(1, AcqRel) == 1
    }

    /// What was read, or `None` if the visitor did not want the directory.
    pub fn fill(&self, dir: Option<OrderedDir<K>>) {
        // Only the worker that claimed a slot fills it, once.
        let _ = self.dir.set(dir);
    }

    pub fn is_filled(&self) -> bool {
        self.dir.get().is_some()
    }

    /// The directory, once it is read; `None` inside if there is none.
    pub fn filled(self: &Arc<Self>) -> Option<Option<ReadyDir<K>>> {
        let dir = self.dir.get()?;
        Some(dir.is_some().then(|| ReadyDir(Arc::clone(self))))
    }

    /// Everything is gathered: puts it in order. `by` is the worker that does.
    pub fn arrange(
        &self,
        budget: &Arc<HandleBudget>,
        reading: &Reading<K>,
        by: usize,
        sort: impl FnOnce(&mut Entries),
    ) -> OrderedDir<K>
    where
        K::Slot: Default,
    {
        let entries = std::mem::take(&mut *lock(&self.gathered)).arrange(sort);
        let directories = entries.directories();
        let wants_handle = !directories.is_empty() && reading.node.parent.is_some();
        let permit = if wants_handle { budget.permit() } else { None };
        let more = self.has_more.load(Relaxed);
        OrderedDir {
            // Not this slot itself, which would then never be freed.
            reading: more.then(|| Reading { slot: K::Slot::default(), ..reading.clone() }),
            node: Arc::clone(&reading.node),
            handle: permit.map(|permit| (Arc::clone(&reading.handle), permit)),
            bytes: EMPTY + entries.size(),
            entries,
            draft: None,
            directories,
            claims: Mutex::default(),
            ordinal: self.ordinal,
            was_read: true,
            by,
        }
    }
}

impl<K: Kind> Gather for Option<Arc<Slot<K>>> {
    fn part_begins(&self, _: &AtomicUsize) {
        if let Some(slot) = self {
            slot.left.fetch_add(1, Relaxed);
        }
    }

    /// Where the directory's own order will do, a directory of any size streams.
    fn stops_after_chunk(&self) -> bool {
        let Some(slot) = self.as_ref().filter(|slot| !slot.is_sorted) else { return false };
        slot.has_more.store(true, Relaxed);
        true
    }

    fn is_full(&self) -> bool {
        self.as_ref().is_some_and(|slot| bound::is_reached(slot.bytes.load(Relaxed)))
    }
}

/// What a directory (or a chunk of it) holds, in order, until it is handed on.
pub(crate) struct OrderedDir<K: Kind> {
    /// How to read on.
    pub(super) reading: Option<Reading<K>>,
    pub(super) node: Arc<DirNode<K>>,
    /// For opening its directories; `None` where handles are scarce.
    pub(super) handle: Option<(Arc<Dir>, Permit)>,
    entries: Entries,
    /// What the visitor has made of the entries. Only those to be entered are still known.
    pub(super) draft: Option<Draft>,
    /// Entries that are directories to be entered.
    pub(super) directories: Vec<u32>,
    claims: Mutex<Claims<K>>,
    pub(super) ordinal: u32,
    pub(super) bytes: usize,
    /// It could be read.
    pub(super) was_read: bool,
    /// The worker that gathered it.
    pub(super) by: usize,
}

/// What the visitor has made of a directory's entries before their turn.
pub(crate) struct Draft {
    /// How many they were.
    pub count: usize,
    pub bytes: Vec<u8>,
}

/// A slot with a directory.
pub(crate) struct ReadyDir<K: Kind>(Arc<Slot<K>>);

impl<K: Kind> Clone for ReadyDir<K> {
    fn clone(&self) -> Self {
        ReadyDir(Arc::clone(&self.0))
    }
}

impl<K: Kind> Deref for ReadyDir<K> {
    type Target = OrderedDir<K>;

    fn deref(&self) -> &OrderedDir<K> {
        self.0.dir.get().and_then(Option::as_ref).expect("BUG: the slot was seen to be filled")
    }
}

/// Which of the directories have been taken: always the first ones, since readers take the one whose
/// turn comes next, and so does the calling thread.
struct Claims<K: Kind> {
    /// How many directories were claimed.
    claimed: usize,
    /// As what it stands in the queue of unread directories.
    queued: Option<u32>,
    /// Where the last claimed ones will be found: those that the calling thread has not come to.
    slots: VecDeque<Arc<Slot<K>>>,
}

impl<K: Kind> Default for Claims<K> {
    fn default() -> Self {
        Claims { claimed: 0, queued: None, slots: VecDeque::new() }
    }
}

/// Directories that a reader has claimed.
pub(crate) struct ReadAhead<K: Kind> {
    /// What they stand in.
    pub dir: ReadyDir<K>,
    /// The number of the first of them among the directories.
    pub first: usize,
    /// Where to put what is read.
    pub slots: Vec<Arc<Slot<K>>>,
}

impl<K: Kind> OrderedDir<K> {
    /// A directory that could not be read: it has nothing, but it is left like any other.
    pub fn unread(node: Arc<DirNode<K>>) -> OrderedDir<K> {
        OrderedDir {
            reading: None,
            node,
            handle: None,
            entries: Entries::default(),
            draft: None,
            directories: Vec::new(),
            claims: Mutex::default(),
            ordinal: 0,
            bytes: 0,
            was_read: false,
            by: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries were drafted: only those that are to be entered must still be known.
    pub fn keep(&mut self, draft: Draft) {
        self.entries = self.entries.only(&self.directories);
        self.directories = (0..self.entries.len() as u32).collect();
        self.bytes = EMPTY + draft.bytes.len() + self.entries.size();
        self.draft = Some(draft);
    }

    /// The directory as the visitor sees it; its path is lent by the worker.
    pub fn directory<'a>(&'a self, prefix: &'a [u8]) -> Directory<'a> {
        let handle = self.handle.as_ref().map(|(handle, _)| &**handle);
        self.node.directory(prefix, handle)
    }

    /// Those of the directories to be entered whose index is in this range.
    pub fn directories_in(&self, entries: Range<usize>) -> &[u32] {
        let place = |end: usize| self.directories.partition_point(|&index| (index as usize) < end);
        &self.directories[place(entries.start)..place(entries.end)]
    }

    pub fn record(&self, index: usize) -> Record<'_> {
        self.entries.record(index)
    }

    #[inline]
    pub fn entry<'a>(&'a self, dir: &'a Directory<'a>, index: usize) -> Entry<'a> {
        self.entries.entry(dir, index, self.node.child_depth)
    }

    /// How many directories no reader has begun with.
    pub fn unclaimed(&self) -> usize {
        self.directories.len() - lock(&self.claims).claimed
    }

    /// The turn of a directory (by its number among the directories) has come: where a reader will put
    /// it, or `None` if it falls to the caller to read it.
    pub fn pass(&self, number: usize) -> Option<Arc<Slot<K>>> {
        let mut claims = lock(&self.claims);
        if claims.claimed > number {
            return claims.slots.pop_front();
        }
        claims.claimed = number + 1;
        None
    }

    /// Notes that it stands in the queue of unread directories, at the position of the next one that
    /// is not claimed; `None` if there is none.
    pub fn queued(&self) -> Option<u32> {
        let mut claims = lock(&self.claims);
        let next = self.directories.get(claims.claimed);
        claims.queued = next.map(|&index| self.position(index));
        claims.queued
    }

    /// As what it stands in the queue, from which it is now to be taken.
    pub fn unqueued(&self) -> Option<u32> {
        lock(&self.claims).queued.take()
    }

    /// The position of an entry among all entries of the directory, over all its chunks.
    pub fn position(&self, index: u32) -> u32 {
        (self.ordinal << 16).saturating_add(index)
    }
}

impl<K: Kind> ReadyDir<K> {
    /// Claims the next directories for a reader, several at once if they are quickly read. `None` if
    /// the last one is claimed.
    pub fn claim(&self, are_sorted: bool, are_quick: bool) -> Option<ReadAhead<K>> {
        let mut claims = lock(&self.claims);
        let left = self.directories.len() - claims.claimed;
        let count = if are_quick { left.div_ceil(2).min(CLAIM) } else { left.min(1) };
        let slots: Vec<_> = (0..count).map(|_| Slot::new(are_sorted, 0)).collect();
        let first = claims.claimed;
        claims.claimed += count;
        claims.slots.extend(slots.iter().cloned());
        (count > 0).then(|| ReadAhead { dir: self.clone(), first, slots })
    }
}
