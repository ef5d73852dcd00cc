//! [`Rows`]: what one worker has gathered.

use std::ops::{AddAssign, Range};

use brisk::{Entry, FileType, Meta};

use crate::record::{Digest, TableEntry};

/// What is below a directory. A sum that does not fit is [`u64::MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// The number of rows.
    pub entries: u64,
    /// Their sizes, without those of directories.
    pub bytes: u64,
    /// Their blocks of 512 bytes.
    pub blocks: u64,
}

impl AddAssign for Below {
    fn add_assign(&mut self, other: Below) {
        self.entries = self.entries.saturating_add(other.entries);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.blocks = self.blocks.saturating_add(other.blocks);
    }
}

/// What a row has besides metadata. Few tables have any of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// The digest of the content.
    pub digest: Option<Digest>,
    /// What is below the directory.
    pub below: Option<Below>,
}

/// Rows in the order in which they were added, with their own copy of all bytes.
#[derive(Debug, Default)]
pub struct Rows {
    /// Prefixes of directories, and names.
    bytes: Vec<u8>,
    pub(crate) runs: Vec<DirRows>,
    pub(crate) rows: Vec<Row>,
}

/// Rows of one directory that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct DirRows {
    /// Where the directory's path is, with a separator at its end.
    prefix: Range<usize>,
    pub rows: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    name: Range<usize>,
    pub depth: u32,
    pub file_type: FileType,
    pub meta: Option<Meta>,
    pub extra: Option<Box<Extra>>,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Says in which directory the rows stand that are added next. `prefix` is the directory's path
    /// with a separator at its end, empty for roots.
    pub fn begin(&mut self, prefix: &[u8]) {
        if self.runs.last().is_some_and(|run| self.prefix(run) == prefix) {
            return;
        }
        let prefix = self.keep(prefix);
        let end = self.rows.len();
        self.runs.push(DirRows { prefix, rows: end..end });
    }

    /// Adds an entry of the directory that [`begin`](Rows::begin) named.
    #[inline]
    pub fn push(&mut self, entry: &Entry<'_>) {
        self.add(entry.name(), entry.depth(), entry.file_type(), entry.meta().cloned());
    }

    /// Adds a row of another table, with this name and depth in the directory that
    /// [`begin`](Rows::begin) named.
    pub fn push_record(&mut self, name: &[u8], depth: usize, record: &TableEntry<'_>) {
        self.add(name, depth, record.file_type().unwrap_or_default(), Some(record.meta()));
        record.digest().into_iter().for_each(|digest| self.set_digest(*digest));
    }

    /// Adds an entry with this metadata, of the directory that [`begin`](Rows::begin) named.
    #[inline]
    pub fn add(&mut self, name: &[u8], depth: usize, file_type: FileType, meta: Option<Meta>) {
        let name = self.keep(name);
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        self.rows.push(Row { name, depth, file_type, meta, extra: None });
        if let Some(run) = self.runs.last_mut() {
            run.rows.end = self.rows.len();
        }
    }

    /// Adds the rows of another worker.
    pub fn append(&mut self, other: Rows) {
        let bytes = self.bytes.len();
        let rows = self.rows.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.runs.extend(
            other.runs.into_iter().map(|run| DirRows {
                prefix: moved(run.prefix, bytes),
                rows: moved(run.rows, rows),
            }),
        );
        let others = other.rows.into_iter();
        self.rows.extend(others.map(|row| Row { name: moved(row.name, bytes), ..row }));
    }

    /// Says what the digest of the last row is.
    pub fn set_digest(&mut self, digest: Digest) {
        if let Some(row) = self.rows.last_mut() {
            row.extra.get_or_insert_default().digest = Some(digest);
        }
    }

    /// Says what is below the directory that the last row stands for.
    pub fn set_below(&mut self, below: Below) {
        if let Some(row) = self.rows.last_mut() {
            row.extra.get_or_insert_default().below = Some(below);
        }
    }

    #[inline]
    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        brisk::unstable::append(&mut self.bytes, bytes);
        start..self.bytes.len()
    }

    pub(crate) fn prefix(&self, run: &DirRows) -> &[u8] {
        &self.bytes[run.prefix.clone()]
    }

    pub(crate) fn name(&self, row: &Row) -> &[u8] {
        &self.bytes[row.name.clone()]
    }
}

fn moved(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
