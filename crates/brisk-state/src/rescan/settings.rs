//! [`Rescan`]: what the caller of a rescan chose.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk::Cancel;
use brisk::filter::Filter;
use brisk::ignore::Rules;
use xxhash_rust::xxh3::xxh3_64;

use super::roots::Omitted;
use crate::format::index::Unusable;
use crate::format::state::State;

/// A rescan of trees: what to compare with, and how.
/// `Rescan { content: true, ..Rescan::over(["src"]) }` leaves the other fields as
/// [`over`](Rescan::over) sets them.
pub struct Rescan {
    /// The trees. A tree inside another one is a tree of its own: its entries do not count as
    /// entries of the other one.
    pub roots: Vec<PathBuf>,
    /// What to compare with; by default nothing. Without a usable state everything is
    /// [`Added`](crate::ChangeKind::Added), and [`Report::no_state`](crate::Report::no_state) says
    /// why.
    pub old: Result<State, Unusable>,
    /// Which entries belong to the state; by default all. A directory that is not a result is entered
    /// nevertheless, unless it is pruned. Directories that were read with another filter are read
    /// again. With one that is not [steady](Filter::is_steady), file systems are not asked for
    /// their changes.
    pub filter: Filter,
    /// Which ignore rules count; by default none.
    pub rules: Option<Rules>,
    /// Files that are never entries, in whichever root they are: the state, its lock, what the
    /// caller writes. In their directories, brisk's temporary files are omitted too.
    pub omitted: Vec<PathBuf>,
    /// Whether a change of ctime alone counts as a change; on by default.
    pub ctime: bool,
    /// Whether a file's contents decide instead of its mtime, ctime and inode (its mode, owner and
    /// type count in any case); off by default. The first rescan hashes each file that is a result,
    /// and later ones hash each such file whose metadata changed.
    pub content: bool,
    /// Whether names and types are all that counts of entries other than directories; off by
    /// default. They are not statted, so an unchanged tree costs a statx for each directory, and
    /// their records have nothing but the type. The report then has no changes, except for what is
    /// unknown.
    pub names_only: bool,
    /// What the next state says of how it was made, such as the options behind the filter and the
    /// rules: a text for [`State::made_with`]. By default it is empty.
    pub made_with: Vec<u8>,
    /// Whether the names in an unchanged directory are taken from the state, if the file system's
    /// times can be trusted, or if it reports its changes; on by default. If off, no file system is
    /// asked for its changes.
    pub shortcuts: bool,
    /// Whether btrfs is committed in any case, so that it can be asked what was written. By default
    /// it is committed only if that is faster than checking every entry. Tests set it.
    #[doc(hidden)]
    pub commits: bool,
    /// Whether entries with a new path are [`Renamed`](crate::ChangeKind::Renamed), rather than
    /// deleted and added; on by default.
    pub renames: bool,
    /// Whether roots that are on another file system than before are accepted, and directories
    /// below them on which nothing is mounted any more; off by default.
    pub accepts_other_volumes: bool,
    /// How many workers walk; by default the walk measures how many pay off.
    pub threads: Option<NonZeroUsize>,
    /// Lets the caller end the rescan.
    pub cancel: Cancel,
    /// Called by each worker with the number of entries that it has met since its last call; `None`
    /// by default.
    pub on_progress: Option<Arc<dyn Fn(u64) + Send + Sync>>,
}

impl Rescan {
    /// A rescan of these trees, with the defaults.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Rescan {
        Rescan {
            roots: roots.into_iter().map(|root| root.as_ref().to_owned()).collect(),
            old: Err(Unusable::Missing),
            filter: Filter::default(),
            rules: None,
            omitted: Vec::new(),
            ctime: true,
            content: false,
            names_only: false,
            made_with: Vec::new(),
            shortcuts: true,
            commits: false,
            renames: true,
            accepts_other_volumes: false,
            threads: None,
            cancel: Cancel::new(),
            on_progress: None,
        }
    }
}

/// A number that changes if the filter changes, or if other files are omitted.
pub(crate) fn fingerprint(filter: &Filter, omitted: &Omitted) -> u64 {
    let mut bytes = filter.key().as_bytes().to_vec();
    bytes.push(b'\0');
    for (dir, names) in omitted {
        bytes.extend([dir, &b"\0"[..]].concat());
        names.iter().for_each(|name| bytes.extend([name, &b"\0"[..]].concat()));
    }
    xxh3_64(&bytes)
}
