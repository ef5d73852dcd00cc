//! Depth-first and sorted walks: read ahead in parallel, hand on in turn.
//!
//! The calling thread hands on: it goes through the tree in order, and every directory it comes to is
//! read already, being read, or still to be read, which it then does itself. Other workers read ahead,
//! always the unread directory whose turn comes next, until what is out of turn fills its bound.
//!
//! ```text
//!   readers ──► claim the next unread directory ──► Gathering ──► Contents in its slot
//!                       ▲ ordered by turn                             │
//!                       └────────── directories among the entries ◄───┤
//!   caller  ──► entries up to a subdirectory ──► its slot: ready? ────┘  else read it, or help
//! ```
//!
//! The bound cannot deadlock: the directory whose turn it is needs no room under it, because the
//! caller reads that one itself if nobody else has begun.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::CStr;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use brisk_sys::{Dir, Links, until_nul};

use crate::queue::{Queue, Reading, Unit, lock};
use crate::tree::{Child, Held, Hold, Node};
use crate::worker::{BUFFER, Parent, Shared, Visit, Worker};
use crate::{Directory, Entry, FileType, Meta, Visitor};
use brisk_sys::append;

/// What may be held out of turn, in bytes: some hundred thousand entries.
const OUT_OF_TURN: usize = 8 << 20;
/// Once that is full, readers rest until it has shrunk to this: not for one directory at a time.
const ROOM_AGAIN: usize = OUT_OF_TURN / 2;

/// An entry that waits for its turn.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Decides the order: the name's first bytes, or the position in the directory.
    key: u64,
    ino: u64,
    name_at: u32,
    meta: u32,
    file_type: FileType,
    followed: bool,
    silent: bool,
    /// How to open it, if it is a directory to be entered.
    enters: Option<Links>,
}

/// Entries in a compact form, in no order yet.
#[derive(Debug, Default)]
struct Part {
    names: Vec<u8>,
    items: Vec<Item>,
    metas: Vec<Meta>,
}

impl Part {
    fn name(&self, item: &Item) -> &CStr {
        let rest = &self.names[item.name_at as usize..];
        until_nul(rest).expect("BUG: every name was gathered with its NUL")
    }
}

/// Where a directory's contents will be found once they are read; inside, `None` if there are none.
pub(crate) type Slot<S> = Mutex<Option<Option<Arc<Contents<S>>>>>;

/// A directory that is being read, perhaps by several workers.
pub(crate) struct Gathering<S> {
    part: Mutex<Part>,
    /// Readings and batches that are not done.
    left: AtomicUsize,
    slot: Arc<Slot<S>>,
    /// By name; else in the directory's own order, chunk by chunk.
    by_name: bool,
    /// Directories at this depth are not entered.
    max_depth: u32,
    /// The directory has more than the one chunk that was read.
    has_more: AtomicBool,
    ordinal: u32,
}

impl<S> Gathering<S> {
    fn new(shared: &Shared<S>, slot: Arc<Slot<S>>, by_name: bool, ordinal: u32) -> Arc<Self> {
        Arc::new(Gathering {
            part: Mutex::default(),
            left: AtomicUsize::new(1),
            slot,
            by_name,
            max_depth: shared.max_depth,
            has_more: AtomicBool::new(false),
            ordinal,
        })
    }

    /// Takes entries in. `start` is where their records begin in the chunk.
    pub fn gather(&self, ordinal: u32, start: usize, entries: &[Entry<'_>]) {
        let mut part = lock(&self.part);
        let part = &mut *part;
        part.items.reserve(entries.len());
        part.names.reserve(entries.iter().map(|entry| entry.name.count_bytes() + 1).sum());
        for (at, entry) in entries.iter().enumerate() {
            let position = (u64::from(ordinal) << 48) | ((start as u64) << 16) | at as u64;
            let key = if self.by_name { first_bytes(entry.name()) } else { position };
            let may_enter = entry.file_type.is_dir() && !entry.pruned.get();
            part.items.push(Item {
                key,
                ino: entry.ino,
                name_at: part.names.len() as u32,
                meta: entry.meta.map_or(u32::MAX, |_| part.metas.len() as u32),
                file_type: entry.file_type,
                followed: entry.followed,
                silent: entry.silent,
                enters: (may_enter && entry.depth < self.max_depth).then_some(entry.links()),
            });
            append(&mut part.names, entry.name.to_bytes_with_nul());
            part.metas.extend(entry.meta.cloned());
        }
    }

    pub fn part_begins(&self) {
        self.left.fetch_add(1, Relaxed);
    }

    /// A reading or batch is done; `true` if it was the last.
    pub fn part_done(&self) -> bool {
        self.left.fetch_sub(1, AcqRel) == 1
    }

    /// Whether the next chunk is read only when this one has been handed on: where the directory's
    /// own order will do, a directory of any size streams.
    pub fn stops_after_chunk(&self) -> bool {
        if !self.by_name {
            self.has_more.store(true, Relaxed);
        }
        !self.by_name
    }
}

fn first_bytes(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = name.len().min(8);
    first[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(first)
}

/// What a directory (or a chunk of it) holds, in order, until it is handed on.
pub(crate) struct Contents<S> {
    reading: Option<Reading<S>>,
    node: Arc<Node<S>>,
    /// For opening its directories; `None` where handles are scarce.
    handle: Option<(Arc<Dir>, Hold)>,
    part: Part,
    /// Items that are directories to be entered.
    directories: Vec<u32>,
    claims: Mutex<Claims<S>>,
    ordinal: u32,
    bytes: usize,
    /// The worker that gathered it.
    by: usize,
}

/// Which of the directories have been taken by somebody: always the first ones, since readers take the
/// one whose turn comes next, and so does the calling thread.
struct Claims<S> {
    /// How many directories were claimed.
    claimed: usize,
    /// As what it stands in the queue of unread directories.
    queued: Option<u32>,
    /// Where the last claimed ones will be found: those that the calling thread has not come to.
    slots: VecDeque<Arc<Slot<S>>>,
}

impl<S> Default for Claims<S> {
    fn default() -> Self {
        Claims { claimed: 0, queued: None, slots: VecDeque::new() }
    }
}

impl<S> Contents<S> {
    fn name(&self, item: &Item) -> &CStr {
        self.part.name(item)
    }

    fn entry<'a>(&'a self, dir: &'a Directory<'a>, item: &Item) -> Entry<'a> {
        Entry {
            meta: self.part.metas.get(item.meta as usize),
            silent: item.silent,
            pruned: Cell::new(item.enters.is_none()),
            ..Entry::new(dir, self.name(item), item.ino, item.file_type, self.node.child_depth)
                .followed(item.followed)
        }
    }

    /// Claims the next directory for a reader: its item, and where to put what is read. `None` if
    /// somebody has begun with the last one.
    fn claim(&self) -> Option<(u32, Arc<Slot<S>>)> {
        let mut claims = lock(&self.claims);
        let index = *self.directories.get(claims.claimed)?;
        let slot = Arc::<Slot<S>>::default();
        claims.claimed += 1;
        claims.slots.push_back(Arc::clone(&slot));
        Some((index, slot))
    }

    /// The turn of a directory (by its place among the directories) has come: where a reader will put
    /// it, or `None` if it falls to the caller to read it.
    fn pass(&self, place: usize) -> Option<Arc<Slot<S>>> {
        let mut claims = lock(&self.claims);
        if claims.claimed > place {
            return claims.slots.pop_front();
        }
        claims.claimed = place + 1;
        None
    }

    /// The position of an item among all items of the directory, over all its chunks.
    fn position(&self, index: u32) -> u32 {
        (self.ordinal << 16).saturating_add(index)
    }
}

/// When the turn of a directory comes: after everything that stands before it in the directories from
/// the roots down to its parent.
struct Turn<S> {
    parent: Arc<Node<S>>,
    position: u32,
}

impl<S> Ord for Turn<S> {
    /// Compares the positions below the closest directory that both stand in.
    fn cmp(&self, other: &Turn<S>) -> Ordering {
        let (mut mine, mut theirs) = (&*self.parent, &*other.parent);
        let (mut here, mut there) = (self.position, other.position);
        while !std::ptr::eq(mine, theirs) {
            let deeper = mine.child_depth.cmp(&theirs.child_depth);
            if deeper.is_ge() {
                let Some(above) = &mine.parent else { break };
                (here, mine) = (mine.position, above);
            }
            if deeper.is_le() {
                let Some(above) = &theirs.parent else { break };
                (there, theirs) = (theirs.position, above);
            }
        }
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
    by_name: bool,
    ahead: Mutex<Ahead<S>>,
    /// Bytes held out of turn.
    bytes: AtomicUsize,
    is_full: AtomicBool,
    /// What readers gathered and the calling thread has handed on. Readers free it: memory that goes
    /// back to another thread's allocator has both wait for its lock (700 times in 129,000 entries).
    spent: Mutex<Vec<Arc<Contents<S>>>>,
}

/// More than this is not left to readers, which may be busy with slow storage.
const MOST_SPENT: usize = 256;

/// Contents with unclaimed directories, by turn.
type Unread<S> = BTreeMap<Turn<S>, Arc<Contents<S>>>;

struct Ahead<S> {
    /// Batches and continued readings of directories that were begun.
    begun: Vec<Unit<S>>,
    unread: Unread<S>,
}

impl<S> Ahead<S> {
    /// Puts contents where the turn of their next unclaimed directory comes.
    fn queue(&mut self, contents: &Arc<Contents<S>>) {
        let mut claims = lock(&contents.claims);
        let next = contents.directories.get(claims.claimed);
        claims.queued = next.map(|&index| contents.position(index));
        if let Some(position) = claims.queued {
            let turn = Turn { parent: Arc::clone(&contents.node), position };
            self.unread.insert(turn, Arc::clone(contents));
        }
    }

    /// Contents that were handed on, or never will be, have no directory left to read ahead.
    fn forget(&mut self, contents: &Contents<S>) {
        if let Some(position) = lock(&contents.claims).queued.take() {
            self.unread.remove(&Turn { parent: Arc::clone(&contents.node), position });
        }
    }
}

impl<S> Turns<S> {
    pub fn new(by_name: bool) -> Turns<S> {
        let ahead = Ahead { begun: Vec::new(), unread: BTreeMap::new() };
        Turns {
            by_name,
            ahead: Mutex::new(ahead),
            bytes: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            spent: Mutex::default(),
        }
    }

    pub fn push(&self, unit: Unit<S>) {
        lock(&self.ahead).begun.push(unit);
    }

    fn has_room(&self) -> bool {
        !self.is_full.load(Relaxed)
    }

    /// More is held out of turn.
    fn grow(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes, Relaxed) + bytes >= OUT_OF_TURN {
            self.is_full.store(true, Relaxed);
        }
    }

    /// Something has come in turn; `true` if there is room again.
    fn shrink(&self, bytes: usize) -> bool {
        let left = self.bytes.fetch_sub(bytes, Relaxed) - bytes;
        left <= ROOM_AGAIN && self.is_full.swap(false, Relaxed)
    }

    pub fn has_work(&self) -> bool {
        let ahead = lock(&self.ahead);
        !ahead.begun.is_empty() || (self.has_room() && !ahead.unread.is_empty())
    }

    /// The next unit: of a directory that was begun, or the unread directory whose turn comes first.
    pub fn pop(&self) -> Option<Unit<S>> {
        let mut ahead = lock(&self.ahead);
        if let Some(unit) = ahead.begun.pop() {
            return Some(unit);
        }
        if !self.has_room() {
            return None;
        }
        loop {
            let (_, contents) = ahead.unread.pop_first()?;
            let claim = contents.claim();
            ahead.queue(&contents);
            if let Some((index, slot)) = claim {
                return Some(Unit::Ahead(contents, index, slot));
            }
        }
    }

    /// How many directories wait to be read, by and large.
    pub fn unread(&self) -> usize {
        let ahead = lock(&self.ahead);
        let count = |contents: &Arc<Contents<S>>| contents.directories.len();
        ahead.begun.len() + ahead.unread.values().take(64).map(count).sum::<usize>()
    }
}

/// How far an ordered walk has come: the directories from the roots down to the current one.
pub(crate) struct Emission<S> {
    stack: Vec<Frame<S>>,
}

/// Contents on their way to the visitor.
struct Frame<S> {
    contents: Arc<Contents<S>>,
    next: usize,
    /// How many of its directories were passed.
    passed: usize,
    /// In post-order: the directory that is to be handed on when what is above this frame is done.
    after: Option<usize>,
    /// It was pruned after readers had begun with it: nothing of it is handed on, but what was entered
    /// is left.
    is_mute: bool,
}

/// What comes after the entries that were handed on.
enum Next<S> {
    /// The turn of a directory, by its place among the directories.
    Enter(usize),
    /// A directory that is not wanted, but that a reader has begun with.
    Unwanted(Arc<Slot<S>>),
    End,
}

impl<V: Visitor> Worker<'_, '_, V> {
    /// A directory is completely gathered: sorts its entries, puts them in their slot.
    pub fn publish(&mut self, reading: &Reading<V::State>, gathering: &Gathering<V::State>) {
        let part = std::mem::take(&mut *lock(&gathering.part));
        let more = gathering.has_more.load(Relaxed);
        let shared = Arc::clone(&self.shared);
        let contents = contents(&shared, reading, gathering, part, more, self.index);
        let Queue::Turns(turns) = &shared.queue else { return };
        if shared.pace.is_parallel() && !contents.directories.is_empty() && !shared.is_stopped() {
            lock(&turns.ahead).queue(&contents);
            shared.lot.ring();
        }
        turns.grow(contents.bytes);
        *lock(&gathering.slot) = Some(Some(contents));
        shared.lot.ring_turn();
    }

    /// Reads a directory that was claimed.
    pub fn read_ahead(
        &mut self,
        contents: &Contents<V::State>,
        index: u32,
        slot: &Arc<Slot<V::State>>,
    ) {
        let item = contents.part.items[index as usize];
        let shared = Arc::clone(&self.shared);
        let Queue::Turns(turns) = &shared.queue else { return };
        let gathering = Gathering::new(&shared, Arc::clone(slot), turns.by_name, 0);
        let parent = Parent {
            node: &contents.node,
            handle: contents.handle.as_ref().map(|(handle, _)| handle),
            position: contents.position(index),
        };
        if self.index > 0 {
            let spent = std::mem::take(&mut *lock(&turns.spent));
            drop(spent);
        }
        let links = item.enters.unwrap_or(Links::NoFollow);
        let child = Child { name: contents.name(&item), ino: item.ino, links };
        match self.visit_dir(&parent, child, Some(gathering)) {
            Visit::Reading(reading, buffer, complete) => self.go_on(reading, buffer, complete, 0),
            Visit::Unread(node) => {
                let contents = Contents::empty(Arc::new(node));
                *lock(slot) = Some(Some(Arc::new(contents)));
                shared.lot.ring_turn();
            }
            Visit::Pruned => {
                *lock(slot) = Some(None);
                shared.lot.ring_turn();
            }
        }
    }

    /// In an ordered walk: where the roots' entries will be found, in the order they were given.
    pub fn first_gathering(&self) -> Option<Arc<Gathering<V::State>>> {
        let is_ordered = matches!(self.shared.queue, Queue::Turns(_));
        is_ordered.then(|| Gathering::new(&self.shared, Arc::default(), false, 0))
    }

    /// Everything that the calling thread will hand on, beginning with the roots.
    pub fn emission(&mut self, roots: &Gathering<V::State>) -> Emission<V::State> {
        Emission {
            stack: self
                .await_slot(&roots.slot)
                .map(|roots| Frame::new(roots, false))
                .into_iter()
                .collect(),
        }
    }

    /// Hands on what comes next: entries up to a directory, or what follows a directory that is done.
    /// `false` at the end.
    pub fn emit_step(&mut self, emission: &mut Emission<V::State>) -> bool {
        let stack = &mut emission.stack;
        let Some(frame) = stack.last_mut() else { return false };
        if self.shared.is_stopped() {
            return false;
        }
        let contents = Arc::clone(&frame.contents);
        let is_mute = frame.is_mute;
        match self.emit_to_directory(frame) {
            Next::Enter(place) => match self.take_child(&contents, place) {
                Some(child) => stack.push(Frame::new(child, false)),
                None => self.emit_after(stack.last_mut()),
            },
            Next::Unwanted(slot) => {
                let child = self.await_slot(&slot);
                stack.extend(child.map(|child| Frame::new(child, true)));
            }
            Next::End if contents.reading.is_some() && !is_mute => {
                let more = self.read_more(&contents);
                stack.pop();
                stack.extend(more.map(|more| Frame::new(more, false)));
            }
            Next::End => {
                stack.pop();
                self.emit_leave(&contents);
                self.spend(contents);
                if !is_mute {
                    self.emit_after(stack.last_mut());
                }
            }
        }
        true
    }

    /// Hands on entries up to and with the next directory that is to be entered; in post-order, without
    /// it.
    fn emit_to_directory(&mut self, frame: &mut Frame<V::State>) -> Next<V::State> {
        let contents = Arc::clone(&frame.contents);
        while let Some(&at) = contents.directories.get(frame.passed) {
            let (from, at, place) = (frame.next, at as usize, frame.passed);
            frame.next = at + 1;
            frame.passed += 1;
            if !frame.is_mute && self.emit_and_enter(&contents, from, at) {
                frame.after = self.shared.post_order.then_some(at);
                return Next::Enter(place);
            }
            if let Some(slot) = contents.pass(place) {
                return Next::Unwanted(slot);
            }
        }
        let from = std::mem::replace(&mut frame.next, contents.part.items.len());
        if !frame.is_mute {
            self.emit_items(&contents, from, frame.next, true);
        }
        Next::End
    }

    /// Hands on entries up to the directory at `at`, and says whether that is to be entered.
    fn emit_and_enter(&mut self, contents: &Contents<V::State>, from: usize, at: usize) -> bool {
        if !self.shared.post_order {
            return self.emit_items(contents, from, at + 1, true);
        }
        self.emit_items(contents, from, at, true);
        let dir = Directory { prefix: b"", depth: 0, handle: None };
        let item = &contents.part.items[at];
        item.silent || self.is_first(&contents.entry(&dir, item))
    }

    /// In post-order: hands on the directory that the last frame has just come back from.
    fn emit_after(&mut self, frame: Option<&mut Frame<V::State>>) {
        if let Some(frame) = frame
            && let Some(at) = frame.after.take()
        {
            let contents = Arc::clone(&frame.contents);
            self.emit_items(&contents, at, at + 1, false);
        }
    }

    /// Hands items on, those met before excepted if that is to be checked; `true` if the last of them
    /// may still be entered.
    fn emit_items(
        &mut self,
        contents: &Contents<V::State>,
        from: usize,
        to: usize,
        check: bool,
    ) -> bool {
        self.set_prefix(&contents.node);
        let prefix = self.lend_prefix();
        let handle = contents.handle.as_ref().map(|(handle, _)| &**handle);
        let dir = Directory { prefix: &prefix, depth: contents.node.depth(), handle };
        let mut entries = self.borrow_entries();
        let mut enters = true;
        for item in &contents.part.items[from..to] {
            let entry = contents.entry(&dir, item);
            if entry.silent {
                continue;
            }
            if !check || self.is_first(&entry) {
                entries.push(entry);
            } else {
                enters = item.enters.is_none();
            }
        }
        self.give(&contents.node.state, &entries);
        let last_is_silent = to > from && contents.part.items[to - 1].silent;
        let pruned = entries.last().is_some_and(|entry| entry.pruned.get());
        self.return_entries(entries);
        self.return_prefix(prefix);
        enters && (last_is_silent || !pruned)
    }

    /// The contents of a directory whose turn it is: ready, or read now, here or with others' help.
    fn take_child(
        &mut self,
        contents: &Contents<V::State>,
        place: usize,
    ) -> Option<Arc<Contents<V::State>>> {
        let slot = contents.pass(place).unwrap_or_else(|| {
            let slot = Arc::default();
            self.read_ahead(contents, contents.directories[place], &slot);
            self.unit_done();
            slot
        });
        self.await_slot(&slot)
    }

    /// Waits until a slot is filled, reading ahead meanwhile like any other worker.
    fn await_slot(&mut self, slot: &Slot<V::State>) -> Option<Arc<Contents<V::State>>> {
        let shared = Arc::clone(&self.shared);
        let Queue::Turns(turns) = &shared.queue else { return None };
        loop {
            if let Some(contents) = lock(slot).take() {
                if contents.as_ref().is_some_and(|contents| turns.shrink(contents.bytes)) {
                    shared.lot.ring_all();
                }
                return contents;
            }
            if shared.is_stopped() {
                return None;
            }
            if let Some(unit) = turns.pop() {
                self.perform(unit);
                self.unit_done();
            } else {
                let ready = || lock(slot).is_some() || shared.is_stopped() || turns.has_work();
                shared.lot.wait_turn(ready);
                self.rested();
            }
        }
    }

    /// The next chunk of a directory that is handed on in its own order.
    fn read_more(&mut self, contents: &Contents<V::State>) -> Option<Arc<Contents<V::State>>> {
        let before = contents.reading.as_ref()?;
        let ordinal = contents.ordinal + 1;
        let slot = Arc::default();
        let gathering = Gathering::new(&self.shared, Arc::clone(&slot), false, ordinal);
        let reading = Reading { gathering: Some(gathering), ..before.clone() };
        self.shared.added(1);
        self.perform(Unit::Continue(reading, ordinal));
        self.unit_done();
        self.await_slot(&slot)
    }

    /// Leaves contents that were handed on to whoever gathered them.
    fn spend(&self, contents: Arc<Contents<V::State>>) {
        if let Queue::Turns(turns) = &self.shared.queue
            && contents.by != self.index
        {
            let mut spent = lock(&turns.spent);
            if spent.len() < MOST_SPENT {
                spent.push(contents);
            }
        }
    }

    /// The last entry of a directory and everything below it has been handed on.
    fn emit_leave(&mut self, contents: &Contents<V::State>) {
        let shared = Arc::clone(&self.shared);
        if let Queue::Turns(turns) = &shared.queue {
            lock(&turns.ahead).forget(contents);
        }
        let Some(parent) = &contents.node.parent else { return };
        if shared.wants_leave {
            self.leave(&contents.node, parent);
        }
        self.unit_done();
    }
}

impl<S> Frame<S> {
    fn new(contents: Arc<Contents<S>>, is_mute: bool) -> Frame<S> {
        Frame { contents, next: 0, passed: 0, after: None, is_mute }
    }
}

impl<S> Contents<S> {
    /// A directory that could not be read: it has nothing, but it is left like any other.
    fn empty(node: Arc<Node<S>>) -> Contents<S> {
        Contents {
            reading: None,
            node,
            handle: None,
            part: Part::default(),
            directories: Vec::new(),
            claims: Mutex::default(),
            ordinal: 0,
            bytes: 0,
            by: 0,
        }
    }
}

/// Puts a gathered directory in order.
fn contents<S>(
    shared: &Shared<S>,
    reading: &Reading<S>,
    gathering: &Gathering<S>,
    mut part: Part,
    more: bool,
    by: usize,
) -> Arc<Contents<S>> {
    let mut items = std::mem::take(&mut part.items);
    items.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| part.name(a).cmp(part.name(b))));
    part.items = items;
    let directory = |(at, item): (usize, &Item)| item.enters.map(|_| at as u32);
    let directories: Vec<u32> = part.items.iter().enumerate().filter_map(directory).collect();
    let wants_handle = !directories.is_empty() && !reading.node.is_top();
    let hold = wants_handle.then(|| Held::hold(&shared.held, shared.held_limit)).flatten();
    let bytes = part.names.len()
        + part.items.len() * size_of::<Item>()
        + part.metas.len() * size_of::<Meta>();
    Arc::new(Contents {
        reading: more.then(|| reading.clone()),
        node: Arc::clone(&reading.node),
        handle: hold.map(|hold| (Arc::clone(&reading.handle), hold)),
        part,
        directories,
        ordinal: gathering.ordinal,
        by,
        // Even an empty directory costs something while it is out of turn.
        bytes: bytes + BUFFER / 256,
        claims: Mutex::default(),
    })
}
