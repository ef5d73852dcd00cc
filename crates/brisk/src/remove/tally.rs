//! [`Tally`]: what all workers of a removal share and add up; it becomes the [`Report`].

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::observer::Observer;
use super::report::{Failure, MAX_FAILURES, Report, Why};
use super::settings::{Preserve, Remove};
use brisk_sys::{Backend, Identity, Links, stat_path};

use crate::entry::bytes_to_path_buf;
use crate::inodes::Inodes;
use crate::sched::lock;
use crate::{Cancel, Fields, Meta};

/// What all workers of a removal share and add up.
pub(super) struct Tally<'a> {
    pub remove: &'a Remove,
    pub observer: &'a dyn Observer,
    /// The observer asks questions.
    pub prompts: bool,
    /// The metadata that is needed of entries.
    pub fields: Fields,
    pub report: Mutex<Report>,
    /// In a dry run: files with several hard links, each with the number of links met.
    links: Mutex<Inodes>,
    pub stopped: AtomicBool,
    pub spellings: Mutex<Spellings>,
    root: OnceLock<Option<Identity>>,
    /// See [`Remove::old`](field@Remove::old).
    old: Arc<Mutex<HashSet<Identity>>>,
}

impl<'a> Tally<'a> {
    pub fn new(remove: &'a Remove, observer: &'a dyn Observer) -> Self {
        let prompts = observer.asks();
        Tally {
            remove,
            observer,
            prompts,
            fields: remove.fields(prompts),
            report: Mutex::default(),
            links: Mutex::default(),
            stopped: AtomicBool::new(false),
            spellings: Mutex::default(),
            root: OnceLock::new(),
            old: remove.old.clone().unwrap_or_default(),
        }
    }

    /// The directory that is never removed, if there is one: device and inode.
    pub fn root(&self) -> Option<Identity> {
        if self.remove.preserve == Preserve::Nothing {
            return None;
        }
        *self.root.get_or_init(root_identity)
    }

    /// Whether a directory was old when it was opened before.
    pub fn was_old(&self, identity: Option<Identity>) -> bool {
        identity.is_some_and(|identity| lock(&self.old).contains(&identity))
    }

    /// A directory that was old stays. Remembers that if it may be opened again: by this removal,
    /// or by another one because something has failed.
    pub fn stays_old(&self, identity: Identity, is_read_again: bool) {
        if is_read_again || lock(&self.report).failed > 0 {
            lock(&self.old).insert(identity);
        }
    }

    pub fn is_stopped(&self) -> bool {
        let cancel = &self.remove.walk.cancel;
        if self.observer.is_stopped() || cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Reports a path that could not be looked up, unless it leads nowhere and the caller ignores
    /// that.
    #[cold]
    pub fn not_found(&self, path: &[u8], why: Why) {
        self.stays(path, why, leads_nowhere);
    }

    /// Reports an entry that stays, unless it is gone and the caller ignores that. An entry that
    /// was looked up existed then, so after any other error it still does.
    #[cold]
    pub fn not_removed(&self, path: &[u8], why: Why) {
        self.stays(path, why, |error| error.kind() == io::ErrorKind::NotFound);
    }

    fn stays(&self, path: &[u8], why: Why, is_missing: fn(&io::Error) -> bool) {
        let fine = matches!(&why, Why::System(error) if is_missing(error));
        if fine && self.remove.ignore_missing {
            return;
        }
        let failure = Failure { path: bytes_to_path_buf(path), why };
        self.observer.failed(&failure);
        let mut report = lock(&self.report);
        report.failed += 1;
        if report.failures.len() < MAX_FAILURES {
            report.failures.push(failure);
        }
    }

    /// In a dry run: a link to a file would go. Its size counts with the last one.
    pub fn would_go(&self, meta: &Meta) {
        let links = meta.nlink().unwrap_or(1);
        if links > 1 {
            let Some(id) = meta.identity() else { return };
            let mut known = lock(&self.links);
            let met = known.add(id, 1).map_or(1, |met| met.saturating_add(1));
            if met > 1 {
                known.set(id, met);
            }
            drop(known);
            if u64::from(met) != links {
                return;
            }
        }
        let mut report = lock(&self.report);
        report.bytes = report.bytes.saturating_add(meta.size().unwrap_or(0));
    }

    /// The numbers so far.
    pub fn progress(&self) -> Report {
        lock(&self.report).since(&Report::default())
    }

    pub fn into_report(self) -> Report {
        let report = std::mem::take(&mut *lock(&self.report));
        Report { stopped: self.stopped.into_inner(), ..report }
    }
}

/// Whether the caller's path leads nowhere, in GNU rm's sense.
fn leads_nowhere(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidInput | InvalidFilename)
}

/// Device and inode of the root of the file system.
pub(crate) fn root_identity() -> Option<Identity> {
    let root = stat_path(Backend::Native, Path::new("/"), Fields::DEV | Fields::INO, Links::Follow)
        .ok()?;
    root.identity()
}

/// How the caller spelled roots, where that differs from prefix and name: `dir/` for `dir`.
pub(super) type Spellings = BTreeMap<Vec<u8>, Vec<u8>>;
