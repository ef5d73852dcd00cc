//! Writing states: [`StateFile`] is a file that is being written. [`NextState`] is the state after
//! a rescan: it copies the blocks that did not change from the old state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::sync::Arc;

use brisk_sys::whole;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{Block, NewBlock};
use super::index::{
    Checkpoint, DIR, HEADER, Header, IndexedDir, IndexedVolume, ListingInfo, NO_VOLUME, VOLUME,
};
use super::record::{DirId, TOP};
use super::state::State;

/// The size of the buffers for writing and reading, in bytes. A larger piece bypasses the buffer.
pub(super) const BUFFER: usize = 64 << 10;

/// What a rescan has learned about a directory.
#[derive(Debug, Default)]
pub(crate) struct NextDir {
    /// The new block; `None` if the block in the old state still holds.
    pub block: Option<NewBlock>,
    /// How the directory was read, if the rescan read it.
    pub listing: Option<ListingInfo>,
}

/// The state after a rescan: what the rescan has learned, and the unchanged rest of the old state.
#[derive(Debug)]
pub(crate) struct NextState {
    pub old: Option<Arc<State>>,
    /// What was learned about directories, by id. All others are as in the old state.
    pub dirs: BTreeMap<DirId, NextDir>,
    pub volumes: Vec<IndexedVolume>,
    /// What the state says of how it was made, and whether it holds names alone.
    pub made_with: Vec<u8>,
    pub names_only: bool,
}

impl NextState {
    fn new_block(&self, id: DirId) -> Option<&NewBlock> {
        self.dirs.get(&id)?.block.as_ref()
    }

    pub fn block(&self, id: DirId) -> Block<'_> {
        match self.new_block(id) {
            Some(NewBlock { bytes, count }) => Block::new(bytes, *count),
            None => self.old.as_ref().map_or_else(Block::default, |old| old.block(id)),
        }
    }

    fn old_dir(&self, id: DirId) -> Option<IndexedDir> {
        self.old.as_ref()?.index.dir(id)
    }

    /// Whether a directory differs from the old state.
    pub fn has_changed_dirs(&self) -> bool {
        self.dirs.iter().any(|(id, dir)| {
            let old = self.old_dir(*id).map(|old| old.listing);
            dir.block.is_some() || dir.listing.is_some_and(|listing| old != Some(listing))
        })
    }

    /// Whether the next rescan could just as well search from the checkpoints in the old state.
    pub fn has_same_checkpoints(&self) -> bool {
        let old = self.old.as_ref().map_or(&[][..], |old| &old.index.volumes);
        let fixed = |volume: &IndexedVolume| volume.checkpoint.map(Checkpoint::without_next);
        // A file system that is new and on which nothing was read will not be in the state.
        old.iter().map(fixed).eq(self.volumes.iter().take(old.len()).map(fixed))
    }

    /// The directories, parents before children and siblings sorted by name. The offset and the
    /// checksum of each are still those of the old state.
    pub fn directories(&self) -> impl Iterator<Item = (DirId, IndexedDir)> {
        let known = self.old.as_ref().map_or(0, |old| old.index.len());
        let new = self.dirs.last_key_value().map_or(0, |(last, _)| *last as usize + 1);
        // In a damaged state, directories may form a cycle.
        let mut is_met = vec![false; known.max(new)];
        let mut pending = vec![(TOP, TOP, 0)];
        std::iter::from_fn(move || {
            loop {
                let (id, parent, record_at) = pending.pop()?;
                match is_met.get_mut(id as usize) {
                    Some(is_met) if !*is_met => *is_met = true,
                    _ => continue,
                }
                let first = pending.len();
                let subdirs = self.block(id).subdirs();
                pending.extend(subdirs.map(|(at, child)| (child, id, at)));
                pending[first..].reverse();
                return Some((id, IndexedDir { parent, record_at, ..self.next_dir(id) }));
            }
        })
    }

    fn next_dir(&self, id: DirId) -> IndexedDir {
        let mut dir = self.old_dir(id).unwrap_or_default();
        let Some(next) = self.dirs.get(&id) else { return dir };
        if let Some(NewBlock { bytes, count }) = &next.block {
            dir.count = *count as u32;
            dir.len = bytes.len() as u32;
        }
        dir.listing = next.listing.unwrap_or(dir.listing);
        dir
    }

    /// The file systems of these directories, which get consecutive numbers. A file system that is
    /// mounted again may count as another one, so a state that kept them all would only grow.
    fn renumber(&self, directories: &mut [(DirId, IndexedDir)]) -> Vec<IndexedVolume> {
        let of = |(_, dir): &(DirId, IndexedDir)| dir.listing.volume_number;
        let used = BTreeSet::from_iter(directories.iter().filter(|(id, _)| *id != TOP).map(of));
        let (numbers, volumes): (Vec<u16>, Vec<_>) = used
            .into_iter()
            .filter_map(|at| Some((at, *self.volumes.get(usize::from(at))?)))
            .unzip();
        for (_, dir) in directories {
            let number = numbers.binary_search(&dir.listing.volume_number);
            dir.listing.volume_number = number.map_or(NO_VOLUME, |number| number as u16);
        }
        volumes
    }

    /// Writes the state to an empty file. Blocks adjacent in the old file are copied at once.
    pub fn write_into(&self, file: &File) -> io::Result<()> {
        let mut directories = Vec::from_iter(self.directories());
        let volumes = self.renumber(&mut directories);
        let blocks: u64 = directories.iter().map(|(_, dir)| u64::from(dir.len)).sum();
        let last = directories.iter().map(|(id, _)| *id as usize).max();
        let index =
            last.map_or(0, |last| last + 1) * DIR + volumes.len() * VOLUME + self.made_with.len();
        whole::reserve(file, blocks + (HEADER + index) as u64);
        let mut out = StateFile::new(file)?;
        let mut run = 0..0;
        let old = |run| self.old.as_ref().map_or(&[][..], |old| old.bytes(run));
        for (id, mut dir) in directories {
            match self.new_block(id) {
                Some(NewBlock { bytes, .. }) => {
                    out.write_all(old(std::mem::take(&mut run)))?;
                    out.write_all(bytes)?;
                    dir.checksum = xxh3_64(bytes);
                }
                None if dir.offset == run.end => run.end = dir.end(),
                None => out.write_all(old(std::mem::replace(&mut run, dir.offset..dir.end())))?,
            }
            out.add(id, dir);
        }
        out.write_all(old(run))?;
        out.finish(&volumes, &self.made_with, self.names_only).map(drop)
    }
}

/// A state file that is being written: first the blocks, then the index, and last the header.
pub(crate) struct StateFile<F: Write> {
    out: BufWriter<F>,
    /// The offset of the next block.
    offset: u64,
    /// The directories of the index, encoded.
    index: Vec<u8>,
}

impl<F: Write + Seek> StateFile<F> {
    pub fn new(file: F) -> io::Result<StateFile<F>> {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&[0; HEADER])?;
        Ok(StateFile { out, offset: HEADER as u64, index: Vec::new() })
    }

    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Adds a directory to the index. The directory's block is the next one in the file.
    pub fn add(&mut self, id: DirId, dir: IndexedDir) {
        let offset = id as usize * DIR;
        self.index.resize(self.index.len().max(offset + DIR), 0);
        self.index[offset..offset + DIR]
            .copy_from_slice(&IndexedDir { offset: self.offset, ..dir }.to_bytes());
        self.offset += u64::from(dir.len);
    }

    /// Writes the index and the header, and returns the file.
    pub fn finish(
        mut self,
        volumes: &[IndexedVolume],
        made_with: &[u8],
        names_only: bool,
    ) -> io::Result<F> {
        let dirs = self.index.len() / DIR;
        volumes.iter().for_each(|volume| self.index.extend(volume.to_bytes()));
        self.index.extend_from_slice(made_with);
        self.out.write_all(&self.index)?;
        self.out.rewind()?;
        let header = Header::of(dirs, self.offset, &self.index, made_with.len(), names_only);
        self.out.write_all(&header.to_bytes())?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}
