//! [`Choice`]: which entries a state holds.

use brisk::{Entry, Select};

/// Chooses which entries belong to a state. The default is all of them.
///
/// Directories that are no results are entered all the same, unless they are dropped.
pub trait Choice: Send + Sync {
    /// Decides by name and type alone. [`Select::Take`] asks for the metadata that
    /// [`by_metadata`](Choice::by_metadata) needs beyond the fields of a record; [`Select::Enter`]
    /// is for directories that are no results; [`Select::Drop`] leaves the entry out, with
    /// everything below it. Paths are built in `scratch`.
    fn by_name(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> Select;

    /// Decides by metadata whether an entry that was taken is a result.
    fn by_metadata(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool;

    /// Whether every entry is taken: then no entry is asked about in particular.
    fn is_all(&self) -> bool {
        false
    }

    /// Whether the same metadata gets the same answer at any time. A choice by age is not steady:
    /// then each entry is asked about in each rescan.
    fn is_steady(&self) -> bool {
        true
    }

    /// A number that differs where the choice differs. Directories that were read with another
    /// choice are read again.
    fn fingerprint(&self) -> u64;
}

/// Every entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;

impl Choice for All {
    fn by_name(&self, _: &Entry<'_>, _: &mut Vec<u8>) -> Select {
        Select::Take(brisk::Fields::empty())
    }

    fn by_metadata(&self, _: &Entry<'_>, _: &mut Vec<u8>) -> bool {
        true
    }

    fn is_all(&self) -> bool {
        true
    }

    fn fingerprint(&self) -> u64 {
        0
    }
}
