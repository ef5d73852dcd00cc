//! [`Sorting`]: makes a state of entries that come in any order. Rows are sorted in memory, in runs
//! that go to a temporary file, and the runs are merged:
//!
//! ```text
//!   push ► rows in memory ► sorted ► a run in a file without a name ┐
//!                                    a run                          ├► merged ► Tree ► Writer
//!                                    a run                          ┘
//! ```

mod row;
mod runs;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use brisk::FileType;
use brisk_sys::slashed::{below, components};
use brisk_sys::volume::Volume;
use brisk_sys::whole;

use crate::record::{Flags, NO_BLOCK, Record, Stamp};
use crate::{Known, Writer};
use row::{Row, order};
use runs::Runs;

/// The bytes of rows that are in memory: those of 60,000 to 100,000 entries.
const MEMORY: usize = 12 << 20;

/// Makes a state of entries that come in any order. In memory are 12 MiB of entries and what
/// [`Writer`] has; what is more goes to a file without a name.
pub struct Sorting {
    scratch: PathBuf,
    writer: Writer,
    roots: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    rows: Vec<Range<usize>>,
    runs: Option<Runs>,
}

impl Sorting {
    /// Begins a state with these roots, by their absolute paths. Temporary files, and the state
    /// itself, are without names on the file system of `scratch`. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or there are too many roots.
    pub fn new(scratch: &Path, roots: Vec<Vec<u8>>) -> io::Result<Sorting> {
        if roots.len() > usize::from(u16::MAX) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many roots"));
        }
        let (scratch, writer) = (scratch.to_owned(), Writer::unnamed(scratch)?);
        Ok(Sorting { scratch, writer, roots, bytes: Vec::new(), rows: Vec::new(), runs: None })
    }

    /// Adds a file system. See [`Writer::add_volume`].
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.writer.add_volume(volume)
    }

    /// Adds an entry: the number of its root, and its path below the root, which is empty for the
    /// root itself. Of entries at one path the first one counts. Directories that are missing above
    /// an entry are no results.
    ///
    /// # Errors
    /// A temporary file cannot be written. [`InvalidData`](io::ErrorKind::InvalidData): the path is
    /// none that a file can have.
    pub fn push(&mut self, root: u16, path: &[u8], known: &Known<'_>) -> io::Result<()> {
        let names = path.split(|byte| *byte == b'/');
        let is_name = |name: &[u8]| !name.is_empty() && name.len() <= usize::from(u16::MAX);
        if !path.is_empty() && !names.clone().all(is_name) || path.contains(&0) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a path that no file can have"));
        }
        let start = self.bytes.len();
        let (volume, record) = (known.volume(), known.record());
        Row { root, path, volume, record }.append(&mut self.bytes);
        self.rows.push(start..self.bytes.len());
        if self.bytes.len() > MEMORY { self.spill() } else { Ok(()) }
    }

    /// Sorts what is in memory. A row that comes first stays before its equals.
    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.rows.sort_by(|a, b| order(&bytes[a.clone()], &bytes[b.clone()]));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let runs = match &mut self.runs {
            Some(runs) => runs,
            None => self.runs.insert(Runs::new(whole::create_unnamed(&self.scratch)?)),
        };
        let bytes = &self.bytes;
        runs.write(self.rows.iter().map(|row| &bytes[row.clone()]))?;
        self.rows.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Writes the state, and returns its file.
    ///
    /// # Errors
    /// A file cannot be written or read. [`InvalidData`](io::ErrorKind::InvalidData): an entry is
    /// below one that is no directory.
    pub fn finish(mut self) -> io::Result<File> {
        if self.runs.is_some() {
            self.spill()?;
        } else {
            self.sort();
        }
        let Sorting { writer, roots, bytes, rows, runs, .. } = self;
        let mut tree = Tree { writer, roots, root: None, path: Vec::new(), last: None };
        match runs {
            None => rows.into_iter().try_for_each(|row| tree.add(&Row::of(&bytes[row])))?,
            Some(runs) => {
                drop((bytes, rows));
                runs.merge(|row| tree.add(&Row::of(row)))?;
            }
        }
        tree.writer.finish()
    }
}

/// Entries in order, as a tree: adds the directories that are missing above them.
struct Tree {
    writer: Writer,
    roots: Vec<Vec<u8>>,
    /// The root that has the last entry.
    root: Option<u16>,
    /// The path of the innermost directory that may have the next entry.
    path: Vec<u8>,
    /// The path of the last entry, and whether that is a directory.
    last: Option<(Vec<u8>, bool)>,
}

impl Tree {
    fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        if self.root != Some(row.root) {
            self.begin(row)?;
        }
        let (mut last, was_dir) = self.last.take().unwrap_or_default();
        let is_dir = row.record.is_dir();
        match row.path.strip_prefix(&last[..]) {
            Some([]) if !last.is_empty() => {
                self.last = Some((last, was_dir));
                return Ok(());
            }
            Some([b'/', ..]) if !last.is_empty() && !was_dir => return Err(no_directory()),
            _ => {}
        }
        if !row.path.is_empty() {
            self.put(row)?;
        }
        last.clear();
        last.extend_from_slice(row.path);
        self.last = Some((last, is_dir));
        Ok(())
    }

    /// Begins a root, of which this is the first entry.
    fn begin(&mut self, row: &Row<'_>) -> io::Result<()> {
        let Some(name) = self.roots.get(usize::from(row.root)) else { return Err(no_directory()) };
        let record = if row.path.is_empty() { row.record } else { missing(name) };
        if !record.is_dir() {
            return Err(no_directory());
        }
        self.writer.add(0, &Record { name, ..record }, row.volume)?;
        self.root = Some(row.root);
        self.path.clear();
        self.last = None;
        Ok(())
    }

    fn put(&mut self, row: &Row<'_>) -> io::Result<()> {
        let cut = row.path.iter().rposition(|byte| *byte == b'/');
        let above = &row.path[..cut.unwrap_or(0)];
        while !self.path.is_empty() && below(above, &self.path).is_none() {
            let cut = self.path.iter().rposition(|byte| *byte == b'/');
            self.path.truncate(cut.unwrap_or(0));
        }
        let mut depth = 1 + components(&self.path).count();
        let rest = above.get(self.path.len()..).unwrap_or_default();
        for name in components(rest) {
            self.writer.add(depth, &missing(name), row.volume)?;
            depth += 1;
        }
        self.writer.add(depth, &row.record, row.volume)?;
        self.path.clear();
        self.path.extend_from_slice(if row.record.is_dir() { row.path } else { above });
        Ok(())
    }
}

/// A directory that has no row of its own.
fn missing(name: &[u8]) -> Record<'_> {
    let stamp = Stamp { mode: FileType::Directory.mode_bits(), ..Stamp::default() };
    Record { name, stamp, flags: Flags::default(), more: &[], block: NO_BLOCK }
}

#[cold]
fn no_directory() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "entries below what is no directory")
}
