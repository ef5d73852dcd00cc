//! Writing states. [`Writer`] writes a state from entries that come in order. [`NextState`] is the
//! state after a rescan: it copies the blocks that did not change from the old state.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use brisk::{FileType, Timestamp};
use brisk_sys::volume::Volume;
use brisk_sys::whole;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::block::{Block, BlockBuilder, NewBlock};
use super::index::{DirEntry, ENTRY, HEADER, Header, Listing, VOLUME, VolumeRecord};
use super::record::{DirId, Flags, NO_BLOCK, Record, Stamp, TOP};
use super::state::State;

/// The size of the buffers for writing and reading, in bytes. A larger piece bypasses the buffer.
const BUFFER: usize = 64 << 10;
/// How many bytes of a directory's block are held in memory. When there are more, they are moved to
/// temporary files. Few directories are so large: a mebibyte holds 10,000 entries.
const BLOCK: usize = 1 << 20;
/// The number that stands for an unknown file system, whose inode numbers do not identify files.
const NO_VOLUME: u16 = u16::MAX;

/// The metadata of an entry, as far as it is known. Unknown fields keep their defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The name; for a root, its absolute path.
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
    /// When the contents last changed.
    pub mtime: Timestamp,
    /// When the metadata last changed.
    pub ctime: Timestamp,
    /// When the entry was created.
    pub btime: Timestamp,
    /// The target of a link.
    pub target: &'a [u8],
    /// The BLAKE3 digest of a file's contents.
    pub digest: Option<[u8; 32]>,
    /// The entry's file system: the number that [`Writer::add_volume`] returned.
    pub volume: Option<u16>,
    /// Whether the entry is not itself a result, but a directory with results below it.
    pub is_unlisted: bool,
}

impl<'a> Known<'a> {
    /// The record of the entry. [`Writer::add`] gives a directory its number.
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

    /// The number of the entry's file system, or [`NO_VOLUME`].
    pub(crate) fn volume(&self) -> u16 {
        self.volume.unwrap_or(NO_VOLUME)
    }
}

/// Writes a state. The caller adds entries in the order of a depth-first walk, and the names in
/// each directory in the order of their bytes. The writer holds in memory up to a mebibyte of
/// records for each directory above the last entry, and 48 bytes for each other directory.
pub struct Writer {
    out: StateFile<File>,
    /// A directory on the file system on which temporary files are created.
    scratch: PathBuf,
    volumes: Vec<VolumeRecord>,
    /// The number of the next directory.
    dirs: DirId,
    /// The directories that may get more entries, from the one of the roots inwards.
    open: Vec<OpenDir>,
}

/// A directory that may get more entries.
struct OpenDir {
    number: DirId,
    /// The directory's entry in the index.
    entry: DirEntry,
    block: BlockBuilder,
    /// The part of a large block in temporary files: one for the records, one for the heap.
    spilled: Option<[File; 2]>,
}

impl Writer {
    /// Creates the file, which only this user can read. Temporary files are unnamed, and are
    /// created in the same directory. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or exists already.
    pub fn create(file: &Path) -> io::Result<Writer> {
        let beside = file.parent().filter(|dir| !dir.as_os_str().is_empty());
        Writer::new(whole::create_private(file)?, beside.unwrap_or(Path::new(".")))
    }

    /// A writer to an empty file. Temporary files are on the file system of `scratch`.
    pub(crate) fn new(file: File, scratch: &Path) -> io::Result<Writer> {
        let top = OpenDir::new(TOP, TOP, 0, 0);
        let out = StateFile::new(file)?;
        let scratch = scratch.to_owned();
        Ok(Writer { out, scratch, volumes: Vec::new(), dirs: TOP + 1, open: vec![top] })
    }

    /// Adds a file system, and returns its number. The caller must not add more than 65,535.
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.volumes.push(VolumeRecord { volume, checkpoint: None });
        (self.volumes.len() - 1) as u16
    }

    /// Adds an entry at a depth; the depth of a root is 0.
    ///
    /// # Errors
    /// The file cannot be written, or the entry's parent directory was not added before it.
    pub fn push(&mut self, depth: usize, known: &Known<'_>) -> io::Result<()> {
        self.add(depth, &known.record(), known.volume())
    }

    /// Adds an entry as [`push`](Writer::push) does.
    pub(crate) fn add(&mut self, depth: usize, record: &Record<'_>, volume: u16) -> io::Result<()> {
        while self.open.len() > depth + 1 {
            self.close()?;
        }
        let is_below = self.open.len() == depth + 1;
        let Some(above) = self.open.last_mut().filter(|_| is_below) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an entry without a parent"));
        };
        let parent = above.number;
        let place = above.block.len() as u32;
        let block = if record.is_dir() { self.dirs } else { NO_BLOCK };
        above.block.push(&Record { block, ..*record });
        if above.block.size() > BLOCK {
            above.spill(&self.scratch)?;
        }
        if record.is_dir() {
            self.open.push(OpenDir::new(self.dirs, parent, place, volume));
            self.dirs += 1;
        }
        Ok(())
    }

    /// Writes the block of the innermost directory.
    fn close(&mut self) -> io::Result<()> {
        let Some(mut dir) = self.open.pop() else { return Ok(()) };
        dir.entry.count = dir.block.len() as u32;
        if dir.spilled.is_some() {
            dir.spill(&self.scratch)?;
        }
        let mut sum = Xxh3::new();
        let mut length = 0;
        let mut write = |bytes: &[u8]| {
            sum.update(bytes);
            length += bytes.len();
            self.out.write_all(bytes)
        };
        for mut file in dir.spilled.into_iter().flatten() {
            file.rewind()?;
            let mut file = BufReader::with_capacity(BUFFER, file);
            while let bytes @ [_, ..] = file.fill_buf()? {
                write(bytes)?;
                let count = bytes.len();
                file.consume(count);
            }
        }
        dir.block.take().iter().try_for_each(|bytes| write(bytes))?;
        let len = u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.out.add(dir.number, DirEntry { len, checksum: sum.digest(), ..dir.entry });
        Ok(())
    }

    /// Writes the remaining blocks, the index and the header, and returns the file. Until then the
    /// file is not a valid state.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<File> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.out.finish(&self.volumes)
    }
}

impl OpenDir {
    fn new(number: DirId, parent: DirId, place: u32, volume: u16) -> OpenDir {
        let listing = Listing { volume, is_whole: true, rules: 0 };
        let entry = DirEntry { listing, parent, place, ..DirEntry::default() };
        OpenDir { number, entry, block: BlockBuilder::default(), spilled: None }
    }

    /// Moves the part of the block that is in memory to temporary files.
    fn spill(&mut self, scratch: &Path) -> io::Result<()> {
        let create = || whole::create_unnamed(scratch);
        let files = match &mut self.spilled {
            Some(files) => files,
            None => self.spilled.insert([create()?, create()?]),
        };
        files.iter_mut().zip(self.block.take()).try_for_each(|(file, bytes)| file.write_all(&bytes))
    }
}

/// What a rescan has learned about a directory.
#[derive(Debug, Default)]
pub(crate) struct NextDir {
    /// The new block; `None` if the block in the old state still holds.
    pub block: Option<NewBlock>,
    /// How the directory was read, if the rescan read it.
    pub listing: Option<Listing>,
}

/// The state after a rescan: what the rescan has learned, and the unchanged rest of the old state.
#[derive(Debug)]
pub(crate) struct NextState<'a> {
    pub state: Option<&'a State>,
    /// What was learned about directories, by number. All others are as in the old state.
    pub dirs: &'a BTreeMap<DirId, NextDir>,
    pub volumes: &'a [VolumeRecord],
}

impl<'a> NextState<'a> {
    fn new_block(&self, number: DirId) -> Option<&'a NewBlock> {
        self.dirs.get(&number)?.block.as_ref()
    }

    pub fn block(&self, number: DirId) -> Block<'a> {
        match self.new_block(number) {
            Some(NewBlock { bytes, count }) => Block::new(bytes, *count),
            None => self.state.map_or_else(Block::default, |state| state.block(number)),
        }
    }

    /// The directories, parents before children and siblings sorted by name. The offset and the
    /// checksum in each entry are still those of the old state.
    pub fn directories(&self) -> impl Iterator<Item = (DirId, DirEntry)> {
        let known = self.state.map_or(0, |state| state.index.len());
        let new = self.dirs.last_key_value().map_or(0, |(last, _)| *last as usize + 1);
        // In a damaged state, directories may form a cycle.
        let mut is_met = vec![false; known.max(new)];
        let mut pending = vec![(TOP, TOP, 0)];
        std::iter::from_fn(move || {
            loop {
                let (number, parent, place) = pending.pop()?;
                match is_met.get_mut(number as usize) {
                    Some(is_met) if !*is_met => *is_met = true,
                    _ => continue,
                }
                let first = pending.len();
                let subdirs = self.block(number).subdirs();
                pending.extend(subdirs.map(|(place, child)| (child, number, place)));
                pending[first..].reverse();
                return Some((number, DirEntry { parent, place, ..self.entry(number) }));
            }
        })
    }

    fn entry(&self, number: DirId) -> DirEntry {
        let mut entry = self.state.and_then(|state| state.index.dir(number)).unwrap_or_default();
        let Some(next) = self.dirs.get(&number) else { return entry };
        if let Some(NewBlock { bytes, count }) = &next.block {
            entry.count = *count as u32;
            entry.len = bytes.len() as u32;
        }
        entry.listing = next.listing.unwrap_or(entry.listing);
        entry
    }

    /// Writes the state to an empty file. Blocks adjacent in the old file are copied at once.
    pub fn write_into(&self, file: &File) -> io::Result<()> {
        let directories = Vec::from_iter(self.directories());
        let blocks: u64 = directories.iter().map(|(_, entry)| u64::from(entry.len)).sum();
        let last = directories.iter().map(|(number, _)| *number as usize).max();
        let index = last.map_or(0, |last| last + 1) * ENTRY + self.volumes.len() * VOLUME;
        whole::reserve(file, blocks + (HEADER + index) as u64);
        let mut out = StateFile::new(file)?;
        let mut run = 0..0;
        let old = |run| self.state.map_or(&[][..], |state| state.bytes(run));
        for (number, mut entry) in directories {
            match self.new_block(number) {
                Some(NewBlock { bytes, .. }) => {
                    out.write_all(old(std::mem::take(&mut run)))?;
                    out.write_all(bytes)?;
                    entry.checksum = xxh3_64(bytes);
                }
                None if entry.at == run.end => run.end = entry.end(),
                None => out.write_all(old(std::mem::replace(&mut run, entry.at..entry.end())))?,
            }
            out.add(number, entry);
        }
        out.write_all(old(run))?;
        out.finish(self.volumes).map(drop)
    }
}

/// A state file that is being written: first the blocks, then the index, and last the header.
pub(crate) struct StateFile<F: Write> {
    out: BufWriter<F>,
    /// The offset of the next block.
    at: u64,
    /// The entries of the directories, encoded.
    index: Vec<u8>,
}

impl<F: Write + Seek> StateFile<F> {
    pub fn new(file: F) -> io::Result<StateFile<F>> {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&[0; HEADER])?;
        Ok(StateFile { out, at: HEADER as u64, index: Vec::new() })
    }

    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Adds a directory to the index. The directory's block is the next one in the file.
    pub fn add(&mut self, number: DirId, entry: DirEntry) {
        let place = number as usize * ENTRY;
        self.index.resize(self.index.len().max(place + ENTRY), 0);
        self.index[place..place + ENTRY]
            .copy_from_slice(&DirEntry { at: self.at, ..entry }.to_bytes());
        self.at += u64::from(entry.len);
    }

    /// Writes the index and the header, and returns the file.
    pub fn finish(mut self, volumes: &[VolumeRecord]) -> io::Result<F> {
        let dirs = self.index.len() / ENTRY;
        volumes.iter().for_each(|volume| self.index.extend(volume.to_bytes()));
        self.out.write_all(&self.index)?;
        self.out.rewind()?;
        self.out.write_all(&Header::of(dirs, self.at, &self.index).to_bytes())?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}
