//! [`State`]: a loaded state, with which trees are compared.

use std::fs::File;
use std::io::{self, Seek};
use std::ops::Range;
use std::path::Path;

use brisk_sys::map::Mapped;
use brisk_sys::whole::open_regular;
use xxhash_rust::xxh3::xxh3_64;

use super::block::Block;
use super::index::{Header, Index, IndexedDir, Unusable};
use super::record::{DirId, NO_DIR, Record, TOP};

/// The recorded entries of one or more trees, loaded.
#[derive(Debug)]
pub struct State {
    pub(super) bytes: Mapped,
    /// Blocks that came after the file was loaded: see [`update`](super::update). Their offsets go on
    /// from the file's.
    pub(super) added: Vec<u8>,
    pub(crate) index: Index,
    /// For each directory, the number of its first record. No two records have the same number.
    pub(super) first_records: Vec<u32>,
    /// One more than the highest number of a record.
    pub(super) records: u32,
}

impl State {
    /// Loads a state. System calls: one open, three fstat, one read, two lseek, one mmap, one
    /// close. A state that other users can write to is read instead of mapped. The call does not
    /// wait for a pipe or a device. If the file is not a state, only its first bytes are read.
    ///
    /// # Errors
    /// The file is missing or unusable. A rescan that is given the error reports everything as
    /// added, and says why.
    pub fn load(file: &Path) -> Result<State, Unusable> {
        State::of(&open_regular(file).map_err(Unusable::of)?, Mapped::of)
    }

    /// As [`load`](State::load), but the file is always read: whatever another process does to it,
    /// this state stays as it is.
    pub(crate) fn read(file: &Path) -> Result<State, Unusable> {
        State::of(&open_regular(file).map_err(Unusable::of)?, Mapped::read)
    }

    /// The state in an open file, which no other process truncates.
    pub(crate) fn of_unnamed(file: &File) -> Result<State, Unusable> {
        State::of(file, Mapped::of)
    }

    /// Whether this file begins like a state, damaged or not, or is empty. If so, a new state may
    /// replace it. System calls: open, two fstat, lseek, read, close.
    ///
    /// # Errors
    /// Any error of these calls; [`InvalidInput`](io::ErrorKind::InvalidInput) if the file is not
    /// regular.
    pub fn may_replace(file: &Path) -> io::Result<bool> {
        match Header::read(&open_regular(file)?) {
            Err(Unusable::Foreign) => Ok(false),
            Err(Unusable::Unreadable(error)) => Err(error),
            _ => Ok(true),
        }
    }

    /// Whether this file begins like a state of [names alone](crate::Rescan::names_only), damaged
    /// or not; `None` if its beginning does not say what it is. System calls: open, fstat, lseek,
    /// read, close.
    #[must_use]
    pub fn names_only_at(file: &Path) -> Option<bool> {
        let header = Header::read_alone(&open_regular(file).ok()?).ok()?;
        Some(header.names_only)
    }

    /// Whether the state holds [names alone](crate::Rescan::names_only).
    #[must_use]
    pub fn names_only(&self) -> bool {
        self.index.names_only
    }

    /// What [`Rescan::made_with`](crate::Rescan::made_with) was when the state was made.
    #[must_use]
    pub fn made_with(&self) -> &[u8] {
        &self.index.made_with
    }

    /// The state in an open file. All checksums are verified.
    fn of(mut file: &File, load: impl Fn(&File) -> io::Result<Mapped>) -> Result<State, Unusable> {
        let header = Header::read(file)?;
        file.rewind().map_err(Unusable::Unreadable)?;
        let bytes = load(file).map_err(Unusable::Unreadable)?;
        let end = header.index_at.saturating_add(header.index_len);
        let index = range(&bytes, header.index_at..end).ok_or(Unusable::Damaged)?;
        let index = Index::decode(index.to_vec(), &header)?;
        let is_sound = |(_, dir): (_, IndexedDir)| {
            range(&bytes, dir.offset..dir.end()).is_some_and(|block| xxh3_64(block) == dir.checksum)
        };
        if !index.dirs().all(is_sound) {
            return Err(Unusable::Damaged);
        }
        let mut first_records = vec![0; index.len()];
        let mut records = 0;
        for (id, dir) in index.dirs() {
            first_records[id as usize] = records;
            records += dir.count;
        }
        Ok(State { bytes, added: Vec::new(), index, first_records, records })
    }

    /// How many entries the state holds; in a watcher's state also those of replaced blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records as usize
    }

    /// Whether the state holds no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The whole file.
    pub(crate) fn content(&self) -> &[u8] {
        &self.bytes
    }

    /// A part of the file, or of what was added; empty if the part is in neither.
    #[inline]
    pub(crate) fn bytes(&self, part: Range<u64>) -> &[u8] {
        range(&self.bytes, part.clone()).or_else(|| self.added(part)).unwrap_or_default()
    }

    #[cold]
    fn added(&self, part: Range<u64>) -> Option<&[u8]> {
        let file = self.bytes.len() as u64;
        range(&self.added, part.start.checked_sub(file)?..part.end - file)
    }

    #[inline]
    pub(crate) fn block(&self, id: DirId) -> Block<'_> {
        match self.index.dir(id) {
            Some(dir) => Block::new(self.bytes(dir.offset..dir.end()), dir.count as usize),
            None => Block::default(),
        }
    }

    /// The number of a directory's first record, counted through all blocks.
    #[inline]
    pub(crate) fn first_record(&self, id: DirId) -> usize {
        self.first_records.get(id as usize).map_or(0, |&first| first as usize)
    }

    /// The number of the record at this position in a directory's block.
    #[inline]
    pub(crate) fn record_number(&self, id: DirId, at: usize) -> usize {
        self.first_record(id) + at
    }

    /// The record of a directory in its parent.
    pub(crate) fn record_of(&self, id: DirId) -> Option<Record<'_>> {
        let dir = self.index.dir(id).filter(|_| id != TOP)?;
        self.block(dir.parent).record(dir.record_at as usize)
    }

    /// Follows a path down from the directory `id`. Returns the directory that holds the last name,
    /// and the position of that name's record in the directory's block.
    pub(crate) fn descend(&self, mut id: DirId, names: &[u8]) -> Option<(DirId, usize)> {
        let mut names = names.split(|&byte| byte == b'/').peekable();
        while let Some(name) = names.next() {
            let at = self.block(id).find(name, 0)?;
            if names.peek().is_none() {
                return Some((id, at));
            }
            id = self.block(id).record(at).map(|record| record.dir_id)?;
            if id == NO_DIR {
                return None;
            }
        }
        None
    }
}

#[inline]
fn range(bytes: &[u8], part: Range<u64>) -> Option<&[u8]> {
    let start = usize::try_from(part.start).ok()?;
    let end = usize::try_from(part.end).ok()?;
    bytes.get(start..end)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use brisk::{Fields, FileType};
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::format::index::{DIR, HEADER};
    use crate::format::record::{u32_at, u64_at};
    use crate::format::tree::Tree;

    /// The state that a [`Tree`] makes.
    pub(crate) fn loaded(tree: Tree) -> State {
        State::of(&tree.finish().expect("a state"), Mapped::of).expect("the state")
    }

    /// Writes a state of a root with one directory and a file in it. The first record of the
    /// directory `dir` gets this `id`, and all checksums are right.
    pub(crate) fn forged(file: &Path, dir: usize, id: DirId) {
        let mut tree = Tree::new(Path::new("."), vec![b"/r".to_vec()]).expect("a state");
        for (path, file_type) in [
            (&b""[..], FileType::Directory),
            (b"d", FileType::Directory),
            (b"d\0f", FileType::File),
        ] {
            let mode = (Fields::TYPE, file_type.mode_bits().into());
            let meta = [mode, (Fields::MTIME, 1_000_000_001)].into_iter().collect();
            tree.push(0, path, &meta, None, None).expect("an entry");
        }
        let mut bytes = loaded(tree).bytes.to_vec();
        let index = u64_at(&bytes, 16) as usize;
        let entry = index + dir * DIR;
        let block = u64_at(&bytes, entry) as usize;
        let length = u32_at(&bytes, entry + 8) as usize;
        bytes[block + 72..block + 76].copy_from_slice(&id.to_le_bytes());
        let index_length = u64_at(&bytes, 24) as usize;
        let ranges = [
            (block..block + length, entry + 16),
            (index..index + index_length, 32),
            (0..HEADER - 8, HEADER - 8),
        ];
        for (range, at) in ranges {
            let checksum = xxh3_64(&bytes[range]);
            bytes[at..at + 8].copy_from_slice(&checksum.to_le_bytes());
        }
        fs::write(file, bytes).expect("a state");
    }
}
