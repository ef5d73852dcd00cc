//! [`Input`]: one of the two states that are compared. Only the index is loaded. Blocks are read when
//! they are needed, in the order of the file if possible. The file is not mapped, because mapped pages
//! would count as memory of the process.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use brisk::Fields;
use brisk_sys::whole::open_regular;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::change::DiffError;
use crate::format::block::{Block, move_places};
use crate::format::index::{DirEntry, HEADER, Header, Index, Unusable};
use crate::format::record::{DIGEST, DirId, RECORD, Record, Stamp, TOP};

/// The sides of the earlier and of the later state, in arrays of two.
pub(super) const OLD: usize = 0;
pub(super) const NEW: usize = 1;

/// The bytes that are read at once: a few dozen blocks, and enough that the number of calls does not
/// matter.
const AHEAD: usize = 64 << 10;
/// The longest block, in bytes, that is read whole. A longer one is read in pages.
const WHOLE: u32 = 256 << 10;
/// The records of a page: about 100 KiB with their names.
const PAGE: usize = 1024;

/// A state that is compared with another one. The index is in memory, 48 bytes a directory.
#[derive(Debug)]
pub struct Input {
    pub(super) index: Index,
    file: StateReader,
    /// Whether this is the later state.
    pub(super) is_new: bool,
    /// Whether the blocks that are read from here on were read, and checked, before.
    pub(super) is_checked: bool,
    pub(super) live: Option<PathBuf>,
    unknown: HashSet<Vec<u8>>,
    pub(super) known: Fields,
}

/// Where the contents of a file can be learned.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Digest([u8; DIGEST]),
    /// The file at this path below the side's root.
    File(Vec<u8>),
}

/// Where a record is: the number of its directory, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RecordId {
    pub dir: DirId,
    pub at: u32,
}

impl Input {
    /// The state in this file. System calls: open, fstat, and for each piece lseek and read.
    ///
    /// # Errors
    /// The file is no state, or its header or index is damaged. A damaged block is found when the
    /// block is read.
    pub fn open(file: &Path) -> Result<Input, Unusable> {
        Input::of(open_regular(file).map_err(Unusable::of)?)
    }

    /// The state in an open file, which need not have a name. System calls as [`open`](Input::open),
    /// without the open.
    ///
    /// # Errors
    /// As [`open`](Input::open).
    pub fn of(mut file: File) -> Result<Input, Unusable> {
        let length = file.metadata().map_err(Unusable::Unreadable)?.len();
        file.rewind().map_err(Unusable::Unreadable)?;
        let mut file = StateReader { file: BufReader::with_capacity(AHEAD, file), at: 0 };
        let mut bytes = Vec::new();
        file.append(0, length.min(HEADER as u64), &mut bytes)?;
        let header = Header::decode(&bytes, length)?;
        let mut index = Vec::new();
        file.append(header.index, header.length, &mut index)?;
        Ok(Input {
            index: Index::decode(index, &header)?,
            file,
            is_new: false,
            is_checked: false,
            live: None,
            unknown: HashSet::new(),
            known: Stamp::FIELDS | Fields::LINK_TARGET,
        })
    }

    /// Says that the entries of the state are there now, below this root, and that files may be read.
    #[must_use]
    pub fn live(self, root: PathBuf) -> Input {
        Input { live: Some(root), ..self }
    }

    /// Says that the entries at these paths, and below them, could not be read. The paths are below
    /// a root, and hold for each root.
    #[must_use]
    pub fn unread(self, unknown: HashSet<Vec<u8>>) -> Input {
        Input { unknown, ..self }
    }

    /// Says that only these fields are known. Others are not compared, and renamed entries are not
    /// recognised by them.
    #[must_use]
    pub fn knowing(self, known: Fields) -> Input {
        Input { known, ..self }
    }

    /// Whether the entry at a path could not be read.
    pub(super) fn is_unknown(&self, path: &[u8]) -> bool {
        !self.unknown.is_empty() && self.unknown.contains(path)
    }

    /// Whether everything could be read.
    pub(super) fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Whether inode numbers tell the entries of a directory apart.
    pub(super) fn trusts_inodes(&self, dir: DirId) -> bool {
        self.index.volume(dir).is_some_and(|volume| volume.trusts_inodes())
    }

    /// Where a file's contents can be learned: from the digest in its record, or from the live file.
    pub(super) fn source(&self, record: &Record<'_>, path: &[u8]) -> Option<Source> {
        match record.digest().and_then(|digest| digest.try_into().ok()) {
            Some(digest) => Some(Source::Digest(digest)),
            None => self.live.is_some().then(|| Source::File(path.to_vec())),
        }
    }

    /// Whether [`source`](Input::source) has an answer.
    pub(super) fn has_source(&self, record: &Record<'_>) -> bool {
        self.live.is_some() || record.digest().is_some_and(|digest| digest.len() == DIGEST)
    }

    /// The records of the directory `number`, which is the record `above` of another one.
    pub(super) fn enter(&mut self, number: DirId, above: RecordId) -> Result<Page, DiffError> {
        self.first_page(number, above).map_err(|why| self.error(why))
    }

    /// The page with this record alone, for a caller that wants no other.
    pub(super) fn record(&mut self, id: RecordId) -> Result<Page, DiffError> {
        let page = self.index.dir(id.dir).map(Page::new).ok_or(Unusable::Torn);
        let loaded = page.and_then(|mut page| {
            page.load(&mut self.file, id.at as usize, 1)?;
            Ok(page)
        });
        loaded.map_err(|why| self.error(why))
    }

    /// Replaces the page by the one with the record `at`, if that is another.
    #[inline]
    pub(super) fn turn(&mut self, page: &mut Page, at: usize) -> Result<(), DiffError> {
        let is_here = (page.first..page.first + page.count).contains(&at);
        if is_here || at >= page.len() {
            return Ok(());
        }
        page.load(&mut self.file, at, PAGE).map_err(|why| self.error(why))
    }

    /// The path of a record below its root, and the root's number in the state.
    pub(super) fn path(&mut self, id: RecordId) -> Result<(u32, Vec<u8>), DiffError> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut id = id;
        while id.dir != TOP {
            let page = self.record(id)?;
            names.push(page.get(id.at as usize).map_or(Vec::new(), |record| record.name.to_vec()));
            match self.index.dir(id.dir) {
                Some(dir) if names.len() <= self.index.len() => id = dir.above(),
                _ => return Err(self.error(Unusable::Torn)),
            }
        }
        names.reverse();
        Ok((id.at, names.join(&b'/')))
    }

    #[cold]
    pub(super) fn error(&self, why: Unusable) -> DiffError {
        DiffError { is_new: self.is_new, why }
    }

    fn first_page(&mut self, number: DirId, above: RecordId) -> Result<Page, Unusable> {
        let dir = self.index.dir(number).ok_or(Unusable::Torn)?;
        // A directory is below one other, so that no path leads in a circle.
        if number != TOP && dir.above() != above {
            return Err(Unusable::Torn);
        }
        if u64::from(dir.count) * RECORD as u64 > u64::from(dir.len) {
            return Err(Unusable::Torn);
        }
        let mut page = Page::new(dir);
        if dir.len > WHOLE && number != TOP {
            if !self.is_checked && self.file.checksum(&dir)? != dir.checksum {
                return Err(Unusable::Torn);
            }
            page.load(&mut self.file, 0, PAGE)?;
            return Ok(page);
        }
        self.file.append(dir.at, dir.len.into(), &mut page.bytes)?;
        page.count = page.len();
        if xxh3_64(&page.bytes) == dir.checksum { Ok(page) } else { Err(Unusable::Torn) }
    }
}

impl DirEntry {
    /// Which record the directory is.
    pub(super) fn above(&self) -> RecordId {
        RecordId { dir: self.parent, at: self.place }
    }
}

/// The file of a state.
#[derive(Debug)]
struct StateReader {
    file: BufReader<File>,
    /// Where the next byte comes from.
    at: u64,
}

impl StateReader {
    fn seek(&mut self, at: u64) -> Result<(), Unusable> {
        let distance = at.wrapping_sub(self.at).cast_signed();
        self.file.seek_relative(distance).map_err(Unusable::Unreadable)?;
        self.at = at;
        Ok(())
    }

    /// Appends a part of the file.
    fn append(&mut self, at: u64, length: u64, out: &mut Vec<u8>) -> Result<(), Unusable> {
        self.seek(at)?;
        let mut part = (&mut self.file).take(length);
        let count = part.read_to_end(out).map_err(Unusable::Unreadable)? as u64;
        self.at += count;
        if count == length { Ok(()) } else { Err(Unusable::Torn) }
    }

    /// The checksum of a block that is not read whole.
    fn checksum(&mut self, dir: &DirEntry) -> Result<u64, Unusable> {
        self.seek(dir.at)?;
        let mut sum = Xxh3::new();
        let mut piece = Vec::new();
        while self.at < dir.end() {
            let length = (dir.end() - self.at).min(WHOLE.into());
            piece.clear();
            self.append(self.at, length, &mut piece)?;
            sum.update(&piece);
        }
        Ok(sum.digest())
    }
}

/// The records of a directory: all of them, or some.
#[derive(Debug)]
pub(super) struct Page {
    dir: DirEntry,
    /// The place of the first record, and how many there are.
    first: usize,
    count: usize,
    bytes: Vec<u8>,
}

impl Page {
    fn new(dir: DirEntry) -> Page {
        Page { dir, first: 0, count: 0, bytes: Vec::new() }
    }

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

    /// How many records from `at` on are the same as those of another page from `other_at` on, and
    /// are no directories.
    pub fn same(&self, at: usize, other: &Page, other_at: usize) -> usize {
        let (own, others) = (self.block(), other.block());
        let (at, other_at) = (at - self.first, other_at - other.first);
        (0..).take_while(|next| own.is_same_leaf(at + next, others, other_at + next)).count()
    }

    /// Reads up to `most` records from the place `first` on, and the part of the heap they need.
    fn load(&mut self, file: &mut StateReader, first: usize, most: usize) -> Result<(), Unusable> {
        let count = self.len().saturating_sub(first).min(most);
        let at = self.dir.at + (first * RECORD) as u64;
        self.bytes.clear();
        file.append(at, (count * RECORD) as u64, &mut self.bytes)?;
        let places = || Block::new(&self.bytes, count).places();
        let start = places().map(|(at, _)| at).min().unwrap_or(0);
        let end = places().map(|(at, length)| at.saturating_add(length)).max().unwrap_or(0);
        let heap = self.dir.at + (self.len() * RECORD) as u64 + u64::from(start);
        if heap + u64::from(end - start) > self.dir.end() {
            return Err(Unusable::Torn);
        }
        move_places(&mut self.bytes, start);
        file.append(heap, (end - start).into(), &mut self.bytes)?;
        self.first = first;
        self.count = count;
        Ok(())
    }
}
