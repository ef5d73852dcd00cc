//! [`Remove`]: what is to be removed, and how.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use brisk_sys::Identity;

use crate::{Fields, Timestamp, Walk};

/// What happens to directories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directories {
    /// They are removed with everything below them.
    #[default]
    Recursive,
    /// They are removed if they are empty.
    Empty,
    /// They stay, and each is a failure.
    Refused,
}

/// Which directories are refused although the caller named them. Always refused are paths to
/// directories that end in `..`, or in `.` unless [roots are kept](field@Remove::keep_roots), and
/// links to directories with a slash behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preserve {
    /// The root of the file system, by whatever name.
    #[default]
    Root,
    /// The root of the file system, and every mount point.
    RootAndMounts,
    /// None.
    Nothing,
}

/// What is to be removed, and how.
///
/// # Cost
/// For each entry that is not a directory one unlinkat. For each directory one openat2, getdents64 to
/// its end (as in a [`Walk`](crate::Walk)), one close and one unlinkat. For each path that was
/// given one statx, one more for a directory, and an openat if something stands before its last component; if any is
/// a directory, also one statx of `/`. Where
/// paths lie in different directories, also one statx for each directory above these.
/// On file systems other than ext, tmpfs and btrfs, a directory of more than one buffer is listed
/// again until a reading removes nothing, because some servers leave entries out after removals.
/// Threads are started only if the removal measures that they are worth while. Directories are
/// opened with O_NOATIME, so that reading them writes no access times. The system refuses that flag
/// for other users' directories, which are then opened without it.
///
/// # Platforms
/// On Linux and Windows entries are removed by handles. Elsewhere they are removed by paths; if
/// another process swaps a directory for a link meanwhile, the removal follows that link.
#[derive(Clone, Debug)]
pub struct Remove {
    /// The trees, files and links that are removed, with how many threads, requests and handles, and
    /// what cancels the removal. What the walk's rules or its filter refuse stays, and so do the
    /// directories above it; that is not a failure. The walk's order, its minimal depth and
    /// [`unique`](Walk::unique) have no effect, and links are never followed. A root that the
    /// caller has open is a failure, and so is each root of a walk with a maximal depth.
    pub walk: Walk,
    /// What happens to directories; by default they are removed with everything below them.
    pub directories: Directories,
    /// Which directories are refused although the caller named them; by default the root of the
    /// file system.
    pub preserve: Preserve,
    /// Empties the directories that the caller named, and does not remove them. Another root is then
    /// a failure, and a path that ends in `.` is not refused. Off by default.
    pub keep_roots: bool,
    /// Also empties file systems that are mounted below the roots. By default a mount point is a
    /// failure.
    pub cross_mounts: bool,
    /// A path at which nothing exists is not a failure. By default it is one.
    pub ignore_missing: bool,
    /// Removes nothing, and reports what would be removed. Off by default. An entry is a failure if
    /// the system is known to refuse its removal: in a directory that cannot be written to, in
    /// another user's with the sticky bit, on a read-only mount, or if it is immutable or
    /// append-only. Other refusals are not foreseen. Costs one statx for each entry, and a statx and
    /// a faccessat2 for each directory with entries.
    pub dry_run: bool,
    /// In a dry run, finds out what the file system would get back, as
    /// [`Usage::frees`](field@crate::usage::Usage::frees) does, at the same costs. Off by default.
    pub frees: bool,
    /// Finishes each tree before the next path is looked up, so that the observer hears of the
    /// paths in the caller's order. By default trees are removed side by side, unless one of them
    /// is part of another. Dry runs and removals with questions are always in turn.
    pub in_turn: bool,
    /// Removes only entries that were last modified before this time, and of directories only those
    /// that are empty by then; none by default. An entry that stays for that reason is not a failure.
    /// Costs one statx for each entry.
    pub older_than: Option<Timestamp>,
    /// Removes the file at the paths only if it is exactly this one, in this directory; any other
    /// file is a failure. For a tree whose removal another process began and did not finish.
    #[doc(hidden)]
    pub only: Option<FileIdentity>,
    /// Device and inode of directories that were old enough when they were opened, and stayed. A
    /// later removal that shares this set takes them for old, although removing their entries has
    /// given them a new time.
    #[doc(hidden)]
    pub old: Option<Arc<Mutex<HashSet<Identity>>>>,
}

/// The identity of a file, whatever its path leads to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// Device and inode of the directory that holds it.
    pub parent: (u64, u64),
    /// Device and inode of the file.
    pub itself: (u64, u64),
    /// The user id of its owner; 0 on Windows, which has none.
    pub owner: u32,
}

impl Remove {
    /// Removes the roots of this walk, by the defaults.
    #[must_use]
    pub fn new(walk: Walk) -> Remove {
        Remove {
            walk,
            directories: Directories::default(),
            preserve: Preserve::default(),
            keep_roots: false,
            cross_mounts: false,
            ignore_missing: false,
            dry_run: false,
            frees: false,
            in_turn: false,
            older_than: None,
            only: None,
            old: None,
        }
    }

    /// The metadata that is needed of an entry: of a directory, when it is to be removed.
    pub(super) fn fields(&self, asks: bool) -> Fields {
        let mut fields = Fields::empty();
        if self.dry_run {
            fields |= Fields::SIZE | Fields::UID | Fields::NLINK | Fields::DEV | Fields::INO;
        }
        if self.dry_run && self.frees {
            fields |= Fields::BLOCKS;
        }
        if self.older_than.is_some() {
            fields |= Fields::MTIME;
        }
        if asks {
            fields |= Fields::MODE | Fields::SIZE;
        }
        fields
    }
}
