//! [`Pieces`]: a state that is read piece by piece, in the order of the file where that is
//! possible. The file is not mapped, because mapped pages would count as memory of the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use brisk_sys::volume::Volume;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::Unusable;
use crate::record::{Block, RECORD, Record, move_places};
use crate::state::{DirEntry, ENTRY, HEADER, Head, TOP};
use crate::volumes::{self, VOLUME};

/// The bytes that are read at once where the last read was elsewhere, and at most, where one read
/// follows the other: a few blocks, and enough to make the number of calls unimportant.
const AHEAD: [usize; 2] = [16 << 10, 256 << 10];
/// The longest block, in bytes, that is read in one go. A longer one is read by pages.
const WHOLE: usize = 256 << 10;
/// The entries of an index that are read at once.
const AT_ONCE: usize = 4096;
/// The records of a page: about 100 KiB with their names.
const PAGE: usize = 1024;

/// A state, of which only the index is in memory: 48 bytes a directory.
#[derive(Debug)]
pub(crate) struct Pieces {
    window: Window,
    dirs: Vec<DirEntry>,
    volumes: Vec<Volume>,
    /// Whether the blocks that are read from here on were read, and checked, before.
    pub is_checked: bool,
}

impl Pieces {
    pub fn open(path: &Path) -> Result<Pieces, Unusable> {
        let file = brisk_sys::whole::open_regular(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unreadable(error),
        })?;
        Pieces::of(file)
    }

    /// The state in an open file.
    pub fn of(file: File) -> Result<Pieces, Unusable> {
        let length = file.metadata().map_err(Unusable::Unreadable)?.len();
        let mut window = Window { file, at: 0, bytes: Vec::new(), ahead: AHEAD[0] };
        let head = window.read(0, length.min(HEADER as u64) as usize)?;
        let head = Head::decode(head, length)?;
        let (dirs, volumes) = index(&mut window, &head)?;
        let is_inside = |dir: &DirEntry| dir.at.saturating_add(u64::from(dir.len)) <= head.index;
        let is_sound = dirs.iter().all(|dir| !dir.is_there || is_inside(dir));
        if !is_sound || dirs.first().is_none_or(|top| !top.is_there) {
            return Err(Unusable::Torn);
        }
        Ok(Pieces { window, dirs, volumes, is_checked: false })
    }

    pub fn dirs(&self) -> &[DirEntry] {
        &self.dirs
    }

    pub fn volumes(&self) -> &[Volume] {
        &self.volumes
    }

    pub fn dir(&self, number: u32) -> Option<&DirEntry> {
        self.dirs.get(number as usize).filter(|dir| dir.is_there)
    }

    /// The file system of a directory's entries.
    pub fn volume(&self, number: u32) -> Option<&Volume> {
        self.volumes.get(usize::from(self.dir(number)?.volume))
    }

    /// The records of the directory `number`, which is the record `place` of `parent`.
    pub fn enter(&mut self, number: u32, above: (u32, u32)) -> Result<Listing, Unusable> {
        let dir = *self.dir(number).ok_or(Unusable::Torn)?;
        // A directory is below one other, so that no way leads in a circle.
        if number != TOP && (dir.parent, dir.place) != above {
            return Err(Unusable::Torn);
        }
        self.listing(dir)
    }

    fn listing(&mut self, dir: DirEntry) -> Result<Listing, Unusable> {
        let mut listing = Listing { dir, first: 0, count: 0, page: Vec::new() };
        let length = dir.len as usize;
        if length > WHOLE {
            if !self.is_checked {
                self.check(&dir)?;
            }
            listing.turn(self, 0)?;
            return Ok(listing);
        }
        let bytes = self.window.read(dir.at, length)?;
        if xxh3_64(bytes) != dir.checksum || length < dir.count as usize * RECORD {
            return Err(Unusable::Torn);
        }
        listing.page.extend_from_slice(bytes);
        listing.count = dir.count as usize;
        Ok(listing)
    }

    /// Checks a block that does not fit into memory.
    fn check(&mut self, dir: &DirEntry) -> Result<(), Unusable> {
        let mut sum = Xxh3::new();
        let (mut at, end) = (dir.at, dir.at + u64::from(dir.len));
        while at < end {
            let length = (end - at).min(WHOLE as u64);
            sum.update(self.window.read(at, length as usize)?);
            at += length;
        }
        let is_long_enough = u64::from(dir.count) * RECORD as u64 <= u64::from(dir.len);
        if sum.digest() == dir.checksum && is_long_enough { Ok(()) } else { Err(Unusable::Torn) }
    }

    /// The page with the record `at` alone, for a caller that wants just this record.
    pub fn record(&mut self, number: u32, at: u32) -> Result<Listing, Unusable> {
        let dir = *self.dir(number).ok_or(Unusable::Torn)?;
        let mut listing = Listing { dir, first: 0, count: 0, page: Vec::new() };
        listing.load(self, at as usize, 1)?;
        Ok(listing)
    }

    /// The path of a record below its root, and the root's number in the state.
    pub fn path(&mut self, number: u32, at: u32) -> Result<(u32, Vec<u8>), Unusable> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let (mut number, mut at) = (number, at);
        while number != TOP {
            let page = self.record(number, at)?;
            names.push(page.get(at as usize).map_or(Vec::new(), |record| record.name.to_vec()));
            let dir = self.dir(number).ok_or(Unusable::Torn)?;
            (number, at) = (dir.parent, dir.place);
            if names.len() > self.dirs.len() {
                return Err(Unusable::Torn);
            }
        }
        names.reverse();
        Ok((at, names.join(&b'/')))
    }
}

/// The directories and the file systems. The index is read by pieces, so that it is in memory once.
fn index(window: &mut Window, head: &Head) -> Result<(Vec<DirEntry>, Vec<Volume>), Unusable> {
    let long = head.dirs as u64 * ENTRY as u64;
    if head.length < long {
        return Err(Unusable::Torn);
    }
    let mut sum = Xxh3::new();
    let mut dirs = Vec::with_capacity(head.dirs as usize);
    let mut found = Vec::new();
    let mut done = 0;
    while done < head.length {
        let (end, unit) = if done < long { (long, ENTRY) } else { (head.length, VOLUME) };
        let step = (unit * AT_ONCE) as u64;
        let bytes = window.read(head.index + done, (end - done).min(step) as usize)?;
        sum.update(bytes);
        if done < long {
            dirs.extend(bytes.as_chunks().0.iter().map(DirEntry::from_bytes));
        } else {
            found.extend(
                bytes.as_chunks().0.iter().map(volumes::from_bytes).map(|known| known.volume),
            );
        }
        done += bytes.len() as u64;
    }
    if sum.digest() == head.checksum { Ok((dirs, found)) } else { Err(Unusable::Torn) }
}

/// The part of the file that was read last.
#[derive(Debug)]
struct Window {
    file: File,
    at: u64,
    bytes: Vec<u8>,
    ahead: usize,
}

impl Window {
    fn read(&mut self, at: u64, length: usize) -> Result<&[u8], Unusable> {
        let end = self.at + self.bytes.len() as u64;
        if at < self.at || at + length as u64 > end {
            let follows = (self.at..=end).contains(&at);
            self.ahead = if follows { (self.ahead * 2).min(AHEAD[1]) } else { AHEAD[0] };
            self.fill(at, length.max(self.ahead)).map_err(Unusable::Unreadable)?;
        }
        let from = (at - self.at) as usize;
        self.bytes.get(from..from + length).ok_or(Unusable::Torn)
    }

    /// Appends bytes that are read once, past the window.
    fn append(&mut self, at: u64, length: usize, out: &mut Vec<u8>) -> Result<(), Unusable> {
        let old = out.len();
        out.resize(old + length, 0);
        let count = read(&mut self.file, at, &mut out[old..]).map_err(Unusable::Unreadable)?;
        if count == length { Ok(()) } else { Err(Unusable::Torn) }
    }

    fn fill(&mut self, at: u64, length: usize) -> io::Result<()> {
        self.at = at;
        self.bytes.resize(length, 0);
        let count = read(&mut self.file, at, &mut self.bytes)?;
        self.bytes.truncate(count);
        Ok(())
    }
}

/// Reads up to the end of the buffer or of the file.
fn read(file: &mut File, at: u64, mut bytes: &mut [u8]) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    let whole = bytes.len();
    while !bytes.is_empty() {
        match file.read(bytes) {
            Ok(0) => break,
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(whole - bytes.len())
}

/// The records of a directory: all of them, or a page.
#[derive(Debug)]
pub(crate) struct Listing {
    pub dir: DirEntry,
    /// The number of the first record of the page, and how many it has.
    first: usize,
    count: usize,
    page: Vec<u8>,
}

impl Listing {
    pub fn len(&self) -> usize {
        self.dir.count as usize
    }

    /// A record of the page.
    #[inline]
    pub fn get(&self, at: usize) -> Option<Record<'_>> {
        Block::new(&self.page, self.count).record(at.checked_sub(self.first)?)
    }

    /// How many records of the page, from `at` on, are the same as those of another page from
    /// `other_at` on, and are no directories.
    pub fn same(&self, at: usize, other: &Listing, other_at: usize) -> usize {
        let [a, b] = [self, other].map(|listing| Block::new(&listing.page, listing.count));
        let (at, other_at) = (at - self.first, other_at - other.first);
        (0..).take_while(|next| a.is_same_leaf(at + next, b, other_at + next)).count()
    }

    /// Makes the page one that has the record `at`.
    #[inline]
    pub fn turn(&mut self, pieces: &mut Pieces, at: usize) -> Result<(), Unusable> {
        let is_here = (self.first..self.first + self.count).contains(&at);
        if is_here || at >= self.len() { Ok(()) } else { self.load(pieces, at, PAGE) }
    }

    fn load(&mut self, pieces: &mut Pieces, first: usize, most: usize) -> Result<(), Unusable> {
        let count = self.len().saturating_sub(first).min(most);
        let at = self.dir.at + (first * RECORD) as u64;
        self.page.clear();
        pieces.window.append(at, count * RECORD, &mut self.page)?;
        let ranges = || Block::new(&self.page, count).places();
        let start = ranges().map(|(at, _)| at).min().unwrap_or(0);
        let end = ranges().map(|(at, length)| at.saturating_add(length)).max().unwrap_or(0);
        let heap = self.dir.at + (self.len() * RECORD) as u64 + u64::from(start);
        if heap + u64::from(end - start) > self.dir.at + u64::from(self.dir.len) {
            return Err(Unusable::Torn);
        }
        move_places(&mut self.page, start);
        pieces.window.append(heap, (end - start) as usize, &mut self.page)?;
        (self.first, self.count) = (first, count);
        Ok(())
    }
}
