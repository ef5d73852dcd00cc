//! [`Change`]: one difference between what a state holds and what is there now.

use std::cmp::Ordering;

use brisk::{Fields, FileType};
use brisk_sys::slashed::by_component;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The entry is new.
    Added,
    /// The entry's contents or metadata changed. Of a [`Difference`](crate::Difference): its
    /// contents, or they may have.
    Modified,
    /// The entry's metadata changed, and its contents did not. Only a [`Difference`](crate::Difference)
    /// says so.
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

/// What of an entry differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differs {
    /// The fields of its metadata.
    pub fields: Fields,
    /// Its contents, by their digests.
    pub content: bool,
}

/// A path: one of the rescan's roots, and the way from there.
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
