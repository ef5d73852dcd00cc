//! [`Shared`]: what the workers of a walk share. [`Findings`]: what they find.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use brisk::{Entry, Error};
use brisk_sys::output::is_temporary;

use super::marks::Marks;
use super::racy::Racy;
use super::settings::Settings;
use super::volumes::Volumes;
use crate::format::block::Block;
use crate::format::index::Listing;
use crate::format::record::{DirId, Flags, Stamp, TOP};
use crate::format::state::State;
use crate::sources::Changed;

/// What all workers share.
pub(crate) struct Shared<'a> {
    pub state: Option<&'a State>,
    pub settings: &'a Settings,
    pub racy: Racy,
    pub volumes: &'a Volumes,
    /// What file systems reported as changed since the state, if any did.
    pub changed: Option<Changed>,
    /// The names of the roots' records, by the paths that the walk begins with.
    pub roots: HashMap<Vec<u8>, &'a [u8]>,
    pub dir_ids: DirIds,
    /// For each record of the state, whether its entry is still there.
    pub seen: Marks,
    /// For each directory of the state, whether it is as its record says.
    pub unchanged: Marks,
    pub mounts: Mounts,
}

/// The directories on another device than the one above them.
#[derive(Default)]
pub(crate) struct Mounts {
    names: Mutex<HashSet<DirName>>,
    has_any: AtomicBool,
}

impl Mounts {
    #[cold]
    pub fn add(&self, parent: DirId, name: &[u8]) {
        self.has_any.store(true, Relaxed);
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert((parent, name.into()));
    }

    pub fn has(&self, parent: DirId, name: &[u8]) -> bool {
        let names = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_any.load(Relaxed) && names().contains(&(parent, name.into()))
    }
}

impl<'a> Shared<'a> {
    /// The block of a directory in the state; an empty one if the directory is new.
    pub fn block(&self, number: DirId) -> Block<'a> {
        self.state.map_or_else(Block::default, |state| state.block(number))
    }

    /// The name of an entry's record. That of a root is the root's place.
    #[inline]
    pub fn name<'n>(&self, entry: &Entry<'n>, scratch: &mut Vec<u8>) -> &'n [u8]
    where
        'a: 'n,
    {
        if entry.depth() > 0 {
            return entry.name();
        }
        scratch.clear();
        entry.path_into(scratch);
        self.roots.get(scratch.as_slice()).copied().unwrap_or(entry.name())
    }

    /// Whether an entry is left out. Its directory is one with names that are left out.
    pub fn is_left_out(&self, entry: &Entry<'_>) -> bool {
        let names = self.settings.left_out.get(entry.directory().prefix());
        names.is_some_and(|names| names.contains(entry.name()) || is_temporary(entry.name()))
    }

    /// Whether the state has entries in a directory, and they were on another file system than the
    /// directory above. They are missing if that file system is no longer mounted.
    pub fn was_mount(&self, dir: DirId, above: DirId) -> bool {
        let old = |number| self.state?.index.dir(number);
        let dirs = old(dir).zip(old(above)).filter(|_| !self.settings.accepts_new);
        dirs.is_some_and(|(dir, above)| dir.count > 0 && dir.listing.volume != above.listing.volume)
    }
}

/// A name in a directory.
pub(crate) type DirName = (DirId, Box<[u8]>);

/// The record of an entry that is new, or that is not as its record says.
#[derive(Debug)]
pub(crate) struct NewRecord {
    pub parent: DirId,
    pub name: Box<[u8]>,
    pub stamp: Stamp,
    pub flags: Flags,
    /// The target of a link, or the digest of a file's contents.
    pub more: Box<[u8]>,
    /// The place of the old record in the parent's block.
    pub old: Option<u32>,
    /// The number of the file system of its directory; `u16::MAX` if the entry is on another one.
    pub volume: u16,
}

/// What workers have found.
#[derive(Default)]
pub(crate) struct Findings {
    pub records: Vec<NewRecord>,
    /// The directories that the state does not know.
    pub new_dirs: Vec<(DirId, DirName)>,
    /// How directories were listed. A later listing of the same directory replaces the first.
    pub listings: Vec<(DirId, Listing)>,
    pub errors: Vec<Error>,
    pub warnings: Vec<Error>,
}

impl Findings {
    pub fn merge(&mut self, other: Findings) {
        self.records.extend(other.records);
        self.new_dirs.extend(other.new_dirs);
        self.listings.extend(other.listings);
        self.errors.extend(other.errors);
        self.warnings.extend(other.warnings);
    }
}

/// Gives numbers to new directories: those that the state does not use, and then higher ones.
pub(crate) struct DirIds {
    given: AtomicU32,
    unused: Vec<DirId>,
    /// The first number above the state's.
    above: DirId,
}

impl DirIds {
    pub fn new(state: Option<&State>) -> DirIds {
        let known = state.map_or(0, |state| state.index.len()) as DirId;
        let is_unused =
            |number: &DirId| state.is_none_or(|state| state.index.dir(*number).is_none());
        let unused = (0..known).filter(is_unused).collect();
        DirIds { given: AtomicU32::new(0), unused, above: known.max(TOP + 1) }
    }

    pub fn next(&self) -> DirId {
        let count = self.given.fetch_add(1, Relaxed);
        let unused = self.unused.get(count as usize).copied();
        unused.unwrap_or_else(|| self.above + (count - self.unused.len() as u32))
    }
}
