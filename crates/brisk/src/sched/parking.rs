//! Where workers wait without using a processor, and how they learn that the walk is over: one
//! protocol, which `tests/model` checks with loom.
//!
//! **Parking.** Idle workers wait, and so do suspended ones and the thread that delivers in order. A
//! worker that parks cannot miss a worker that wakes:
//!
//! ```text
//!   worker without work                  worker that adds a task
//!   lock gate                            push task
//!   idle += 1        ── fence ──         fence
//!   look once more: work? ─► unlock      idle > 0 ? lock gate, idle -= 1, tickets += 1, notify
//!   wait (unlocks gate)
//!   take a ticket, or else idle -= 1
//! ```
//!
//! Either the idle worker's second look sees the task, or the worker that adds the task sees `idle`
//! above zero and cannot get the gate before the idle worker waits. The ticket counts the worker as
//! awake before it runs, so that several tasks do not wake the same worker. The worker that takes
//! the ticket looks for work.
//!
//! **The end.** The walk is over when `unfinished` is zero. It counts each directory to be opened,
//! each buffer to be read and each batch, before they are queued. A worker keeps the number of
//! those that it has finished ([`Credit`]), sets new ones off against them, and subtracts the rest
//! before it waits. So `unfinished` is never too low, and exact once all workers wait.

use std::sync::PoisonError;
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::sync::{
    AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, count_writes, fence,
};

/// How long a worker waits for descriptors before it tries again: other workers open and close
/// dozens of directories meanwhile.
const RETRY: Duration = Duration::from_millis(1);

/// How often a worker waits where no other worker has descriptors to close: half a second for the
/// rest of the process, which may hold all of them for good.
const VAIN_WAITS: u32 = 500;

/// The most credit that a worker keeps to itself.
const MOST_CREDIT: usize = 64;

/// How much a worker has finished that is still counted as unfinished.
#[derive(Debug, Default)]
pub(crate) struct Credit(usize);

/// Where the workers of one walk wait, and how much is unfinished.
#[derive(Debug)]
pub(crate) struct Parking {
    /// What is not finished, and what is credited to a worker.
    unfinished: CachePadded<AtomicUsize>,
    /// Read by each worker all the time, and written once.
    stopped: CachePadded<AtomicBool>,
    waiting: CachePadded<Waiting>,
    /// The lock for all waiting. Its value is the tickets: workers woken that do not run yet.
    gate: Mutex<usize>,
    work: Condvar,
    resumed: Condvar,
    turn: Condvar,
}

/// Who waits: read with each task, and written when a worker begins or ends to wait.
#[derive(Debug, Default)]
struct Waiting {
    /// Workers that have nothing to do.
    idle: AtomicUsize,
    /// Workers that wait until others have closed directories.
    starved: AtomicUsize,
    for_turn: AtomicBool,
}

impl Parking {
    /// For a walk with the roots unfinished, which count as one.
    pub fn new() -> Parking {
        Parking {
            unfinished: CachePadded::new(AtomicUsize::new(1)),
            stopped: CachePadded::default(),
            waiting: CachePadded::default(),
            gate: Mutex::default(),
            work: Condvar::default(),
            resumed: Condvar::default(),
            turn: Condvar::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        count_writes(&self.gate, 2);
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many more must be done before the walk is over. They are not queued yet.
    pub fn add(&self, credit: &mut Credit, count: usize) {
        let credited = count.min(credit.0);
        credit.0 -= credited;
        if count > credited {
            self.unfinished.fetch_add(count - credited, Ordering::Relaxed);
        }
    }

    /// One of the unfinished is done.
    pub fn done(&self, credit: &mut Credit) {
        credit.0 += 1;
        if credit.0 >= MOST_CREDIT {
            self.settle(credit);
        }
    }

    /// The worker has nothing to do, or time: it subtracts its credit. The last one wakes all.
    pub fn settle(&self, credit: &mut Credit) {
        let done = std::mem::take(&mut credit.0);
        if done > 0 && self.unfinished.fetch_sub(done, Ordering::AcqRel) == done {
            self.wake_all();
        }
    }

    /// About how much is unfinished: other workers have finished some of it.
    pub fn unfinished(&self, credit: &Credit) -> usize {
        self.unfinished.load(Ordering::Relaxed).saturating_sub(credit.0)
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake_all();
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether no task is left.
    pub fn is_finished(&self) -> bool {
        self.unfinished.load(Ordering::Acquire) == 0
    }

    /// How many workers have nothing to do.
    pub fn idle(&self) -> usize {
        self.waiting.idle.load(Ordering::Relaxed)
    }

    /// Parks a worker that has nothing to do until it is woken, unless `ready`. May also return
    /// without having been woken.
    pub fn park(&self, ready: impl Fn() -> bool) {
        let mut tickets = self.lock();
        self.waiting.idle.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !ready() {
            tickets = self.work.wait(tickets).unwrap_or_else(PoisonError::into_inner);
        }
        match tickets.checked_sub(1) {
            Some(left) => *tickets = left,
            None => _ = self.waiting.idle.fetch_sub(1, Ordering::Relaxed),
        }
    }

    /// Suspends a worker, because more workers run than the target: it waits until all workers are
    /// woken or `time` has passed, unless `resumed`.
    pub fn suspend(&self, time: Option<Duration>, resumed: impl Fn() -> bool) {
        let gate = self.lock();
        if !resumed() {
            match time {
                Some(time) => drop(self.resumed.wait_timeout(gate, time)),
                None => drop(self.resumed.wait(gate)),
            }
        }
    }

    /// A worker cannot open a directory, because the process has no descriptor left. Waits for a
    /// moment if another of the `running` workers is at work, which will close directories. If none
    /// is, the rest of the process may: so it waits then too, but only [`VAIN_WAITS`] times, which `vain`
    /// counts. Returns `false` without having waited, or if the walk `is_over`.
    pub fn await_others(&self, running: usize, vain: &mut u32, is_over: impl Fn() -> bool) -> bool {
        let resting = || self.idle() + usize::from(self.waiting.for_turn.load(Ordering::Relaxed));
        let starved = self.waiting.starved.fetch_add(1, Ordering::SeqCst) + 1;
        let is_alone = starved + resting() >= running;
        *vain = if is_alone { vain.saturating_add(1) } else { 0 };
        let waits = *vain <= VAIN_WAITS && !is_over();
        if waits {
            self.suspend(Some(RETRY), is_over);
        }
        self.waiting.starved.fetch_sub(1, Ordering::SeqCst);
        waits
    }

    /// Parks the thread that delivers in order, unless `ready`. It is woken by its turn and by
    /// work.
    pub fn await_turn(&self, ready: impl Fn() -> bool) {
        let gate = self.lock();
        self.waiting.for_turn.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !ready() {
            drop(self.turn.wait(gate));
        }
        self.waiting.for_turn.store(false, Ordering::Relaxed);
    }

    /// A task was added: wakes one idle worker, and the thread that waits for a turn, because the
    /// worker that added the task may be suspended before it performs the task.
    #[inline]
    pub fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.idle() > 0 {
            self.wake_one();
        }
        self.wake_waiting_for_turn();
    }

    #[cold]
    fn wake_one(&self) {
        let mut tickets = self.lock();
        if self.idle() > 0 {
            self.waiting.idle.fetch_sub(1, Ordering::Relaxed);
            *tickets += 1;
            drop(tickets);
            self.work.notify_one();
        }
    }

    /// Wakes the thread that delivers in order: what it waits for may be ready.
    #[inline]
    pub fn wake_turn(&self) {
        fence(Ordering::SeqCst);
        self.wake_waiting_for_turn();
    }

    fn wake_waiting_for_turn(&self) {
        if self.waiting.for_turn.load(Ordering::Relaxed) {
            let _gate = self.lock();
            self.turn.notify_one();
        }
    }

    /// Wakes all workers: at the end of the walk, at a new level, after the target was raised.
    pub fn wake_all(&self) {
        let _gate = self.lock();
        self.work.notify_all();
        self.resumed.notify_all();
        self.turn.notify_all();
    }
}
