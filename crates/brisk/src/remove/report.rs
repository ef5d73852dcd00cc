//! [`Report`]: what a removal has removed, what stays, and why.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::quoting::quoted;

use crate::{Error, Stats};

/// The most failures that a report holds, which bounds memory; more are only counted.
pub(crate) const MAX_FAILURES: usize = 1_000;

/// What a removal did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of removed entries that are no directories; in a dry run, of those to be removed.
    pub files: u64,
    /// The number of removed directories; in a dry run, of those to be removed.
    pub directories: u64,
    /// The sizes of the files, in bytes; known only after a dry run. The size of a file with
    /// several hard links counts once, and only if all of them are to be removed. A sum that does
    /// not fit is [`u64::MAX`].
    pub bytes: u64,
    /// After a dry run with [`Remove::frees`](super::Remove::frees): what would be freed.
    pub frees: Option<Freed>,
    /// The number of entries that stay because they are too young, or because the observer said so.
    /// A directory in which another entry stays does not count.
    pub spared: u64,
    /// The number of failures.
    pub failed: u64,
    /// The first thousand failures.
    pub failures: Vec<Failure>,
    /// The observer, or what cancels the walk, stopped the removal before its end.
    pub stopped: bool,
    /// System calls, workers, time.
    pub stats: Stats,
}

impl Report {
    /// Whether nothing failed, and the removal was not stopped.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed == 0 && !self.stopped
    }

    /// Adds the report of a removal that came after this one.
    pub fn add(&mut self, other: Report) {
        self.files += other.files;
        self.directories += other.directories;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.frees = other.frees.or(self.frees);
        self.spared += other.spared;
        self.failed += other.failed;
        let room = MAX_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.into_iter().take(room));
        self.stopped |= other.stopped;
        self.stats.add_later(&other.stats);
    }

    /// A report whose counts alone are filled: those of this one, less those of `before`.
    pub(super) fn since(&self, before: &Report) -> Report {
        Report {
            files: self.files - before.files,
            directories: self.directories - before.directories,
            bytes: self.bytes - before.bytes,
            spared: self.spared - before.spared,
            failed: self.failed - before.failed,
            ..Report::default()
        }
    }
}

/// What a removal would free, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Freed {
    /// At most.
    pub most: u64,
    /// At least.
    pub least: u64,
    /// How much more would be freed if no snapshot held it: known on btrfs with CAP_SYS_ADMIN.
    pub held_by_snapshots: u64,
    /// Parts of files that were overwritten may still be stored, and then be freed as well. That is
    /// so on btrfs without CAP_SYS_ADMIN.
    pub hides_overwritten: bool,
}

/// An entry that was to be removed and stays.
#[derive(Debug)]
pub struct Failure {
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

/// Why an entry stays that was to be removed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// The system refused, with this error.
    System(io::Error),
    /// The path's last component is `.` or `..`.
    Dots,
    /// The entry is the root of the file system.
    Root,
    /// The entry is a mount point that the caller named, and such are preserved.
    Preserved,
    /// A stat of the parent failed, so it is unknown whether the entry is a mount point.
    UnknownParent(io::Error),
    /// The entry is a mount point below a root, of another device.
    OtherDevice,
    /// The entry is a mount point below a root, of the same device.
    Mounted,
    /// The path is a link to a directory, with a slash at the end: neither is removed.
    LinkBehindSlash,
    /// Another process has put another file at the path since it was looked up.
    Swapped,
}

impl Failure {
    /// The path of the entry that stays, beginning with the root as the caller spelled it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the entry stays.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }
}

impl Why {
    /// The system's error, or the one that it has for such a case.
    #[must_use]
    pub fn to_io(&self) -> io::Error {
        let kind = match self {
            Why::System(error) | Why::UnknownParent(error) => match error.raw_os_error() {
                Some(code) => return io::Error::from_raw_os_error(code),
                None => error.kind(),
            },
            Why::Dots => io::ErrorKind::InvalidInput,
            Why::OtherDevice => io::ErrorKind::CrossesDevices,
            Why::LinkBehindSlash => io::ErrorKind::NotADirectory,
            Why::Swapped => io::ErrorKind::StaleNetworkFileHandle,
            Why::Root | Why::Preserved | Why::Mounted => io::ErrorKind::ResourceBusy,
        };
        kind.into()
    }
}

impl From<Error> for Why {
    fn from(error: Error) -> Why {
        Why::System(error.into_io())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = quoted(self.path.as_os_str().as_encoded_bytes());
        match &self.why {
            Why::System(error) => write!(f, "cannot remove {path}: {error}"),
            Why::Dots => write!(f, "refusing to remove {path}: it ends in '.' or '..'"),
            Why::Root => write!(f, "refusing to remove {path}: it is the root directory"),
            Why::Preserved => write!(f, "refusing to remove {path}: it is a mount point"),
            Why::UnknownParent(error) => write!(f, "cannot stat the parent of {path}: {error}"),
            Why::OtherDevice => write!(f, "not entering {path}: it is on a different device"),
            Why::Mounted => write!(f, "not entering {path}: it is a mount point"),
            Why::LinkBehindSlash => {
                write!(f, "cannot remove {path}: it is a link, not a directory")
            }
            Why::Swapped => {
                write!(f, "not entering {path}: it was swapped for another directory")
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            Why::System(error) | Why::UnknownParent(error) => Some(error),
            _ => None,
        }
    }
}
