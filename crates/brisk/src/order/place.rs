//! A directory in an ordered walk, from the moment that somebody claims it until its last entry was
//! handed on: first entries are gathered, from one or more workers; then they are put in order.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ffi::CStr;
use std::ops::Deref;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::{Dir, FileType, Links, Meta, append, until_nul};

use crate::driver::Driver;
use crate::queue::Reading;
use crate::room;
use crate::sched::lock;
use crate::tree::{Held, Hold, Node};
use crate::worker::Shared;
use crate::{Directory, Entry};

/// What an empty directory counts for while it is out of turn: about what its place takes.
const EMPTY: usize = 256;
/// As many as a worker claims at once of directories that need no waiting: by then the queue's lock is
/// cheap in comparison.
const CLAIM: usize = 8;

/// An entry that waits for its turn: what decides the order, and where the rest is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    rank: u64,
    /// The number of the part, and [`IS_ENTERED`].
    part: u32,
    at: u32,
}

/// The entry is a directory to be entered: known without a look at its record, which may be in another
/// core's cache.
const IS_ENTERED: u32 = 1 << 31;

impl Item {
    fn is_entered(&self) -> bool {
        self.part & IS_ENTERED != 0
    }
}

/// The entries of one chunk, or of a batch of it, side by side in one allocation. A record is eight
/// bytes of inode, four of the index among `metas`, one of flags, the name, its NUL.
#[derive(Debug, Default)]
struct Part {
    records: Vec<u8>,
    metas: Vec<Meta>,
}

const META_AT: usize = 8;
const FLAGS_AT: usize = 12;
const NAME_AT: usize = 13;

/// By the number that a type has in its flags.
const TYPES: [FileType; 8] = [
    FileType::Unknown,
    FileType::File,
    FileType::Directory,
    FileType::Symlink,
    FileType::BlockDevice,
    FileType::CharDevice,
    FileType::Fifo,
    FileType::Socket,
];
const TYPE: u8 = 7;
/// Type and metadata are those of a link's target.
const FOLLOWED: u8 = 1 << 3;
/// Entered, but not handed on.
const SILENT: u8 = 1 << 4;
/// An attribute says that it is hidden.
const HIDDEN: u8 = 1 << 5;

/// A record, decoded.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub name: &'a CStr,
    pub ino: u64,
    meta: Option<&'a Meta>,
    flags: u8,
}

impl Record<'_> {
    pub fn is_silent(&self) -> bool {
        self.flags & SILENT != 0
    }

    pub fn links(&self) -> Links {
        if self.flags & FOLLOWED != 0 { Links::Follow } else { Links::NoFollow }
    }
}

/// How many of the metadata kept last are compared with the next: those of a plain file, of one that can
/// be executed, and of a directory.
const ALIKE: usize = 3;

impl Part {
    fn new(entries: &[Entry<'_>]) -> Part {
        let bytes = entries.iter().map(|entry| NAME_AT + entry.name.count_bytes() + 1).sum();
        let mut part = Part { records: Vec::with_capacity(bytes), metas: Vec::new() };
        for entry in entries {
            let flags = entry.file_type as u8
                | if entry.followed { FOLLOWED } else { 0 }
                | if entry.silent { SILENT } else { 0 }
                | if entry.hidden { HIDDEN } else { 0 };
            part.push(Record { name: entry.name, ino: entry.ino, meta: entry.meta, flags });
        }
        part
    }

    #[inline(always)]
    fn push(&mut self, record: Record<'_>) {
        let meta = record.meta.map_or(u32::MAX, |meta| self.meta(meta));
        let mut head = [0; NAME_AT];
        head[..META_AT].copy_from_slice(&record.ino.to_ne_bytes());
        head[META_AT..FLAGS_AT].copy_from_slice(&meta.to_ne_bytes());
        head[FLAGS_AT] = record.flags;
        append(&mut self.records, &head);
        append(&mut self.records, record.name.to_bytes_with_nul());
    }

    /// The index of this among the metas. Of siblings it is mostly the same, once it holds no more than
    /// what was asked for: a look at the last few finds it.
    fn meta(&mut self, meta: &Meta) -> u32 {
        let known = self.metas.iter().rev().take(ALIKE).position(|known| known == meta);
        let back = known.unwrap_or_else(|| {
            self.metas.push(meta.clone());
            0
        });
        (self.metas.len() - 1 - back) as u32
    }

    #[inline(always)]
    fn record(&self, at: u32) -> Record<'_> {
        let (head, rest) = self.records[at as usize..].split_at(NAME_AT);
        let (ino, rest_of_head) = head.split_first_chunk().expect("BUG: a record's head is whole");
        let (meta, flags) =
            rest_of_head.split_first_chunk().expect("BUG: a record's head is whole");
        Record {
            name: until_nul(rest).expect("BUG: every name was gathered with its NUL"),
            ino: u64::from_ne_bytes(*ino),
            meta: self.metas.get(u32::from_ne_bytes(*meta) as usize),
            flags: flags[0],
        }
    }

    fn bytes(&self) -> usize {
        self.records.len() + self.metas.len() * size_of::<Meta>()
    }
}

/// Parts in the order they came; almost always there is one.
#[derive(Debug, Default)]
struct Parts {
    first: Part,
    more: Vec<Part>,
}

impl Parts {
    #[inline(always)]
    fn record(&self, item: &Item) -> Record<'_> {
        match item.part & !IS_ENTERED {
            0 => self.first.record(item.at),
            part => self.more[part as usize - 1].record(item.at),
        }
    }

    fn bytes(&self) -> usize {
        self.first.bytes() + self.more.iter().map(Part::bytes).sum::<usize>()
    }
}

/// What has been gathered, in no order yet.
#[derive(Debug, Default)]
struct Gathered {
    parts: Parts,
    /// Items by part. They are put together at the end, so that no vector of a million grows by
    /// doubling.
    first: Vec<Item>,
    more: Vec<Vec<Item>>,
}

/// A directory that was claimed: being read, perhaps by several workers, or read already.
pub(crate) struct Place<S> {
    gathered: Mutex<Gathered>,
    /// Readings and batches that are not done.
    left: AtomicUsize,
    /// By rank; else in the directory's own order, chunk by chunk.
    sorted: bool,
    /// What was gathered, in bytes.
    bytes: AtomicUsize,
    /// The directory has more than the one chunk that was read.
    has_more: AtomicBool,
    /// How many chunks came before this one.
    ordinal: u32,
    /// `None` inside if the visitor did not want it.
    contents: OnceLock<Option<Contents<S>>>,
}

impl<S> Place<S> {
    pub(super) fn new(sorted: bool, ordinal: u32) -> Arc<Self> {
        Arc::new(Place {
            gathered: Mutex::default(),
            left: AtomicUsize::new(1),
            sorted,
            bytes: AtomicUsize::new(0),
            has_more: AtomicBool::new(false),
            ordinal,
            contents: OnceLock::new(),
        })
    }

    /// Takes entries in. `start` is where their records begin in the chunk.
    pub fn gather<V: Driver>(
        &self,
        visitor: &V,
        (ordinal, start): (u32, usize),
        entries: &[Entry<'_>],
        max_depth: u32,
    ) {
        if entries.is_empty() {
            return;
        }
        let part = Part::new(entries);
        let mut items = Vec::with_capacity(entries.len());
        let mut record = 0;
        for (at, entry) in entries.iter().enumerate() {
            let rank = if self.sorted {
                visitor.rank(entry, 0)
            } else {
                (u64::from(ordinal) << 48) | ((start as u64) << 16) | at as u64
            };
            let enters = entry.file_type.is_dir() && !entry.pruned.get() && entry.depth < max_depth;
            items.push(Item { rank, part: if enters { IS_ENTERED } else { 0 }, at: record });
            record += (NAME_AT + entry.name.count_bytes() + 1) as u32;
        }
        let bytes = part.bytes() + items.len() * size_of::<Item>();
        self.bytes.fetch_add(bytes, Relaxed);
        lock(&self.gathered).add(part, items);
    }

    /// Whether no more of the directory may be gathered.
    pub fn is_full(&self) -> bool {
        room::is_full(self.bytes.load(Relaxed))
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
        if !self.sorted {
            self.has_more.store(true, Relaxed);
        }
        !self.sorted
    }

    /// What was gathered, or `None` if the visitor did not want the directory.
    pub(super) fn fill(&self, contents: Option<Contents<S>>) {
        // Only who claimed a place fills it, once.
        let _ = self.contents.set(contents);
    }

    pub(super) fn is_filled(&self) -> bool {
        self.contents.get().is_some()
    }

    /// The contents, once they are known; `None` inside if there are none.
    pub(super) fn filled(self: &Arc<Self>) -> Option<Option<Filled<S>>> {
        let contents = self.contents.get()?;
        Some(contents.is_some().then(|| Filled(Arc::clone(self))))
    }

    /// Everything is gathered: puts it in order.
    pub(super) fn arrange<V: Driver<State = S>>(
        &self,
        shared: &Shared<S>,
        visitor: &V,
        reading: &Reading<S>,
        by: usize,
    ) -> Contents<S> {
        let Gathered { parts, first, more } = std::mem::take(&mut *lock(&self.gathered));
        let mut items = together(first, more);
        if self.sorted {
            sort(&mut items, &parts, visitor, reading.node.child_depth);
        } else {
            items.sort_unstable_by_key(|item| item.rank);
        }
        let enters = |(at, item): (usize, &Item)| item.is_entered().then_some(at as u32);
        let directories: Vec<u32> = items.iter().enumerate().filter_map(enters).collect();
        let wants_handle = !directories.is_empty() && !reading.node.is_top();
        let hold = wants_handle.then(|| Held::hold(&shared.held, shared.held_limit)).flatten();
        let more = self.has_more.load(Relaxed);
        Contents {
            // Not this place itself, which would then never be freed.
            reading: more.then(|| Reading { gathering: None, ..reading.clone() }),
            node: Arc::clone(&reading.node),
            handle: hold.map(|hold| (Arc::clone(&reading.handle), hold)),
            bytes: EMPTY + parts.bytes() + items.len() * size_of::<Item>(),
            items,
            parts,
            draft: None,
            directories,
            claims: Mutex::default(),
            ordinal: self.ordinal,
            was_read: true,
            by,
        }
    }
}

impl Gathered {
    fn add(&mut self, part: Part, mut items: Vec<Item>) {
        if self.first.is_empty() {
            (self.parts.first, self.first) = (part, items);
            return;
        }
        self.parts.more.push(part);
        let index = self.parts.more.len() as u32;
        items.iter_mut().for_each(|item| item.part |= index);
        self.more.push(items);
    }
}

/// All items in one vector of the right size.
fn together(first: Vec<Item>, more: Vec<Vec<Item>>) -> Vec<Item> {
    if more.is_empty() {
        return first;
    }
    let count = first.len() + more.iter().map(Vec::len).sum::<usize>();
    let mut items = Vec::with_capacity(count);
    items.extend(first);
    // Each is freed as soon as it was copied.
    more.into_iter().for_each(|part| items.extend(part));
    items
}

/// Sorts items whose ranks are those of level 0.
fn sort<V: Driver>(items: &mut [Item], parts: &Parts, visitor: &V, depth: u32) {
    let dir = Directory { prefix: b"", depth: depth.saturating_sub(1) as usize, handle: None };
    let entry = |item: &Item| entry(&dir, parts.record(item), depth, false);
    let rank = |item: &Item, level: usize| visitor.rank(&entry(item), level);
    let names = |a: &Item, b: &Item| visitor.compare(&entry(a), &entry(b));
    sort_from(0, items, &rank, &names);
}

/// Levels of ranks; beyond them entries are compared.
const LEVELS: usize = 4;
/// So few equals are compared at once.
const FEW: usize = 8;

fn sort_from(
    level: usize,
    items: &mut [Item],
    rank: &impl Fn(&Item, usize) -> u64,
    compare: &impl Fn(&Item, &Item) -> Ordering,
) {
    // Ranks alone: a comparison without a call is sorted by without branches.
    items.sort_unstable_by_key(|item| item.rank);
    for equals in items.chunk_by_mut(|a, b| a.rank == b.rank).filter(|equals| equals.len() > 1) {
        if equals.len() <= FEW || level + 1 == LEVELS {
            equals.sort_unstable_by(compare);
            continue;
        }
        equals.iter_mut().for_each(|item| item.rank = rank(item, level + 1));
        sort_from(level + 1, equals, rank, compare);
    }
}

#[inline(always)]
fn entry<'a>(
    dir: &'a Directory<'a>,
    record: Record<'a>,
    depth: u32,
    is_entered: bool,
) -> Entry<'a> {
    let file_type = TYPES[usize::from(record.flags & TYPE)];
    Entry {
        meta: record.meta,
        silent: record.is_silent(),
        pruned: Cell::new(!is_entered),
        ..Entry::new(dir, record.name, record.ino, file_type, depth)
            .followed(record.links() == Links::Follow)
            .hidden(record.flags & HIDDEN != 0)
    }
}

/// What a directory (or a chunk of it) holds, in order, until it is handed on.
pub(crate) struct Contents<S> {
    /// How to read on.
    pub(super) reading: Option<Reading<S>>,
    pub(super) node: Arc<Node<S>>,
    /// For opening its directories; `None` where handles are scarce.
    pub(super) handle: Option<(Arc<Dir>, Hold)>,
    items: Vec<Item>,
    parts: Parts,
    /// What the visitor has made of the entries. Only those to be entered are still among the items.
    pub(super) draft: Option<Draft>,
    /// Items that are directories to be entered.
    pub(super) directories: Vec<u32>,
    claims: Mutex<Claims<S>>,
    pub(super) ordinal: u32,
    pub(super) bytes: usize,
    /// It could be read.
    pub(super) was_read: bool,
    /// The worker that gathered it.
    pub(super) by: usize,
}

/// What the visitor has made of a directory's entries before their turn.
pub(super) struct Draft {
    /// How many they were.
    pub(super) count: usize,
    pub(super) bytes: Vec<u8>,
}

/// A place with contents.
pub(crate) struct Filled<S>(Arc<Place<S>>);

impl<S> Clone for Filled<S> {
    fn clone(&self) -> Self {
        Filled(Arc::clone(&self.0))
    }
}

impl<S> Deref for Filled<S> {
    type Target = Contents<S>;

    fn deref(&self) -> &Contents<S> {
        self.0
            .contents
            .get()
            .and_then(Option::as_ref)
            .expect("BUG: the place was seen to be filled")
    }
}

/// Which of the directories have been taken by somebody: always the first ones, since readers take the
/// one whose turn comes next, and so does the calling thread.
struct Claims<S> {
    /// How many directories were claimed.
    claimed: usize,
    /// As what it stands in the queue of unread directories.
    queued: Option<u32>,
    /// Where the last claimed ones will be found: those that the calling thread has not come to.
    places: VecDeque<Arc<Place<S>>>,
}

impl<S> Default for Claims<S> {
    fn default() -> Self {
        Claims { claimed: 0, queued: None, places: VecDeque::new() }
    }
}

/// Directories that a reader has claimed: the first of them, among their siblings, and where to put
/// what is read.
pub(crate) struct Claim<S> {
    pub first: usize,
    pub places: Vec<Arc<Place<S>>>,
}

impl<S> Contents<S> {
    /// A directory that could not be read: it has nothing, but it is left like any other.
    pub(super) fn unread(node: Arc<Node<S>>) -> Contents<S> {
        Contents {
            reading: None,
            node,
            handle: None,
            items: Vec::new(),
            parts: Parts::default(),
            draft: None,
            directories: Vec::new(),
            claims: Mutex::default(),
            ordinal: 0,
            bytes: 0,
            was_read: false,
            by: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The entries were draft: only those that are to be entered must still be known.
    pub(super) fn keep(&mut self, draft: Draft) {
        let mut part = Part::default();
        let mut items = Vec::with_capacity(self.directories.len());
        for &index in &self.directories {
            let at = part.records.len() as u32;
            items.push(Item { rank: 0, part: IS_ENTERED, at });
            part.push(Record { meta: None, ..self.record(index as usize) });
        }
        self.directories = (0..items.len() as u32).collect();
        self.bytes = EMPTY + draft.bytes.len() + part.bytes() + items.len() * size_of::<Item>();
        self.parts = Parts { first: part, more: Vec::new() };
        self.items = items;
        self.draft = Some(draft);
    }

    /// The directory as the visitor sees it; its path is lent by the worker.
    pub(super) fn directory<'a>(&'a self, prefix: &'a [u8]) -> Directory<'a> {
        let handle = self.handle.as_ref().map(|(handle, _)| &**handle);
        Directory { prefix, depth: self.node.depth(), handle }
    }

    /// Those of the directories to be entered whose index is in this range.
    pub(super) fn directories_in(&self, items: std::ops::Range<usize>) -> &[u32] {
        let place = |end: usize| self.directories.partition_point(|&index| (index as usize) < end);
        &self.directories[place(items.start)..place(items.end)]
    }

    pub(super) fn record(&self, index: usize) -> Record<'_> {
        self.parts.record(&self.items[index])
    }

    #[inline]
    pub(super) fn entry<'a>(&'a self, dir: &'a Directory<'a>, index: usize) -> Entry<'a> {
        let item = &self.items[index];
        entry(dir, self.parts.record(item), self.node.child_depth, item.is_entered())
    }

    /// Claims the next directories for a reader, several at once if they are quickly read. `None` if
    /// somebody has begun with the last one.
    pub(super) fn claim(&self, sorted: bool, are_quick: bool) -> Option<Claim<S>> {
        let mut claims = lock(&self.claims);
        let left = self.directories.len() - claims.claimed;
        let count = if are_quick { left.div_ceil(2).min(CLAIM) } else { left.min(1) };
        let claim = Claim {
            first: claims.claimed,
            places: (0..count).map(|_| Place::new(sorted, 0)).collect(),
        };
        claims.claimed += count;
        claims.places.extend(claim.places.iter().cloned());
        (count > 0).then_some(claim)
    }

    /// How many directories no reader has begun with.
    pub(super) fn unclaimed(&self) -> usize {
        self.directories.len() - lock(&self.claims).claimed
    }

    /// The turn of a directory (by its number among the directories) has come: where a reader will put
    /// it, or `None` if it falls to the caller to read it.
    pub(super) fn pass(&self, number: usize) -> Option<Arc<Place<S>>> {
        let mut claims = lock(&self.claims);
        if claims.claimed > number {
            return claims.places.pop_front();
        }
        claims.claimed = number + 1;
        None
    }

    /// Notes that it stands in the queue of unread directories, at the position of the next one that
    /// nobody has claimed; `None` if there is none.
    pub(super) fn queued(&self) -> Option<u32> {
        let mut claims = lock(&self.claims);
        let next = self.directories.get(claims.claimed);
        claims.queued = next.map(|&index| self.position(index));
        claims.queued
    }

    /// As what it stands in the queue, from which it is now to be taken.
    pub(super) fn unqueued(&self) -> Option<u32> {
        lock(&self.claims).queued.take()
    }

    /// The position of an item among all items of the directory, over all its chunks.
    pub(super) fn position(&self, index: u32) -> u32 {
        (self.ordinal << 16).saturating_add(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million of them must not outgrow what other listers need.
    #[test]
    fn an_item_takes_sixteen_bytes() {
        assert_eq!(size_of::<Item>(), 16);
    }

    #[test]
    fn siblings_of_which_the_same_is_known_share_it() {
        let dir = Directory { prefix: b"", depth: 0, handle: None };
        let meta = |path: &str| {
            let path = std::path::Path::new(path);
            let native = brisk_sys::Backend::Native;
            brisk_sys::stat_path(native, path, crate::Fields::MODE, Links::Follow)
                .expect("it exists")
        };
        let (plain, other) = (meta("Cargo.toml"), meta("src"));
        let metas = [&plain, &other, &plain, &plain, &other];
        let entry = |(at, meta)| Entry {
            meta: Some(meta),
            ..Entry::new(&dir, c"name", at, FileType::File, 1)
        };
        let entries: Vec<_> = (0..).zip(metas).map(entry).collect();
        let part = Part::new(&entries);
        assert_eq!(part.metas.len(), 2);
        let mut at = 0;
        for entry in &entries {
            let record = part.record(at as u32);
            assert_eq!((record.ino, record.meta), (entry.ino, entry.meta));
            at += NAME_AT + record.name.count_bytes() + 1;
        }
    }

    #[test]
    fn a_record_gives_back_what_was_gathered() {
        let dir = Directory { prefix: b"", depth: 0, handle: None };
        for file_type in TYPES {
            for silent in [false, true] {
                let given = Entry { silent, ..Entry::new(&dir, c"name", 7, file_type, 3) };
                let given = given.hidden(!silent);
                let part = Part::new(std::slice::from_ref(&given));
                let taken = entry(&dir, part.record(0), 3, true);
                assert_eq!((taken.name, taken.ino), (c"name", 7));
                assert_eq!((taken.file_type, taken.silent), (file_type, silent));
                assert_eq!(taken.is_hidden(), !silent);
                assert!(!taken.pruned.get());
            }
        }
    }
}
