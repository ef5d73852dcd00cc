//! [`Tally`]: what all workers of a removal share and add up; it becomes the [`Report`].

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::observer::{Observer, Question, Subject};
use super::report::{Failure, Freed, MAX_FAILURES, Report, Why};
use super::settings::{Preserve, Remove};
use brisk_sys::{Backend, Dir, Identity, Links, handle_of, stat_path};

use crate::entry::bytes_to_path_buf;
use crate::inodes::Inodes;
use crate::sched::lock;
use crate::usage::Sums;
use crate::usage::frees::{Removable, Together, Unfreed};
use crate::{Cancel, Entry, Fields, Flow, Meta, Stats};

/// What all workers of a removal share and add up.
pub(super) struct Tally<'a> {
    pub remove: &'a Remove,
    pub observer: &'a dyn Observer,
    /// The observer asks questions.
    pub asks: bool,
    /// The metadata that is needed of entries.
    pub fields: Fields,
    pub report: Mutex<Report>,
    /// In a dry run: files with several hard links, each with the number of links met.
    links: Mutex<Inodes>,
    /// In a dry run: what would be freed, if that is asked.
    frees: Option<Together>,
    /// In a dry run: the roots that would be empty by now, and removed unless roots are kept.
    pub would_be_empty: Mutex<HashSet<Identity>>,
    pub stopped: AtomicBool,
    /// How the caller spelled roots of this batch, where that is not prefix and name.
    pub given: Mutex<GivenPaths>,
    protected_root: OnceLock<Option<Identity>>,
    /// See [`Remove::old`](field@Remove::old).
    old: Arc<Mutex<HashSet<Identity>>>,
}

impl<'a> Tally<'a> {
    pub fn new(remove: &'a Remove, observer: &'a dyn Observer) -> Self {
        let asks = observer.asks();
        Tally {
            remove,
            observer,
            asks,
            fields: remove.fields(asks),
            report: Mutex::default(),
            links: Mutex::default(),
            frees: (remove.dry_run && remove.frees).then(Default::default),
            would_be_empty: Mutex::default(),
            stopped: AtomicBool::new(false),
            given: Mutex::default(),
            protected_root: OnceLock::new(),
            old: remove.old.clone().unwrap_or_default(),
        }
    }

    /// Device and inode of `/`, if it is never removed.
    pub fn protected_root(&self) -> Option<Identity> {
        if self.remove.preserve == Preserve::Nothing {
            return None;
        }
        *self.protected_root.get_or_init(file_system_root)
    }

    pub fn add(&self, stats: &Stats) {
        lock(&self.report).stats.add_later(stats);
    }

    /// Whether an entry with this metadata stays because of its age.
    pub fn is_young(&self, meta: &Meta) -> bool {
        let time = self.remove.older_than;
        time.is_some_and(|time| meta.mtime().is_none_or(|mtime| mtime >= time))
    }

    /// Whether a directory was old when it was opened before.
    pub fn was_old(&self, identity: Option<Identity>) -> bool {
        identity.is_some_and(|identity| lock(&self.old).contains(&identity))
    }

    /// Remembers a directory that was old enough and stays, if it may be opened again: by this
    /// removal, or after a failure by the next try. Removing entries has renewed its time.
    pub fn remember_old(&self, identity: Option<Identity>, is_read_again: bool) {
        if is_read_again || lock(&self.report).failed > 0 {
            lock(&self.old).extend(identity);
        }
    }

    /// A path as the observer sees it: a root's as the caller spelled it.
    pub fn as_given<'p>(&self, path: &'p [u8], depth: usize) -> Cow<'p, [u8]> {
        let given = if depth == 0 { lock(&self.given).get(path).cloned() } else { None };
        given.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// Whether the observer lets an entry be removed or entered. If not, it counts as spared or,
    /// without an answer, as failed.
    pub fn is_allowed(&self, path: &[u8], subject: Subject<'_>, is_empty: bool) -> bool {
        match self.observer.ask(&Question { path, subject, is_empty }) {
            Ok(true) => return true,
            // After the removal was stopped, a no is not an answer of the user.
            Ok(false) if self.is_stopped() => {}
            Ok(false) => lock(&self.report).spared += 1,
            Err(error) => self.not_removed(path, Why::System(error)),
        }
        false
    }

    pub fn is_stopped(&self) -> bool {
        let cancel = &self.remove.walk.cancel;
        if self.observer.is_stopped() || cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    pub fn flow(&self) -> Flow {
        if self.is_stopped() { Flow::Stop } else { Flow::Continue }
    }

    /// Reports a path of the caller's that is no root: refused, or not found (unless the caller
    /// ignores that).
    #[cold]
    pub fn path_refused(&self, path: &[u8], why: Why) {
        self.failed(path, why, leads_nowhere);
    }

    /// Reports an entry that stays, unless it is gone and the caller ignores that. Only ENOENT
    /// means that: unlike a path of the caller's, the entry was seen to exist.
    #[cold]
    pub fn not_removed(&self, path: &[u8], why: Why) {
        self.failed(path, why, |error| error.kind() == io::ErrorKind::NotFound);
    }

    fn failed(&self, path: &[u8], why: Why, is_missing: fn(&io::Error) -> bool) {
        if self.remove.ignore_missing && matches!(&why, Why::System(error) if is_missing(error)) {
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

    /// In a dry run: a directory would go.
    pub fn dir_would_go(&self, meta: &Meta, parent: Option<&Dir>) {
        if let Some(frees) = &self.frees {
            frees.directory(meta, parent.and_then(handle_of));
        }
    }

    /// In a dry run: a link to a file would go. Its size counts with the last one.
    pub fn would_go(&self, entry: &Entry<'_>, meta: &Meta) {
        if let Some(frees) = &self.frees
            && let Some(file) = Removable::new(entry, meta)
        {
            frees.entry(&file);
        }
        let links = meta.nlink().unwrap_or(1);
        if links > 1 {
            let Some(id) = meta.identity() else { return };
            let mut links_met = lock(&self.links);
            let met = links_met.add(id, 1).map_or(1, |met| met.saturating_add(1));
            if met > 1 {
                links_met.set(id, met);
            }
            drop(links_met);
            if u64::from(met) != links {
                return;
            }
        }
        let mut report = lock(&self.report);
        report.bytes = report.bytes.saturating_add(meta.size().unwrap_or(0));
    }

    /// In a dry run: notes that a root would be empty, and removed unless roots are kept.
    pub fn note_would_be_empty(&self, identity: Option<Identity>) {
        if self.remove.dry_run {
            lock(&self.would_be_empty).extend(identity);
        }
    }

    /// In a dry run: whether an earlier root was this directory, and would be empty or removed.
    pub fn would_be_empty_root(&self, meta: &Meta) -> bool {
        meta.identity().is_some_and(|identity| lock(&self.would_be_empty).contains(&identity))
    }

    /// The numbers so far.
    pub fn progress(&self) -> Report {
        lock(&self.report).since(&Report::default())
    }

    pub fn into_report(self) -> Report {
        let mut report = std::mem::take(&mut *lock(&self.report));
        report.frees = self.frees.as_ref().map(|frees| {
            let (Sums { allocated: most, apparent: least, .. }, unfreed) = frees.total();
            let Unfreed { held_by_snapshots, hides_overwritten } = unfreed;
            Freed { most, least, held_by_snapshots, hides_overwritten }
        });
        Report { stopped: self.stopped.into_inner(), ..report }
    }
}

/// Whether the caller's path leads nowhere, in GNU rm's sense.
fn leads_nowhere(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidInput | InvalidFilename)
}

/// Device and inode of the root of the file system.
pub(crate) fn file_system_root() -> Option<Identity> {
    let root = stat_path(Backend::Native, Path::new("/"), Fields::DEV | Fields::INO, Links::Follow)
        .ok()?;
    root.identity()
}

/// How the caller spelled roots, by prefix and name where that differs: `dir/` for `dir`.
pub(super) type GivenPaths = BTreeMap<Vec<u8>, Vec<u8>>;
