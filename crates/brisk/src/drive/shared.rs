//! What all workers of a walk share: settings, the queue of tasks, where workers wait, and the
//! bounds. When nothing is unfinished, or the walk was stopped, the walk is over.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::Backend;
use crossbeam_utils::CachePadded;

use crate::cancel::Cancel;
use crate::drive::task::{Gather, Reading, WalkKind};
use crate::filter::Filter;
use crate::ignore::Rules;
use crate::plan::RequestPlan;
use crate::read::buffers::Pool;
use crate::read::fetch::Lacking;
use crate::read::in_flight::InFlight;
use crate::sched::pace::Pace;
use crate::sched::parking::{Credit, Parking};
use crate::sched::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, count_writes};
use crate::tree::HandleBudget;
use crate::unique::Unique;
use crate::visitor::Needs;

/// How many ids of directories a worker takes at once.
const ID_BATCH: u64 = 64;

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
    /// The filter has find's actions, which the visitor evaluates at the entry's turn.
    pub filter_has_actions: bool,
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
    /// A line that is not a rule is an error.
    pub reports_bad_lines: bool,
    /// The visitor drafts entries (formats them, say) before their turn.
    pub drafts: bool,
    /// The visitor leaves each directory once everything below it is done.
    pub calls_leave: bool,
    /// A watchdog looks for hung workers: those whose requests stay without an answer.
    pub is_watched: bool,
    /// A state of `cancel` of at least this ends the walk at once.
    pub stops_at_once_from: u8,
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
    /// How many ids (`Node::id`) were given to workers, for the directories that they enter.
    pub ids_given: CachePadded<AtomicU64>,
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
        self.parking.is_stopped() || self.cancel_state() >= self.settings.stops_at_once_from
    }

    #[inline]
    pub fn cancel_state(&self) -> u8 {
        self.cancel.as_ref().map_or(0, Cancel::state)
    }

    /// Whether the walk is over: nothing is unfinished, or the walk was stopped.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.parking.is_finished()
    }

    /// A buffer or a batch of a directory is about to be queued.
    pub fn add_unfinished_in(&self, credit: &mut Credit, reading: &Reading<K>) {
        reading.slot.add_unfinished(&reading.node.unfinished_below);
        self.parking.add(credit, 1);
    }

    /// Whether a few entries are delivered at a time, because acting on them is slow.
    pub fn acts_in_slices(&self) -> bool {
        K::ACTS && self.unique.is_none()
    }
}

/// What a worker has done and taken that the counts of all workers do not show yet. On many cores,
/// writing a cache line that other workers write too takes longer than reading a small directory.
pub(crate) struct Ledger<K: WalkKind> {
    shared: Arc<Shared<K>>,
    credit: Credit,
    /// Ids for directories that the worker will enter.
    ids: Range<u64>,
    /// The worker's part of the walk's budget of handles.
    pub budget: Arc<HandleBudget>,
    /// What [`borrow_shared`](Self::borrow_shared) returns, so that the count of owners need not be
    /// written.
    lent: Option<Arc<Shared<K>>>,
}

impl<K: WalkKind> Ledger<K> {
    pub fn new(shared: &Arc<Shared<K>>) -> Ledger<K> {
        let is_parallel = shared.pace.is_parallel();
        let budget = if is_parallel { shared.budget.part() } else { Arc::clone(&shared.budget) };
        let credit = Credit::default();
        Ledger { shared: Arc::clone(shared), credit, ids: 0..0, budget, lent: None }
    }

    /// So much more must be done before the walk is over: each directory that waits to be opened
    /// counts as one, even if many are queued in one task.
    pub fn add_unfinished(&mut self, count: usize) {
        self.shared.parking.add(&mut self.credit, count);
    }

    /// As [`Shared::add_unfinished_in`].
    pub fn add_unfinished_in(&mut self, reading: &Reading<K>) {
        self.shared.add_unfinished_in(&mut self.credit, reading);
    }

    pub fn one_finished(&mut self) {
        self.shared.parking.done(&mut self.credit);
    }

    /// All workers get to know how much this one has finished.
    pub fn settle(&mut self) {
        self.shared.parking.settle(&mut self.credit);
    }

    /// About how much is unfinished.
    pub fn unfinished(&self) -> usize {
        self.shared.parking.unfinished(&self.credit)
    }

    /// The id of a directory that is entered now; the first one's is 1.
    #[inline]
    pub fn next_id(&mut self) -> u64 {
        self.ids.next().unwrap_or_else(|| {
            let first = self.shared.ids_given.fetch_add(ID_BATCH, Ordering::Relaxed) + 1;
            self.ids = first + 1..first + ID_BATCH;
            first
        })
    }

    /// What is shared, for a time in which the worker itself is borrowed.
    pub fn borrow_shared(&mut self) -> Arc<Shared<K>> {
        self.lent.take().unwrap_or_else(|| {
            count_writes(&*self.shared, 2);
            Arc::clone(&self.shared)
        })
    }

    pub fn return_shared(&mut self, shared: Arc<Shared<K>>) {
        self.lent = Some(shared);
    }
}

/// Ends the walk for all workers if the visitor of one panics, so that none waits for its tasks.
pub(crate) struct StopOnPanic<'a, K: WalkKind>(pub &'a Shared<K>);

impl<K: WalkKind> Drop for StopOnPanic<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.parking.stop();
        }
    }
}
