//! Removing whole trees: parallel, by handles, and to the end whatever fails on the way.
//!
//! [`Remove`] says what goes; [`Report`] says what went and what did not, and why. A [`Watch`] follows it
//! while it runs.
//!
//! What is removed is named by its parent's handle and its own name, never by a path that somebody might
//! redirect meanwhile. A path that was given is followed once, up to the directory that holds its last
//! component; from there on no link is followed, and no mount point entered unless that is allowed.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::remove::Remove;
//!
//! std::fs::create_dir_all(root.join("target/debug"))?;
//! std::fs::write(root.join("target/debug/main"), "")?;
//! std::os::unix::fs::symlink("/usr", root.join("target/link"))?;
//!
//! let report = Remove::new(root.join("target")).run();
//! assert!(report.is_complete());
//! assert_eq!((report.files, report.directories), (2, 2));
//! assert!(!root.join("target").exists());
//! # Ok(())
//! # }
//! ```

mod interactive;
mod matching;
mod remover;
mod report;
mod roots;
mod tally;
mod watch;

use std::ffi::CStr;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use report::{Failure, Progress, Report, Why};
pub use roots::Root;
use watch::Subject;
pub use watch::{Question, Watch};

use crate::{Fields, Follow, Mounts, Timestamp, Walk};
use interactive::Interactive;
use remover::Remover;
use roots::Roots;
use tally::Tally;

/// What happens to directories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directories {
    /// They go with everything below them.
    #[default]
    Recursive,
    /// They go if they are empty.
    Empty,
    /// They stay, and are failures.
    Refused,
}

/// Which directories are refused although they were named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preserve {
    /// The root of the file system, by whatever name.
    #[default]
    Root,
    /// That, and every mount point.
    RootAndMounts,
    /// None.
    Nothing,
}

/// What is to be removed, and how.
///
/// # Cost
/// For each entry that is no directory one unlinkat; for each directory one openat2, getdents64 to its
/// end (as in a [`Walk`]), one close and one unlinkat; for each path that was given one
/// statx, one more for a directory, and an openat if it has more than one component. Threads are started
/// only if measuring says that they pay. Directories are opened with O_NOATIME, so that reading them
/// writes no access times; the system refuses that for another user's directory, and those are opened
/// without.
///
/// # Platforms
/// Linux and Windows remove by handles. Elsewhere it goes by paths, and so follows a directory that
/// is swapped for a link meanwhile.
#[derive(Clone, Debug)]
pub struct Remove {
    paths: Vec<PathBuf>,
    directories: Directories,
    preserve: Preserve,
    keep_roots: bool,
    cross_mounts: bool,
    ignore_missing: bool,
    dry_run: bool,
    older_than: Option<Timestamp>,
    threads: Option<NonZeroUsize>,
    max_in_flight: Option<usize>,
    handle_limit: Option<usize>,
    only: Option<Known>,
}

/// Which file is meant, whatever its path leads to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Device and inode of the directory that holds it.
    pub parent: (u64, u64),
    /// Its own.
    pub itself: (u64, u64),
    /// Its owner.
    pub owner: u32,
}

impl Remove {
    /// Removes the tree, file or link at `path`.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Remove {
        Remove::over([path])
    }

    /// Removes several.
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
            older_than: None,
            threads: None,
            max_in_flight: None,
            handle_limit: None,
            only: None,
        }
    }

    /// What happens to directories; by default they go with everything below them.
    #[must_use]
    pub fn directories(self, directories: Directories) -> Remove {
        Remove { directories, ..self }
    }

    /// Which directories are refused although they were named; by default the root of the file system.
    #[must_use]
    pub fn preserve(self, preserve: Preserve) -> Remove {
        Remove { preserve, ..self }
    }

    /// Empties the directories that were named, and leaves them.
    #[must_use]
    pub fn keep_roots(self, keep_roots: bool) -> Remove {
        Remove { keep_roots, ..self }
    }

    /// Also empties what is mounted below the roots. By default a mount point is a failure.
    #[must_use]
    pub fn cross_mounts(self, cross_mounts: bool) -> Remove {
        Remove { cross_mounts, ..self }
    }

    /// A path at which there is nothing is no failure.
    #[must_use]
    pub fn ignore_missing(self, ignore_missing: bool) -> Remove {
        Remove { ignore_missing, ..self }
    }

    /// Removes nothing; says what would go. What the system is known to refuse is a failure:
    /// entries of a directory that cannot be written to, of another user's with the sticky bit, of
    /// a read-only mount, and what is immutable or append-only. What else a removal would meet is
    /// not foreseen. Costs one statx an entry, and for a directory with entries a statx and a
    /// faccessat2 more.
    #[must_use]
    pub fn dry_run(self, dry_run: bool) -> Remove {
        Remove { dry_run, ..self }
    }

    /// Removes only what was last modified before this time, and of the directories those that were
    /// and are empty then. What stays for that reason is no failure. Costs one statx an entry.
    #[must_use]
    pub fn older_than(self, time: Option<Timestamp>) -> Remove {
        Remove { older_than: time, ..self }
    }

    /// Exactly this many workers; by default as many as pay.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Remove {
        Remove { threads, ..self }
    }

    /// At most this many requests at once; 128 by default.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Remove {
        Remove { max_in_flight: Some(max_in_flight), ..self }
    }

    /// At most about this many directories are kept open; by default half of what the process may open.
    #[must_use]
    pub fn handle_limit(self, handle_limit: usize) -> Remove {
        Remove { handle_limit: Some(handle_limit), ..self }
    }

    /// Removes what is at the paths only if it is exactly this file, in this directory: what another
    /// process has left to be finished. Anything else is a failure.
    #[must_use]
    pub fn only(self, known: Known) -> Remove {
        Remove { only: Some(known), ..self }
    }

    /// Looks at the paths, and removes nothing: what would be the roots, and what is refused. Costs what
    /// [`Remove`] says for each path.
    #[must_use]
    pub fn inspect<W: Watch>(&self, watch: &W) -> Vec<Root> {
        let tally = Tally::new(self, watch);
        Roots::new(&tally).all(&self.paths)
    }

    /// Removes. Failures are in the report; nothing keeps it from removing the rest.
    #[must_use]
    pub fn run(&self) -> Report {
        self.run_with(&())
    }

    /// Removes, and tells `watch` about it from all workers. One that asks questions is told by the
    /// calling thread alone, entry by entry in GNU rm's order: as the directories list them, depth
    /// first.
    #[must_use]
    pub fn run_with<W: Watch>(&self, watch: &W) -> Report {
        let tally = Tally::new(self, watch);
        let mut roots = Roots::new(&tally);
        let mut paths = self.paths.iter().peekable();
        while paths.peek().is_some() {
            // In batches, because each parent of a root is an open handle; with questions one by
            // one, because what is wrong with a path is said when its turn comes.
            let tops = roots.next_batch(&mut paths);
            if tally.is_stopped() {
                break;
            }
            if watch.asks() {
                tops.into_iter().for_each(|top| Interactive::new(&tally).run(top));
                continue;
            }
            let count: usize = tops.iter().map(|top| top.roots.len()).sum();
            if count > 0 {
                let remover = Remover::new(&tally);
                let (_, stats) = self.walk().visit_removing(Some(tops), remover);
                tally.add(&stats);
            }
        }
        tally.into_report()
    }

    fn walk(&self) -> Walk {
        let mut walk = Walk::over::<&Path>([])
            .follow(Follow::Never)
            .mounts(if self.cross_mounts { Mounts::Cross } else { Mounts::SameMount })
            .threads(self.threads);
        if let Some(most) = self.max_in_flight {
            walk = walk.max_in_flight(most);
        }
        if let Some(limit) = self.handle_limit {
            walk = walk.handle_limit(limit);
        }
        walk
    }

    /// What must be asked about an entry that is no directory.
    fn fields(&self, asks: bool) -> Fields {
        let mut fields = Fields::empty();
        if self.dry_run {
            fields |= Fields::SIZE | Fields::UID;
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

/// Shared by whoever hands handles on.
type Handle = Arc<brisk_sys::Dir>;

impl Root {
    /// Gives it another name in its directory, which must be free. System calls: one renameat2, and one
    /// statx to see that it is what was looked at; if it is not, another renameat2 takes that back.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::NotFound`] if something else stood in its place.
    pub fn rename(&self, new: &CStr) -> io::Result<()> {
        self.handle.rename_here(&self.name, new)?;
        if self.known_as(new).is_ok_and(|known| known.itself == self.known.itself) {
            return Ok(());
        }
        self.handle.rename_here(new, &self.name)?;
        Err(io::ErrorKind::NotFound.into())
    }
}
