//! [`Input`]: one of the two states that are compared. Only the index is loaded. Blocks are read
//! when they are needed, in the order of the file if possible. The file is not mapped, because
//! mapped pages would count as memory of the process.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use brisk::Fields;
use brisk_sys::whole::open_regular;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::change::DiffError;
use crate::format::block::{Block, move_offsets};
use crate::format::index::{HEADER, Header, Index, IndexedDir, Unusable};
use crate::format::record::{Attrs, DIGEST, DirId, RECORD, Record, TOP};

/// The sides, as positions in arrays of two: the earlier state, and the later one.
pub(super) const OLD: usize = 0;
pub(super) const NEW: usize = 1;

/// How many bytes are read at a time: a few dozen blocks, and enough that the cost of the calls
/// does not matter.
const AHEAD: usize = 64 << 10;
/// The maximum length, in bytes, of a block that is read whole. Longer ones are read in pages.
const WHOLE: u32 = 256 << 10;
/// The number of records in a page: about 100 KiB with their names.
const PAGE: usize = 1024;

/// A state that is compared with another one. Its index is in memory, with 48 bytes per directory.
#[derive(Debug)]
pub struct Input {
    pub(super) index: Index,
    pub(super) file: StateReader,
    /// Whether blocks have been read before, so that their checksums need not be verified again.
    pub(super) is_checked: bool,
    /// The root, if the state describes the tree as it is now, so that its files may be read.
    pub live: Option<PathBuf>,
    /// The paths of entries that could not be read, and of directories below which nothing could be
    /// read. The paths are relative to a root, and hold for every root.
    pub unread: HashSet<Vec<u8>>,
    /// The fields that the state has; by default all. Others are not compared, and are not used to
    /// recognise renamed entries.
    pub known: Fields,
}

/// Where the contents of a file can be learned.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Digest([u8; DIGEST]),
    /// The file at this path below the side's root.
    File(Vec<u8>),
}

/// Where a record is: the number of its directory, and the position in the directory's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RecordId {
    pub dir: DirId,
    pub at: u32,
}

impl Input {
    /// The state in this file. System calls: open, fstat, and for each piece lseek and read.
    ///
    /// # Errors
    /// The file is not a state, or its header or index is damaged. A damaged block is found when it
    /// is read.
    pub fn open(file: &Path) -> Result<Input, Unusable> {
        Input::of(open_regular(file).map_err(Unusable::of)?)
    }

    /// The state in an open file, which need not have a name. System calls: those of
    /// [`open`](Input::open), without the open.
    ///
    /// # Errors
    /// As [`open`](Input::open).
    pub fn of(file: File) -> Result<Input, Unusable> {
        let header = Header::read(&file)?;
        let file = BufReader::with_capacity(AHEAD, file);
        let mut file = StateReader { file, offset: HEADER as u64, is_new: false };
        let mut index = Vec::new();
        file.append(header.index_at, header.index_len, &mut index).map_err(|error| error.why)?;
        Ok(Input {
            index: Index::decode(index, &header)?,
            file,
            is_checked: false,
            live: None,
            unread: HashSet::new(),
            known: Attrs::FIELDS | Fields::LINK_TARGET,
        })
    }

    /// What [`Rescan::made_with`](crate::Rescan::made_with) was when the state was made.
    #[must_use]
    pub fn made_with(&self) -> &[u8] {
        &self.index.made_with
    }

    /// Whether the entry at a path could not be read.
    pub(super) fn is_unknown(&self, path: &[u8]) -> bool {
        self.unread.contains(path)
    }

    /// Whether everything could be read.
    pub(super) fn is_known(&self) -> bool {
        self.unread.is_empty()
    }

    /// Whether inode numbers identify the entries of a directory.
    pub(super) fn trusts_inodes(&self, dir: DirId) -> bool {
        self.index.volume(dir).is_some_and(|volume| volume.trusts_inodes())
    }

    /// Where a file's contents come from: the digest in its record, or the live file.
    pub(super) fn source(&self, record: &Record<'_>, path: &[u8]) -> Option<Content> {
        match record.digest() {
            Some(digest) => Some(Content::Digest(*digest)),
            None => self.live.is_some().then(|| Content::File(path.to_vec())),
        }
    }

    /// The records of the directory `number`, whose own record is `above`.
    pub(super) fn enter(&mut self, number: DirId, above: RecordId) -> Result<Page, DiffError> {
        // The index names one parent of each directory, and the top has none. So the entered
        // directories form no cycle, in a damaged state either.
        if number == TOP || self.index.dir(number).is_none_or(|dir| dir.above() != above) {
            return Err(self.damaged());
        }
        self.load(number)
    }

    /// The records of a directory, whose parent is not asked for.
    pub(super) fn load(&mut self, number: DirId) -> Result<Page, DiffError> {
        let mut page = self.page(number)?;
        let dir = page.dir;
        if u64::from(dir.count) * RECORD as u64 > u64::from(dir.len) {
            return Err(self.damaged());
        }
        if dir.len <= WHOLE || number == TOP {
            self.file.append(dir.offset, dir.len.into(), &mut page.bytes)?;
            page.count = page.len();
            let is_sound = xxh3_64(&page.bytes) == dir.checksum;
            return if is_sound { Ok(page) } else { Err(self.damaged()) };
        }
        if !self.is_checked && self.file.checksum(&dir)? != dir.checksum {
            return Err(self.damaged());
        }
        page.load(&mut self.file, 0, PAGE)?;
        Ok(page)
    }

    /// A page with only this record.
    pub(super) fn record(&mut self, id: RecordId) -> Result<Page, DiffError> {
        let mut page = self.page(id.dir)?;
        page.load(&mut self.file, id.at as usize, 1)?;
        Ok(page)
    }

    /// A page of this directory, without records.
    fn page(&self, number: DirId) -> Result<Page, DiffError> {
        let dir = self.index.dir(number).ok_or_else(|| self.damaged())?;
        Ok(Page { dir, first: 0, count: 0, bytes: Vec::new() })
    }

    /// Loads the page with the record `at`, unless `page` has it already.
    #[inline]
    pub(super) fn turn(&mut self, page: &mut Page, at: usize) -> Result<(), DiffError> {
        let is_here = (page.first..page.first + page.count).contains(&at);
        if is_here || at >= page.len() {
            return Ok(());
        }
        page.load(&mut self.file, at, PAGE)
    }

    /// The number of a record's root in the state, and the path below the root.
    pub(super) fn path(&mut self, id: RecordId) -> Result<(u32, Vec<u8>), DiffError> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut id = id;
        while id.dir != TOP {
            let page = self.record(id)?;
            names.push(page.get(id.at as usize).map_or(Vec::new(), |record| record.name.to_vec()));
            match self.index.dir(id.dir) {
                Some(dir) if names.len() <= self.index.len() => id = dir.above(),
                _ => return Err(self.damaged()),
            }
        }
        names.reverse();
        Ok((id.at, names.join(&b'/')))
    }

    /// The error for a damaged state.
    #[cold]
    pub(super) fn damaged(&self) -> DiffError {
        self.file.error(Unusable::Damaged)
    }
}

impl IndexedDir {
    /// The directory's own record.
    pub(super) fn above(&self) -> RecordId {
        RecordId { dir: self.parent, at: self.record_at }
    }
}

/// Reads the file of a state.
#[derive(Debug)]
pub(super) struct StateReader {
    file: BufReader<File>,
    /// The offset of the next byte.
    offset: u64,
    /// Whether this is the later state.
    pub is_new: bool,
}

impl StateReader {
    #[cold]
    fn error(&self, why: Unusable) -> DiffError {
        DiffError { is_new: self.is_new, why }
    }

    fn seek(&mut self, at: u64) -> Result<(), DiffError> {
        let distance = at.wrapping_sub(self.offset).cast_signed();
        let sought = self.file.seek_relative(distance);
        sought.map_err(|error| self.error(Unusable::Unreadable(error)))?;
        self.offset = at;
        Ok(())
    }

    /// Appends a part of the file.
    fn append(&mut self, at: u64, length: u64, out: &mut Vec<u8>) -> Result<(), DiffError> {
        self.seek(at)?;
        let read = (&mut self.file).take(length).read_to_end(out);
        let count = read.map_err(|error| self.error(Unusable::Unreadable(error)))? as u64;
        self.offset += count;
        if count == length { Ok(()) } else { Err(self.error(Unusable::Damaged)) }
    }

    /// The checksum of a block that is not read whole.
    fn checksum(&mut self, dir: &IndexedDir) -> Result<u64, DiffError> {
        self.seek(dir.offset)?;
        let mut sum = Xxh3::new();
        let mut piece = Vec::new();
        while self.offset < dir.end() {
            let length = (dir.end() - self.offset).min(WHOLE.into());
            piece.clear();
            self.append(self.offset, length, &mut piece)?;
            sum.update(&piece);
        }
        Ok(sum.digest())
    }
}

/// The records of a directory: all of them, or a part.
#[derive(Debug)]
pub(super) struct Page {
    dir: IndexedDir,
    /// The position of the first record in the block, and how many records the page has.
    first: usize,
    count: usize,
    bytes: Vec<u8>,
}

impl Page {
    /// How many records the directory has.
    pub fn len(&self) -> usize {
        self.dir.count as usize
    }

    fn block(&self) -> Block<'_> {
        Block::new(&self.bytes, self.count)
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<Record<'_>> {
        self.block().record(at.checked_sub(self.first)?)
    }

    /// How many records from `at` on are equal to those of another page from `other_at` on. The
    /// count ends at a directory.
    pub fn same(&self, at: usize, other: &Page, other_at: usize) -> usize {
        let own = self.block();
        let others = other.block();
        let at = at - self.first;
        let other_at = other_at - other.first;
        (0..).take_while(|next| own.is_same_leaf(at + next, others, other_at + next)).count()
    }

    /// Reads up to `most` records, beginning with `first`, and their part of the heap.
    fn load(&mut self, file: &mut StateReader, first: usize, most: usize) -> Result<(), DiffError> {
        let count = self.len().saturating_sub(first).min(most);
        let at = self.dir.offset + (first * RECORD) as u64;
        self.bytes.clear();
        file.append(at, (count * RECORD) as u64, &mut self.bytes)?;
        let parts = || Block::new(&self.bytes, count).heap_parts();
        let start = parts().map(|(at, _)| at).min().unwrap_or(0);
        let end = parts().map(|(at, length)| at.saturating_add(length)).max().unwrap_or(0);
        let heap = self.dir.offset + (self.len() * RECORD) as u64 + u64::from(start);
        if heap + u64::from(end - start) > self.dir.end() {
            return Err(file.error(Unusable::Damaged));
        }
        move_offsets(&mut self.bytes, start);
        file.append(heap, (end - start).into(), &mut self.bytes)?;
        self.first = first;
        self.count = count;
        Ok(())
    }
}
