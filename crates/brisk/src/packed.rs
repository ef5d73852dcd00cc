//! [`PackedEntries`]: copies of entries, side by side in one allocation. Ordered walks keep entries
//! in such lists until it is their turn; an [`OwnedChunk`](crate::OwnedChunk) is such a list.

use std::cell::Cell;

use brisk_sys::{FileType, Links, Meta};

use crate::entry::{Directory, Entry};
use crate::tree::{Child, PackedName, PackedNames, REFUSED};

/// Packed entries. The tag of a packed name is the index of the entry's metadata.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedEntries {
    names: PackedNames,
    metas: Vec<Meta>,
}

/// The bits of a packed name's flags that hold the number of the type.
const TYPE: u8 = 15;
/// The flag of a followed link: type and metadata are those of its target.
const FOLLOWED: u8 = 1 << 4;
/// The flag of a directory that is entered but not handed on.
const UNDELIVERED: u8 = 1 << 5;
/// The flag of an entry that an attribute hides.
const HIDDEN: u8 = 1 << 6;
/// The flag of an entry that the filter has refused.
const REFUSED_FLAG: u8 = 1 << 7;

/// The tag of a name without metadata.
const NONE: u32 = u32::MAX;

/// How many of the last stored metadata are compared with the next: enough for those of a plain
/// file, of an executable one and of a directory.
const ALIKE: usize = 3;

/// An entry as it was packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredEntry<'a> {
    pub packed: PackedName<'a>,
    pub meta: Option<&'a Meta>,
}

impl<'a> StoredEntry<'a> {
    pub fn is_undelivered(&self) -> bool {
        self.packed.flags & UNDELIVERED != 0
    }

    #[inline(always)]
    pub fn is_followed(&self) -> bool {
        self.packed.flags & FOLLOWED != 0
    }

    /// Whether an attribute says that the entry is hidden.
    #[inline(always)]
    pub fn is_hidden(&self) -> bool {
        self.packed.flags & HIDDEN != 0
    }

    #[inline(always)]
    fn is_refused(&self) -> bool {
        self.packed.flags & REFUSED_FLAG != 0
    }

    #[inline(always)]
    pub fn file_type(&self) -> FileType {
        FileType::ALL[usize::from(self.packed.flags & TYPE)]
    }

    /// The entry as a directory that is to be opened.
    pub fn child(&self) -> Child<'a> {
        let links = Links::followed(self.is_followed());
        let bits = if self.is_refused() { REFUSED } else { 0 };
        Child { bits, ..Child::new(self.packed.name, self.packed.ino, links) }
    }

    #[inline(always)]
    pub fn entry(self, dir: &'a Directory<'a>, depth: u32, is_entered: bool) -> Entry<'a> {
        let PackedName { name, ino, .. } = self.packed;
        Entry {
            meta: self.meta,
            undelivered: self.is_undelivered(),
            refused: Cell::new(self.is_refused()),
            pruned: Cell::new(!is_entered),
            ..Entry::new(dir, name, ino, self.file_type(), depth)
                .followed(self.is_followed())
                .hidden(self.is_hidden())
        }
    }
}

impl PackedEntries {
    /// An empty list, with room for the names of these entries.
    pub fn with_room_for(entries: &[Entry<'_>]) -> PackedEntries {
        // A record has 13 bytes before the name, and a NUL behind it.
        let bytes = entries.iter().map(|entry| entry.name.count_bytes() + 14).sum();
        PackedEntries { names: PackedNames::with_capacity(bytes), metas: Vec::new() }
    }

    /// Adds an entry, and returns where its record is.
    #[inline(always)]
    pub fn push(&mut self, entry: &Entry<'_>) -> u32 {
        let tag = entry.meta.map_or(NONE, |meta| self.keep(meta));
        self.names.push(PackedName { tag, ..bare(entry) }) as u32
    }

    /// Adds a record without its metadata, and returns where it is.
    pub fn push_bare(&mut self, record: PackedName<'_>) -> u32 {
        self.names.push(PackedName { tag: NONE, ..record }) as u32
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

    /// The record at this place, which [`push`](PackedEntries::push) returned.
    #[inline(always)]
    pub fn record(&self, at: u32) -> StoredEntry<'_> {
        let packed = self.names.at(at as usize);
        StoredEntry { packed, meta: self.metas.get(packed.tag as usize) }
    }

    /// Whether any of the entries has metadata.
    pub fn has_meta(&self) -> bool {
        !self.metas.is_empty()
    }

    /// The bytes that the entries take.
    pub fn size(&self) -> usize {
        self.names.size() + self.metas.len() * size_of::<Meta>()
    }

    /// The bytes that the names take.
    pub fn names_size(&self) -> usize {
        self.names.size()
    }

    /// Gives back the memory that metadata have taken in excess.
    pub fn shrink(&mut self) {
        self.metas.shrink_to_fit();
    }

    /// Forgets all entries, and keeps the memory.
    pub fn clear(&mut self) {
        self.names.clear();
        self.metas.clear();
    }
}

/// An entry's record without metadata.
#[inline(always)]
pub(crate) fn bare<'a>(entry: &Entry<'a>) -> PackedName<'a> {
    let flags = entry.file_type as u8
        | if entry.followed { FOLLOWED } else { 0 }
        | if entry.undelivered { UNDELIVERED } else { 0 }
        | if entry.hidden { HIDDEN } else { 0 }
        | if entry.refused.get() { REFUSED_FLAG } else { 0 };
    PackedName { name: entry.name, ino: entry.ino, tag: NONE, flags }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut packed = PackedEntries::default();
        for (at, meta) in (0..).zip([&plain, &other, &plain, &plain, &other]) {
            let entry = Entry::new(&dir, c"name", at, FileType::File, 1);
            let place = packed.push(&Entry { meta: Some(meta), ..entry });
            let record = packed.record(place);
            assert_eq!((record.packed.ino, record.meta), (at, Some(meta)));
        }
        assert_eq!(packed.metas.len(), 2);
    }

    #[test]
    fn a_list_has_the_memory_that_it_needs() {
        let dir = Directory::new(b"", 0, None);
        let entry = |name| Entry::new(&dir, name, 1, FileType::File, 1);
        let entries = [entry(c"a"), entry(c"a longer name")];
        let mut packed = PackedEntries::with_room_for(&entries);
        let room = packed.names.capacity();
        entries.iter().for_each(|entry| _ = packed.push(entry));
        assert_eq!((packed.names.capacity(), packed.names_size()), (room, room));
    }

    #[test]
    fn a_record_gives_back_what_was_packed() {
        let dir = Directory::new(b"", 0, None);
        for file_type in FileType::ALL {
            for undelivered in [false, true] {
                let given = Entry { undelivered, ..Entry::new(&dir, c"name", 7, file_type, 3) };
                let given = given.hidden(!undelivered);
                let mut list = PackedEntries::default();
                list.push(&given);
                let taken = list.record(0).entry(&dir, 3, true);
                assert_eq!((taken.name, taken.ino), (c"name", 7));
                assert_eq!((taken.file_type, taken.undelivered), (file_type, undelivered));
                assert_eq!((taken.is_hidden(), taken.followed), (!undelivered, false));
                assert!(!taken.pruned.get());
            }
        }
    }
}
