//! A [`Rescan`] walks trees again and compares them with a state.
//!
//! ```text
//!   BeforeWalk   the file systems of the roots, before anything is read
//!   ToCheck      what has to be checked, because its file system reports it as changed
//!   Look         the walk: compares entries with their records
//!   merge        new records and missing entries become changes, and directories of the next state
//! ```
//!
//! The words: an entry is a *result* if it passes the filter and the ignore rules. A *place* is a
//! root and a path below it. A *listing* is one reading of a directory's names. A directory is
//! *recalled* if its names are taken from the state, and the directory is not read. An entry is
//! *racy* if it may change without a trace in its times. A *checkpoint* is where the next search
//! for the changes of a file system begins. A record is at a position (`at`) in its directory's
//! block. Without a new record, an old one is *carried over* into the next state if its entry was
//! met, need not be checked, or could not be examined; otherwise the entry is deleted. On a file
//! system that reports its changes, an entry *must be checked* ([`ToCheck`]) if it or one below it
//! was reported, is racy, is a mount, lacks a digest that is wanted, or is a directory that may not
//! be recalled; on others, every entry is checked. A record with the flag `RECHECK` does not prove its entry unchanged. *Omitted* names are
//! never entries: brisk's own files, and roots inside other roots.

mod entries;
mod look;
pub(crate) mod marks;
mod merge;
mod racy;
mod recall;
mod report;
pub(crate) mod roots;
pub(crate) mod settings;
mod shared;
pub(crate) mod volumes;
pub(crate) mod watched;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use brisk::{Error, Meta, Operation, Stats, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::bytes_to_path;

use crate::format::index::Unusable;
use crate::format::state::State;
use crate::format::writer::NextState;
use crate::sources::{ChangeSearch, ToCheck};
use look::Look;
use marks::Marks;
use merge::merge;
use racy::Racy;
use roots::{Paths, omitted};
use settings::fingerprint;
pub(crate) use shared::DirName;
use shared::{DirIds, Findings, MountPoints, Shared};
use volumes::Volumes;
use watched::WatchedDirs;

pub use entries::Entries;
pub use report::Report;
pub use roots::RescanError;
pub use settings::Rescan;

impl Rescan {
    /// Walks the trees. System calls: for each root canonicalize, openat, fstatfs, statx and
    /// close; for each omitted file canonicalize; and one walk. The walk stats each
    /// entry, except those that count by name alone ([`names_only`](field@Rescan::names_only)), and
    /// those that their file system reports as unchanged, if it can (btrfs, XFS, NTFS; asking it
    /// takes calls of its own). A directory whose names may be recalled is opened at most with
    /// `O_PATH`, and not read. If contents do not decide, a file that was written within a clock
    /// tick before the rescan began, or later, is hashed: openat, fstat, read, close. If hashing all
    /// such files would take longer than a tick, or if one of them cannot be read, the call returns
    /// a tick after the walk. Without a state, no such file is hashed where ticks are short.
    ///
    /// # Errors
    /// No root is named, a root is missing or on another file system, or the walk was cancelled.
    pub fn run(self) -> Result<Report, RescanError> {
        self.run_asking(ToCheck::ask)
    }

    /// As [`run`](Rescan::run), compared with the state in a file, which is omitted itself. A file
    /// of something else is neither read nor replaced. The state is read, not mapped: this is for
    /// processes that must not end because another process truncates the file in place.
    ///
    /// # Errors
    /// As [`run`](Rescan::run), or the file is something else: no state, a state of another
    /// version, a state of [names alone](Rescan::names_only) where that is off, or the reverse, or
    /// one that was [made with](Rescan::made_with) something else.
    pub fn run_since(self, file: &Path) -> Result<Report, RescanError> {
        self.since(file)?.run()
    }

    /// As [`run_since`](Rescan::run_since), but it is not run.
    pub(crate) fn since(mut self, file: &Path) -> Result<Rescan, RescanError> {
        self.old = State::read(file);
        if let Some(why) = self.why_other(file) {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, why);
            return Err(RescanError::File(file.to_owned(), error));
        }
        self.omitted.push(file.to_owned());
        Ok(self)
    }

    /// Why the file of the old state must not be replaced by the next state: it is not a state, or a
    /// state of something else. System calls: if the state is damaged, as
    /// [`State::names_only_at`].
    #[must_use]
    pub fn why_other(&self, file: &Path) -> Option<String> {
        let names_only = match &self.old {
            Ok(state) => Some(state.names_only()),
            Err(Unusable::Damaged) => State::names_only_at(file),
            Err(_) => None,
        };
        match (names_only, &self.old) {
            (_, Err(why @ (Unusable::Foreign | Unusable::Version(_)))) => Some(why.to_string()),
            (Some(true), _) if !self.names_only => {
                Some("the file is an index of names, not a state to compare with".to_owned())
            }
            (Some(false), _) if self.names_only => {
                Some("the file is a state to compare with, and no index of names".to_owned())
            }
            (_, Ok(state)) if state.made_with() != self.made_with => {
                Some("the state was made with other filters or ignore rules".to_owned())
            }
            _ => None,
        }
    }

    /// As [`run`](Rescan::run). `ask_for_changes` asks the file systems for their changes, and adds
    /// explanations. A test passes a function of its own.
    pub(crate) fn run_asking(
        mut self,
        ask_for_changes: impl FnOnce(&ChangeSearch<'_>, &mut Vec<String>) -> Option<ToCheck>,
    ) -> Result<Report, RescanError> {
        let old = std::mem::replace(&mut self.old, Err(Unusable::Missing));
        Ok(self.run_watching(old.map(Arc::new), None, ask_for_changes)?.0)
    }

    /// As [`run_asking`](Rescan::run_asking), but compared with this state. If directories are
    /// `watched`, each one that is opened is watched; also returns the files with several names.
    pub(crate) fn run_watching(
        &self,
        old: Result<Arc<State>, Unusable>,
        watched: Option<&WatchedDirs>,
        ask_for_changes: impl FnOnce(&ChangeSearch<'_>, &mut Vec<String>) -> Option<ToCheck>,
    ) -> Result<(Report, Vec<(DirName, u64)>), RescanError> {
        if self.roots.is_empty() {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "no directory is named");
            return Err(RescanError::Root(PathBuf::new(), error));
        }
        let began = coarse_now();
        let state = old.as_deref().ok();
        let (roots, before_walk) = roots::find(&self.roots, state, self.accepts_other_volumes)?;
        let paths = Paths::new(state, &roots);
        let volumes = Volumes::new(state, before_walk);
        let mut explained = Vec::new();
        let to_check = state.and_then(|state| {
            let search = ChangeSearch { state, paths: &paths, rescan: self, volumes: &volumes };
            ask_for_changes(&search, &mut explained)
        });
        let omitted = omitted(&self.omitted, &roots);
        let dir_marks = || Marks::new(state.map_or(0, |state| state.index.len()));
        let shared = Shared {
            state,
            rescan: self,
            fingerprint: fingerprint(&self.filter, &omitted),
            omitted,
            racy: Racy::new(began, self.ctime, state.is_none()),
            volumes: &volumes,
            to_check,
            watched,
            roots: &roots,
            dir_ids: DirIds::new(state),
            carried_over_records: Marks::new(state.map_or(0, State::len)),
            unchanged_dirs: dir_marks(),
            dirs_with_new_inode: dir_marks(),
            opened_dirs: dir_marks(),
            carried_over_dirs: dir_marks(),
            mounts: MountPoints::default(),
            no_meta: Meta::default(),
        };
        let (mut findings, stats) = walk(&shared)?;
        let walked = Instant::now();
        explained.extend(volumes.explain(self.shortcuts, state.is_none()));
        let (changes, dirs) = merge(&shared, &paths, &mut findings);
        if self.cancel.is_cancelled() {
            return Err(RescanError::Cancelled);
        }
        shared.racy.wait(walked);
        let only_in_state: Vec<_> =
            paths.only_in_state.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let (old, no_state) = match old {
            Ok(state) => (Some(state), None),
            Err(why) => (None, Some(why)),
        };
        let report = Report {
            changes,
            next: NextState {
                old,
                dirs,
                // A search from a new checkpoint would not find an entry that failed now.
                volumes: volumes.indexed(findings.errors.is_empty()),
                made_with: self.made_with.clone(),
                names_only: self.names_only,
            },
            began,
            roots: roots.iter().map(|root| root.as_given.clone()).chain(only_in_state).collect(),
            absolute_roots: roots.iter().map(|root| root.absolute.as_slice().into()).collect(),
            explained,
            caveats: [roots::compared_with_another(&roots), volumes.caveats()].concat(),
            stats,
            has_checkpoint_worth_saving: volumes.lock().iter().any(|known| known.is_worth_saving),
            errors: findings.errors,
            warnings: findings.warnings,
            no_state,
        };
        Ok((report, findings.linked))
    }
}

/// Walks over the roots.
fn walk(shared: &Shared<'_>) -> Result<(Findings, Stats), RescanError> {
    let Rescan { threads, cancel, rules, filter, .. } = shared.rescan;
    let roots = shared.roots.iter().map(|root| bytes_to_path(&root.walked));
    let walk = Walk::over(roots).rules(rules.clone()).filter(filter.clone());
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
