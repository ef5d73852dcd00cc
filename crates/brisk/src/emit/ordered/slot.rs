//! A directory in an ordered walk, from the moment a worker claims it until its last entry was
//! delivered. A [`Slot`] collects entries from one or more workers. Once they are in order, the
//! slot holds an [`OrderedDir`], and the calling thread takes it as a [`ReadyDir`].

use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brisk_sys::{Buffer, Dir};

use super::draft::Draft;
use super::gathered::{Entries, FTS_MANY, Gathered, Packet};
use crate::Error;
use crate::drive::task::{DirNode, Gather, Reading, WalkKind};
use crate::entry::{Directory, Entry};
use crate::packed::StoredEntry;
use crate::sched::lock;
use crate::sched::sync::AtomicUsize;
use crate::tree::{HandleBudget, Permit, bound};
use crate::visitor::Outcome;
use crate::walk::SiblingOrder;

/// The bytes that an empty directory counts for while it waits for its turn: about what its slot
/// takes.
const EMPTY: usize = 256;
/// The most directories that a reader claims at once where reading takes little time: so many make
/// the queue's lock cheap in comparison.
const CLAIM: usize = 8;

/// The most entries that are collected before they are delivered, where they are in fts's order.
/// GNU's fts reads as many at once.
const FTS_PIECE: usize = 100_000;

/// Where the entries of a claimed directory are collected, and where the directory waits for its
/// turn.
pub(crate) struct Slot<K: WalkKind> {
    gathered: Mutex<Gathered>,
    /// The number of readings and batches that are not done.
    left: AtomicUsize,
    pub(super) siblings: SiblingOrder,
    /// The number of entries that the chunks so far list.
    listed: AtomicUsize,
    /// The bytes of the collected entries.
    bytes: AtomicUsize,
    /// The directory has more chunks than the one that was read.
    has_more: AtomicBool,
    /// Work on the directory was queued, which another worker may take.
    is_shared: AtomicBool,
    /// Whether GNU's fts sorts large directories here by inode; empty until the file system is
    /// asked.
    gains: OnceLock<bool>,
    /// How many chunks of the directory came before this one.
    ordinal: u32,
    /// How many of two things have happened: the directory is ready, and the calling thread may see
    /// the slot.
    steps: AtomicU8,
    /// The directory, once its entries are in order; `None` inside if the visitor pruned it.
    dir: OnceLock<Option<OrderedDir<K>>>,
}

impl<K: WalkKind> Slot<K> {
    pub fn new(siblings: SiblingOrder, ordinal: u32) -> Arc<Self> {
        Arc::new(Slot {
            gathered: Mutex::default(),
            left: AtomicUsize::new(1),
            siblings,
            listed: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            has_more: AtomicBool::new(false),
            is_shared: AtomicBool::new(false),
            gains: OnceLock::new(),
            ordinal,
            steps: AtomicU8::new(1),
            dir: OnceLock::new(),
        })
    }

    /// A slot that only the worker that claims its directory knows of.
    pub fn of_branch(siblings: SiblingOrder) -> Arc<Self> {
        let slot = Slot::new(siblings, 0);
        slot.steps.store(0, Relaxed);
        slot
    }

    /// One of the two things has happened that the calling thread waits for; `true` if both have.
    pub fn step(&self) -> bool {
        self.steps.fetch_add(1, AcqRel) == 1
    }

    /// Whether one worker alone knows the slot: the one that reads the branch.
    pub fn is_own(&self) -> bool {
        self.steps.load(Relaxed) == 0 && !self.is_shared.load(Relaxed)
    }

    /// The draft of a directory that was read at once and has no directories to be entered; `None`
    /// if there is more to it. Of a directory without entries it is empty.
    pub fn take_whole(&self) -> Option<Draft> {
        let mut gathered = lock(&self.gathered);
        let is_whole = !self.has_more.load(Relaxed) && gathered.is_drafted();
        is_whole.then(|| std::mem::take(&mut *gathered).into_draft())
    }

    /// Adds entries.
    pub fn gather(&self, packet: Packet) {
        self.bytes.fetch_add(packet.size(), Relaxed);
        lock(&self.gathered).add(packet);
    }

    /// Adds errors, which wait for the directory's turn.
    pub fn hold(&self, errors: &mut Vec<(u64, Error)>) {
        if !errors.is_empty() {
            lock(&self.gathered).errors.append(errors);
        }
    }

    /// A reading or batch is done; `true` if it was the last one.
    pub fn one_finished(&self) -> bool {
        self.left.fetch_sub(1, AcqRel) == 1
    }

    /// Sets the directory, whose turn may now come; `None` if the visitor pruned it.
    pub fn fill(&self, dir: Option<OrderedDir<K>>) {
        // Only the worker that claimed a slot fills it, once.
        let _ = self.dir.set(dir);
    }

    /// The directory, once it is ready; `None` inside if the visitor pruned it.
    pub fn filled(self: &Arc<Self>) -> Option<Option<ReadyDir<K>>> {
        let dir = self.dir.get()?;
        Some(dir.is_some().then(|| ReadyDir(Arc::clone(self))))
    }

    /// Whether GNU's fts sorts a large directory by inode. System calls: one fstatfs at most.
    #[cold]
    pub fn gains_by_inodes(&self, dir: &Dir) -> bool {
        let sorts_all = self.siblings == SiblingOrder::AsFts { asks: false };
        sorts_all || *self.gains.get_or_init(|| dir.prefers_inode_order())
    }

    /// Puts the collected entries in order. `by` is the index of the worker that does so.
    pub fn arrange(
        &self,
        budget: &Arc<HandleBudget>,
        reading: &Reading<K>,
        by: usize,
        sort: impl FnOnce(&mut Entries),
    ) -> OrderedDir<K> {
        let (entries, draft, errors) = std::mem::take(&mut *lock(&self.gathered)).arrange(sort);
        let is_listed = self.siblings != SiblingOrder::ByRank;
        let errors = held(errors, &|rank| if is_listed { entries.before(rank) } else { 0 });
        let directories = entries.directories();
        let is_used = K::ACTS || !directories.is_empty();
        let wants_handle = is_used && reading.node.parent.is_some();
        let permit = if wants_handle { budget.permit() } else { None };
        let more = self.has_more.load(Relaxed);
        OrderedDir {
            // Without the slot, which owns this directory and would never be freed.
            reading: more.then(|| Reading { slot: K::Slot::default(), ..reading.clone() }),
            handle: permit.map(|permit| (Arc::clone(&reading.handle), permit)),
            bytes: EMPTY + entries.size() + draft.as_ref().map_or(0, Draft::size),
            entries,
            errors,
            draft,
            directories,
            siblings: self.siblings,
            ordinal: self.ordinal,
            was_read: true,
            by,
            ..OrderedDir::unread(Arc::clone(&reading.node), Vec::new())
        }
    }
}

impl<K: WalkKind> Gather for Option<Arc<Slot<K>>> {
    fn add_unfinished(&self, _: &AtomicUsize) {
        if let Some(slot) = self {
            slot.is_shared.store(true, Relaxed);
            slot.left.fetch_add(1, Relaxed);
        }
    }

    fn stops_after_chunk(&self, handle: &Dir, buffer: &Buffer) -> bool {
        let Some(slot) = self else { return false };
        let stops = match slot.siblings {
            SiblingOrder::AsListed => true,
            SiblingOrder::AsFts { .. } => {
                let count = buffer.entries().count();
                let listed = slot.listed.fetch_add(count, Relaxed) + count;
                // Where fts does not sort, a piece may be smaller than one of fts's.
                listed >= FTS_PIECE || (listed > FTS_MANY && !slot.gains_by_inodes(handle))
            }
            SiblingOrder::ByRank => false,
        };
        slot.has_more.fetch_or(stops, Relaxed);
        stops
    }

    #[inline]
    fn room(&self) -> usize {
        match self {
            Some(slot) if matches!(slot.siblings, SiblingOrder::AsFts { .. }) => {
                FTS_PIECE.saturating_sub(slot.listed.load(Relaxed))
            }
            _ => usize::MAX,
        }
    }

    fn is_full(&self) -> bool {
        self.as_ref().is_some_and(|slot| bound::is_reached(slot.bytes.load(Relaxed)))
    }
}

/// The entries of a directory (or of a chunk of it), in order, until they are delivered.
pub(crate) struct OrderedDir<K: WalkKind> {
    /// How to read the next chunk; `None` if this is the last.
    pub(super) reading: Option<Reading<K>>,
    pub(super) node: Arc<DirNode<K>>,
    /// The directory's handle, by which its directories are opened, and its entries acted on;
    /// `None` where handles are scarce.
    pub(super) handle: Option<(Arc<Dir>, Permit)>,
    entries: Entries,
    /// The visitor's draft of the entries. With it, `entries` holds only the directories to be
    /// entered.
    pub(super) draft: Option<Draft>,
    /// What failed when the directory was read.
    pub(super) errors: Option<Held>,
    /// The indices of the entries that are directories to be entered.
    pub(super) directories: Vec<u32>,
    claims: Mutex<Claims<K>>,
    pub(super) siblings: SiblingOrder,
    /// How many chunks of the directory came before this one.
    pub(super) ordinal: u32,
    /// The bytes that count while this waits for its turn.
    pub(super) bytes: usize,
    /// The directory could be opened and read.
    pub(super) was_read: bool,
    /// The index of the worker that put the entries in order.
    pub(super) by: usize,
}

/// Errors that wait for their turn, each with the number of entries before it.
pub(super) type Held = Mutex<VecDeque<(u32, Error)>>;

/// Errors with their ranks, of which `place` makes numbers of entries. `None` if there are none.
pub(super) fn held(mut errors: Vec<(u64, Error)>, place: &dyn Fn(u64) -> u32) -> Option<Held> {
    errors.sort_by_key(|(rank, _)| *rank);
    let errors: VecDeque<_> =
        errors.into_iter().map(|(rank, error)| (place(rank), error)).collect();
    (!errors.is_empty()).then(|| Mutex::new(errors))
}

/// A slot whose directory is ready: it dereferences to the [`OrderedDir`].
pub(crate) struct ReadyDir<K: WalkKind>(Arc<Slot<K>>);

impl<K: WalkKind> Clone for ReadyDir<K> {
    fn clone(&self) -> Self {
        ReadyDir(Arc::clone(&self.0))
    }
}

impl<K: WalkKind> Deref for ReadyDir<K> {
    type Target = OrderedDir<K>;

    fn deref(&self) -> &OrderedDir<K> {
        self.0.dir.get().and_then(Option::as_ref).expect("BUG: a ready slot has its directory")
    }
}

/// Which directories of an [`OrderedDir`] are claimed: always the first ones, because readers and
/// the calling thread both take the one whose turn comes next.
struct Claims<K: WalkKind> {
    /// How many directories are claimed.
    claimed: usize,
    /// The position at which the ordered directory stands in the queue of unread directories.
    queued: Option<u32>,
    /// The slots of the claimed directories that the calling thread has not come to.
    slots: VecDeque<Arc<Slot<K>>>,
}

impl<K: WalkKind> Default for Claims<K> {
    fn default() -> Self {
        Claims { claimed: 0, queued: None, slots: VecDeque::new() }
    }
}

/// Directories that a reader has claimed.
pub(crate) struct ReadAhead<K: WalkKind> {
    /// The directory that they stand in.
    pub dir: ReadyDir<K>,
    /// The number of the first of them among its directories.
    pub first: usize,
    /// A slot for each of them.
    pub slots: Vec<Arc<Slot<K>>>,
}

impl<K: WalkKind> OrderedDir<K> {
    /// A directory that could not be read: it has no entries, but the visitor leaves it like any
    /// other.
    pub fn unread(node: Arc<DirNode<K>>, errors: Vec<(u64, Error)>) -> OrderedDir<K> {
        OrderedDir {
            reading: None,
            node,
            handle: None,
            entries: Entries::default(),
            draft: None,
            errors: held(errors, &|_| 0),
            directories: Vec::new(),
            claims: Mutex::default(),
            siblings: SiblingOrder::AsListed,
            ordinal: 0,
            bytes: 0,
            was_read: false,
            by: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How much of the directory was seen.
    pub fn outcome(&self) -> Outcome {
        if self.was_read { self.node.outcome() } else { Outcome::Unread }
    }

    /// The directory's handle, unless it was given up.
    pub fn kept(&self) -> Option<&Arc<Dir>> {
        self.handle.as_ref().map(|(handle, _)| handle)
    }

    /// Whether these are all of the directory's entries, not those of one chunk among several.
    pub fn is_whole(&self) -> bool {
        self.ordinal == 0 && self.reading.is_none()
    }

    /// Takes the draft of a branch: the first directories are done, and the next one is claimed,
    /// if it has a slot.
    pub fn take_branch(&mut self, draft: Draft, done: usize, next: Option<Arc<Slot<K>>>) {
        self.directories.drain(..done);
        if self.directories.is_empty() {
            self.handle = None;
        }
        let claims = self.claims.get_mut().unwrap_or_else(PoisonError::into_inner);
        claims.claimed = usize::from(next.is_some());
        claims.slots.extend(next);
        self.set_draft(draft);
    }

    /// Whether nothing of the directory follows these entries.
    pub fn is_last(&self) -> bool {
        self.reading.is_none() && self.errors.is_none()
    }

    fn set_draft(&mut self, draft: Draft) {
        self.bytes = EMPTY + draft.size() + self.entries.size();
        self.draft = Some(draft);
    }

    /// Takes the visitor's draft, and drops the entries that are not directories to be entered.
    pub fn keep(&mut self, draft: Draft) {
        self.entries = self.entries.only(&self.directories);
        self.directories = (0..self.entries.len() as u32).collect();
        self.set_draft(draft);
    }

    /// The directory as the visitor sees it; the worker lends the path.
    pub fn directory<'a>(&'a self, prefix: &'a [u8]) -> Directory<'a> {
        self.node.directory(prefix, self.kept().map(|handle| &**handle))
    }

    /// Those of the directories to be entered whose index is in the range `entries`.
    pub fn directories_in(&self, entries: Range<usize>) -> &[u32] {
        let place = |end: usize| self.directories.partition_point(|&index| (index as usize) < end);
        &self.directories[place(entries.start)..place(entries.end)]
    }

    pub fn record(&self, index: usize) -> StoredEntry<'_> {
        self.entries.record(index)
    }

    #[inline]
    pub fn entry<'a>(&'a self, dir: &'a Directory<'a>, index: usize) -> Entry<'a> {
        self.entries.entry(dir, index, self.node.child_depth)
    }

    /// The next error, if it is behind so many entries or fewer.
    pub fn next_error(&self, entries: usize) -> Option<Error> {
        let mut errors = lock(self.errors.as_ref()?);
        errors.front().filter(|(at, _)| *at as usize <= entries)?;
        errors.pop_front().map(|(_, error)| error)
    }

    /// How many directories are not claimed.
    pub fn unclaimed(&self) -> usize {
        self.directories.len() - lock(&self.claims).claimed
    }

    /// The turn of a directory has come, given by its number among the directories. Returns the
    /// slot that a reader fills or has filled; `None` if no reader has claimed the directory, so
    /// that the calling thread now has.
    pub fn pass(&self, number: usize) -> Option<Arc<Slot<K>>> {
        let mut claims = lock(&self.claims);
        if claims.claimed > number {
            return claims.slots.pop_front();
        }
        claims.claimed = number + 1;
        None
    }

    /// Notes that this directory is put into the queue of unread directories, and returns its
    /// position there: that of its first unclaimed directory. `None` if all are claimed.
    pub fn queued(&self) -> Option<u32> {
        let mut claims = lock(&self.claims);
        let next = self.directories.get(claims.claimed);
        claims.queued = next.map(|&index| self.position(index));
        claims.queued
    }

    /// The position at which this directory stands in the queue, from which the caller now takes
    /// it.
    pub fn unqueued(&self) -> Option<u32> {
        lock(&self.claims).queued.take()
    }

    /// The position of an entry among all entries of the directory, in all its chunks.
    pub fn position(&self, index: u32) -> u32 {
        (self.ordinal << 16).saturating_add(index)
    }
}

impl<K: WalkKind> ReadyDir<K> {
    /// Claims the next directories for a reader, several at once if reading one takes little time.
    /// `None` if all are claimed.
    pub fn claim(&self, siblings: SiblingOrder, are_quick: bool) -> Option<ReadAhead<K>> {
        let mut claims = lock(&self.claims);
        let left = self.directories.len() - claims.claimed;
        let count = if are_quick { left.div_ceil(2).min(CLAIM) } else { left.min(1) };
        let slots: Vec<_> = (0..count).map(|_| Slot::new(siblings, 0)).collect();
        let first = claims.claimed;
        claims.claimed += count;
        claims.slots.extend(slots.iter().cloned());
        (count > 0).then(|| ReadAhead { dir: self.clone(), first, slots })
    }
}
