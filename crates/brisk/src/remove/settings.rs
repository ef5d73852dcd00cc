//! [`Remove`]: the builder of a removal, which says what is to be removed and how.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::{Fields, Timestamp};

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

/// Which directories are refused although the caller named them. Paths that end in `.` (unless
/// [roots are kept](Remove::keep_roots)) or `..` are always refused if they lead to directories, and
/// links to directories with a slash at the end.
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
/// For each entry that is no directory one unlinkat. For each directory one openat2, getdents64 to
/// its end (as in a [`Walk`](crate::Walk)), one close and one unlinkat. For each path that was
/// given one statx, one more for a directory, and an openat if it has more than one component.
/// On file systems other than ext, tmpfs and btrfs, a directory of more than one buffer is read again
/// until a reading removes nothing, because some servers leave entries out after removals. Threads
/// are started only if the removal measures that they are worth while. Directories are
/// opened with O_NOATIME, so that reading them writes no access times. The system refuses that flag
/// for other users' directories, which are then opened without it.
///
/// # Platforms
/// On Linux and Windows entries are removed by handles. Elsewhere they are removed by paths; if
/// another process swaps a directory for a link meanwhile, the removal follows that link.
#[derive(Clone, Debug)]
pub struct Remove {
    pub(super) paths: Vec<PathBuf>,
    pub(super) directories: Directories,
    pub(super) preserve: Preserve,
    pub(super) keep_roots: bool,
    pub(super) cross_mounts: bool,
    pub(super) ignore_missing: bool,
    pub(super) dry_run: bool,
    pub(super) in_turn: bool,
    pub(super) older_than: Option<Timestamp>,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) max_in_flight: Option<usize>,
    pub(super) handle_limit: Option<usize>,
    pub(super) only: Option<Known>,
}

/// The identity of a file, whatever its path leads to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Device and inode of the directory that holds it.
    pub parent: (u64, u64),
    /// Device and inode of the file.
    pub itself: (u64, u64),
    /// The user id of its owner; 0 on Windows, which has none.
    pub owner: u32,
}

impl Remove {
    /// Removes the tree, file or link at `path`.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Remove {
        Remove::over([path])
    }

    /// Removes the trees, files or links at these paths.
    #[must_use]
    pub fn over<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Remove {
        Remove {
            paths: paths.into_iter().map(|path| path.as_ref().to_owned()).collect(),
            directories: Directories::default(),
            preserve: Preserve::default(),
            keep_roots: false,
            cross_mounts: false,
            ignore_missing: false,
            dry_run: false,
            in_turn: false,
            older_than: None,
            threads: None,
            max_in_flight: None,
            handle_limit: None,
            only: None,
        }
    }

    /// What happens to directories; by default they are removed with everything below them.
    #[must_use]
    pub fn directories(self, directories: Directories) -> Remove {
        Remove { directories, ..self }
    }

    /// Which directories are refused although the caller named them; by default the root of the
    /// file system.
    #[must_use]
    pub fn preserve(self, preserve: Preserve) -> Remove {
        Remove { preserve, ..self }
    }

    /// Empties the directories that the caller named, and does not remove them. A path that ends in
    /// `.` is not refused then.
    #[must_use]
    pub fn keep_roots(self, keep_roots: bool) -> Remove {
        Remove { keep_roots, ..self }
    }

    /// Also empties file systems that are mounted below the roots. By default a mount point is a
    /// failure.
    #[must_use]
    pub fn cross_mounts(self, cross_mounts: bool) -> Remove {
        Remove { cross_mounts, ..self }
    }

    /// A path at which nothing exists is no failure. By default it is one.
    #[must_use]
    pub fn ignore_missing(self, ignore_missing: bool) -> Remove {
        Remove { ignore_missing, ..self }
    }

    /// Removes nothing, and reports what would be removed. An entry is a failure if the system is
    /// known to refuse its removal: in a directory that cannot be written to, in another user's
    /// with the sticky bit, on a read-only mount, or if it is immutable or append-only. Other
    /// refusals are not foreseen. Costs one statx for each entry, and a statx and a faccessat2 for
    /// each directory with entries.
    #[must_use]
    pub fn dry_run(self, dry_run: bool) -> Remove {
        Remove { dry_run, ..self }
    }

    /// Finishes each tree before the next path is looked up, so that the observer hears of the
    /// paths in the caller's order. By default trees are removed side by side, unless one of them
    /// is part of another. Dry runs and removals with questions are always in turn.
    #[must_use]
    pub fn in_turn(self, in_turn: bool) -> Remove {
        Remove { in_turn, ..self }
    }

    /// Removes only entries that were last modified before this time, and of directories only those
    /// that are empty by then. An entry that stays for that reason is no failure. Costs one statx
    /// for each entry.
    #[must_use]
    pub fn older_than(self, time: Option<Timestamp>) -> Remove {
        Remove { older_than: time, ..self }
    }

    /// As [`Walk::threads`](crate::Walk::threads): exactly this many workers. By default the
    /// removal measures how many are worth while.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Remove {
        Remove { threads, ..self }
    }

    /// As [`Walk::max_in_flight`](crate::Walk::max_in_flight): at most this many requests at once.
    /// The default is 128, and a larger number has no effect.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Remove {
        Remove { max_in_flight: Some(max_in_flight), ..self }
    }

    /// At most about this many directories are open at once; by default half of the process's limit
    /// on open files.
    #[must_use]
    pub fn handle_limit(self, handle_limit: usize) -> Remove {
        Remove { handle_limit: Some(handle_limit), ..self }
    }

    /// See [`unstable::only`](crate::unstable::only).
    pub(crate) fn only(self, known: Known) -> Remove {
        Remove { only: Some(known), ..self }
    }

    /// The metadata that is needed of an entry that is no directory.
    pub(super) fn fields(&self, asks: bool) -> Fields {
        let mut fields = Fields::empty();
        if self.dry_run {
            fields |= Fields::SIZE | Fields::UID | Fields::NLINK | Fields::DEV | Fields::INO;
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
