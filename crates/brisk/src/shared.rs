//! What all workers of a walk share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::Backend;

use crate::cancel::{BOUNDARY, Cancel};
use crate::plan::Plan;
use crate::read::buffers::Pool;
use crate::read::lacking::Lacking;
use crate::read::post::Post;
use crate::sched::pace::Pace;
use crate::sched::parking::Parking;
use crate::task::{Kind, Queue};
use crate::tree::HandleBudget;
use crate::unique::Unique;
use crate::visitor::Needs;

/// What was settled before the walk began.
pub(crate) struct Settings {
    pub plan: Plan,
    pub backend: Backend,
    pub min_depth: u32,
    pub max_depth: u32,
    pub post_order: bool,
    pub siblings_first: bool,
    pub dots: bool,
    pub needs: Needs,
    /// The visitor drafts what it makes of entries before their turn.
    pub drafts: bool,
    /// Directories are left when everything below them is done.
    pub leaves: bool,
    /// A guard looks for workers whose requests stay without an answer.
    pub is_watched: bool,
    /// From which state of `cancel` on the walk ends at once.
    pub ends_at: u8,
    /// Descriptors to make room for before the first thread starts.
    pub descriptors: u64,
}

/// What all workers share.
pub(crate) struct Shared<K: Kind> {
    pub settings: Settings,
    pub queue: K::Queue,
    pub parking: Parking,
    pub pace: Pace,
    /// Tasks that are not finished; the walk ends when there are none.
    pub unfinished: AtomicUsize,
    /// How many directories were entered: the number of the last one.
    pub entered: AtomicU64,
    pub stopped: AtomicBool,
    pub cancel: Option<Cancel>,
    pub budget: Arc<HandleBudget>,
    /// Chunks that batches share: a bound on buffers in flight.
    pub split_chunks: AtomicUsize,
    /// Each file is handed on once.
    pub unique: Option<Unique>,
    /// Where workers are that ask for metadata, in a walk that is watched.
    pub posts: Mutex<Vec<Arc<Post<K>>>>,
    /// There is a guard, or there was to be one.
    pub is_guarded: AtomicBool,
    pub lacking: Lacking,
    /// Memory for grown buffers; made with the first of them.
    pub pool: OnceLock<Arc<Pool>>,
}

impl<K: Kind> Shared<K> {
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel_state() >= self.settings.ends_at
    }

    #[inline]
    fn cancel_state(&self) -> u8 {
        self.cancel.as_ref().map_or(0, Cancel::state)
    }

    /// Whether directories that were not entered yet are handed back.
    #[inline]
    pub fn hands_back(&self) -> bool {
        self.cancel_state() == BOUNDARY
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

    /// Whether nothing is left to do, or nothing more shall be done.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.unfinished.load(Ordering::Acquire) == 0
    }

    /// Whether entries are handed on a few at a time, because that is what takes time.
    pub fn slices(&self) -> bool {
        K::REMOVES && self.unique.is_none()
    }

    /// About how many tasks wait for a worker.
    pub fn waiting_tasks(&self) -> usize {
        self.queue.waiting(self.unfinished.load(Ordering::Relaxed), &self.pace)
    }

    pub fn added(&self, tasks: usize) {
        self.unfinished.fetch_add(tasks, Ordering::Relaxed);
    }

    pub fn finished(&self) {
        if self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.parking.wake_all();
        }
    }
}

/// Ends the walk for all workers if a visitor panics, so that none waits for this worker's tasks.
pub(crate) struct StopOnPanic<'a, K: Kind>(pub &'a Shared<K>);

impl<K: Kind> Drop for StopOnPanic<'_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
