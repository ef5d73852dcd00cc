//! [`Rescan`]: walks trees again and compares them with a state.
//!
//! ```text
//!   Checkpoints  the file systems of the roots, before anything is read
//!   Changed      what file systems report as changed since the state
//!   Look         the walk: compares entries with their records, marks what is unchanged
//!   Merge        new records and missing entries become changes, and directories of the next state
//! ```

mod look;
pub(crate) mod marks;
mod merge;
mod racy;
mod report;
pub(crate) mod roots;
pub(crate) mod settings;
mod shared;
pub(crate) mod volumes;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use brisk::ignore::Rules;
use brisk::{Cancel, Error, Operation, Stats, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use crate::format::index::Unusable;
use crate::format::state::State;
use crate::sources::{Changed, Search};
use look::Look;
use marks::Marks;
use merge::Merge;
use racy::Racy;
use roots::{LeftOut, Paths};
use settings::Settings;
use shared::{DirIds, Findings, Mounts, Shared};
use volumes::{Checkpoints, Volumes};

pub use report::Report;
pub use roots::RescanError;
pub use settings::{All, Choice};

/// A rescan of trees.
pub struct Rescan {
    roots: Vec<PathBuf>,
    state: Result<State, Unusable>,
    settings: Settings,
    without: Vec<PathBuf>,
    threads: Option<NonZeroUsize>,
    cancel: Cancel,
}

impl Rescan {
    /// A rescan of these trees. A tree inside another one is a tree of its own: its entries do not
    /// count as entries of the other one.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Rescan {
        Rescan {
            roots: roots.into_iter().map(|root| root.as_ref().to_owned()).collect(),
            state: Err(Unusable::Missing),
            settings: Settings {
                choice: Arc::new(All),
                takes_all: true,
                rules: None,
                left_out: LeftOut::new(),
                fingerprint: 0,
                ctime: true,
                content: false,
                shortcuts: true,
                accepts_new: false,
                commits: false,
                renames: true,
            },
            without: Vec::new(),
            threads: None,
            cancel: Cancel::new(),
        }
    }

    /// What to compare with. Without a usable state everything is [`Added`](crate::Kind::Added), and
    /// [`Report::full`] says why.
    #[must_use]
    pub fn since(self, state: Result<State, Unusable>) -> Rescan {
        Rescan { state, ..self }
    }

    /// Which entries belong to the state; by default all.
    #[must_use]
    pub fn choice(mut self, choice: Arc<dyn Choice>) -> Rescan {
        self.settings.choice = choice;
        self
    }

    /// Which ignore rules count; by default none.
    #[must_use]
    pub fn ignoring(mut self, rules: Rules) -> Rescan {
        self.settings.rules = Some(rules);
        self
    }

    /// Leaves these files out, wherever they are: the state, its lock, what the caller writes. In
    /// their directories, the temporaries of brisk are left out too.
    #[must_use]
    pub fn without(self, files: Vec<PathBuf>) -> Rescan {
        Rescan { without: files, ..self }
    }

    /// Whether a change of ctime alone counts as a change; it does by default.
    #[must_use]
    pub fn ctime(mut self, counts: bool) -> Rescan {
        self.settings.ctime = counts;
        self
    }

    /// Whether a file counts as changed only if its contents changed; off by default. The first rescan
    /// hashes each file, and later ones hash each file whose metadata changed.
    #[must_use]
    pub fn content(mut self, decides: bool) -> Rescan {
        self.settings.content = decides;
        self
    }

    /// Whether the names in an unchanged directory are taken from the state; by default they are, if
    /// the file system's times can be trusted.
    #[must_use]
    pub fn shortcuts(mut self, wanted: bool) -> Rescan {
        self.settings.shortcuts = wanted;
        self
    }

    /// Whether btrfs is committed, to be asked what was written, however long that takes. By default
    /// it is committed only if that is faster than to check every entry.
    #[must_use]
    pub fn commits(mut self, always: bool) -> Rescan {
        self.settings.commits = always;
        self
    }

    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; they are by default.
    #[must_use]
    pub fn renames(mut self, wanted: bool) -> Rescan {
        self.settings.renames = wanted;
        self
    }

    /// Whether roots that are on another file system than before are accepted, and directories in
    /// them on which nothing is mounted any more; by default they are not.
    #[must_use]
    pub fn accepts_new_mounts(mut self, accepted: bool) -> Rescan {
        self.settings.accepts_new = accepted;
        self
    }

    /// How many workers walk; by default as many as the walk finds to pay off.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Rescan {
        Rescan { threads, ..self }
    }

    /// Ends the rescan when the caller says so.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Rescan {
        Rescan { cancel: cancel.clone(), ..self }
    }

    /// Walks the trees. System calls: one walk that stats each entry, in which a directory that the
    /// state knows as unchanged is opened with `O_PATH` and not read; one canonicalize a root. A
    /// file that was written in the clock tick in which the rescan began, or later, is hashed:
    /// openat, fstat, read, close. If hashing all such files would take longer than a tick, or if
    /// one of them cannot be read, the call returns a tick after the walk.
    ///
    /// # Errors
    /// A root is missing or on another file system, or the walk was cancelled.
    pub fn run(self) -> Result<Report, RescanError> {
        self.run_after(Changed::find)
    }

    /// Rescans. `find` asks the file systems for their changes, and adds explanations.
    pub(crate) fn run_after(
        mut self,
        find: impl FnOnce(&Search<'_>, &mut Vec<String>) -> Option<Changed>,
    ) -> Result<Report, RescanError> {
        let began = coarse_now();
        let state = self.state.as_ref().ok();
        let mut checkpoints = Checkpoints::default();
        let accepts_new = self.settings.accepts_new;
        let roots = roots::find(&self.roots, state, accepts_new, &mut checkpoints)?;
        checkpoints.find_mounts(roots.iter().map(|root| &*root.place));
        self.settings.leave_out(&self.without, &roots);
        let settings = &self.settings;
        let paths = Paths::new(state, &roots);
        let volumes = Volumes::new(state, checkpoints);
        let mut explained = Vec::new();
        let (threads, cancel) = (self.threads, &self.cancel);
        let search =
            |state| Search { state, paths: &paths, settings, volumes: &volumes, threads, cancel };
        let changed = state.and_then(|state| find(&search(state), &mut explained));
        let shared = Shared {
            state,
            settings,
            racy: Racy::new(began, settings.ctime, state.is_none()),
            volumes: &volumes,
            changed,
            roots: roots.iter().map(|root| (with_slashes(&root.path), &*root.name)).collect(),
            dir_ids: DirIds::new(state),
            seen: Marks::new(state.map_or(0, State::len)),
            unchanged: Marks::new(state.map_or(0, |state| state.index.len())),
            mounts: Mounts::default(),
        };
        let (mut findings, stats) = walk(&shared, threads, cancel)?;
        let walked = Instant::now();
        explained.extend(volumes.explain(settings.shortcuts, state.is_none()));
        let Merge { changes, dirs, .. } = Merge::of(&shared, &paths, &mut findings);
        shared.racy.wait(walked);
        let gone: Vec<_> = paths.gone.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let (state, full) = match self.state {
            Ok(state) => (Some(state), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Report {
            changes,
            dirs,
            began,
            roots: roots.iter().map(|root| root.path.clone()).chain(gone).collect(),
            names: roots.iter().map(|root| root.place.as_slice().into()).collect(),
            explained,
            stats,
            // An entry that failed would be missing in what the next search finds.
            volumes: volumes.records(findings.errors.is_empty()),
            is_stale: volumes.get().iter().any(|known| known.is_stale),
            errors: findings.errors,
            warnings: findings.warnings,
            full,
            state,
        })
    }
}

/// Walks over the roots.
fn walk(
    shared: &Shared<'_>,
    threads: Option<NonZeroUsize>,
    cancel: &Cancel,
) -> Result<(Findings, Stats), RescanError> {
    let paths = shared.roots.keys().map(|path| bytes_to_path(path));
    let walk = Walk::over(paths).threads(threads).cancelled_by(cancel);
    let (look, stats) = walk.visit_parallel(Look::new(shared));
    if cancel.is_cancelled() {
        return Err(RescanError::Cancelled);
    }
    let mut findings = look.findings;
    let is_root = |error: &mut Error| error.depth() == 0 && error.operation() == Operation::Stat;
    let failed = findings.errors.extract_if(.., is_root).next();
    match failed {
        Some(error) => Err(RescanError::Root(error.path().to_owned(), error.into_io())),
        None => Ok((findings, stats)),
    }
}
