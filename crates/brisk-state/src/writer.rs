//! [`Writer`]: makes a state from entries that do not come from a rescan.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use brisk::{FileType, Timestamp};
use brisk_sys::volume::Volume;
use brisk_sys::whole;
use xxhash_rust::xxh3::Xxh3;

use crate::record::{BlockBuilder, Flags, NO_BLOCK, Record, Stamp};
use crate::save;
use crate::state::{DirEntry, ENTRY, HEADER, TOP};
use crate::volumes::{self, Remembered};

/// Writes as large as this are worth their call.
const BUFFER: usize = 1 << 20;
/// The bytes of a directory's block that stay in memory until the block is complete. Few directories
/// have more: 10,000 entries.
const BLOCK: usize = 1 << 20;
/// The number of no file system: that of a directory is unknown, and inode numbers mean nothing.
const NO_VOLUME: u16 = u16::MAX;

/// What is known of an entry. What is not known is zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The name; of a root its absolute path.
    pub name: &'a [u8],
    /// The type.
    pub file_type: FileType,
    /// The size in bytes.
    pub size: u64,
    /// The permission bits.
    pub mode: u32,
    /// The owner's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
    /// The inode number.
    pub ino: u64,
    /// When the contents changed.
    pub mtime: Timestamp,
    /// When the metadata changed.
    pub ctime: Timestamp,
    /// When the entry was created.
    pub btime: Timestamp,
    /// Where a link points.
    pub target: &'a [u8],
    /// The BLAKE3 digest of a file's contents.
    pub digest: Option<[u8; 32]>,
    /// The file system of the entry, by the number that [`Writer::add_volume`] gave it.
    pub volume: Option<u16>,
    /// The entry is no result of the look: it is a directory with results below it.
    pub is_unlisted: bool,
}

impl<'a> Known<'a> {
    /// The record of the entry. [`Writer::add`] gives a directory its block.
    pub(crate) fn record(&'a self) -> Record<'a> {
        let Known { ino, size, mtime, ctime, btime, uid, gid, .. } = *self;
        let mode = self.mode & 0o7777 | self.file_type.mode_bits();
        let flags = Flags::default().with(Flags::LISTED, !self.is_unlisted);
        let flags = flags.with(Flags::DIGEST, self.digest.is_some());
        let more = self.digest.as_ref().map_or(self.target, |digest| &digest[..]);
        let more = if self.file_type.is_dir() { &[] } else { more };
        let stamp = Stamp { ino, size, mtime, ctime, btime, mode, uid, gid };
        Record { name: self.name, stamp, flags, more, block: NO_BLOCK }
    }

    /// The number of its file system, or of none.
    pub(crate) fn volume(&self) -> u16 {
        self.volume.unwrap_or(NO_VOLUME)
    }
}

/// Writes a state. Entries come in the order of a depth-first walk, the names in a directory in the
/// order of their bytes. In memory are the last entries of the directories above the last one, up to
/// a mebibyte each, and 48 bytes for each other directory.
pub struct Writer {
    out: BufWriter<File>,
    /// Where temporary files go.
    scratch: PathBuf,
    /// Where the next block begins.
    at: u64,
    index: Vec<DirEntry>,
    volumes: Vec<Volume>,
    /// The directories above the next entry. The first has the roots.
    open: Vec<Open>,
}

/// A directory that may get more entries.
struct Open {
    number: u32,
    block: BlockBuilder,
    spilled: Option<Spilled>,
}

/// The first part of a large block: the records, and what they point to.
struct Spilled([File; 2]);

impl Writer {
    /// Creates the file, which only this user can read. Temporary files without a name are beside
    /// it. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or there is one.
    pub fn create(file: &Path) -> io::Result<Writer> {
        let beside = file.parent().filter(|dir| !dir.as_os_str().is_empty());
        let scratch = beside.unwrap_or(Path::new(".")).to_owned();
        Writer::new(whole::create_private(file)?, scratch)
    }

    /// Creates a file without a name on the file system of this directory. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn unnamed(scratch: &Path) -> io::Result<Writer> {
        Writer::new(whole::create_unnamed(scratch)?, scratch.to_owned())
    }

    fn new(file: File, scratch: PathBuf) -> io::Result<Writer> {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&[0; HEADER])?;
        let top = DirEntry { is_there: true, is_whole: true, ..DirEntry::default() };
        let open = vec![Open::new(TOP)];
        let (index, volumes) = (vec![top], Vec::new());
        Ok(Writer { out, scratch, at: HEADER as u64, index, volumes, open })
    }

    /// Adds a file system, and returns its number. The caller adds at most 65,535.
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.volumes.push(volume);
        (self.volumes.len() - 1) as u16
    }

    /// Adds an entry at a depth; the depth of a root is 0.
    ///
    /// # Errors
    /// The file cannot be written, or no directory is above this entry.
    pub fn push(&mut self, depth: usize, known: &Known<'_>) -> io::Result<()> {
        self.add(depth, &known.record(), known.volume())
    }

    /// As [`push`](Writer::push).
    pub(crate) fn add(&mut self, depth: usize, record: &Record<'_>, volume: u16) -> io::Result<()> {
        while self.open.len() > depth + 1 {
            self.close()?;
        }
        let number = self.index.len() as u32;
        let is_below = self.open.len() == depth + 1;
        let above = self.open.last_mut().filter(|_| is_below);
        let Some(Open { number: parent, block, spilled }) = above else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an entry without a parent"));
        };
        let (parent, place) = (*parent, block.len() as u32);
        let own = if record.is_dir() { number } else { NO_BLOCK };
        block.push(&Record { block: own, ..*record });
        if block.size() > BLOCK {
            spill(block, spilled, &self.scratch)?;
        }
        if record.is_dir() {
            let is = DirEntry { is_there: true, is_whole: true, ..DirEntry::default() };
            self.index.push(DirEntry { parent, place, volume, ..is });
            self.open.push(Open::new(number));
        }
        Ok(())
    }

    /// Writes the block of the innermost directory.
    fn close(&mut self) -> io::Result<()> {
        let Some(Open { number, mut block, mut spilled }) = self.open.pop() else { return Ok(()) };
        let count = block.len() as u32;
        let mut out = Summed { out: &mut self.out, sum: Xxh3::new(), length: 0 };
        if spilled.is_some() {
            spill(&mut block, &mut spilled, &self.scratch)?;
        }
        match spilled {
            Some(Spilled(files)) => files.into_iter().try_for_each(|mut file| {
                file.rewind()?;
                io::copy(&mut file, &mut out).map(drop)
            })?,
            None => block.take().iter().try_for_each(|bytes| out.write_all(bytes))?,
        }
        let Summed { sum, length, .. } = out;
        let dir = &mut self.index[number as usize];
        let len = u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
        (dir.at, dir.len, dir.count) = (self.at, len, count);
        dir.checksum = sum.digest();
        self.at += length;
        Ok(())
    }

    /// Writes the rest, and returns the file. Before that the file is no state.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<File> {
        while !self.open.is_empty() {
            self.close()?;
        }
        let mut tail = Vec::with_capacity(self.index.len() * ENTRY);
        self.index.iter().for_each(|dir| tail.extend(dir.to_bytes()));
        for &volume in &self.volumes {
            tail.extend(volumes::to_bytes(&Remembered { volume, basis: None }));
        }
        self.out.write_all(&tail)?;
        self.out.rewind()?;
        self.out.write_all(&save::header(self.index.len() as u32, self.at, &tail))?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Open {
    fn new(number: u32) -> Open {
        Open { number, block: BlockBuilder::default(), spilled: None }
    }
}

/// Moves what a block has in memory to temporary files.
fn spill(
    block: &mut BlockBuilder,
    spilled: &mut Option<Spilled>,
    scratch: &Path,
) -> io::Result<()> {
    let create = || whole::create_unnamed(scratch);
    let Spilled(files) = match spilled {
        Some(spilled) => spilled,
        None => spilled.insert(Spilled([create()?, create()?])),
    };
    files.iter_mut().zip(block.take()).try_for_each(|(file, bytes)| file.write_all(&bytes))
}

/// Counts and sums what is written.
struct Summed<'w> {
    out: &'w mut BufWriter<File>,
    sum: Xxh3,
    length: u64,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
