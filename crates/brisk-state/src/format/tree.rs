//! [`Tree`]: makes a state from entries that come in the order of a depth-first walk, and adds the
//! directories that are missing above them.

use std::fs::File;
use std::io;
use std::path::Path;

use brisk::FileType;
use brisk_sys::volume::Volume;
use brisk_sys::whole;

use super::record::{Flags, NO_BLOCK, Record, Stamp};
use super::writer::{Known, Writer};

/// The separator of the names of a path: the order of such paths is the order of their bytes.
const NUL: u8 = 0;

/// Makes a state from entries in order. It holds in memory what [`Writer`] holds.
pub struct Tree {
    writer: Writer,
    roots: Vec<Vec<u8>>,
    /// The root of the last entry, and the entry's path.
    root: Option<u16>,
    path: Vec<u8>,
    /// Whether the last entry is a directory.
    is_dir: bool,
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
        let writer = Writer::new(whole::create_unnamed(scratch)?, scratch)?;
        Ok(Tree { writer, roots, root: None, path: Vec::new(), is_dir: true })
    }

    /// Adds a file system. See [`Writer::add_volume`].
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.writer.add_volume(volume)
    }

    /// Adds an entry, given by the number of its root and its path below the root, with NUL between
    /// the names, which is empty for the root itself. Entries come in the order of their roots, and
    /// then of the bytes of their paths. If several entries have the same path, the first one
    /// counts. A directory that is not added, but has entries below it, gets a record too, but is
    /// not a result.
    ///
    /// # Errors
    /// A file cannot be written. [`InvalidData`](io::ErrorKind::InvalidData): no file can have this
    /// path, or the entry is below one that is not a directory.
    pub fn push(&mut self, root: u16, path: &[u8], known: &Known<'_>) -> io::Result<()> {
        let is_name = |name: &[u8]| !name.is_empty() && name.len() <= usize::from(u16::MAX);
        if !path.is_empty() && !path.split(is_nul).all(is_name) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a path that no file can have"));
        }
        let name = path.rsplit(is_nul).next().unwrap_or_default();
        let record = Record { name, ..known.record() };
        let volume = known.volume();
        if self.root != Some(root) {
            self.begin(root, path.is_empty().then_some(record), volume)?;
        }
        let shared = names(&self.path).zip(names(path)).take_while(|(a, b)| a == b).count();
        let depth = names(path).count();
        if depth == shared {
            return Ok(()); // The last entry has the same path.
        }
        if !self.is_dir && shared == names(&self.path).count() {
            return Err(no_directory());
        }
        for (above, name) in names(path).enumerate().take(depth - 1).skip(shared) {
            self.writer.add(above + 1, &missing(name), volume)?;
        }
        self.writer.add(depth, &record, volume)?;
        self.path.clear();
        self.path.extend_from_slice(path);
        self.is_dir = record.is_dir();
        Ok(())
    }

    /// Begins a root. Its record may be missing.
    fn begin(&mut self, root: u16, record: Option<Record<'_>>, volume: u16) -> io::Result<()> {
        let Some(name) = self.roots.get(usize::from(root)) else { return Err(no_directory()) };
        let record = record.unwrap_or_else(|| missing(name));
        if !record.is_dir() {
            return Err(no_directory());
        }
        self.writer.add(0, &Record { name, ..record }, volume)?;
        self.root = Some(root);
        self.path.clear();
        self.is_dir = true;
        Ok(())
    }

    /// Writes the state, and returns its file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> io::Result<File> {
        self.writer.finish()
    }
}

fn is_nul(byte: &u8) -> bool {
    *byte == NUL
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(is_nul).filter(|name| !name.is_empty())
}

/// The record of a directory without a row.
fn missing(name: &[u8]) -> Record<'_> {
    let stamp = Stamp { mode: FileType::Directory.mode_bits(), ..Stamp::default() };
    Record { name, stamp, flags: Flags::default(), more: &[], block: NO_BLOCK }
}

#[cold]
fn no_directory() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "entries below what is no directory")
}
