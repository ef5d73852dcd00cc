//! [`Rescan`]: what the caller of a rescan chose. [`Choice`]: which entries a state holds.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk::ignore::Rules;
use brisk::{Cancel, Entry, Select};
use xxhash_rust::xxh3::xxh3_64;

use super::roots::LeftOut;
use crate::format::index::Unusable;
use crate::format::state::State;

/// Chooses which entries belong to a state.
///
/// A directory that is not a result is entered nevertheless, unless it is dropped.
pub trait Choice: Send + Sync {
    /// Decides by name and type. [`Select::Take`] takes the entry, and asks for the metadata that
    /// [`by_metadata`](Choice::by_metadata) needs beyond the fields of a record. [`Select::Enter`]
    /// is for a directory that is not a result. [`Select::Drop`] leaves out the entry, with
    /// everything below it. Paths are built in `scratch`.
    fn by_name(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> Select;

    /// Decides by metadata whether an entry that [`by_name`](Choice::by_name) took is a result.
    fn by_metadata(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool;

    /// Whether every entry is taken. Then the other methods are not called.
    fn is_all(&self) -> bool {
        false
    }

    /// Whether the same metadata always gets the same answer. A choice by age is not steady, so
    /// each rescan has to ask it about each entry.
    fn is_steady(&self) -> bool {
        true
    }

    /// A number that differs from one choice to another. Directories that were read with another
    /// choice are read again.
    fn fingerprint(&self) -> u64;
}

/// A rescan of trees: what to compare with, and how.
/// `Rescan { content: true, ..Rescan::over(["src"]) }` leaves the other fields as
/// [`over`](Rescan::over) sets them.
pub struct Rescan {
    /// The trees. A tree inside another one is a tree of its own: its entries do not count as
    /// entries of the other one.
    pub roots: Vec<PathBuf>,
    /// What to compare with; by default nothing. Without a usable state everything is
    /// [`Added`](crate::Kind::Added), and [`Report::full`](crate::Report::full) says why.
    pub since: Result<State, Unusable>,
    /// Which entries belong to the state; by default all.
    pub choice: Option<Arc<dyn Choice>>,
    /// Which ignore rules count; by default none.
    pub rules: Option<Rules>,
    /// Files that are left out, wherever they are: the state, its lock, what the caller writes. In
    /// their directories, brisk's temporary files are left out too.
    pub without: Vec<PathBuf>,
    /// Whether a change of ctime alone counts as a change; on by default.
    pub ctime: bool,
    /// Whether a file counts as changed only if its contents changed; off by default. The first
    /// rescan hashes each file, and later ones hash each file whose metadata changed.
    pub content: bool,
    /// Whether names and types are all that counts of entries other than directories; off by
    /// default. They are not statted, so an unchanged tree costs a statx for each directory, and
    /// their records have nothing but the type. The report then has no changes, except for what is
    /// unknown.
    pub names: bool,
    /// What the next state says of how it was made, such as the options behind the choice and the
    /// rules: a text for [`State::about`]. By default it is empty.
    pub about: Vec<u8>,
    /// Whether the names in an unchanged directory are taken from the state, if the file system's
    /// times can be trusted; on by default.
    pub shortcuts: bool,
    /// Whether btrfs is committed in any case, so that it can be asked what was written. By default
    /// it is committed only if that is faster than checking every entry.
    pub commits: bool,
    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; on by default.
    pub renames: bool,
    /// Whether roots that are on another file system than before are accepted, and directories in
    /// them on which nothing is mounted any more; off by default.
    pub accepts_new_mounts: bool,
    /// How many workers walk; by default the walk measures how many pay off.
    pub threads: Option<NonZeroUsize>,
    /// Lets the caller end the rescan.
    pub cancel: Cancel,
    /// Told by each worker how many further entries it has met; by default nothing is.
    pub watch: Option<Arc<dyn Fn(u64) + Send + Sync>>,
}

impl Rescan {
    /// A rescan of these trees, with the defaults.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Rescan {
        Rescan {
            roots: roots.into_iter().map(|root| root.as_ref().to_owned()).collect(),
            since: Err(Unusable::Missing),
            choice: None,
            rules: None,
            without: Vec::new(),
            ctime: true,
            content: false,
            names: false,
            about: Vec::new(),
            shortcuts: true,
            commits: false,
            renames: true,
            accepts_new_mounts: false,
            threads: None,
            cancel: Cancel::new(),
            watch: None,
        }
    }
}

/// A number that changes if the choice changes, or if other files are left out.
pub(crate) fn fingerprint(choice: Option<&dyn Choice>, left_out: &LeftOut) -> u64 {
    let choice = choice.map_or(0, Choice::fingerprint);
    let mut bytes = choice.to_le_bytes().to_vec();
    for (dir, names) in left_out {
        bytes.extend([dir, &b"\0"[..]].concat());
        names.iter().for_each(|name| bytes.extend([name, &b"\0"[..]].concat()));
    }
    xxh3_64(&bytes)
}
