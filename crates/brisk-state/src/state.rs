//! [`State`]: the file that records the entries of trees.
//!
//! ```text
//!   header │ a block a directory, parents before children, in the order of their names │ index
//! ```
//!
//! The index has an entry for each directory, by its number, and then the file systems. A directory
//! keeps its number as long as it exists, so a change in a directory changes one block and the
//! index. The header, the index and each block have checksums of their own.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::Path;

use brisk_sys::map::Mapped;
use brisk_sys::whole::open_regular;
use xxhash_rust::xxh3::xxh3_64;

use crate::record::{Block, NO_BLOCK, Record, u16_at, u32_at, u64_at};
use crate::volumes::{self, Remembered};

/// The first bytes of every state.
pub(crate) const MAGIC: [u8; 8] = *b"brisk\0st";
/// The version of the format that this program reads and writes.
pub(crate) const VERSION: u32 = 1;
/// The bytes of the header.
pub(crate) const HEADER: usize = 64;
/// The bytes of an entry of the index.
pub(crate) const ENTRY: usize = 48;
/// The number of the block whose records are the roots, named by their absolute paths.
pub(crate) const TOP: u32 = 0;

/// A directory, as the index has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DirEntry {
    /// Where its block is in the file, in bytes.
    pub at: u64,
    pub len: u32,
    /// How many records the block has.
    pub count: u32,
    pub checksum: u64,
    /// The fingerprint of the choice and of the ignore rules with which it was read.
    pub rules: u64,
    /// The number of its file system.
    pub volume: u16,
    /// Whether all of its names were read, and no rule file is among them.
    pub is_whole: bool,
    /// There is such a directory.
    pub is_there: bool,
    /// The number of the directory above it, and of the record there.
    pub parent: u32,
    pub place: u32,
}

impl DirEntry {
    /// Where the block ends in the file.
    pub fn end(&self) -> u64 {
        self.at.saturating_add(u64::from(self.len))
    }

    pub fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.rules.to_le_bytes());
        bytes[32..34].copy_from_slice(&self.volume.to_le_bytes());
        bytes[34] = u8::from(self.is_whole) | u8::from(self.is_there) << 1;
        bytes[36..40].copy_from_slice(&self.parent.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.place.to_le_bytes());
        bytes
    }

    pub fn from_bytes(bytes: &[u8; ENTRY]) -> DirEntry {
        DirEntry {
            at: u64_at(bytes, 0),
            len: u32_at(bytes, 8),
            count: u32_at(bytes, 12),
            checksum: u64_at(bytes, 16),
            rules: u64_at(bytes, 24),
            volume: u16_at(bytes, 32),
            is_whole: bytes[34] & 1 != 0,
            is_there: bytes[34] & 2 != 0,
            parent: u32_at(bytes, 36),
            place: u32_at(bytes, 40),
        }
    }
}

/// What the header says.
pub(crate) struct Head {
    /// How many directories the index has.
    pub dirs: u32,
    /// Where the index is in the file, its length in bytes, and its checksum.
    pub index: u64,
    pub length: u64,
    pub checksum: u64,
}

impl Head {
    /// The header in the first bytes of a file that has this length.
    pub fn decode(bytes: &[u8], length: u64) -> Result<Head, Unusable> {
        let head: &[u8; HEADER] = match bytes.first_chunk() {
            Some(head) if head.starts_with(&MAGIC) => head,
            None if MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) => {
                return Err(Unusable::Torn);
            }
            None if bytes.starts_with(&MAGIC) => return Err(Unusable::Torn),
            // After a crash some file systems leave a file that has its length, and no contents.
            Some(head) if head.iter().all(|byte| *byte == 0) => return Err(Unusable::Torn),
            _ => return Err(Unusable::Foreign),
        };
        let version = u32_at(head, 8);
        if version != VERSION {
            return Err(Unusable::Version(version));
        }
        let is_sound =
            xxh3_64(&head[..HEADER - 8]) == u64_at(head, HEADER - 8) && u64_at(head, 40) == length;
        if !is_sound {
            return Err(Unusable::Torn);
        }
        Ok(Head {
            dirs: u32_at(head, 12),
            index: u64_at(head, 16),
            length: u64_at(head, 24),
            checksum: u64_at(head, 32),
        })
    }
}

/// A state, loaded.
#[derive(Debug)]
pub struct State {
    bytes: Mapped,
    dirs: Vec<DirEntry>,
    /// For each directory the number of its first record, counted through all blocks.
    firsts: Vec<u32>,
    /// How many records there are.
    records: u32,
    volumes: Vec<Remembered>,
}

/// Why there is no state to compare with.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// There is no such file: this is the first run.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is no state.
    Foreign,
    /// Another version of brisk wrote it.
    Version(u32),
    /// It is shorter than it says, or a checksum is wrong.
    Torn,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("there is no state yet"),
            Unusable::Unreadable(error) => write!(f, "the state cannot be read: {error}"),
            Unusable::Foreign => f.write_str("the file is no state of brisk"),
            Unusable::Version(version) => {
                write!(f, "the state is of version {version}, which this brisk does not read")
            }
            Unusable::Torn => f.write_str("the state is damaged"),
        }
    }
}

impl std::error::Error for Unusable {}

impl State {
    /// Loads a state: one open, three fstat, one read, one lseek, one mmap, one close. A state that
    /// other users can write to is read instead of mapped. A file that is not a regular one is not
    /// waited for, and one that is no state is neither mapped nor read.
    ///
    /// # Errors
    /// There is none, or the file is unusable. A rescan that gets the error reports everything as
    /// added, and says why.
    pub fn load(file: &Path) -> Result<State, Unusable> {
        let unusable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unreadable(error),
        };
        let mut file = open_regular(file).map_err(unusable)?;
        let length = file.metadata().map_err(unusable)?.len();
        Head::decode(&head(&file).map_err(unusable)?, length)?;
        file.rewind().map_err(unusable)?;
        State::decode(Mapped::of(&file).map_err(unusable)?)
    }

    /// Whether this file begins as states do, sound or not, so that a state in its place replaces
    /// no file of another kind. An empty file does. System calls: open, fstat, read, close.
    ///
    /// # Errors
    /// Any error of these calls; [`InvalidInput`](io::ErrorKind::InvalidInput) if the file is not
    /// regular.
    pub fn is_at(file: &Path) -> io::Result<bool> {
        let head = head(&open_regular(file)?)?;
        Ok(!matches!(Head::decode(&head, head.len() as u64), Err(Unusable::Foreign)))
    }

    /// The state in these bytes.
    fn decode(bytes: Mapped) -> Result<State, Unusable> {
        let head = Head::decode(&bytes[..bytes.len().min(HEADER)], bytes.len() as u64)?;
        let [at, len] = [head.index, head.length].map(|at| usize::try_from(at).unwrap_or(0));
        let index = bytes.get(at..at.saturating_add(len)).ok_or(Unusable::Torn)?;
        if xxh3_64(index) != head.checksum {
            return Err(Unusable::Torn);
        }
        let count = head.dirs as usize;
        let (dirs, rest) = index.split_at_checked(count * ENTRY).ok_or(Unusable::Torn)?;
        let dirs: Vec<DirEntry> = dirs.as_chunks().0.iter().map(DirEntry::from_bytes).collect();
        let volumes = rest.as_chunks().0.iter().map(volumes::from_bytes).collect();
        check(&bytes, &dirs)?;
        let mut records = 0_u32;
        let firsts = dirs.iter().map(|dir| {
            let first = records;
            records += dir.count;
            first
        });
        Ok(State { firsts: firsts.collect(), dirs, records, volumes, bytes })
    }

    /// How many entries the state holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records as usize
    }

    /// Whether the state holds no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    pub(crate) fn dirs(&self) -> &[DirEntry] {
        &self.dirs
    }

    pub(crate) fn volumes(&self) -> &[Remembered] {
        &self.volumes
    }

    pub(crate) fn dir(&self, number: u32) -> Option<&DirEntry> {
        self.dirs.get(number as usize).filter(|dir| dir.is_there)
    }

    /// The bytes of a directory's block.
    pub(crate) fn block_bytes(&self, dir: &DirEntry) -> &[u8] {
        self.bytes(dir.at..dir.end())
    }

    /// A part of the file; nothing where the file has no such part.
    pub(crate) fn bytes(&self, range: Range<u64>) -> &[u8] {
        let [start, end] =
            [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        self.bytes.get(start..end).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn block(&self, number: u32) -> Block<'_> {
        match self.dir(number) {
            Some(dir) => Block::new(self.block_bytes(dir), dir.count as usize),
            None => Block::default(),
        }
    }

    /// The number of a directory's first record, counted through all blocks.
    #[inline]
    pub(crate) fn first(&self, number: u32) -> usize {
        self.firsts.get(number as usize).map_or(0, |&first| first as usize)
    }

    /// The record of a directory in the one above it.
    pub(crate) fn record_of(&self, number: u32) -> Option<Record<'_>> {
        let dir = self.dir(number).filter(|_| number != TOP)?;
        self.block(dir.parent).record(dir.place as usize)
    }

    /// The record of the entry at the end of these names, below the directory `number`.
    pub(crate) fn descend(&self, number: u32, names: &[u8]) -> Option<(u32, usize)> {
        let mut dir = number;
        let mut names = names.split(|&byte| byte == b'/').peekable();
        while let Some(name) = names.next() {
            let at = self.block(dir).find(name, 0)?;
            if names.peek().is_none() {
                return Some((dir, at));
            }
            dir = self.block(dir).record(at).map(|record| record.block)?;
            if dir == NO_BLOCK {
                return None;
            }
        }
        None
    }
}

/// The first bytes of a file; fewer where the file is shorter than a header.
fn head(file: &File) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEADER);
    file.take(HEADER as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether each block is where the index says, and is whole.
fn check(bytes: &[u8], dirs: &[DirEntry]) -> Result<(), Unusable> {
    let is_sound = |dir: &DirEntry| {
        let [at, end] = [dir.at, dir.end()].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let block = bytes.get(at..end)?;
        (xxh3_64(block) == dir.checksum).then_some(())
    };
    let all = dirs.iter().filter(|dir| dir.is_there).all(|dir| is_sound(dir).is_some());
    let total: u64 = dirs.iter().map(|dir| u64::from(dir.count)).sum();
    let is_top = dirs.first().is_some_and(|top| top.is_there);
    if all && is_top && total <= u64::from(u32::MAX) { Ok(()) } else { Err(Unusable::Torn) }
}
