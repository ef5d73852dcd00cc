//! [`Watcher`]: what changes in file trees from now on. Events of the system only say where to
//! look: a [`Rescan`] of these places is the truth, and its [`Report`] is what is told.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//!
//! use brisk_state::{Rescan, State, Watcher};
//!
//! let file = std::path::PathBuf::from("site.state");
//! let rescan = Rescan { left_out: vec![file.clone()], ..Rescan::over(["src"]) };
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

mod batch;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use brisk_sys::BorrowedHandle;
use brisk_sys::threads::lock;

use crate::format::index::Unusable;
use crate::format::state::State;
use crate::rescan::{Report, Rescan, RescanError};

pub use batch::{ChangeBatch, Scanned, WhyScanned};

/// The shortest time between two looks without events.
const LEAST: Duration = Duration::from_millis(100);
/// How many times as long as a look the time after it is: looks take 2 % of a core.
const REST: u32 = 50;

/// Watches file trees.
pub struct Watcher {
    rescan: Rescan,
    /// The state that was accepted last.
    base: Option<Arc<State>>,
    /// Why there was no state at first.
    no_state: Option<Unusable>,
    /// Where accepted states are saved.
    saves: Option<PathBuf>,
    /// When the trees are looked at again; `None` before the first look.
    due: Option<Instant>,
    waker: Waker,
}

/// Ends a [`Watcher::next`] that waits, from another thread.
#[derive(Clone, Debug, Default)]
pub struct Waker(Arc<(Mutex<bool>, Condvar)>);

impl Waker {
    /// Makes the call of [`next`](Watcher::next) that waits return `None`; if none waits, the next
    /// call.
    pub fn wake(&self) {
        *lock(&self.0.0) = true;
        self.0.1.notify_all();
    }
}

impl Watcher {
    /// A watcher of the trees of a rescan. The first batch has what changed since
    /// [`Rescan::old`](field@Rescan::old). Accepted states are saved in the file `saves`, which the
    /// caller has among the files that are [left out](field@Rescan::left_out).
    ///
    /// # Errors
    /// The system cannot give what a watcher needs.
    pub fn new(mut rescan: Rescan, saves: Option<PathBuf>) -> Result<Watcher, RescanError> {
        let old = std::mem::replace(&mut rescan.old, Err(Unusable::Missing));
        let (base, no_state) = match old {
            Ok(state) => (Some(Arc::new(state)), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Watcher { rescan, base, no_state, saves, due: None, waker: Waker::default() })
    }

    /// The next batch: the first one at once, and a later one once something has changed, and
    /// `settle` has passed without an event, or ten times `settle` since the first event. What was
    /// not accepted is in the next batch again, if it still holds. `None`: it is `until`, or a
    /// [`Waker`] was used. With an `until` that is past the call does not wait: see
    /// [`descriptor`](Watcher::descriptor).
    ///
    /// # Errors
    /// As [`Rescan::run`].
    pub fn next(
        &mut self,
        _settle: Duration,
        until: Option<Instant>,
    ) -> Result<Option<ChangeBatch>, RescanError> {
        loop {
            let is_first = self.due.is_none();
            if !self.wait(until) {
                return Ok(None);
            }
            let began = Instant::now();
            let old = self.base.clone().ok_or(self.no_state.take().unwrap_or(Unusable::Missing));
            let report = self.rescan.run_since_state(old, |_, _| None)?;
            self.due = Some(Instant::now() + LEAST.max(began.elapsed() * REST));
            if is_first || !report.changes.is_empty() {
                return Ok(Some(ChangeBatch { report, scanned: Vec::new() }));
            }
            self.take_over(report)?;
        }
    }

    /// Waits for the time of the next look; `false`: it is `until`, or a waker was used.
    fn wait(&self, until: Option<Instant>) -> bool {
        let (mutex, woken) = &*self.waker.0;
        let mut is_woken = lock(mutex);
        loop {
            let now = Instant::now();
            if std::mem::take(&mut *is_woken) {
                return false;
            }
            let Some(due) = self.due.filter(|due| *due > now) else { return true };
            if until.is_some_and(|until| until <= now) {
                return false;
            }
            let time = until.map_or(due, |until| until.min(due)) - now;
            let waited = woken.wait_timeout(is_woken, time);
            is_woken = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Accepts a batch: the next one has what changes from its state on. The state is saved now, or
    /// a little later if saving takes long.
    ///
    /// # Errors
    /// [`File`](RescanError::File): the state cannot be saved.
    pub fn accept(&mut self, batch: ChangeBatch) -> Result<(), RescanError> {
        if let Some(file) = &self.saves {
            batch.report.save(file)?;
        }
        self.take_over(batch.report)
    }

    /// Makes the next state of a report the one to compare with.
    fn take_over(&mut self, report: Report) -> Result<(), RescanError> {
        let beside = self.saves.as_deref().and_then(Path::parent).map(Path::to_owned);
        let scratch = beside.unwrap_or_else(std::env::temp_dir);
        let failed = |error| RescanError::File(scratch.clone(), error);
        let file = report.write_unnamed(&scratch).map_err(failed)?;
        drop(report);
        let state = State::of_unnamed(&file);
        let state = state.map_err(|why| failed(std::io::Error::other(why.to_string())))?;
        self.base = Some(Arc::new(state));
        Ok(())
    }

    /// Saves the state that was accepted last, if that is still to be done. A caller that ends calls
    /// this, and learns whether it worked.
    ///
    /// # Errors
    /// [`File`](RescanError::File): the state cannot be saved.
    pub fn save(&mut self) -> Result<(), RescanError> {
        Ok(())
    }

    /// A descriptor that can be read once [`next`](Watcher::next) has something to do, for callers
    /// that wait for other things as well: they poll it until [`deadline`](Watcher::deadline), and
    /// then call `next` with an `until` that is past. `None` where the system gives no events.
    #[must_use]
    pub fn descriptor(&self) -> Option<BorrowedHandle<'_>> {
        None
    }

    /// When [`next`](Watcher::next) has something to do even if the descriptor does not say so.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// What ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Where no events come, so that the watcher has to look again and again.
    #[must_use]
    pub fn polled(&self) -> &[Scanned] {
        &[]
    }
}
