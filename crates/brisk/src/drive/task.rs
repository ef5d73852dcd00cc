//! What waits to be done. A task is a piece of work on one directory: children to open, the next
//! buffer to read, records to ask about; or on several, to be read ahead.
//!
//! What directories and tasks carry depends on how entries reach the visitor: that is the
//! [`WalkKind`], which `emit/` provides.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::{Buffer, Dir, LEAST_RECORD, Meta, RawEntry, handle_of, storage};
use crossbeam_deque::Worker as Deque;

use crate::Error;
use crate::entry::Entry;
use crate::read::buffers::{Lease, ReadMode};
use crate::sched::pace::Pace;
use crate::sched::sync::{AtomicBool, AtomicUsize, Ordering};
use crate::tree::{Child, EmitState, HandleBudget, Node, PackedNames, PendingDirs, Permit};

/// A kind of walk: the types that it is built of (the data of each node, the slots, the queue).
pub(crate) trait WalkKind: Sized {
    /// The visitor's state of a directory.
    type State: Default + Send + Sync;
    /// What [`Emit`](crate::emit::Emit) keeps with each directory.
    type EmitState: EmitState;
    /// Where a directory's entries are gathered until their turn, if they have one.
    type Slot: Gather;
    /// Directories that are read before their turn.
    type Ahead: Send;
    type Queue: Queue<Self>;

    /// Entries wait in slots until their turn.
    const IN_ORDER: bool = false;
    /// The visitor acts: it leaves each directory through the parent's handle.
    const ACTS: bool = false;
    /// The visitor removes entries, or may (any that acts in an ordered walk): some servers then leave
    /// others out of the listing.
    const REMOVES: bool = false;

    /// The `EmitState` of a directory at this position in its parent.
    fn emit_state(_position: u32) -> Self::EmitState {
        Self::EmitState::default()
    }
}

/// A directory's node in a walk of this kind.
pub(crate) type DirNode<K> = Node<<K as WalkKind>::State, <K as WalkKind>::EmitState>;
/// Children that wait to be opened in a walk of this kind.
pub(crate) type Children<K> = PendingDirs<DirNode<K>>;

/// Where the entries of a directory are gathered; `()` where they are delivered at once.
pub(crate) trait Gather: Clone + Default + Send + Sync {
    /// Counts a buffer or a batch of the directory, before it is queued. A slot counts it; without
    /// slots the node's `unfinished_below` does.
    fn add_unfinished(&self, unfinished_below: &AtomicUsize) {
        unfinished_below.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the next buffer waits until the visitor has this one. If so, the slot notes that
    /// there is a next buffer.
    fn stops_after_chunk(&self, _handle: &Dir, _buffer: &Buffer) -> bool {
        false
    }

    /// How many more entries fit before the visitor must get the gathered ones.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Whether no more of the directory may be gathered.
    fn is_full(&self) -> bool {
        false
    }
}

impl Gather for () {}

/// A directory in the middle of its reading.
pub(crate) struct Reading<K: WalkKind> {
    pub node: Arc<DirNode<K>>,
    pub handle: Arc<Dir>,
    /// Allows the handle to stay open while others are worked on.
    pub permit: Option<Arc<Permit>>,
    pub slot: K::Slot,
    pub read_mode: ReadMode,
    /// In a [`Chunk`], its number in the directory, from 0. In a task, that of the chunk to read next.
    pub ordinal: u32,
}

impl<K: WalkKind> Reading<K> {
    /// A reading whose handle has no permit to stay open, as that of the roots.
    pub fn without_permit(node: Arc<DirNode<K>>, handle: Arc<Dir>, slot: K::Slot) -> Reading<K> {
        Reading { node, handle, permit: None, slot, read_mode: ReadMode::default(), ordinal: 0 }
    }

    /// A sort key for errors: the number of the chunk, then the byte at which the record begins.
    pub fn listing_place(&self, record: usize) -> u64 {
        (u64::from(self.ordinal) << 48) | ((record as u64) << 16)
    }

    /// Whether the directory may stay open in mid-reading while others are worked on.
    pub fn may_stay_open(&self) -> bool {
        self.permit.is_some()
    }

    /// Whether the directory is read on only after this chunk was delivered. If so, the slot notes
    /// that there is more.
    pub fn stops_after_chunk(&self, buffer: &Buffer) -> bool {
        self.may_stay_open() && self.slot.stops_after_chunk(&self.handle, buffer)
    }

    /// Leaves entries for which the slot has no room to the next read. Returns whether there are
    /// such entries.
    pub fn trim_to_room(&self, buffer: &mut Buffer) -> bool {
        let room = self.slot.room();
        if buffer.len() / LEAST_RECORD <= room || !self.may_stay_open() {
            return false;
        }
        handle_of(&self.handle).is_some_and(|dir| storage::keep_first(dir, buffer, room))
    }
}

impl<K: WalkKind> Clone for Reading<K> {
    fn clone(&self) -> Self {
        Reading {
            node: Arc::clone(&self.node),
            handle: Arc::clone(&self.handle),
            permit: self.permit.clone(),
            slot: self.slot.clone(),
            read_mode: self.read_mode,
            ordinal: self.ordinal,
        }
    }
}

/// One buffer of a directory's records. Batches of it share it; the last one returns the buffer.
pub(crate) struct Chunk<K: WalkKind> {
    pub reading: Reading<K>,
    pub buffer: Buffer,
    /// Whether batches share it.
    pub is_split: AtomicBool,
    /// Allows batches to keep the handle open, where the reading has no permit.
    permit: OnceLock<Permit>,
    /// Reading on, which waits until the metadata of the first entries was requested.
    pub deferred_read: Mutex<Option<DeferredRead<K>>>,
    /// The part of the pool that its buffer takes.
    #[expect(dead_code, reason = "dropping it gives the part back")]
    pub lease: Option<Lease>,
}

/// What a worker leaves to others while it requests the metadata of a chunk's first entries: if
/// there is no answer, the watchdog takes it.
pub(crate) struct DeferredRead<K: WalkKind> {
    /// Where the records begin for which nothing was requested, in bytes.
    pub from: usize,
    /// How the rest of the directory is read.
    pub reading: Reading<K>,
}

impl<K: WalkKind> Chunk<K> {
    pub fn new(reading: Reading<K>, buffer: Buffer, lease: Option<Lease>) -> Chunk<K> {
        Chunk {
            reading,
            buffer,
            is_split: AtomicBool::new(false),
            permit: OnceLock::new(),
            deferred_read: Mutex::new(None),
            lease,
        }
    }

    /// Keeps the directory open for batches while this worker goes on to another one; `false` if
    /// the budget has no permit for that.
    pub fn keep_open(&self, budget: &Arc<HandleBudget>) -> bool {
        self.reading.may_stay_open()
            || self.permit.get().is_some()
            || budget.permit().is_some_and(|permit| self.permit.set(permit).is_ok())
    }
}

/// A task.
pub(crate) enum Task<K: WalkKind> {
    /// Children to be opened and read.
    Open(Children<K>),
    /// The next buffer of a directory that is being read.
    ReadNext(Reading<K>),
    /// Records of a chunk whose requests are worth another worker's time, or that a suspended
    /// worker gave back, to be classified again.
    Batch(Arc<Chunk<K>>, Range<usize>),
    /// Directories to be read before their turn comes.
    Ahead(K::Ahead),
}

/// Where tasks wait.
pub(crate) trait Queue<K: WalkKind>: Send + Sync {
    /// A worker joins; the deque is its own end of the queue.
    fn join(&self) -> Deque<Task<K>> {
        Deque::new_lifo()
    }

    /// Adds a task.
    fn push(&self, own: &Deque<Task<K>>, task: Task<K>);

    /// Gives back what is left of a list after its first child was taken.
    fn push_rest(&self, own: &Deque<Task<K>>, rest: Children<K>) {
        self.push(own, Task::Open(rest));
    }

    /// The next task for a worker, which has this number.
    fn pop(&self, own: &Deque<Task<K>>, worker: usize, pace: &Pace) -> Option<Task<K>>;

    /// A task that was popped is done. `true` says that a new level has begun.
    fn popped_done(&self) -> bool {
        false
    }

    /// Whether a worker that looks now may find something.
    fn has_work(&self) -> bool;

    /// About how many of the `unfinished` directories, buffers and batches no worker has begun.
    fn pending(&self, unfinished: usize, pace: &Pace) -> usize {
        unfinished.saturating_sub(pace.target())
    }
}

/// A directory that is to be entered.
pub(crate) struct ToEnter<'a, K: WalkKind> {
    pub parent: &'a Arc<DirNode<K>>,
    /// The parent's handle, unless it was given up.
    pub handle: Option<&'a Arc<Dir>>,
    pub child: Child<'a>,
    /// Its position in its parent, in ordered walks.
    pub position: u32,
    pub slot: K::Slot,
}

/// The entries of a part, once classified.
pub(crate) struct Classified<'a> {
    pub entries: Vec<Entry<'a>>,
    /// For each entry, the index of its metadata in `metas`, or `u32::MAX`.
    pub meta_of: Vec<u32>,
    pub metas: Vec<Meta>,
    /// Directories to enter that are not delivered. (Some walks keep these among `entries`, as
    /// `undelivered`.) Those that are delivered are added when `Emit` takes the entries.
    pub child_names: PackedNames,
    /// What failed, each with the number of its record within the part, from 1.
    pub errors: Vec<(u32, Error)>,
    /// The records at the end of the part that no worker has yet: neither classified here nor given
    /// to another worker.
    pub unclassified: Range<usize>,
    /// The number of records that were classified.
    pub record_count: usize,
}

impl Classified<'_> {
    /// Drops the entries, directories and errors of all records but this one.
    #[cold]
    pub fn keep_one(&mut self, number: u32, kept: Option<RawEntry<'_>>) {
        self.errors.retain(|(of, _)| *of == number);
        let is_kept = |name: &CStr| kept.is_some_and(|kept| std::ptr::eq(kept.name, name));
        let metas = std::mem::take(&mut self.meta_of);
        let both = self.entries.iter().zip(metas).filter(|(entry, _)| is_kept(entry.name));
        self.meta_of.extend(both.map(|(_, meta)| meta));
        self.entries.retain(|entry| is_kept(entry.name));
        self.child_names.retain(|name| kept.is_some_and(|kept| kept.name == name));
    }
}
