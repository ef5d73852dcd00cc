//! A [`Rescan`] walks trees again and compares them with a state.
//!
//! ```text
//!   Checkpoints  the file systems of the roots, before anything is read
//!   Changed      what file systems report as changed since the state
//!   Look         the walk: compares entries with their records, marks what is unchanged
//!   Merge        new records and missing entries become changes, and directories of the next state
//! ```

mod entries;
mod look;
pub(crate) mod marks;
mod merge;
mod racy;
mod report;
pub(crate) mod roots;
pub(crate) mod settings;
mod shared;
pub(crate) mod volumes;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use brisk::{Error, Meta, Operation, Stats, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use crate::format::index::Unusable;
use crate::format::state::State;
use crate::format::writer::NextState;
use crate::sources::{ChangeSearch, Changed};
use look::Look;
use marks::Marks;
use merge::Merge;
use racy::Racy;
use roots::{Paths, left_out};
use settings::fingerprint;
use shared::{DirIds, Findings, MountPoints, Shared};
use volumes::{Checkpoints, Volumes};

pub use entries::Entries;
pub use report::Report;
pub use roots::RescanError;
pub use settings::Rescan;

impl Rescan {
    /// Walks the trees. System calls: one walk that stats each entry, but opens an unchanged
    /// directory only with `O_PATH` and does not read it; one canonicalize per root. A file that
    /// was written in the clock tick in which the rescan began, or later, is hashed: openat, fstat,
    /// read, close. If hashing all such files would take longer than a tick, or if one of them
    /// cannot be read, the call returns a tick after the walk.
    ///
    /// # Errors
    /// No root is named, a root is missing or on another file system, or the walk was cancelled.
    pub fn run(self) -> Result<Report, RescanError> {
        self.run_after(Changed::find)
    }

    /// As [`run`](Rescan::run), compared with the state in a file, which is left out itself. A file
    /// of something else is neither read nor replaced. The state is read, not mapped: this is for
    /// processes that must not end because another process truncates the file in place.
    ///
    /// # Errors
    /// As [`run`](Rescan::run), or the file is something else: no state, a state of another version,
    /// an index of names where [`names`](Rescan::names) is off, or the reverse, or a state that says
    /// something else [about](Rescan::about) itself.
    pub fn run_since(mut self, file: &Path) -> Result<Report, RescanError> {
        self.since = State::read(file);
        if let Some(why) = self.is_other() {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, why);
            return Err(RescanError::File(file.to_owned(), error));
        }
        self.without.push(file.to_owned());
        self.run()
    }

    /// Why the old state is of something else than the next one.
    fn is_other(&self) -> Option<String> {
        match &self.since {
            Err(why @ (Unusable::Foreign | Unusable::Version(_))) => Some(why.to_string()),
            Ok(state) if state.is_index() && !self.names => {
                Some("the file is an index of names, and no state to compare with".to_owned())
            }
            Ok(state) if !state.is_index() && self.names => {
                Some("the file is a state to compare with, and no index of names".to_owned())
            }
            Ok(state) if state.about() != self.about => {
                Some("the state was made with other filters or ignore rules".to_owned())
            }
            _ => None,
        }
    }

    /// As [`run`](Rescan::run). `find` asks the file systems for their changes, and adds
    /// explanations.
    pub(crate) fn run_after(
        self,
        find: impl FnOnce(&ChangeSearch<'_>, &mut Vec<String>) -> Option<Changed>,
    ) -> Result<Report, RescanError> {
        if self.roots.is_empty() {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "no directory is named");
            return Err(RescanError::Root(PathBuf::new(), error));
        }
        let began = coarse_now();
        let state = self.since.as_ref().ok();
        let mut checkpoints = Checkpoints::default();
        let accepts_new = self.accepts_new_mounts;
        let roots = roots::find(&self.roots, state, accepts_new, &mut checkpoints)?;
        checkpoints.find_mounts(roots.iter().map(|root| &*root.place));
        let paths = Paths::new(state, &roots);
        let volumes = Volumes::new(state, checkpoints);
        let mut explained = Vec::new();
        let changed = state.and_then(|state| {
            let search = ChangeSearch { state, paths: &paths, rescan: &self, volumes: &volumes };
            find(&search, &mut explained)
        });
        let left_out = left_out(&self.without, &roots);
        let shared = Shared {
            state,
            rescan: &self,
            fingerprint: fingerprint(&self.filter, &left_out),
            left_out,
            racy: Racy::new(began, self.ctime, state.is_none()),
            volumes: &volumes,
            changed,
            roots: roots.iter().map(|root| (with_slashes(&root.path), &*root.name)).collect(),
            dir_ids: DirIds::new(state),
            seen: Marks::new(state.map_or(0, State::len)),
            unchanged: Marks::new(state.map_or(0, |state| state.index.len())),
            mounts: MountPoints::default(),
            unasked: Meta::default(),
        };
        let (mut findings, stats) = walk(&shared)?;
        let walked = Instant::now();
        explained.extend(volumes.explain(self.shortcuts, state.is_none()));
        let Merge { changes, dirs, .. } = Merge::of(&shared, &paths, &mut findings);
        if self.cancel.is_cancelled() {
            return Err(RescanError::Cancelled);
        }
        shared.racy.wait(walked);
        let gone: Vec<_> = paths.gone.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let (old, full) = match self.since {
            Ok(state) => (Some(state), None),
            Err(why) => (None, Some(why)),
        };
        // A search from a new checkpoint would not find an entry that failed now.
        let volumes_next = volumes.records(findings.errors.is_empty());
        Ok(Report {
            changes,
            next: NextState {
                old,
                dirs,
                volumes: volumes_next,
                about: self.about,
                is_names: self.names,
            },
            began,
            roots: roots.iter().map(|root| root.path.clone()).chain(gone).collect(),
            names: roots.iter().map(|root| root.place.as_slice().into()).collect(),
            explained,
            stats,
            is_stale: volumes.get().iter().any(|known| known.is_stale),
            errors: findings.errors,
            warnings: findings.warnings,
            full,
        })
    }
}

/// Walks over the roots.
fn walk(shared: &Shared<'_>) -> Result<(Findings, Stats), RescanError> {
    let Rescan { threads, cancel, rules, filter, .. } = shared.rescan;
    let paths = shared.roots.keys().map(|path| bytes_to_path(path));
    let walk = Walk::over(paths).rules(rules.clone()).filter(filter.clone());
    let walk = walk.threads(*threads).cancelled_by(cancel);
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
