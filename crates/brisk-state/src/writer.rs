//! [`Writer`]: makes a state from entries that do not come from a rescan.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use brisk::{FileType, Timestamp};
use xxhash_rust::xxh3::xxh3_64;

use crate::record::{BlockBuilder, Flags, NO_BLOCK, Record, Stamp};
use crate::save;
use crate::state::{DirEntry, ENTRY, HEADER, TOP};

/// Writes as large as this are worth their call.
const BUFFER: usize = 1 << 20;

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
    /// Where a link points.
    pub target: &'a [u8],
    /// The BLAKE3 digest of a file's contents.
    pub digest: Option<[u8; 32]>,
}

/// Writes a state. Entries come in the order of a depth-first walk, the names in a directory in the
/// order of their bytes. In memory are the directories above the last entry, and 48 bytes for each
/// other one.
pub struct Writer {
    out: BufWriter<File>,
    /// Where the next block begins.
    at: u64,
    index: Vec<DirEntry>,
    /// The directories above the next entry, with their numbers. The first has the roots.
    open: Vec<(u32, BlockBuilder)>,
}

impl Writer {
    /// Creates the file, which only this user can read. System calls: open.
    ///
    /// # Errors
    /// The file cannot be created, or there is one.
    pub fn create(file: &Path) -> io::Result<Writer> {
        let file = brisk_sys::whole::create_private(file)?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&[0; HEADER])?;
        let top = DirEntry { is_there: true, is_whole: true, ..DirEntry::default() };
        let open = vec![(TOP, BlockBuilder::default())];
        Ok(Writer { out, at: HEADER as u64, index: vec![top], open })
    }

    /// Adds an entry at a depth; the depth of a root is 0.
    ///
    /// # Errors
    /// The file cannot be written, or no directory is above this entry.
    pub fn push(&mut self, depth: usize, known: &Known<'_>) -> io::Result<()> {
        while self.open.len() > depth + 1 {
            self.close()?;
        }
        let number = self.index.len() as u32;
        let is_below = self.open.len() == depth + 1;
        let above = self.open.last_mut().filter(|_| is_below);
        let Some((parent, block)) = above else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an entry without a parent"));
        };
        let (parent, place) = (*parent, block.len() as u32);
        block.push(&record(known, number));
        if known.file_type.is_dir() {
            let is = DirEntry { is_there: true, is_whole: true, ..DirEntry::default() };
            self.index.push(DirEntry { parent, place, ..is });
            self.open.push((number, BlockBuilder::default()));
        }
        Ok(())
    }

    /// Writes the block of the innermost directory.
    fn close(&mut self) -> io::Result<()> {
        let Some((number, block)) = self.open.pop() else { return Ok(()) };
        let (bytes, count) = block.finish();
        let dir = &mut self.index[number as usize];
        let len = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        (dir.at, dir.len, dir.count) = (self.at, len, count as u32);
        dir.checksum = xxh3_64(&bytes);
        self.at += bytes.len() as u64;
        self.out.write_all(&bytes)
    }

    /// Writes the rest. Before that the file is no state.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        while !self.open.is_empty() {
            self.close()?;
        }
        let mut tail = Vec::with_capacity(self.index.len() * ENTRY);
        self.index.iter().for_each(|dir| tail.extend(dir.to_bytes()));
        self.out.write_all(&tail)?;
        self.out.rewind()?;
        self.out.write_all(&save::header(self.index.len() as u32, self.at, &tail))?;
        self.out.flush()
    }
}

fn record<'a>(known: &'a Known<'_>, number: u32) -> Record<'a> {
    let stamp = Stamp {
        ino: known.ino,
        size: known.size,
        mtime: known.mtime,
        ctime: known.ctime,
        btime: Timestamp::default(),
        mode: known.mode & 0o7777 | known.file_type.mode_bits(),
        uid: known.uid,
        gid: known.gid,
    };
    let flags = Flags::LISTED.with(Flags::DIGEST, known.digest.is_some());
    let more = known.digest.as_ref().map_or(known.target, |digest| &digest[..]);
    let is_dir = known.file_type.is_dir();
    let (more, block) = if is_dir { (&b""[..], number) } else { (more, NO_BLOCK) };
    Record { name: known.name, stamp, flags, more, block }
}
