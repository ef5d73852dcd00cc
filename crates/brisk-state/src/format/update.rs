//! Bringing a loaded state up to date in memory, at the cost of what changed: new blocks come
//! behind the file's bytes, and the old ones stay there unused.
//!
//! ```text
//!   the file   | header | block | block | block | index |
//!   added                                                | block | block |
//!                           ↑ no longer referred to          ↑ offsets go on
//! ```

use std::collections::{BTreeMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::block::NewBlock;
use super::index::{IndexedDir, IndexedVolume};
use super::record::DirId;
use super::state::State;
use super::writer::NextDir;

/// How many bytes may be added in any case before the state is worth writing anew.
const FEW: usize = 1 << 20;
/// And what part of the file.
const ONE_IN: usize = 4;

impl State {
    /// Makes this the next state: `dirs` and `volumes` are those of a
    /// [`NextState`](super::writer::NextState) that was made from it. Returns the ids of directories
    /// that are gone.
    pub(crate) fn update(
        &mut self,
        dirs: &BTreeMap<DirId, NextDir>,
        volumes: Vec<IndexedVolume>,
    ) -> Vec<DirId> {
        let changed = || dirs.iter().filter(|(_, dir)| dir.block.is_some()).map(|(id, _)| *id);
        let subdirs = |state: &State, id| state.block(id).subdirs().collect::<Vec<_>>();
        let mut gone: HashSet<_> =
            changed().flat_map(|id| subdirs(self, id)).map(|(_, child)| child).collect();
        dirs.iter().for_each(|(id, dir)| self.update_dir(*id, dir));
        for id in changed() {
            for (record_at, child) in subdirs(self, id) {
                gone.remove(&child);
                if let Some(dir) = self.index.dir(child) {
                    self.index.set(child, Some(IndexedDir { parent: id, record_at, ..dir }));
                }
            }
        }
        self.index.volumes = volumes;
        self.remove_dirs(Vec::from_iter(gone))
    }

    fn update_dir(&mut self, id: DirId, next: &NextDir) {
        let old = self.index.dir(id);
        let mut dir = old.unwrap_or_default();
        if let Some(NewBlock { bytes, count }) = &next.block {
            dir.offset = (self.bytes.len() + self.added.len()) as u64;
            dir.len = bytes.len() as u32;
            dir.count = *count as u32;
            dir.checksum = xxh3_64(bytes);
            self.added.extend_from_slice(bytes);
            let known = self.first_records.len().max(id as usize + 1);
            self.first_records.resize(known, 0);
            self.first_records[id as usize] = self.records;
            self.records += dir.count;
        } else if old.is_none() {
            return;
        }
        dir.listing = next.listing.unwrap_or(dir.listing);
        self.index.set(id, Some(dir));
    }

    /// Removes these directories, and all below them, from the index. Returns the ids.
    fn remove_dirs(&mut self, mut pending: Vec<DirId>) -> Vec<DirId> {
        let mut removed = Vec::new();
        while let Some(id) = pending.pop() {
            pending.extend(self.block(id).subdirs().map(|(_, child)| child));
            // In a damaged state, directories may form a cycle.
            if self.index.dir(id).is_some() {
                self.index.set(id, None);
                removed.push(id);
            }
        }
        removed
    }

    /// Gives the memory of the file's bytes back to the system until they are read again.
    pub(crate) fn give_back(&self) {
        self.bytes.give_back();
    }

    /// Whether so much was added that the state is worth writing anew.
    pub(crate) fn has_grown(&self) -> bool {
        self.added.len() > FEW.max(self.bytes.len() / ONE_IN)
    }
}
