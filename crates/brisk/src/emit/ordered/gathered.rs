//! Entries that wait for their turn, in three forms: a [`Packet`] of one chunk, [`Gathered`]
//! packets of a directory, and [`Entries`] in order. What is sorted is 16 bytes an entry; the rest
//! is in [`PackedEntries`].

use std::cmp::Ordering;

use super::arrange::Arrange;
use super::draft::Draft;
use crate::Error;
use crate::entry::{Directory, Entry};
use crate::packed::{PackedEntries, StoredEntry, bare};
use crate::visitor::Visitor;

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

/// The packed entries of one directory, in lists in the order in which they came. Almost always
/// there is one list.
#[derive(Debug, Default)]
struct Lists {
    first: PackedEntries,
    more: Vec<PackedEntries>,
}

impl Lists {
    #[inline(always)]
    fn record(&self, ranked: &Ranked) -> StoredEntry<'_> {
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
    first: Packet,
    more: Vec<Packet>,
    /// What failed, each with the place in the listing of the entry behind it.
    pub errors: Vec<(u64, Error)>,
}

/// The packed entries of one chunk, or of a batch of it, before they are added to those of their
/// directory.
#[derive(Debug, Default)]
pub(crate) struct Packet {
    list: PackedEntries,
    ranked: Vec<Ranked>,
    /// With a draft only directories to be entered are packed. The number is the rank of the first
    /// entry.
    draft: Option<(u64, Draft)>,
}

impl Packet {
    /// Packs entries, each with its rank.
    pub fn new(
        entries: &[Entry<'_>],
        max_depth: u32,
        rank: impl Fn(usize, &Entry<'_>) -> u64,
    ) -> Self {
        let mut list = PackedEntries::with_room_for(entries);
        let mut ranked = Vec::with_capacity(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            let at = list.push(entry);
            let list = if is_entered(entry, max_depth) { IS_ENTERED } else { 0 };
            ranked.push(Ranked { rank: rank(number, entry), list, at });
        }
        Packet { list, ranked, draft: None }
    }

    /// Has the visitor draft entries; packs those that are directories to be entered.
    /// `draft` is empty.
    pub fn drafted<V: Visitor, A: Arrange<V>>(
        visitor: &mut V,
        mut draft: Draft,
        entries: &[Entry<'_>],
        max_depth: u32,
        rank: impl Fn(usize, &Entry<'_>) -> u64,
    ) -> Self {
        let mut packet = Packet::default();
        let mut from = 0;
        for (number, entry) in entries.iter().enumerate() {
            if !is_entered(entry, max_depth) {
                continue;
            }
            draft.add::<V, A>(visitor, &entries[from..number + usize::from(!entry.undelivered)]);
            from = number + 1;
            if !entry.pruned.get() {
                draft.end_piece();
                let at = packet.list.push_bare(bare(entry));
                packet.ranked.push(Ranked { rank: rank(number, entry), list: IS_ENTERED, at });
            }
        }
        draft.add::<V, A>(visitor, &entries[from..]);
        packet.draft = Some((rank(0, &entries[0]), draft));
        packet
    }

    fn is_empty(&self) -> bool {
        self.ranked.is_empty() && self.draft.is_none()
    }

    pub fn size(&self) -> usize {
        let draft = self.draft.as_ref().map_or(0, |(_, draft)| draft.size());
        self.list.size() + self.ranked.len() * size_of::<Ranked>() + draft
    }
}

/// The entries of a directory in order, the visitor's draft of them, and what failed.
type Arranged = (Entries, Option<Draft>, Vec<(u64, Error)>);

impl Gathered {
    pub fn add(&mut self, mut packet: Packet) {
        if self.first.is_empty() {
            self.first = packet;
            return;
        }
        let index = self.more.len() as u32 + 1;
        packet.ranked.iter_mut().for_each(|ranked| ranked.list |= index);
        self.more.push(packet);
    }

    /// Whether everything is in one draft.
    pub fn is_drafted(&self) -> bool {
        self.first.ranked.is_empty() && self.more.is_empty() && self.errors.is_empty()
    }

    /// The draft of everything.
    pub fn into_draft(self) -> Draft {
        self.first.draft.map(|(_, draft)| draft).unwrap_or_default()
    }

    /// The packets are complete: puts their entries in order.
    pub fn arrange(self, sort: impl FnOnce(&mut Entries)) -> Arranged {
        let Packet { list: first, mut ranked, draft } = self.first;
        let mut drafts = Vec::from_iter(draft);
        // No vector of a million entries grows by doubling.
        ranked.reserve_exact(self.more.iter().map(|packet| packet.ranked.len()).sum());
        let mut lists = Lists { first, more: Vec::with_capacity(self.more.len()) };
        // Each packet is freed as soon as it was copied.
        for packet in self.more {
            lists.more.push(packet.list);
            ranked.extend(packet.ranked);
            drafts.extend(packet.draft);
        }
        let mut entries = Entries { ranked, lists };
        sort(&mut entries);
        (entries, Draft::join(drafts), self.errors)
    }
}

fn is_entered(entry: &Entry<'_>, max_depth: u32) -> bool {
    entry.file_type.is_dir() && !entry.pruned.get() && entry.depth < max_depth
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

    pub fn record(&self, index: usize) -> StoredEntry<'_> {
        self.lists.record(&self.ranked[index])
    }

    #[inline]
    pub fn entry<'a>(&'a self, dir: &'a Directory<'a>, index: usize, depth: u32) -> Entry<'a> {
        let ranked = &self.ranked[index];
        self.lists.record(ranked).entry(dir, depth, ranked.is_entered())
    }

    /// How many entries have a lower rank.
    pub fn before(&self, rank: u64) -> u32 {
        self.ranked.partition_point(|ranked| ranked.rank < rank) as u32
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
            let at = list.push_bare(self.record(index as usize).packed);
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
    pub fn sort_as_fts(&mut self, gains: &dyn Fn() -> bool) {
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
}
