//! What all workers of a walk share: settings, the queue of tasks, the number of unfinished
//! directories, chunks and batches, and the bounds. When nothing is unfinished, or the walk was
//! stopped, the walk is over.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::Backend;

use crate::cancel::Cancel;
use crate::drive::task::{Gather, Reading, WalkKind};
use crate::filter::Filter;
use crate::ignore::Rules;
use crate::plan::RequestPlan;
use crate::read::buffers::Pool;
use crate::read::fetch::Lacking;
use crate::read::in_flight::InFlight;
use crate::sched::pace::Pace;
use crate::sched::parking::Parking;
use crate::tree::HandleBudget;
use crate::unique::Unique;
use crate::visitor::Needs;

/// What was decided before the walk began.
pub(crate) struct Settings {
    pub plan: RequestPlan,
    pub backend: Backend,
    pub min_depth: u32,
    pub max_depth: u32,
    pub post_order: bool,
    pub siblings_first: bool,
    pub dots: bool,
    pub rules: Option<Rules>,
    /// Which entries are results, unless all are.
    pub filter: Option<Filter>,
    /// The filter is evaluated a second time, with metadata.
    pub has_second_pass: bool,
    /// The visitor evaluates the filter's acts when the entry's turn comes.
    pub filter_has_acts: bool,
    /// A directory that closes a loop is noticed where it is listed.
    pub finds_loops: bool,
    /// Rules by name are not enough, and an `Entry` is built first: there is a filter, `.` and `..`
    /// are wanted, or directories are ignored for what they contain.
    pub needs_entry: bool,
    /// Some entries may be refused: `.` and `..` are wanted, or there is a filter or rules.
    pub may_refuse: bool,
    pub needs: Needs,
    /// A directory whose ignore rules are not all known is not entered.
    pub needs_complete_rules: bool,
    /// A line that is no rule is an error.
    pub reports_bad_lines: bool,
    /// The visitor drafts entries (formats them, say) before their turn.
    pub drafts: bool,
    /// The visitor leaves each directory once everything below it is done.
    pub leaves: bool,
    /// A watchdog looks for hung workers: those whose requests stay without an answer.
    pub is_watched: bool,
    /// The least state of `cancel` at which the walk ends at once.
    pub ends_at: u8,
    /// The number of descriptors to make room for before the first thread starts.
    pub descriptors: u64,
    /// The stack of each worker's thread, in bytes.
    pub stack_size: usize,
}

/// What all workers of a walk share.
pub(crate) struct Shared<K: WalkKind> {
    pub settings: Settings,
    pub queue: K::Queue,
    pub parking: Parking,
    pub pace: Pace,
    /// Directories, chunks and batches that are not done; the walk ends when there are none.
    pub unfinished: AtomicUsize,
    /// How many directories were entered: the number of the last one.
    pub entered: AtomicU64,
    pub stopped: AtomicBool,
    pub cancel: Option<Cancel>,
    pub budget: Arc<HandleBudget>,
    /// The number of chunks that batches share, which bounds the buffers in flight.
    pub split_chunks: AtomicUsize,
    /// Which files were delivered, in a walk that delivers each once.
    pub unique: Option<Arc<Unique>>,
    /// What each worker has in flight, shown to the watchdog, in a walk that is watched.
    pub in_flight: Mutex<Vec<Arc<InFlight<K>>>>,
    /// A worker has started the watchdog, or tried to.
    pub has_watchdog: AtomicBool,
    pub lacking: Lacking,
    /// The bound on memory for grown buffers; set by the first worker that needs one.
    pub pool: OnceLock<Arc<Pool>>,
}

impl<K: WalkKind> Shared<K> {
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel_state() >= self.settings.ends_at
    }

    #[inline]
    pub fn cancel_state(&self) -> u8 {
        self.cancel.as_ref().map_or(0, Cancel::state)
    }

    /// The number of a directory that is entered now; the first one's is 1.
    #[inline]
    pub fn next_id(&self) -> u64 {
        self.entered.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.parking.wake_all();
    }

    /// Whether the walk is over: no task is left, or the walk was stopped.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.unfinished.load(Ordering::Acquire) == 0
    }

    /// Whether a few entries are delivered at a time, because acting on them is slow.
    pub fn acts_in_slices(&self) -> bool {
        K::ACTS && self.unique.is_none()
    }

    /// So many more directories, chunks or batches must be done before the walk is over.
    pub fn unfinished_added(&self, number: usize) {
        self.unfinished.fetch_add(number, Ordering::Relaxed);
    }

    /// Work on a directory is about to be queued.
    pub fn work_begins(&self, reading: &Reading<K>) {
        reading.slot.work_begins(&reading.node.unfinished);
        self.unfinished_added(1);
    }

    /// A directory, chunk or batch is done; the last one wakes all workers.
    pub fn one_finished(&self) {
        if self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.parking.wake_all();
        }
    }
}

/// Ends the walk for all workers if the visitor of one panics, so that none waits for its tasks.
pub(crate) struct StopOnPanic<'a, K: WalkKind>(pub &'a Shared<K>);

impl<K: WalkKind> Drop for StopOnPanic<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
