//! Where workers wait without using a processor: idle ones, suspended ones, and the thread that
//! delivers in order. A worker that parks cannot miss a worker that wakes:
//!
//! ```text
//!   worker without work                  worker that adds a task
//!   lock gate                            push task
//!   idle += 1        ── fence ──         fence
//!   look once more: work? ─► unlock      idle > 0 ? lock gate, notify
//!   wait (unlocks gate)
//! ```
//!
//! Either the idle worker's second look sees the task, or the worker that adds the task sees `idle`
//! above zero and cannot get the gate before the idle worker waits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use super::lock;

/// How long a worker waits for descriptors before it tries again: other workers open and close
/// dozens of directories meanwhile.
const RETRY: Duration = Duration::from_millis(1);

/// How often a worker waits where no other worker has descriptors to close: half a second for the
/// rest of the process, which may hold all of them for good.
const VAIN_WAITS: u32 = 500;

/// Where the workers of one walk wait.
#[derive(Debug, Default)]
pub(crate) struct Parking {
    /// Workers that have nothing to do.
    idle: AtomicUsize,
    /// Workers that wait until others have closed directories.
    starved: AtomicUsize,
    gate: Mutex<()>,
    work: Condvar,
    resumed: Condvar,
    turn: Condvar,
    waits_for_turn: AtomicBool,
}

impl Parking {
    /// How many workers have nothing to do.
    pub fn idle(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Parks a worker that has nothing to do until it is woken, unless `ready`. May also return
    /// without having been woken.
    pub fn park(&self, ready: impl Fn() -> bool) {
        let gate = lock(&self.gate);
        self.idle.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            drop(self.work.wait(gate));
        }
        self.idle.fetch_sub(1, Ordering::SeqCst);
    }

    /// Suspends a worker, because more workers run than the target: it waits until all workers are
    /// woken or `time` has passed, unless `resumed`.
    pub fn suspend(&self, time: Option<Duration>, resumed: impl Fn() -> bool) {
        let gate = lock(&self.gate);
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
        let resting = || self.idle() + usize::from(self.waits_for_turn.load(Ordering::SeqCst));
        let starved = self.starved.fetch_add(1, Ordering::SeqCst) + 1;
        let is_alone = starved + resting() >= running;
        *vain = if is_alone { vain.saturating_add(1) } else { 0 };
        let waits = *vain <= VAIN_WAITS && !is_over();
        if waits {
            self.suspend(Some(RETRY), is_over);
        }
        self.starved.fetch_sub(1, Ordering::SeqCst);
        waits
    }

    /// Parks the thread that delivers in order, unless `ready`. It is woken by its turn and by
    /// work.
    pub fn await_turn(&self, ready: impl Fn() -> bool) {
        let gate = lock(&self.gate);
        self.waits_for_turn.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            drop(self.turn.wait(gate));
        }
        self.waits_for_turn.store(false, Ordering::SeqCst);
    }

    /// A task was added: wakes one idle worker, and the thread that waits for a turn, because the
    /// worker that added the task may be suspended before it performs the task.
    #[inline]
    pub fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.idle.load(Ordering::SeqCst) > 0 {
            let _gate = lock(&self.gate);
            self.work.notify_one();
        }
        self.wake_turn();
    }

    /// Wakes the thread that delivers in order: what it waits for may be ready.
    #[inline]
    pub fn wake_turn(&self) {
        fence(Ordering::SeqCst);
        if self.waits_for_turn.load(Ordering::SeqCst) {
            let _gate = lock(&self.gate);
            self.turn.notify_one();
        }
    }

    /// Wakes all workers: at the end of the walk, at a new level, after the target was raised.
    pub fn wake_all(&self) {
        let _gate = lock(&self.gate);
        self.work.notify_all();
        self.resumed.notify_all();
        self.turn.notify_all();
    }
}
