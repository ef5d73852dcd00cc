//! [`Tree`]: makes a state from entries that come in the order of a depth-first walk, and adds the
//! directories that are missing above them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

use brisk::{FileType, Meta};
use brisk_sys::volume::Volume;
use brisk_sys::whole;
use xxhash_rust::xxh3::Xxh3;

use super::block::BlockBuilder;
use super::index::{IndexedDir, IndexedVolume, ListingInfo, NO_VOLUME};
use super::record::{Attrs, DIGEST, DirId, Flags, NO_DIR, Record, TOP};
use super::writer::{BUFFER, StateFile};

/// How many bytes of a directory's block are held in memory. When there are more, they are moved to
/// temporary files. Few directories are so large: a mebibyte holds 10,000 entries.
const BLOCK: usize = 1 << 20;
/// The separator of the names of a path: the order of such paths is the order of their bytes.
const NUL: u8 = 0;

/// Makes a state from entries in order. It holds in memory up to a mebibyte of records for each
/// directory above the last entry, and 48 bytes for each other directory.
pub struct Tree {
    out: StateFile<File>,
    /// A directory on the file system on which temporary files are created.
    scratch: PathBuf,
    volumes: Vec<IndexedVolume>,
    roots: Vec<Vec<u8>>,
    /// The id of the next directory.
    next_id: DirId,
    /// The directories that may get more entries, from the one of the roots inwards.
    open: Vec<OpenDir>,
    /// The root of the last entry, and the entry's path.
    root: Option<u16>,
    path: Vec<u8>,
}

/// A directory that may get more entries.
struct OpenDir {
    id: DirId,
    /// The directory in the index.
    indexed: IndexedDir,
    block: BlockBuilder,
    /// The part of a large block in temporary files: one for the records, one for the heap.
    spilled: Option<[File; 2]>,
}

impl Tree {
    /// Begins a state with these roots, given by their absolute paths. The state and the temporary
    /// files are unnamed files on the file system of `scratch`. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or there are too many roots.
    pub fn new(scratch: &Path, roots: Vec<Vec<u8>>) -> io::Result<Tree> {
        if roots.len() > usize::from(u16::MAX) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many roots"));
        }
        Ok(Tree {
            out: StateFile::new(whole::create_unnamed(scratch)?)?,
            scratch: scratch.to_owned(),
            volumes: Vec::new(),
            roots,
            next_id: TOP + 1,
            open: vec![OpenDir::new(TOP, TOP, 0, 0)],
            root: None,
            path: Vec::new(),
        })
    }

    /// Adds a file system, and returns its number. The caller must not add more than 65,535.
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.volumes.push(IndexedVolume { volume, checkpoint: None });
        (self.volumes.len() - 1) as u16
    }

    /// Adds an entry, given by the number of its root and its path below the root. The path has NUL
    /// between the names, and is empty for the root itself. `volume_number` is what
    /// [`add_volume`](Tree::add_volume) returned, if the entry's file system is known; fields of
    /// the metadata that are not known are 0 in the state. Entries come in the order of their
    /// roots, and then of the bytes of their paths. If several entries have the same path, the
    /// first one counts. A directory that has entries below it, but is not added, gets a record
    /// that is not a result.
    ///
    /// # Errors
    /// A file cannot be written. [`InvalidData`](io::ErrorKind::InvalidData): no file can have this
    /// path, or the entry is below one that is not a directory.
    pub fn push(
        &mut self,
        root: u16,
        path: &[u8],
        meta: &Meta,
        digest: Option<&[u8; DIGEST]>,
        volume_number: Option<u16>,
    ) -> io::Result<()> {
        let is_valid = |name: &[u8]| !name.is_empty() && name.len() <= usize::from(u16::MAX);
        if !path.is_empty() && !path.split(is_nul).all(is_valid) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a path that no file can have"));
        }
        let target = meta.link_target().unwrap_or_default();
        let record = Record {
            name: path.rsplit(is_nul).next().unwrap_or_default(),
            attrs: Attrs::of(meta),
            flags: Flags::RESULT.with(Flags::DIGEST, digest.is_some()),
            target_or_digest: digest.map_or(target, |digest| digest),
            dir_id: NO_DIR,
        };
        let volume_number = volume_number.unwrap_or(NO_VOLUME);
        if self.root != Some(root) {
            self.begin(root, path.is_empty().then_some(record), volume_number)?;
        }
        let shared = names(&self.path).zip(names(path)).take_while(|(a, b)| a == b).count();
        let depth = names(path).count();
        if depth == shared {
            return Ok(()); // The last entry has the same path.
        }
        for (above, name) in names(path).enumerate().take(depth - 1).skip(shared) {
            self.add(above + 1, &missing(name), volume_number)?;
        }
        self.add(depth, &record, volume_number)?;
        self.path.clear();
        self.path.extend_from_slice(path);
        Ok(())
    }

    /// Begins a root. Its record may be missing.
    fn begin(
        &mut self,
        root: u16,
        record: Option<Record<'_>>,
        volume_number: u16,
    ) -> io::Result<()> {
        let Some(name) = self.roots.get(usize::from(root)).cloned() else {
            return Err(no_directory());
        };
        let record = record.unwrap_or_else(|| missing(&name));
        if !record.is_dir() {
            return Err(no_directory());
        }
        self.add(0, &Record { name: &name, ..record }, volume_number)?;
        self.root = Some(root);
        self.path.clear();
        Ok(())
    }

    /// Adds a record at a depth; the depth of a root is 0.
    fn add(&mut self, depth: usize, record: &Record<'_>, volume_number: u16) -> io::Result<()> {
        while self.open.len() > depth + 1 {
            self.close()?;
        }
        let is_below = self.open.len() == depth + 1;
        let above = self.open.last_mut().filter(|_| is_below).ok_or_else(no_directory)?;
        let parent = above.id;
        let record_at = above.block.len() as u32;
        let dir_id = if record.is_dir() { self.next_id } else { NO_DIR };
        above.block.push(&Record { dir_id, ..*record });
        if above.block.size() > BLOCK {
            above.spill(&self.scratch)?;
        }
        if record.is_dir() {
            self.open.push(OpenDir::new(self.next_id, parent, record_at, volume_number));
            self.next_id += 1;
        }
        Ok(())
    }

    /// Writes the block of the innermost directory.
    fn close(&mut self) -> io::Result<()> {
        let Some(mut dir) = self.open.pop() else { return Ok(()) };
        dir.indexed.count = dir.block.len() as u32;
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
        self.out.add(dir.id, IndexedDir { len, checksum: sum.digest(), ..dir.indexed });
        Ok(())
    }

    /// Writes the remaining blocks, the index and the header, and returns the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<File> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.out.finish(&self.volumes, b"", false)
    }
}

impl OpenDir {
    fn new(id: DirId, parent: DirId, record_at: u32, volume_number: u16) -> OpenDir {
        let listing = ListingInfo { volume_number, may_be_recalled: true, fingerprint: 0 };
        let indexed = IndexedDir { listing, parent, record_at, ..IndexedDir::default() };
        OpenDir { id, indexed, block: BlockBuilder::default(), spilled: None }
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

fn is_nul(byte: &u8) -> bool {
    *byte == NUL
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(is_nul).filter(|name| !name.is_empty())
}

/// The record of a directory that was not added.
fn missing(name: &[u8]) -> Record<'_> {
    let attrs = Attrs { mode: FileType::Directory.mode_bits(), ..Attrs::default() };
    Record { name, attrs, flags: Flags::default(), target_or_digest: &[], dir_id: NO_DIR }
}

#[cold]
fn no_directory() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "entries below what is not a directory")
}
