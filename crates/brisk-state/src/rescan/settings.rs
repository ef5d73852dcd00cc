//! [`Settings`]: what the caller of a rescan chose. [`Choice`]: which entries a state holds.

use std::path::PathBuf;
use std::sync::Arc;

use brisk::ignore::Rules;
use brisk::{Entry, Select};
use xxhash_rust::xxh3::xxh3_64;

use super::roots::{self, LeftOut, Root};

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

    /// Whether every entry is taken. Then the other methods are not called.
    fn is_all(&self) -> bool {
        false
    }

    /// Whether the same metadata gets the same answer at any time. A choice by age is not steady:
    /// each rescan calls it for each entry.
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

/// What the caller of a rescan chose.
pub(crate) struct Settings {
    pub choice: Arc<dyn Choice>,
    /// What [`Choice::is_all`] says.
    pub takes_all: bool,
    pub rules: Option<Rules>,
    pub left_out: LeftOut,
    /// A number that differs where the choice or the files that are left out differ.
    pub fingerprint: u64,
    pub ctime: bool,
    pub content: bool,
    pub shortcuts: bool,
    /// Whether directories that are on another file system than before are accepted.
    pub accepts_new: bool,
    /// Whether a file system is committed to be asked for changes, however long that takes.
    pub commits: bool,
    pub renames: bool,
}

impl Settings {
    /// Completes the settings with what is left out of these roots.
    pub fn leave_out(&mut self, files: &[PathBuf], roots: &[Root]) {
        self.left_out = roots::left_out(files, roots);
        self.takes_all = self.choice.is_all();
        let mut bytes = self.choice.fingerprint().to_le_bytes().to_vec();
        for (dir, names) in &self.left_out {
            bytes.extend([dir, &b"\0"[..]].concat());
            names.iter().for_each(|name| bytes.extend([name, &b"\0"[..]].concat()));
        }
        self.fingerprint = xxh3_64(&bytes);
    }
}
