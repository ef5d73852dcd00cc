//! [`Watcher`]: what changes in file trees from now on. The system's events only say where
//! something may have changed: a [`Rescan`] of these places finds what did.
//!
//! ```text
//!   events ─► Noticed ─► ToCheck ─► a rescan of these places ─► ChangeBatch ─► accepted: the new base
//!      ▲                              │                             └ dropped: Noticed keeps its places
//!      └─────────── watches ◄─────────┘ each directory that is opened
//! ```
//!
//! Where events do not suffice, the watcher scans, and the batch says why ([`WhyScanned`]). Where
//! no events come, the watcher polls: it rescans, and then rests fifty times as long as the rescan
//! took. Linux has events for each directory (inotify), Windows (ReadDirectoryChangesW) and macOS
//! (FSEvents) for each root with all that is below it. On the latter two the watcher does not notice
//! that the clock was set or a file system mounted, and an event may come after the call has ended.
//!
//! Two kinds of writes are noticed late: those through a mapping while the mapping stays, and those
//! to a file by a name outside the trees. Files with several names are checked in each batch. Rule
//! files above the roots, and those of git's configuration, are read in each batch, but start none.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//!
//! use brisk_state::{Rescan, State, Watcher};
//!
//! let file = std::path::PathBuf::from("site.state");
//! let rescan = Rescan { omitted: vec![file.clone()], ..Rescan::over(["src"]) };
//! let rescan = Rescan { old: State::load(&file), ..rescan };
//! let mut watcher = Watcher::new(rescan, Some(file))?;
//! while let Some(batch) = watcher.next(Duration::from_millis(20), None)? {
//!     for change in &batch.report.changes {
//!         println!("{} {}", change.kind.letter(), batch.report.path(&change.place).display());
//!     }
//!     watcher.accept(batch)?;
//! }
//! # Ok(())
//! # }
//! ```

mod base;
mod batch;
mod batches;
mod places;
mod view;
pub(crate) mod why;

use std::collections::HashSet;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use brisk::Error;
use brisk::ignore::Rules;
use brisk_sys::BorrowedHandle;
use brisk_sys::events::Events;
pub use brisk_sys::events::Waker;

use crate::format::index::Unusable;
use crate::format::record::DirId;
use crate::rescan::watched::WatchedDirs;
use crate::rescan::{DirName, Report, Rescan, RescanError};
use crate::sources::ToCheck;
use crate::sources::noticed::Noticed;
use base::Base;
pub use batch::ChangeBatch;
pub use batches::Batches;
use places::{FilesByInode, Linked, Places, RootsNow};
pub use view::{View, ViewAnswer};
pub use why::{Scanned, WhyScanned};

/// A batch ends after this many times the time without events, even if events go on.
const MOST_SETTLES: u32 = 10;
/// The time between two checks that the roots are the same, where no event says so. A check costs
/// one statx for each root.
const CHECK: Duration = Duration::from_secs(1);
/// The shortest time between two polls.
const LEAST: Duration = Duration::from_millis(100);
/// How many times as long as a poll the rest after it is: polls take 2 % of a core.
const REST: u32 = 50;

/// What is reported if there are too many files with several names.
const LINKED: Scanned = Scanned { place: None, why: WhyScanned::Links };

/// Watches file trees.
pub struct Watcher {
    rescan: Rescan,
    base: Base,
    watched: WatchedDirs,
    places: Places,
    linked: Linked,
    inodes: FilesByInode,
    /// What events have named since the last rescan.
    noticed: Noticed,
    /// What the rescans since the last accepted batch were about.
    pending: Noticed,
    /// Why everything has to be scanned.
    full: Option<WhyScanned>,
    /// The times of the first and the last event since the last rescan.
    events: Option<(Instant, Instant)>,
    /// When the places without events are polled next; `None` if there are none.
    due: Option<Instant>,
    /// When the roots are checked next; `None` if events report their changes.
    check: Option<Instant>,
    /// How long the last poll took. The first rescan does not count: it scans everything, and later
    /// ones take less.
    took: Duration,
    /// The number of rescans so far, and the number of the one that was accepted last.
    serial: u64,
    accepted: u64,
    /// Whether a root is gone.
    is_gone: bool,
    /// Where no events come, in the accepted state.
    polled: Vec<Scanned>,
    /// The directories of the accepted state that could not be read, or of which some entries could
    /// not, and that have no new watch since.
    failed: HashSet<DirId>,
    /// A hash of the changes that were reported last and are not accepted.
    told: Option<u64>,
    /// How long to wait without an event before a rescan.
    settle: Duration,
}

impl Watcher {
    /// A watcher of the trees of a rescan. The first batch has what changed since
    /// [`Rescan::old`](field@Rescan::old); [`Rescan::on_progress`](field@Rescan::on_progress) is
    /// called only until then. Accepted states are saved in the file `saves`, which must be among
    /// the files that are [omitted](field@Rescan::omitted).
    ///
    /// # Errors
    /// [`Watch`](RescanError::Watch): the system does not grant what a watcher needs, for example
    /// because the user has too many watchers.
    pub fn new(mut rescan: Rescan, saves: Option<PathBuf>) -> Result<Watcher, RescanError> {
        let old = std::mem::replace(&mut rescan.old, Err(Unusable::Missing));
        Ok(Watcher {
            base: Base::new(old, saves),
            watched: WatchedDirs::new().map_err(RescanError::Watch)?,
            places: Places::default(),
            linked: Linked::default(),
            inodes: FilesByInode::default(),
            noticed: Noticed::default(),
            pending: Noticed::default(),
            full: None,
            events: None,
            due: None,
            check: None,
            took: Duration::ZERO,
            serial: 0,
            accepted: 0,
            is_gone: false,
            polled: Vec::new(),
            failed: HashSet::new(),
            told: None,
            settle: Duration::ZERO,
            rescan,
        })
    }

    /// The next batch: the first one at once, and a later one once something has changed, and
    /// `settle` has passed without an event, or ten times `settle` since the first event. Changes
    /// that were not accepted are in the next batch again, if they still hold. `None`: the time is
    /// `until`, or a [`Waker`] was used. If `until` is past, the call does not wait: see
    /// [`descriptor`](Watcher::descriptor).
    ///
    /// # Errors
    /// As [`Rescan::run`]. After [`Root`](RescanError::Root) (a root is gone), the next call waits
    /// until the roots are back.
    pub fn next(
        &mut self,
        settle: Duration,
        until: Option<Instant>,
    ) -> Result<Option<ChangeBatch>, RescanError> {
        self.settle = settle;
        loop {
            let is_first = self.serial == 0 && !self.is_gone;
            if !is_first {
                self.take_events()?;
                if self.watched.events.is_woken() {
                    return Ok(None);
                }
            }
            let now = Instant::now();
            self.base.save_if_due(now)?;
            let deadline = self.deadline();
            if is_first || deadline.is_some_and(|deadline| deadline <= now) {
                if let Some(batch) = self.look(now)? {
                    return Ok(Some(batch));
                }
                continue;
            }
            if until.is_some_and(|until| until <= now) {
                return Ok(None);
            }
            let end = [deadline, until].into_iter().flatten().min();
            let wait = self.watched.events.wait(end.map(|end| end - now));
            wait.map_err(RescanError::Watch)?;
        }
    }

    /// Takes all events from the queue, and checks the roots, the clock and the mounts.
    fn take_events(&mut self) -> Result<(), RescanError> {
        let state = self.base.state.as_deref();
        let taken = self.watched.take(&mut self.noticed, state).map_err(RescanError::Watch)?;
        let roots = self.places.roots_now(&self.rescan);
        self.check = self.places.has_silent_way.then(|| Instant::now() + CHECK);
        let mut is_any = taken.has_any;
        let mut demand = |is_wanted, why| {
            if is_wanted {
                self.full = self.full.or(Some(why));
                is_any = true;
            }
        };
        demand(taken.has_lost, WhyScanned::Overflow);
        demand(self.watched.events.has_clock_jumped(), WhyScanned::Clock);
        let expected = if self.is_gone { RootsNow::Gone } else { RootsNow::Same };
        demand(roots != expected && roots != RootsNow::FileGone, WhyScanned::Root);
        if self.watched.events.have_mounts_changed() {
            self.places.look_at_mounts(true);
            is_any |= !self.places.remounted.is_empty();
        }
        if is_any && !(self.is_gone && roots.are_gone()) {
            let now = Instant::now();
            self.events = Some((self.events.map_or(now, |(first, _)| first), now));
        }
        Ok(())
    }

    /// Rescans the trees, and makes a batch if there is something to report.
    fn look(&mut self, began: Instant) -> Result<Option<ChangeBatch>, RescanError> {
        let is_poll = self.due.is_some_and(|due| due <= began);
        let is_still_gone = self.is_gone && self.places.roots_now(&self.rescan).are_gone();
        let mut looked =
            if is_still_gone { Ok(None) } else { self.rescan_noticed(is_poll).map(Some) };
        self.is_gone = is_still_gone || matches!(looked, Err(RescanError::Root(..)));
        // After another error, the next call rescans again.
        self.events.take_if(|_| looked.is_ok() || self.is_gone);
        let mut new_linked = HashSet::new();
        if let Ok(Some(looked)) = &mut looked {
            let all_linked = looked.was_full || is_poll || !self.linked.are_many();
            new_linked = self.linked.add(std::mem::take(&mut looked.linked), all_linked);
        }
        self.plan_next(began, is_poll);
        let Some(Looked { report, scanned, was_full, .. }) = looked? else { return Ok(None) };
        self.serial += 1;
        self.rescan.on_progress = None;
        self.full = None;
        self.places.remounted.clear();
        self.doubt_mounted(&report, began);
        self.failed.retain(|_| !was_full);
        // If the batch is not accepted, what was scanned is in no later event.
        self.pending.merge(report.changed_dirs());
        let state = self.base.state.as_deref().filter(|_| !was_full);
        // The other names of these files may have been written by the new one.
        let inodes = &mut self.inodes;
        if state.is_some_and(|state| inodes.touch_names(&new_linked, state, &mut self.noticed)) {
            self.events = Some((began, began));
        }
        self.batch(report, scanned)
    }

    /// If something was mounted or unmounted during a rescan, what the rescan has found may be
    /// elsewhere now, or gone, and no event says where. It is rescanned.
    fn doubt_mounted(&mut self, report: &Report, began: Instant) {
        let has_told = self.watched.events.have_mounts_changed();
        let added = self.watched.take_added(has_told);
        added.iter().for_each(|id| _ = self.failed.remove(id));
        // The mount may have been undone; then it is not in the table of mounts.
        if has_told {
            self.places.look_at_mounts(true);
            self.noticed.merge(report.changed_dirs());
            added.into_iter().for_each(|id| self.noticed.touch_all(id));
            self.events = Some((began, began));
        }
    }

    /// The batch that reports a rescan, if there is something to report.
    fn batch(
        &mut self,
        report: Report,
        scanned: Vec<Scanned>,
    ) -> Result<Option<ChangeBatch>, RescanError> {
        let is_same = self.serial > 1 && scanned.iter().all(|part| self.polled.contains(part));
        let told = report.changes_hash();
        let is_told = is_same && self.told == Some(told);
        let has_changes = !report.changes.is_empty();
        let batch = ChangeBatch { report, scanned, serial: self.serial };
        if is_same && !has_changes {
            // Nothing but, for example, times of directories has changed.
            return self.accept(batch).map(|()| None);
        }
        self.told = Some(told);
        Ok((!is_told).then_some(batch))
    }

    /// Rescans what events have named or, if they cannot say what changed, more.
    fn rescan_noticed(&mut self, is_poll: bool) -> Result<Looked, RescanError> {
        let is_new = self.serial == 0 || self.full == Some(WhyScanned::Root);
        if is_new {
            self.watched.forget_all();
            self.places.watch(&self.rescan, &mut self.watched)?;
        }
        let Watcher { rescan, base, watched, places, linked, noticed, pending, full, .. } = self;
        let mut was_full = true;
        let mut taken = Ok(());
        let looked = rescan.run_watching(base.old(), Some(watched), |search, _| {
            // What happens from here on is in later events. The rescan began before.
            taken = watched.take(noticed, Some(search.state)).map(|taken| {
                *full = full.or(taken.has_lost.then_some(WhyScanned::Overflow));
            });
            places.look_at_mounts(watched.events.have_mounts_changed());
            places.touch_mounts(search.state, watched, noticed);
            pending.merge(std::mem::take(noticed));
            if is_new || full.is_some() || !rescan.filter.is_steady() {
                watched.doubt_all();
                return None;
            }
            was_full = false;
            let mut all = pending.clone();
            if is_poll || !linked.are_many() {
                linked.touch(&mut all);
            }
            if is_poll {
                watched.polled().iter().for_each(|(id, _)| all.touch(*id));
            }
            if Events::IS_RECURSIVE {
                let doubtful = all.look_up(search.state);
                doubtful.into_iter().for_each(|id| watched.forget(id, search.state));
            }
            all.read_where(|name, may_be_other| decides_reading(rescan, name, may_be_other));
            Some(ToCheck::of_events(search.state, all))
        });
        let (report, linked) = looked?;
        taken.map_err(RescanError::Watch)?;
        let polled = self.polled.iter().filter(|_| is_poll).cloned();
        let full = self.full.map(|why| Scanned { place: None, why });
        let scanned = full.into_iter().chain(self.places.scanned_mounts()).chain(polled).collect();
        Ok(Looked { report, linked, scanned, was_full })
    }

    /// Notes what could not be read. The watches there and below no longer count: once it can be
    /// read again, it is scanned for changes.
    fn note_failed(&mut self, errors: &[Error]) {
        let Some(state) = self.base.state.as_deref() else { return };
        let place = |path: &Path| self.places.dir_at(&self.places.place_of(path, state)?, state)?.1;
        for path in errors.iter().map(Error::path) {
            let dir = place(path);
            dir.iter().for_each(|id| self.watched.forget(*id, state));
            self.failed.extend(dir.or_else(|| place(path.parent()?)));
        }
    }

    /// Plans the next poll of places without events.
    fn plan_next(&mut self, began: Instant, has_polled: bool) {
        let has_silent = !self.watched.polled().is_empty()
            || !self.places.silent_files.is_empty()
            || self.linked.are_many();
        if self.is_gone {
            self.due = Some(Instant::now() + LEAST);
        } else if has_polled || self.due.is_none() {
            // One of them may have waited for a server that hung, or the process was stopped.
            let took = began.elapsed();
            let rest = LEAST.max(std::mem::replace(&mut self.took, took).min(took) * REST);
            self.due = has_silent.then(|| Instant::now() + rest);
        }
    }

    /// Accepts a batch: the next one has what changes from its state on. The state is saved now or,
    /// if saving takes long, a little later: saving takes at most a tenth of the time. A batch that
    /// is older than one that was accepted is dropped.
    ///
    /// # Errors
    /// [`File`](RescanError::File): the state cannot be saved. If it cannot be kept in memory
    /// either, the batch comes again.
    pub fn accept(&mut self, batch: ChangeBatch) -> Result<(), RescanError> {
        if batch.serial < self.accepted {
            return Ok(());
        }
        let was_full = self.accepted == 0 || batch.full().is_some();
        let ChangeBatch { mut report, serial, .. } = batch;
        let errors = std::mem::take(&mut report.errors);
        self.inodes.change(&report, serial == self.serial);
        let gone = self.base.take_over(report).inspect_err(|_| {
            // As if it had never been reported.
            self.told = None;
            self.events = Some((Instant::now(), Instant::now()));
        })?;
        self.accepted = serial;
        self.watched.remove(&gone);
        gone.iter().for_each(|id| _ = self.failed.remove(id));
        // What the rescans after this batch were about still has to be rescanned.
        if serial == self.serial {
            self.pending = Noticed::default();
            self.told = None;
            self.note_failed(&errors);
        }
        self.list_polled();
        let saved = self.base.shrink().and_then(|()| self.base.save_if_due(Instant::now()));
        if was_full {
            self.base.give_back();
        }
        saved
    }

    /// Lists what is polled again, if that has changed.
    fn list_polled(&mut self) {
        let Some(state) = self.base.state.as_deref() else { return };
        let has_many = self.linked.are_many() != self.polled.contains(&LINKED);
        if self.watched.has_new_polled() || has_many {
            self.polled = self.places.gathered(&self.watched.polled(), state);
            self.polled.extend(self.linked.are_many().then_some(LINKED));
            self.polled.extend(self.places.silent_files.iter().cloned());
        }
    }

    /// Saves the state that was accepted last, if it is unsaved. A caller calls this at its end, to
    /// learn whether the save works.
    ///
    /// # Errors
    /// [`File`](RescanError::File): the state cannot be saved.
    pub fn save(&mut self) -> Result<(), RescanError> {
        self.base.save()
    }

    /// A descriptor that becomes readable once [`next`](Watcher::next) has something to do, for
    /// callers that wait for other things as well: they poll it until
    /// [`deadline`](Watcher::deadline), and then call `next` with an `until` that is past. `None`
    /// on systems other than Linux and Windows.
    #[must_use]
    pub fn descriptor(&self) -> Option<BorrowedHandle<'_>> {
        self.watched.events.handle()
    }

    /// When [`next`](Watcher::next) has something to do even if the descriptor is not readable.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let settled = self
            .events
            .map(|(first, last)| (last + self.settle).min(first + self.settle * MOST_SETTLES));
        [settled, self.due, self.check, self.base.save_due()].into_iter().flatten().min()
    }

    /// Ends a wait from another thread: [`next`](Watcher::next) then returns `None`.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.watched.events.waker()
    }

    /// Where no events come, so that the watcher polls, and why.
    #[must_use]
    pub fn polled(&self) -> &[Scanned] {
        &self.polled
    }
}

/// What a rescan of the trees has found.
struct Looked {
    report: Report,
    linked: Vec<(DirName, u64)>,
    /// What was scanned for another reason than an event.
    scanned: Vec<Scanned>,
    was_full: bool,
}

/// Whether a touched name decides how its directory is read, so that all of the directory is read.
fn decides_reading(rescan: &Rescan, name: &[u8], may_be_other: bool) -> bool {
    let decides = |rules: &Rules| {
        let name = CString::new(name);
        may_be_other && rules.has_markers() || name.is_ok_and(|name| rules.is_rule_file(&name))
    };
    may_be_other && rescan.names_only || rescan.rules.as_ref().is_some_and(decides)
}
