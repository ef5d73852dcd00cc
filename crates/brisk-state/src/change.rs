//! What has changed: [`Change`], which a rescan reports, and [`Difference`], which a comparison of
//! states reports.

use std::cmp::Ordering;
use std::fmt;

use brisk::{Fields, FileType};
use brisk_sys::slashed::by_component;

use crate::format::index::Unusable;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The entry is new.
    Added,
    /// The entry's contents or metadata changed; in a [`Difference`], its contents changed or may
    /// have changed.
    Modified,
    /// The entry's metadata changed, and its contents did not. Only a [`Difference`] has this kind.
    MetadataOnly,
    /// The entry is gone.
    Deleted,
    /// Another type of file has the entry's name now.
    TypeChanged,
    /// The entry has another path now; it may have been modified as well.
    Renamed,
    /// The entry cannot be read now, so whether it changed is unknown. The state keeps its old
    /// record.
    Unknown,
}

impl Kind {
    /// The letter that git shows for this kind; `m` for [`Kind::MetadataOnly`], `?` for
    /// [`Kind::Unknown`].
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Kind::Added => 'A',
            Kind::Modified => 'M',
            Kind::MetadataOnly => 'm',
            Kind::Deleted => 'D',
            Kind::TypeChanged => 'T',
            Kind::Renamed => 'R',
            Kind::Unknown => '?',
        }
    }
}

/// In what an entry differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differs {
    /// The fields of its metadata.
    pub fields: Fields,
    /// Its contents, by their digests.
    pub content: bool,
}

/// A path: one of the roots, and the path below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The root's number, in the order in which the caller named the roots. A root that only the
    /// state knows comes after these.
    pub root: usize,
    /// The names below the root, joined by `/`; empty for the root itself.
    pub path: Vec<u8>,
}

impl Place {
    /// The order of a depth-first walk, in which `/` comes before all other bytes.
    #[must_use]
    pub fn cmp_by_component(&self, other: &Place) -> Ordering {
        self.root.cmp(&other.root).then_with(|| by_component(&self.path, &other.path))
    }
}

/// One difference.
#[derive(Clone, Debug)]
pub struct Change {
    /// What became of the entry.
    pub kind: Kind,
    /// Where the entry is, or was if it is gone.
    pub place: Place,
    /// Where a renamed entry was.
    pub from: Option<Place>,
    /// The type of the entry; of an entry that is gone, the type it had.
    pub file_type: FileType,
    /// What differs, where both the old and the new entry are known.
    pub differs: Differs,
}

/// A difference between two states.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What became of the entry.
    pub change: Change,
    /// Whether the entry is a directory and stands for everything below it, which was added, deleted
    /// or renamed with it. An entry below that changed in another way has a difference of its own.
    pub whole: bool,
    /// The size in bytes before: 0 for a directory, for an entry that was not there, and where one
    /// side does not know sizes.
    pub old_size: u64,
    /// The size in bytes after, as [`Difference::old_size`].
    pub new_size: u64,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Whether one side could not read some directories or files.
    pub has_unknown: bool,
    /// Whether the caller has stopped the comparison.
    pub is_stopped: bool,
    /// Whether files of two trees counted as the same because their sizes and mtimes are equal.
    pub trusts_times: bool,
    /// How many files of the earlier and the later state were to be compared by their contents, and
    /// have no digest.
    pub without_digest: [u64; 2],
}

/// Why a comparison has no result.
#[derive(Debug)]
pub struct DiffError {
    /// Whether the later state is the one that cannot be used.
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
