//! What workers record, directory by directory.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use brisk::Error;

use crate::record::{Flags, Stamp};
use crate::state::{State, TOP};

/// The number of a directory: that of the state, or a higher one if the state does not know it.
pub(crate) type Key = u32;

/// An entry that is not as a record says: it is new, or its record is to be replaced.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub parent: Key,
    pub name: Box<[u8]>,
    pub stamp: Stamp,
    pub flags: Flags,
    /// The target of a link, or the digest of a file's contents.
    pub more: Box<[u8]>,
    /// The place of its old record in its parent's block.
    pub old: Option<u32>,
    /// The number of the file system that its directory is on; `u16::MAX` for an entry on another
    /// one.
    pub volume: u16,
}

/// What was learned of a directory that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirInfo {
    pub key: Key,
    pub rules: u64,
    pub volume: u16,
    pub is_whole: bool,
}

/// A name in a directory.
pub(crate) type Named = (Key, Box<[u8]>);

/// What workers have found.
#[derive(Default)]
pub(crate) struct Found {
    pub fresh: Vec<Fresh>,
    /// Directories that the state does not know.
    pub new_dirs: Vec<(Key, Named)>,
    pub infos: Vec<DirInfo>,
    pub errors: Vec<Error>,
    pub warnings: Vec<Error>,
}

/// Gives numbers to new directories: those that the state does not use, and then higher ones.
pub(crate) struct Keys {
    given: AtomicU32,
    unused: Vec<Key>,
    /// The first number above the state's.
    above: Key,
}

impl Keys {
    pub fn new(state: Option<&State>) -> Keys {
        let dirs = state.map_or(&[][..], State::dirs);
        let unused = (0..).zip(dirs).filter(|(_, dir)| !dir.is_there).map(|(key, _)| key);
        let above = (dirs.len() as Key).max(TOP + 1);
        Keys { given: AtomicU32::new(0), unused: unused.collect(), above }
    }

    pub fn next(&self) -> Key {
        let count = self.given.fetch_add(1, Relaxed);
        let unused = self.unused.get(count as usize).copied();
        unused.unwrap_or_else(|| self.above + (count - self.unused.len() as u32))
    }
}
