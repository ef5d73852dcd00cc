//! [`NextState`]: the state after a rescan, laid out and written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use xxhash_rust::xxh3::xxh3_64;

use super::block::{Block, NewBlock};
use super::index::{DirEntry, Listing, VolumeRecord};
use super::record::{DirId, TOP};
use super::state::State;
use super::writer::StateFile;

/// What a rescan has learned about a directory.
#[derive(Debug, Default)]
pub(crate) struct NextDir {
    /// The block, if it is not that of the state.
    pub block: Option<NewBlock>,
    /// How the directory was listed, if it was.
    pub listing: Option<Listing>,
}

/// The state after a rescan: what the rescan has learned, and the rest of the state before.
#[derive(Debug)]
pub(crate) struct NextState<'a> {
    pub state: Option<&'a State>,
    /// By the numbers of the directories. The others are as before.
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

    /// The directories, parents before children and siblings by name. The places of their blocks, and
    /// the checksums, are still those in the state before.
    pub fn directories(&self) -> impl Iterator<Item = (DirId, DirEntry)> {
        let known = self.state.map_or(0, |state| state.index().len());
        let new = self.dirs.last_key_value().map_or(0, |(last, _)| *last as usize + 1);
        // A damaged state may lead in a circle.
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
        let mut entry = self.state.and_then(|state| state.dir(number)).unwrap_or_default();
        let Some(next) = self.dirs.get(&number) else { return entry };
        if let Some(NewBlock { bytes, count }) = &next.block {
            entry.count = *count as u32;
            entry.len = bytes.len() as u32;
        }
        entry.listing = next.listing.unwrap_or(entry.listing);
        entry
    }

    /// Writes the state to an empty file. Old blocks that follow one another in the old file too are
    /// written at once.
    pub fn write_into(&self, file: &File) -> io::Result<()> {
        let mut out = StateFile::new(file)?;
        let mut run = 0..0;
        let old = |run| self.state.map_or(&[][..], |state| state.bytes(run));
        for (number, mut entry) in self.directories() {
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
