//! [`Sorting`]: makes a state from entries that come in any order, by an external merge sort. An
//! entry becomes a row of bytes. Whenever 12 MiB of rows are in memory, they are sorted, and
//! written to a temporary file as a run. At the end, the runs are merged:
//!
//! ```text
//!   push ► rows in memory ► sorted ► a run in a file without a name ┐
//!                                    a run                          ├► merged ► Tree ► Writer
//!                                    a run                          ┘
//!
//!   row   0   length of what follows        u32      10  flags                     u16
//!         4   length of the key             u32      12  the stamp, as in a record
//!         8   volume                        u16      76  the key; the target or the digest
//! ```
//!
//! A key is the number of the root in big-endian order, followed by the path with NUL between its
//! names. So the order of the keys' bytes is the order of a depth-first walk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use brisk::FileType;
use brisk_sys::volume::Volume;
use brisk_sys::whole;

use super::record::{Flags, NO_BLOCK, Record, STAMP, Stamp, u16_at, u32_at};
use super::writer::{Known, Writer};

/// How many bytes of rows are held in memory: those of 60,000 to 100,000 entries.
const MEMORY: usize = 12 << 20;
/// How many bytes of a run are read at a time: 64 KiB for each of the 160 runs of ten million rows.
const PIECE: usize = 64 << 10;
/// How many bytes are written at a time: enough that the cost of the calls does not matter.
const BUFFER: usize = 256 << 10;

/// The offsets in a row, in bytes: the end of the first number, the stamp, and the key.
const LENGTH: usize = 4;
const NUMBERS: usize = 12;
const HEAD: usize = NUMBERS + STAMP;

/// The separator of the names of a path in a key.
const NUL: u8 = 0;

/// Makes a state from entries that come in any order. It holds up to 12 MiB of entries in memory,
/// beside what [`Writer`] holds, and the others in an unnamed file.
pub struct Sorting {
    scratch: PathBuf,
    writer: Writer,
    roots: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    rows: Vec<Range<usize>>,
    runs: Option<Runs>,
}

impl Sorting {
    /// Begins a state with these roots, given by their absolute paths. The state and the temporary
    /// files are unnamed files on the file system of `scratch`. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or there are too many roots.
    pub fn new(scratch: &Path, roots: Vec<Vec<u8>>) -> io::Result<Sorting> {
        if roots.len() > usize::from(u16::MAX) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many roots"));
        }
        let writer = Writer::new(whole::create_unnamed(scratch)?, scratch)?;
        let scratch = scratch.to_owned();
        Ok(Sorting { scratch, writer, roots, bytes: Vec::new(), rows: Vec::new(), runs: None })
    }

    /// Adds a file system. See [`Writer::add_volume`].
    pub fn add_volume(&mut self, volume: Volume) -> u16 {
        self.writer.add_volume(volume)
    }

    /// Adds an entry, given by the number of its root and its path below the root, which is empty
    /// for the root itself. If several entries have the same path, the first one counts. A
    /// directory that is not added, but has entries below it, gets a record too, but is not a
    /// result.
    ///
    /// # Errors
    /// A temporary file cannot be written. [`InvalidData`](io::ErrorKind::InvalidData): no file can
    /// have this path.
    pub fn push(&mut self, root: u16, path: &[u8], known: &Known<'_>) -> io::Result<()> {
        let mut names = path.split(|byte| *byte == b'/');
        let is_name = |name: &[u8]| !name.is_empty() && name.len() <= usize::from(u16::MAX);
        if !path.is_empty() && !names.all(is_name) || path.contains(&NUL) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a path that no file can have"));
        }
        let start = self.bytes.len();
        append(root, path, known, &mut self.bytes);
        self.rows.push(start..self.bytes.len());
        if self.bytes.len() > MEMORY { self.spill() } else { Ok(()) }
    }

    /// Sorts the rows in memory. Rows with the same key keep their order.
    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.rows.sort_by(|a, b| key(&bytes[a.clone()]).cmp(key(&bytes[b.clone()])));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let runs = match &mut self.runs {
            Some(runs) => runs,
            None => {
                let file = whole::create_unnamed(&self.scratch)?;
                self.runs.insert(Runs { file, places: Vec::new() })
            }
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
    /// below one that is not a directory.
    pub fn finish(mut self) -> io::Result<File> {
        if self.runs.is_some() {
            self.spill()?;
        } else {
            self.sort();
        }
        let Sorting { writer, roots, bytes, rows, runs, .. } = self;
        let mut tree = Tree { writer, roots, root: None, path: Vec::new(), is_dir: true };
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

/// Appends the row of an entry to `out`.
fn append(root: u16, path: &[u8], known: &Known<'_>, out: &mut Vec<u8>) {
    let Record { stamp, flags, more, .. } = known.record();
    let length = 2 + path.len();
    out.extend(((HEAD - LENGTH + length + more.len()) as u32).to_le_bytes());
    out.extend((length as u32).to_le_bytes());
    out.extend(known.volume().to_le_bytes());
    out.extend(flags.0.to_le_bytes());
    stamp.append(out);
    out.extend(root.to_be_bytes());
    out.extend(path.iter().map(|byte| if *byte == b'/' { NUL } else { *byte }));
    out.extend_from_slice(more);
}

fn key(row: &[u8]) -> &[u8] {
    row.get(HEAD..).and_then(|rest| rest.get(..u32_at(row, 4) as usize)).unwrap_or_default()
}

/// An entry: the number of its root, its path with NUL between the names, and the number of its
/// file system. The name in `record` is the last one of the path.
struct Row<'a> {
    root: u16,
    path: &'a [u8],
    volume: u16,
    record: Record<'a>,
}

impl<'a> Row<'a> {
    /// The row in the bytes that [`append`] wrote.
    fn of(bytes: &'a [u8]) -> Row<'a> {
        let key = key(bytes);
        let (root, path) = key.split_first_chunk().unwrap_or((&[0; 2], &[]));
        let stamp = bytes.get(NUMBERS..).and_then(<[u8]>::first_chunk);
        let record = Record {
            name: path.rsplit(is_nul).next().unwrap_or_default(),
            stamp: stamp.map(Stamp::of_bytes).unwrap_or_default(),
            flags: Flags(u16_at(bytes, 10)),
            more: bytes.get(HEAD + key.len()..).unwrap_or_default(),
            block: NO_BLOCK,
        };
        Row { root: u16::from_be_bytes(*root), path, volume: u16_at(bytes, 8), record }
    }
}

fn is_nul(byte: &u8) -> bool {
    *byte == NUL
}

/// Sorted runs of rows, all in one file.
struct Runs {
    file: File,
    /// The range of each run in the file.
    places: Vec<Range<u64>>,
}

impl Runs {
    fn write<'a>(&mut self, rows: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
        let start = self.places.last().map_or(0, |place| place.end);
        let mut end = start;
        let mut out = BufWriter::with_capacity(BUFFER, &self.file);
        for row in rows {
            out.write_all(row)?;
            end += row.len() as u64;
        }
        out.flush()?;
        self.places.push(start..end);
        Ok(())
    }

    /// Passes the rows of all runs to `each`, in order; with the same key, in order of runs.
    fn merge(self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let run = |place: &Range<u64>| {
            BufReader::with_capacity(PIECE, Run { file: &self.file, rest: place.clone() })
        };
        let mut runs: Vec<_> = self.places.iter().map(run).collect();
        // For each run: the key of the next row, the number of the run, and the row.
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            let mut row = Vec::new();
            if next_row(run, &mut row)? {
                heads.push(Reverse((key(&row).to_vec(), number, row)));
            }
        }
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((own, number, row)) = &mut *head;
            each(row)?;
            if next_row(&mut runs[*number], row)? {
                own.clear();
                own.extend_from_slice(key(row));
            } else {
                PeekMut::pop(head);
            }
        }
        Ok(())
    }
}

/// A run that is being read. `rest` is the range that has not been read yet.
struct Run<'f> {
    file: &'f File,
    rest: Range<u64>,
}

impl Read for Run<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.rest.start))?;
        let count = self.file.take(self.rest.end - self.rest.start).read(bytes)?;
        self.rest.start += count as u64;
        Ok(count)
    }
}

/// Reads the next row of a run; returns `false` if there is none.
fn next_row(run: &mut BufReader<Run<'_>>, row: &mut Vec<u8>) -> io::Result<bool> {
    if run.fill_buf()?.is_empty() {
        return Ok(false);
    }
    row.resize(LENGTH, 0);
    run.read_exact(row)?;
    row.resize(LENGTH + u32_at(row, 0) as usize, 0);
    run.read_exact(&mut row[LENGTH..])?;
    Ok(true)
}

/// Passes sorted rows to the writer, and adds the directories that are missing above them.
struct Tree {
    writer: Writer,
    roots: Vec<Vec<u8>>,
    /// The root of the last entry, and the entry's path, with NUL between its names.
    root: Option<u16>,
    path: Vec<u8>,
    /// Whether the last entry is a directory.
    is_dir: bool,
}

impl Tree {
    fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        if self.root != Some(row.root) {
            self.begin(row)?;
        }
        let shared = names(&self.path).zip(names(row.path)).take_while(|(a, b)| a == b).count();
        let depth = names(row.path).count();
        if depth == shared {
            return Ok(()); // The last entry has the same path.
        }
        if !self.is_dir && shared == names(&self.path).count() {
            return Err(no_directory());
        }
        for (above, name) in names(row.path).enumerate().take(depth - 1).skip(shared) {
            self.writer.add(above + 1, &missing(name), row.volume)?;
        }
        self.writer.add(depth, &row.record, row.volume)?;
        self.path.clear();
        self.path.extend_from_slice(row.path);
        self.is_dir = row.record.is_dir();
        Ok(())
    }

    /// Begins a root with its first row.
    fn begin(&mut self, row: &Row<'_>) -> io::Result<()> {
        let Some(name) = self.roots.get(usize::from(row.root)) else { return Err(no_directory()) };
        let record = if row.path.is_empty() { row.record } else { missing(name) };
        if !record.is_dir() {
            return Err(no_directory());
        }
        self.writer.add(0, &Record { name, ..record }, row.volume)?;
        self.root = Some(row.root);
        self.path.clear();
        self.is_dir = true;
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use brisk::Timestamp;

    use super::*;

    #[test]
    fn what_is_appended_is_read() {
        let time = |secs| Timestamp { secs, nanos: 9 };
        let known = Known {
            file_type: FileType::Symlink,
            ino: u64::MAX,
            size: 1 << 40,
            mode: 0o4755,
            mtime: time(-1),
            ctime: time(2),
            btime: time(3),
            uid: 1,
            gid: 2,
            digest: Some([7; 32]),
            volume: Some(3),
            ..Known::default()
        };
        for known in [known, Known { digest: None, ..known }] {
            let mut bytes = Vec::new();
            append(0x1234, b"a/b", &known, &mut bytes);
            let row = Row::of(&bytes);
            assert_eq!((row.root, row.path, row.volume), (0x1234, &b"a\0b"[..], 3));
            let record = Record { name: b"b", ..known.record() };
            assert_eq!(format!("{:?}", row.record), format!("{record:?}"));
            assert_eq!(u32_at(&bytes, 0) as usize + LENGTH, bytes.len());
        }
    }

    #[test]
    fn keys_are_in_the_order_of_a_walk() {
        let key_of = |root, path: &str| {
            let mut bytes = Vec::new();
            append(root, path.as_bytes(), &Known::default(), &mut bytes);
            key(&bytes).to_vec()
        };
        let walk = [(1, ""), (1, "a"), (1, "a/b"), (1, "a\u{1}"), (1, "a-"), (2, "a"), (256, "")];
        assert!(walk.map(|(root, path)| key_of(root, path)).is_sorted());
    }
}
