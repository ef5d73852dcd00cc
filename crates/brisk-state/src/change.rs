//! What has changed: [`Change`], which a rescan reports, and [`Difference`], which a comparison of
//! states reports.

use std::cmp::Ordering;
use std::fmt;

use brisk::{Fields, FileType};
use brisk_sys::slashed::by_component;

use crate::format::index::Unusable;

/// What happened to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The entry is new.
    Added,
    /// The entry's contents or metadata changed; in a [`Difference`], its contents changed or may
    /// have changed.
    Modified,
    /// The entry's metadata changed, and its contents did not. Only a [`Difference`] has this kind.
    MetadataOnly,
    /// The entry is gone.
    Deleted,
    /// A file of another type has the entry's name now.
    TypeChanged,
    /// The entry has another path now; it may have been modified as well.
    Renamed,
    /// The entry cannot be read now: unknown. The state keeps its old record, if it has one.
    Unknown,
}

impl ChangeKind {
    /// The letter that git shows for this kind; `m` is metadata only, `?` unknown.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            ChangeKind::Added => 'A',
            ChangeKind::Modified => 'M',
            ChangeKind::MetadataOnly => 'm',
            ChangeKind::Deleted => 'D',
            ChangeKind::TypeChanged => 'T',
            ChangeKind::Renamed => 'R',
            ChangeKind::Unknown => '?',
        }
    }
}

/// How an entry differs from its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differs {
    /// The fields of metadata that differ.
    pub fields: Fields,
    /// Whether the digests differ, or the contents may differ without a trace in the times. `false`
    /// if metadata differs and contents do not decide: then they are not compared.
    pub content: bool,
}

/// A path: one of the roots, and the path below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootedPath {
    /// The root's number, in the order in which the caller named the roots. A root that only the
    /// state knows comes after these.
    pub root: usize,
    /// The names below the root, joined by `/`; empty for the root itself.
    pub path: Vec<u8>,
}

impl RootedPath {
    /// The order of a depth-first walk, in which `/` comes before all other bytes.
    #[must_use]
    pub fn cmp_by_component(&self, other: &RootedPath) -> Ordering {
        self.root.cmp(&other.root).then_with(|| by_component(&self.path, &other.path))
    }
}

/// A change that a rescan found.
#[derive(Clone, Debug)]
pub struct Change {
    /// What happened to the entry.
    pub kind: ChangeKind,
    /// Where the entry is, or was if it is gone.
    pub place: RootedPath,
    /// Where a renamed entry was.
    pub from: Option<RootedPath>,
    /// The type of the entry; of an entry that is gone, the type it had.
    pub file_type: FileType,
    /// What differs, where both the old and the new entry are known.
    pub differs: Differs,
}

impl Change {
    /// A change without an old path and without fields that differ.
    pub(crate) fn new(kind: ChangeKind, place: RootedPath, file_type: FileType) -> Change {
        Change { kind, place, from: None, file_type, differs: Differs::default() }
    }
}

/// A difference between two states.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What happened to the entry.
    pub change: Change,
    /// Whether the entry is a directory that was added, deleted or renamed with everything below
    /// it, and this difference stands for all of it. An entry below that changed in another way has
    /// a difference of its own.
    pub whole: bool,
    /// The old size in bytes. It is 0 for a directory, for an entry that did not exist, and if one
    /// side has no sizes.
    pub old_size: u64,
    /// The new size in bytes, with the same exceptions.
    pub new_size: u64,
}

/// The outcome of a comparison; the default if the caller stopped the comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Whether one side could not read some directories or files.
    pub has_unknown: bool,
    /// Whether files of two trees were taken for equal because their sizes and mtimes are equal.
    pub trusts_times: bool,
    /// How many files of the earlier and of the later state should have been compared by contents,
    /// but have no digest.
    pub without_digest: [u64; 2],
}

/// Why a comparison has no result.
#[derive(Debug)]
pub struct DiffError {
    /// Whether the unusable state is the later one.
    pub is_new: bool,
    /// What is wrong with that state.
    pub why: Unusable,
}

impl fmt::Display for DiffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl std::error::Error for DiffError {}
