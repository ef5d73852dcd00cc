//! [`Target`]: a file system of the state that is searched, and what a search may answer.

use std::io;
use std::num::NonZeroUsize;

use brisk::Cancel;
use brisk_sys::BorrowedHandle;

use crate::bits::Bits;
use crate::gathered::Paths;
use crate::met::Volumes;
use crate::record::{Brief, NO_BLOCK};
use crate::settings::Settings;
use crate::state::{State, TOP};
use crate::volumes::Basis;

/// One entry in so many may have been written. With more, looking at all is as fast.
const WRITTEN: usize = 4;
/// As many may have been written in any case.
pub(super) const ALWAYS: usize = 1_000;

/// What is at hand for a search.
pub(crate) struct Search<'a> {
    pub paths: &'a Paths<'a>,
    pub settings: &'a Settings,
    pub volumes: &'a Volumes,
    /// How many workers search, and what ends them.
    pub pace: (Option<NonZeroUsize>, &'a Cancel),
}

/// A file system of the state that is searched.
pub(super) struct Target<'a> {
    pub search: &'a Search<'a>,
    pub state: &'a State,
    /// Its number in the state.
    pub number: usize,
    /// A directory of it.
    pub dir: BorrowedHandle<'a>,
}

/// What a file system says.
pub(super) enum Answer {
    /// The inodes that were written, in ascending order.
    Written(Vec<u64>),
    /// A bit for each record: its inode is as recorded.
    Same(Bits),
}

impl Answer {
    /// Whether the inode of a record may have been written: that of the record with this number. Of
    /// an entry without an inode number nothing is known.
    pub fn has(&self, record: usize, inode: u64) -> bool {
        match self {
            Answer::Written(_) if inode == 0 => true,
            Answer::Written(inodes) => inodes.binary_search(&inode).is_ok(),
            Answer::Same(same) => !same.get(record),
        }
    }
}

/// What a search says and in which way, in words; or why nothing.
pub(super) type Searched<T> = Result<(T, String), String>;

impl Target<'_> {
    /// What the state says for this search, if the mounts are the same as then.
    pub fn basis(&self) -> Result<Basis, String> {
        let stored = self.state.volumes()[self.number].basis;
        let stored = stored.ok_or("the last look could not see everything, or could not search")?;
        let mounts = self.search.volumes.began.mounts.as_ref();
        if mounts.is_none_or(|mounts| mounts.hash != stored.mounts) {
            return Err("something was mounted or unmounted in it".to_owned());
        }
        Ok(stored)
    }

    /// With more entries written, looking at all is as fast.
    pub fn most(&self) -> usize {
        (self.state.len() / WRITTEN).max(ALWAYS)
    }
}

pub(super) fn text(error: io::Error) -> String {
    error.to_string()
}

/// A record of the state, with its place.
pub(super) struct Placed {
    pub dir: u32,
    pub at: usize,
    pub brief: Brief,
    /// The number of the file system: of a mount's root, the one that is mounted.
    pub volume: usize,
    pub is_boundary: bool,
    /// Whether the names in it are known, if it is a directory.
    pub is_whole: bool,
}

pub(super) fn for_each_record(state: &State, mut each: impl FnMut(Placed)) {
    for (number, dir) in (0..).zip(state.dirs()).filter(|(_, dir)| dir.is_there) {
        let own = usize::from(dir.volume);
        for (at, brief) in state.block(number).briefs().enumerate() {
            let below = state.dir(brief.block).filter(|_| brief.block != NO_BLOCK);
            let volume = below.map_or(own, |below| usize::from(below.volume));
            let is_boundary = volume != own && number != TOP;
            let is_whole = below.map_or(!brief.is_dir, |below| below.is_whole);
            each(Placed { dir: number, at, brief, volume, is_boundary, is_whole });
        }
    }
}
