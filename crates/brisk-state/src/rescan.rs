//! [`Rescan`]: walks trees again and compares them with a state.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use brisk::ignore::Rules;
use brisk::{Cancel, Error, Operation, Stats, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::bytes_to_path;

use crate::assemble::Assembly;
use crate::began::Began;
use crate::choice::{All, Choice};
use crate::explain;
use crate::found::{Found, Keys};
use crate::gathered::{Gathered, Paths};
use crate::look::Look;
use crate::met::Volumes;
use crate::racy::Racy;
use crate::refused::Refused;
use crate::report::Report;
use crate::roots::{self, LeftOut};
use crate::settings::Settings;
use crate::shared::Shared;
use crate::state::{State, Unusable};
use crate::written::{Search, Written};

/// How trees are looked at again.
pub struct Rescan {
    roots: Vec<PathBuf>,
    state: Result<State, Unusable>,
    settings: Settings,
    without: Vec<PathBuf>,
    renames: bool,
    threads: Option<NonZeroUsize>,
    cancel: Cancel,
}

impl Rescan {
    /// A rescan of these trees. A tree in another one is one of its own: its entries are not looked
    /// at as entries of the other one.
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
            },
            without: Vec::new(),
            renames: true,
            threads: None,
            cancel: Cancel::new(),
        }
    }

    /// What to compare with. Where there is no usable state, everything is
    /// [`Added`](crate::Kind::Added), and [`Report::full`] says why.
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

    /// Which files that hold ignore rules count; by default none.
    #[must_use]
    pub fn ignoring(mut self, rules: Rules) -> Rescan {
        self.settings.rules = Some(rules);
        self
    }

    /// Leaves these files out, wherever they are: the state, its lock, what the caller writes. In
    /// their directories, temporaries are left out too, which brisk renames when they are whole.
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

    /// Whether the contents of files decide whether they changed; off by default. The first rescan
    /// hashes each file, and later ones hash each file whose metadata changed.
    #[must_use]
    pub fn content(mut self, decides: bool) -> Rescan {
        self.settings.content = decides;
        self
    }

    /// Whether directories that did not change are read from the state; they are by default, where
    /// the file system's times can be trusted.
    #[must_use]
    pub fn shortcuts(mut self, wanted: bool) -> Rescan {
        self.settings.shortcuts = wanted;
        self
    }

    /// Whether btrfs is committed to be asked what was written, however long that takes. By default
    /// that is done only where it is faster than to look at everything.
    #[must_use]
    pub fn commits(mut self, always: bool) -> Rescan {
        self.settings.commits = always;
        self
    }

    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; they are by default.
    #[must_use]
    pub fn renames(self, wanted: bool) -> Rescan {
        Rescan { renames: wanted, ..self }
    }

    /// Whether roots that are on another file system than before are accepted, and directories in
    /// them on which nothing is mounted any more; by default they are not.
    #[must_use]
    pub fn accepts_new_mounts(mut self, accepted: bool) -> Rescan {
        self.settings.accepts_new = accepted;
        self
    }

    /// How many workers look; by default as many as the walk finds worth while.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Rescan {
        Rescan { threads, ..self }
    }

    /// Ends the rescan when the caller says so.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Rescan {
        Rescan { cancel: cancel.clone(), ..self }
    }

    /// Looks. System calls: one walk that asks each entry for its metadata (statx), where a
    /// directory that the state knows as unchanged is opened with `O_PATH` and not read; one
    /// canonicalize a root. A file that was written in the clock tick in which the rescan began, or
    /// later, is hashed: openat, fstat, read, close. If hashing all such files would take longer
    /// than a tick, or if one of them cannot be read, the call returns a tick after the walk.
    ///
    /// # Errors
    /// A root is missing or on another file system, or the walk was cancelled.
    pub fn run(self) -> Result<Report, Refused> {
        self.run_after(Written::find)
    }

    /// Looks at what `find` says was written, if it says it. `find` adds how to the explanations.
    pub(crate) fn run_after(
        mut self,
        find: impl FnOnce(&Search<'_>, &mut Vec<String>) -> Option<Written>,
    ) -> Result<Report, Refused> {
        let began = coarse_now();
        let state = self.state.as_ref().ok();
        let mut asked = Began::default();
        let roots = roots::find(&self.roots, state, self.settings.accepts_new, &mut asked)?;
        asked.note_mounts(roots.iter().map(|root| &*root.place));
        self.settings.leave_out(&self.without, &roots);
        let paths = Paths::new(state, &roots);
        let (keys, volumes) = (Keys::new(state), Volumes::new(state, asked));
        let mut explained = Vec::new();
        let (settings, pace) = (&self.settings, (self.threads, &self.cancel));
        let search = Search { paths: &paths, settings, volumes: &volumes, pace };
        let written = find(&search, &mut explained);
        let racy = Racy::new(began, settings.ctime, state.is_none());
        let common = (&keys, &volumes, written.as_ref());
        let shared = Shared::new(state, settings, racy, &roots, common);
        let (found, stats) = walk(&shared, pace)?;
        let walked = Instant::now();
        explained.extend(explain::ways(&volumes, settings, state.is_none()));
        let trusted = volumes.get().iter().map(|known| known.volume.trusts_inodes()).collect();
        let (paths_of, seen, renames) = (&paths, &shared.seen, self.renames);
        let mut gathered = Gathered::of(found);
        let assembly = Assembly { paths: paths_of, settings, seen, trusted, renames };
        let assembled = assembly.run(&mut gathered);
        shared.racy.wait(walked);
        let gone: Vec<_> = paths.gone.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let (state, full) = match self.state {
            Ok(state) => (Some(state), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Report {
            changes: assembled.changes,
            blocks: assembled.blocks,
            began,
            roots: roots.iter().map(|root| root.path.clone()).chain(gone).collect(),
            names: roots.iter().map(|root| root.place.as_slice().into()).collect(),
            explained,
            stats,
            // What could not be looked at would be no change the next time.
            volumes: volumes.remembered(gathered.errors.is_empty()),
            is_stale: volumes.get().iter().any(|known| known.is_stale),
            errors: gathered.errors,
            warnings: gathered.warnings,
            full,
            state,
        })
    }
}

/// Walks over the roots.
fn walk(
    shared: &Shared<'_>,
    (threads, cancel): (Option<NonZeroUsize>, &Cancel),
) -> Result<(Found, Stats), Refused> {
    let paths = shared.roots.keys().map(|path| bytes_to_path(path));
    let walk = Walk::over(paths).threads(threads).cancelled_by(cancel);
    let (look, stats) = walk.visit_parallel(Look::new(shared));
    if cancel.is_cancelled() {
        return Err(Refused::Cancelled);
    }
    let mut found = look.found;
    let is_root = |error: &mut Error| error.depth() == 0 && error.operation() == Operation::Stat;
    let refused = found.errors.extract_if(.., is_root).next();
    match refused {
        Some(error) => Err(Refused::Root(error.path().to_owned(), error.into_io())),
        None => Ok((found, stats)),
    }
}
