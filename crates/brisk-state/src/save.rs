//! The next state, laid out and written.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use brisk_sys::output::Output;
use xxhash_rust::xxh3::xxh3_64;

use crate::found::{DirInfo, Key};
use crate::record::{Block, NO_BLOCK};
use crate::state::{DirEntry, ENTRY, HEADER, MAGIC, State, TOP, VERSION};
use crate::volumes::{self, Remembered};

/// Writes as large as this are worth their call.
const BUFFER: usize = 1 << 20;

/// The blocks that differ from the state's, by the number of their directory.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub new: HashMap<Key, (Vec<u8>, usize)>,
    /// What is known of directories that were read.
    pub infos: HashMap<Key, DirInfo>,
}

/// The blocks of the next state: those that changed, and those of the state before.
#[derive(Debug)]
pub(crate) struct Next<'a> {
    state: Option<&'a State>,
    blocks: &'a Blocks,
    volumes: Vec<Remembered>,
}

impl<'a> Next<'a> {
    pub fn new(state: Option<&'a State>, blocks: &'a Blocks, volumes: Vec<Remembered>) -> Next<'a> {
        Next { state, blocks, volumes }
    }

    /// A directory's block: its bytes, and how many records it has.
    pub fn bytes(&self, number: u32) -> (&'a [u8], usize) {
        if let Some((bytes, count)) = self.blocks.new.get(&number) {
            return (bytes, *count);
        }
        let old = self.old(number);
        old.map_or((&[], 0), |(state, dir)| (state.block_bytes(dir), dir.count as usize))
    }

    pub fn block(&self, number: u32) -> Block<'a> {
        let (bytes, count) = self.bytes(number);
        Block::new(bytes, count)
    }

    /// The directories with where they are, parents before children and siblings by name.
    pub fn directories(&self) -> Vec<(u32, DirEntry)> {
        let mut found = Vec::new();
        let mut is_met = std::collections::HashSet::new();
        let top = DirEntry { is_there: true, parent: TOP, ..DirEntry::default() };
        let mut pending = vec![(TOP, top)];
        while let Some((number, above)) = pending.pop() {
            if !is_met.insert(number) {
                continue;
            }
            let (_, count) = self.bytes(number);
            found.push((number, self.entry(number, above, count as u32)));
            let below = pending.len();
            let block = self.block(number);
            for (place, child) in (0..).zip(block.children()) {
                if child != NO_BLOCK {
                    pending.push((child, DirEntry { parent: number, place, ..top }));
                }
            }
            pending[below..].reverse();
        }
        found
    }

    fn entry(&self, number: u32, above: DirEntry, count: u32) -> DirEntry {
        let old = self.state.and_then(|state| state.dir(number)).copied();
        let mut entry = DirEntry { count, ..above };
        if let Some(old) = old {
            (entry.rules, entry.volume, entry.is_whole) = (old.rules, old.volume, old.is_whole);
        }
        if let Some(info) = self.blocks.infos.get(&number) {
            (entry.rules, entry.volume, entry.is_whole) = (info.rules, info.volume, info.is_whole);
        }
        entry
    }

    /// Writes the state to a temporary beside the file, whose place the state takes when it is
    /// committed.
    pub fn prepare(&self, file: &Path) -> io::Result<Output> {
        let output = Output::private(file)?;
        self.write_into(output.file())?;
        Ok(output)
    }

    /// Writes the state to an empty file.
    pub fn write_into(&self, file: &File) -> io::Result<()> {
        let dirs = self.directories();
        let numbers = dirs.iter().map(|(number, _)| *number as usize + 1).max().unwrap_or(0);
        let mut index = vec![DirEntry::default(); numbers];
        let mut at = HEADER as u64;
        for (number, entry) in &dirs {
            let (bytes, _) = self.bytes(*number);
            let checksum = self.checksum(*number, bytes);
            index[*number as usize] = DirEntry { at, len: bytes.len() as u32, checksum, ..*entry };
            at += bytes.len() as u64;
        }
        let mut tail = Vec::with_capacity(numbers * ENTRY);
        index.iter().for_each(|entry| tail.extend(entry.to_bytes()));
        self.volumes.iter().for_each(|volume| tail.extend(volumes::to_bytes(volume)));

        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&header(numbers as u32, at, &tail))?;
        self.write_blocks(dirs.iter().map(|(number, _)| *number), &mut out)?;
        out.write_all(&tail)?;
        out.flush()
    }

    /// Writes the blocks in this order. Old blocks that follow one another in the old file too are
    /// written at once.
    fn write_blocks(
        &self,
        dirs: impl Iterator<Item = u32>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut run = 0..0;
        for number in dirs {
            match self.old(number) {
                Some((_, dir)) if dir.at == run.end => run.end += u64::from(dir.len),
                Some((_, dir)) => {
                    self.write_run(std::mem::replace(&mut run, dir.at..dir.end()), out)?;
                }
                None => {
                    self.write_run(std::mem::take(&mut run), out)?;
                    out.write_all(self.bytes(number).0)?;
                }
            }
        }
        self.write_run(run, out)
    }

    fn write_run(&self, run: Range<u64>, out: &mut impl Write) -> io::Result<()> {
        self.state.map_or(Ok(()), |state| out.write_all(state.bytes(run)))
    }

    /// The block of a directory in the state, if it is as it was.
    fn old(&self, number: u32) -> Option<(&'a State, &'a DirEntry)> {
        let state = self.state.filter(|_| !self.blocks.new.contains_key(&number))?;
        Some((state, state.dir(number)?))
    }

    /// The checksum of a block, which an old one has already.
    fn checksum(&self, number: u32, bytes: &[u8]) -> u64 {
        self.old(number).map_or_else(|| xxh3_64(bytes), |(_, old)| old.checksum)
    }
}

pub(crate) fn header(dirs: u32, index: u64, tail: &[u8]) -> [u8; HEADER] {
    let mut head = Vec::with_capacity(HEADER);
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend(dirs.to_le_bytes());
    let numbers = [index, tail.len() as u64, xxh3_64(tail), index + tail.len() as u64, 0];
    head.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    let checksum = xxh3_64(&head);
    head.extend(checksum.to_le_bytes());
    let mut bytes = [0; HEADER];
    bytes.copy_from_slice(&head);
    bytes
}
