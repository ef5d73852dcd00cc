//! What went, what did not, and why.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::Stats;

/// Failures that a report holds; more are only counted.
pub(super) const MOST_FAILURES: usize = 1_000;

/// What a removal did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Entries that are no directories, removed (or, in a dry run, to be removed).
    pub files: u64,
    /// Directories, likewise.
    pub directories: u64,
    /// Their sizes, in bytes; known after a dry run alone.
    pub bytes: u64,
    /// Entries that stay because they are too young or because a question was answered with no.
    pub spared: u64,
    /// How many failures there were.
    pub failed: u64,
    /// The first thousand of them.
    pub failures: Vec<Failure>,
    /// It was stopped before its end.
    pub stopped: bool,
    /// System calls, workers, time.
    pub stats: Stats,
}

impl Report {
    /// Whether all that was to go has gone.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed == 0 && !self.stopped
    }

    /// Adds what another removal did, one after the other.
    pub fn add(&mut self, other: Report) {
        self.files += other.files;
        self.directories += other.directories;
        self.bytes += other.bytes;
        self.spared += other.spared;
        self.failed += other.failed;
        let room = MOST_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.into_iter().take(room));
        self.stopped |= other.stopped;
        self.stats.add_later(&other.stats);
    }
}

/// How far a removal has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Entries that are no directories, removed so far.
    pub files: u64,
    /// Directories removed so far.
    pub directories: u64,
    /// Failures so far.
    pub failed: u64,
}

/// Something that was not removed.
#[derive(Debug)]
pub struct Failure {
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

/// Why something was not removed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// The system refused, with this error.
    System(io::Error),
    /// Its last component is `.` or `..`.
    Dots,
    /// It is the root of the file system.
    Root,
    /// It is a mount point and was named, and those are preserved.
    Preserved,
    /// Its parent could not be asked whether it is a mount point.
    UnknownParent(io::Error),
    /// It is a mount point below a root, of another device.
    OtherDevice,
    /// It is a mount point below a root, of the same device.
    Mounted,
    /// It is a link to a directory, with a slash behind it: neither is touched.
    LinkBehindSlash,
    /// It was swapped for another directory while it was looked at.
    Swapped,
}

impl Failure {
    /// What stays, spelled as it was given or found.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::System(error) => write!(f, "cannot remove '{path}': {error}"),
            Why::Dots => write!(f, "refusing to remove '{path}': it ends in '.' or '..'"),
            Why::Root => write!(f, "refusing to remove '{path}': it is the root directory"),
            Why::Preserved => write!(f, "refusing to remove '{path}': it is a mount point"),
            Why::UnknownParent(error) => write!(f, "cannot stat the parent of '{path}': {error}"),
            Why::OtherDevice => write!(f, "not entering '{path}': it is on a different device"),
            Why::Mounted => write!(f, "not entering '{path}': it is a mount point"),
            Why::LinkBehindSlash => {
                write!(f, "cannot remove '{path}': it is a link, not a directory")
            }
            Why::Swapped => {
                write!(f, "not entering '{path}': it was swapped for another directory")
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
