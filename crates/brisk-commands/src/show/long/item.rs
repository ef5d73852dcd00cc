//! An entry as listings see it, and copies of entries that wait for their line.

use brisk::{Entry, Fields, FileType, Meta, Timestamp};

use brisk_filter::Stamp;

/// An entry: borrowed from the walk, or from a [`Page`].
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) file_type: FileType,
    /// `None` if nothing was asked for, or if the request failed.
    pub(crate) meta: Option<&'a Meta>,
    /// Whether metadata was asked for and the request failed.
    pub(crate) failed: bool,
}

impl<'a> Item<'a> {
    /// The item for an entry of which these fields were asked for.
    #[inline]
    pub(crate) fn new(entry: &Entry<'a>, wanted: Fields) -> Item<'a> {
        let meta = entry.meta();
        let asked = wanted & Fields::STATX;
        let answered = |meta: &Meta| asked.is_empty() || meta.filled().intersects(Fields::STATX);
        Item {
            name: entry.name(),
            file_type: entry.file_type(),
            meta,
            failed: !wanted.is_empty() && !meta.is_some_and(answered),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.meta.and_then(Meta::size).unwrap_or(0)
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.meta.and_then(Meta::blocks).unwrap_or(0)
    }

    pub(crate) fn time(&self, stamp: Stamp) -> Option<Timestamp> {
        self.meta.and_then(|meta| stamp.of(meta))
    }

    /// Where a link leads.
    pub(crate) fn link(&self) -> Option<&'a [u8]> {
        self.meta.filter(|_| self.file_type == FileType::Symlink)?.link_target()
    }
}

/// The entries of one directory, which wait until all of them are known. Their names lie in one
/// piece.
#[derive(Debug, Default)]
pub(crate) struct Page {
    names: Vec<u8>,
    records: Vec<PageEntry>,
    metas: Vec<Meta>,
}

#[derive(Debug)]
struct PageEntry {
    /// The end of the entry's name in the names.
    end: usize,
    /// Index of the entry's metadata.
    meta: u32,
    file_type: FileType,
    failed: bool,
}

const NO_META: u32 = u32::MAX;

impl Page {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.records.clear();
        self.metas.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Bytes that the page holds.
    pub(crate) fn bytes(&self) -> usize {
        self.names.len()
            + self.records.len() * size_of::<PageEntry>()
            + self.metas.len() * size_of::<Meta>()
    }

    /// Copies an item.
    pub(crate) fn push(&mut self, item: &Item<'_>) {
        brisk::unstable::append(&mut self.names, item.name);
        let meta = item.meta.map_or(NO_META, |meta| {
            self.metas.push(meta.clone());
            u32::try_from(self.metas.len() - 1).unwrap_or(NO_META)
        });
        self.records.push(PageEntry {
            end: self.names.len(),
            meta,
            file_type: item.file_type,
            failed: item.failed,
        });
    }

    /// Moves the items of `more` to the end of these.
    pub(crate) fn append(&mut self, more: &mut Page) {
        more.iter().for_each(|item| self.push(&item));
        more.clear();
    }

    pub(crate) fn get(&self, index: usize) -> Item<'_> {
        let record = &self.records[index];
        let start = index.checked_sub(1).map_or(0, |before| self.records[before].end);
        Item {
            name: &self.names[start..record.end],
            file_type: record.file_type,
            meta: self.metas.get(record.meta as usize),
            failed: record.failed,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Item<'_>> + Clone {
        (0..self.len()).map(|index| self.get(index))
    }
}
