//! Entries that wait for their turn, in three forms: a [`Packet`] of one chunk, [`Gathered`]
//! packets of a directory, and [`Entries`] in order. Names are [`PackedNames`]; what is sorted is
//! 16 bytes an entry.

use std::cell::Cell;
use std::cmp::Ordering;

use brisk_sys::{FileType, Links, Meta};

use crate::entry::{Directory, Entry};
use crate::tree::{Child, PackedName, PackedNames};

/// An entry that waits for its turn: its rank, and where its record is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub rank: u64,
    /// The number of the list that holds the record, and [`IS_ENTERED`].
    list: u32,
    /// Where the record begins in that list, in bytes.
    at: u32,
}

/// The flag of a directory to be entered. It is here because the record may be in another core's
/// cache.
const IS_ENTERED: u32 = 1 << 31;

impl Ranked {
    pub fn is_entered(&self) -> bool {
        self.list & IS_ENTERED != 0
    }
}

/// The entries of one chunk, or of a batch of it. The tag of a packed name is the index of the
/// entry's metadata.
#[derive(Debug, Default)]
struct PackedEntries {
    names: PackedNames,
    metas: Vec<Meta>,
}

/// The file types, by their numbers in a packed name's flags.
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
/// The bits of the flags that hold the type's number.
const TYPE: u8 = 7;
/// The flag of a followed link: type and metadata are those of its target.
const FOLLOWED: u8 = 1 << 3;
/// The flag of a directory that is entered but not delivered.
const SILENT: u8 = 1 << 4;
/// The flag of an entry that an attribute hides.
const HIDDEN: u8 = 1 << 5;

/// The tag of a name without metadata.
const NONE: u32 = u32::MAX;

/// How many of the last stored metadata are compared with the next: enough for those of a plain
/// file, of an executable one and of a directory.
const ALIKE: usize = 3;

/// An entry as it was packed.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub packed: PackedName<'a>,
    meta: Option<&'a Meta>,
}

impl<'a> Record<'a> {
    pub fn is_silent(&self) -> bool {
        self.packed.flags & SILENT != 0
    }

    /// The entry as a directory that is to be opened.
    pub fn child(&self) -> Child<'a> {
        let links = Links::followed(self.packed.flags & FOLLOWED != 0);
        Child::new(self.packed.name, self.packed.ino, links)
    }

    #[inline(always)]
    pub fn entry(self, dir: &'a Directory<'a>, depth: u32, is_entered: bool) -> Entry<'a> {
        let PackedName { name, ino, flags, .. } = self.packed;
        Entry {
            meta: self.meta,
            silent: self.is_silent(),
            pruned: Cell::new(!is_entered),
            ..Entry::new(dir, name, ino, TYPES[usize::from(flags & TYPE)], depth)
                .followed(flags & FOLLOWED != 0)
                .hidden(flags & HIDDEN != 0)
        }
    }
}

impl PackedEntries {
    fn new(bytes: usize) -> PackedEntries {
        PackedEntries { names: PackedNames::with_capacity(bytes), metas: Vec::new() }
    }

    #[inline(always)]
    fn push(&mut self, entry: &Entry<'_>) -> usize {
        let flags = entry.file_type as u8
            | if entry.followed { FOLLOWED } else { 0 }
            | if entry.silent { SILENT } else { 0 }
            | if entry.hidden { HIDDEN } else { 0 };
        let tag = entry.meta.map_or(NONE, |meta| self.keep(meta));
        self.names.push(PackedName { name: entry.name, ino: entry.ino, tag, flags })
    }

    /// Stores metadata and returns its index. Siblings mostly have the same metadata, once it holds
    /// only the fields that the visitor wanted, so one of the last few is used again.
    fn keep(&mut self, meta: &Meta) -> u32 {
        let known = self.metas.iter().rev().take(ALIKE).position(|known| known == meta);
        let back = known.unwrap_or_else(|| {
            self.metas.push(meta.clone());
            0
        });
        (self.metas.len() - 1 - back) as u32
    }

    #[inline(always)]
    fn record(&self, at: u32) -> Record<'_> {
        let packed = self.names.at(at as usize);
        Record { packed, meta: self.metas.get(packed.tag as usize) }
    }

    fn size(&self) -> usize {
        self.names.size() + self.metas.len() * size_of::<Meta>()
    }
}

/// The packed entries of one directory, in lists in the order in which they came. Almost always
/// there is one list.
#[derive(Debug, Default)]
struct Lists {
    first: PackedEntries,
    more: Vec<PackedEntries>,
}

impl Lists {
    #[inline(always)]
    fn record(&self, ranked: &Ranked) -> Record<'_> {
        match ranked.list & !IS_ENTERED {
            0 => self.first.record(ranked.at),
            list => self.more[list as usize - 1].record(ranked.at),
        }
    }

    fn size(&self) -> usize {
        self.first.size() + self.more.iter().map(PackedEntries::size).sum::<usize>()
    }
}

/// The packets of a directory that a slot has collected, not in order yet.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    lists: Lists,
    /// The ranked entries of the first list; `more` has those of each further list. They are joined
    /// at the end, so that no vector of a million entries grows by doubling.
    first: Vec<Ranked>,
    more: Vec<Vec<Ranked>>,
}

/// The packed entries of one chunk, or of a batch of it, before they are added to those of their
/// directory.
pub(crate) struct Packet(PackedEntries, Vec<Ranked>);

impl Packet {
    /// Packs entries, each with its rank.
    pub fn new(
        entries: &[Entry<'_>],
        max_depth: u32,
        rank: impl Fn(usize, &Entry<'_>) -> u64,
    ) -> Self {
        // A record has 13 bytes before the name, and a NUL behind it.
        let bytes = entries.iter().map(|entry| entry.name.count_bytes() + 14).sum();
        let mut list = PackedEntries::new(bytes);
        let mut ranked = Vec::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            let at = list.push(entry) as u32;
            let enters = entry.file_type.is_dir() && !entry.pruned.get() && entry.depth < max_depth;
            let rank = rank(number, entry);
            ranked.push(Ranked { rank, list: if enters { IS_ENTERED } else { 0 }, at });
        }
        Packet(list, ranked)
    }

    pub fn size(&self) -> usize {
        self.0.size() + self.1.len() * size_of::<Ranked>()
    }
}

impl Gathered {
    pub fn add(&mut self, packet: Packet) {
        let Packet(list, mut ranked) = packet;
        if self.first.is_empty() {
            self.lists.first = list;
            self.first = ranked;
            return;
        }
        self.lists.more.push(list);
        let index = self.lists.more.len() as u32;
        ranked.iter_mut().for_each(|ranked| ranked.list |= index);
        self.more.push(ranked);
    }

    /// The packets are complete: puts their entries in order.
    pub fn arrange(self, sort: impl FnOnce(&mut Entries)) -> Entries {
        let Gathered { lists, first, more } = self;
        let mut entries = Entries { ranked: together(first, more), lists };
        sort(&mut entries);
        entries
    }
}

/// All ranked entries in one vector of the right size.
fn together(first: Vec<Ranked>, more: Vec<Vec<Ranked>>) -> Vec<Ranked> {
    if more.is_empty() {
        return first;
    }
    let count = first.len() + more.iter().map(Vec::len).sum::<usize>();
    let mut all = Vec::with_capacity(count);
    all.extend(first);
    // Each list is freed as soon as it was copied.
    more.into_iter().for_each(|list| all.extend(list));
    all
}

/// The entries of a directory, or of a chunk of it, in order.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    ranked: Vec<Ranked>,
    lists: Lists,
}

impl Entries {
    pub fn len(&self) -> usize {
        self.ranked.len()
    }

    /// The bytes that the entries take.
    pub fn size(&self) -> usize {
        self.lists.size() + self.ranked.len() * size_of::<Ranked>()
    }

    pub fn record(&self, index: usize) -> Record<'_> {
        self.lists.record(&self.ranked[index])
    }

    #[inline]
    pub fn entry<'a>(&'a self, dir: &'a Directory<'a>, index: usize, depth: u32) -> Entry<'a> {
        let ranked = &self.ranked[index];
        self.lists.record(ranked).entry(dir, depth, ranked.is_entered())
    }

    /// The indices of the directories that are to be entered.
    pub fn directories(&self) -> Vec<u32> {
        let enters = |(at, ranked): (usize, &Ranked)| ranked.is_entered().then_some(at as u32);
        self.ranked.iter().enumerate().filter_map(enters).collect()
    }

    /// The entries at these indices, without metadata.
    pub fn only(&self, indices: &[u32]) -> Entries {
        let mut list = PackedEntries::default();
        let mut ranked = Vec::with_capacity(indices.len());
        for &index in indices {
            let packed = self.record(index as usize).packed;
            let at = list.names.push(PackedName { tag: NONE, ..packed }) as u32;
            ranked.push(Ranked { rank: 0, list: IS_ENTERED, at });
        }
        Entries { ranked, lists: Lists { first: list, more: Vec::new() } }
    }

    /// Sorts by the ranks alone.
    pub fn sort_by_rank(&mut self) {
        self.ranked.sort_unstable_by_key(|ranked| ranked.rank);
    }

    /// Sorts by the ranks, which are places in the directory, or as GNU's fts does where there are
    /// many entries: by inode, unless its file system gains nothing.
    pub fn sort_as_fts(&mut self, gains: impl FnOnce() -> bool) {
        self.sort_by_rank();
        if self.len() > FTS_MANY && gains() {
            let Entries { ranked, lists } = self;
            ranked.iter_mut().for_each(|one| one.rank = lists.record(one).packed.ino);
            ranked.sort_by_key(|ranked| ranked.rank);
        }
    }

    /// Sorts by rank of level 0. Entries of equal rank are sorted by rank of the next level, and
    /// after the last level by comparison.
    pub fn sort(
        &mut self,
        depth: u32,
        rank: impl Fn(&Entry<'_>, usize) -> u64,
        compare: impl Fn(&Entry<'_>, &Entry<'_>) -> Ordering,
    ) {
        let Entries { ranked, lists } = self;
        let prefix = b"".as_slice();
        let above = depth.saturating_sub(1) as usize;
        let dir = Directory::new(prefix, above, None);
        let entry = |ranked: &Ranked| lists.record(ranked).entry(&dir, depth, false);
        let rank = |ranked: &Ranked, level: usize| rank(&entry(ranked), level);
        let compare = |a: &Ranked, b: &Ranked| compare(&entry(a), &entry(b));
        sort_from(0, ranked, &rank, &compare);
    }
}

/// Entries that GNU's fts delivers as they are listed; it sorts more of them by inode.
pub(super) const FTS_MANY: usize = 10_000;

/// The levels of ranks, each of eight bytes of the name: entries whose first 32 bytes are equal are
/// compared whole.
const LEVELS: usize = 4;
/// The most entries of equal rank that are compared without ranks of the next level: for so few,
/// computing ranks costs more.
const FEW: usize = 8;

/// Called through `dyn`, because only entries of equal rank get there, and each visitor would have
/// a copy of the sort otherwise.
type Rank<'a> = &'a dyn Fn(&Ranked, usize) -> u64;
type Compare<'a> = &'a dyn Fn(&Ranked, &Ranked) -> Ordering;

fn sort_from(level: usize, entries: &mut [Ranked], rank: Rank<'_>, compare: Compare<'_>) {
    // By the ranks alone, because the standard sort has no branches where comparing calls nothing.
    entries.sort_unstable_by_key(|ranked| ranked.rank);
    for equals in entries.chunk_by_mut(|a, b| a.rank == b.rank).filter(|equals| equals.len() > 1) {
        if equals.len() <= FEW || level + 1 == LEVELS {
            equals.sort_unstable_by(compare);
            continue;
        }
        equals.iter_mut().for_each(|ranked| ranked.rank = rank(ranked, level + 1));
        sort_from(level + 1, equals, rank, compare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million ranked entries must not take more memory than other listers need.
    #[test]
    fn a_ranked_entry_takes_sixteen_bytes() {
        assert_eq!(size_of::<Ranked>(), 16);
    }

    #[test]
    fn siblings_with_the_same_metadata_share_it() {
        let dir = Directory::new(b"", 0, None);
        let meta = |path: &str| {
            let path = std::path::Path::new(path);
            let native = brisk_sys::Backend::Native;
            brisk_sys::stat_path(native, path, crate::Fields::MODE, Links::Follow)
                .expect("it exists")
        };
        let plain = meta("Cargo.toml");
        let other = meta("src");
        let metas = [&plain, &other, &plain, &plain, &other];
        let entry = |(at, meta)| Entry {
            meta: Some(meta),
            ..Entry::new(&dir, c"name", at, FileType::File, 1)
        };
        let entries: Vec<_> = (0..).zip(metas).map(entry).collect();
        let mut gathered = Gathered::default();
        gathered.add(Packet::new(&entries, 9, |at, _| at as u64));
        let packed = gathered.arrange(Entries::sort_by_rank);
        assert_eq!(packed.lists.first.metas.len(), 2);
        for (at, entry) in entries.iter().enumerate() {
            let record = packed.record(at);
            assert_eq!((record.packed.ino, record.meta), (entry.ino, entry.meta));
        }
    }

    #[test]
    fn a_record_gives_back_what_was_packed() {
        let dir = Directory::new(b"", 0, None);
        for file_type in TYPES {
            for silent in [false, true] {
                let given = Entry { silent, ..Entry::new(&dir, c"name", 7, file_type, 3) };
                let given = given.hidden(!silent);
                let mut list = PackedEntries::default();
                list.push(&given);
                let taken = list.record(0).entry(&dir, 3, true);
                assert_eq!((taken.name, taken.ino), (c"name", 7));
                assert_eq!((taken.file_type, taken.silent), (file_type, silent));
                assert_eq!(taken.is_hidden(), !silent);
                assert!(!taken.pruned.get());
            }
        }
    }
}
