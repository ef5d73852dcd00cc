//! The adaptive scheduler: how many workers run at once.
//!
//! **Who measures, who decides.** Workers measure themselves: after a task (a directory's buffer,
//! or a batch of a huge one) a worker whose last report is old enough adds its wall time, processor
//! time and completed requests to [`Measured`]. The same worker then asks the [`Controller`] for a
//! decision, if one is due. There is no controller thread.
//!
//! ```text
//!   worker ── task ── task ─┬─ report ─► Measured ─► decide ─► target ─► spawn, suspend, resume
//!                           └─ (the thread's clocks are read every few milliseconds,
//!                               never once a task)
//! ```
//!
//! ```text
//!   a sample lasts   0.4 ms ─► 2 ms ─► 4 ms ─► 8 ms ─► 16 ms   ─► a calm decision: the same
//!                    (first)    ▲       │       │       │          number, and hardly any waiting
//!                               └───────┴───────┴───────┘       any other decision
//! ```
//!
//! **When the second worker starts.** At first a single worker runs, and knows how long its tasks
//! took and how many are pending. In the first milliseconds it starts a second worker only if the
//! pending tasks would take it two milliseconds: starting a thread, and the cold cache of another
//! core, cost 0.2 to 0.4 ms.
//!
//! **Where clocks are too coarse.** Windows counts the time of threads in ticks of 15.6 ms, longer
//! than a sample. There, requests that take longer than one that a cache answers count as waiting
//! ([`CACHED`]).
//!
//! **What decides.** A worker that waits for storage leaves its core to others, so the wanted
//! number of workers is cores ÷ (processor time ÷ time in which workers ran or waited). A warm
//! local tree wants one worker per core; a network file system wants dozens. The number at most
//! doubles, and only while tasks are pending and no worker is idle. Each step to more workers than
//! cores is a trial: it stays if more requests are completed per second than with the number
//! before. By Little's law that means: the time of a request grew by a smaller factor than the
//! number of workers. A step that does not clearly pay off gets up to four more windows, because a
//! window may hold only two dozen requests. Waiting comes in bursts. So the number may double,
//! whatever the quotient says, if half of the cores are idle although tasks are pending; and it
//! falls to the number of cores only after a lull.
//!
//! **What idleness costs.** No processor time: idle workers wait on a condition variable, and
//! suspended workers on another. Only a worker that waits for a descriptor (each millisecond) and
//! the watchdog (each 10 ms) wake by the clock.
//!
//! **How it ends.** With the walk; the target is only a number.

pub(crate) mod controller;
#[cfg(test)]
mod replay;
mod sample;

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use brisk_sys::clock::ThreadUsage;

use self::controller::{CALM_SAMPLE, Controller, WAITING_MATTERS, Window};
pub(crate) use self::sample::{FIRST_SAMPLE, Sample};
use super::lock;

/// The most threads of a walk, whatever the caller asks for: each takes a thread and a stack.
pub(crate) const MAX_THREADS: usize = 1024;

/// See [`limit_requests`].
static MOST_REQUESTS: AtomicUsize = AtomicUsize::new(usize::MAX);

/// From now on every walk of this process makes at most this many requests at once, whatever its
/// settings say. For the program brisk, whose configuration may have such a limit.
pub fn limit_requests(most: NonZeroUsize) {
    MOST_REQUESTS.store(most.get(), Ordering::Relaxed);
}

/// The most requests at once of any walk of this process; `usize::MAX` if there is no limit.
#[must_use]
pub fn most_requests() -> usize {
    MOST_REQUESTS.load(Ordering::Relaxed)
}

/// The length of a worker's later samples.
const SAMPLE: Duration = Duration::from_millis(2);
/// The longest mean time of requests that a local file system answers from its cache, whatever
/// filters a system has in between: tens of microseconds for an open, a few hundred for 64 KiB of a
/// directory. A network takes longer.
const CACHED: Duration = Duration::from_micros(300);
/// The processor time of a request that takes longer.
const WORK: Duration = Duration::from_micros(50);

/// What workers have reported, and what decides; times in nanoseconds.
#[derive(Debug)]
struct Measured {
    controller: Controller,
    /// Time in which workers ran or waited, and in which they waited, since the start.
    wall: u64,
    waiting: u64,
    /// The sums since the last decision.
    sums: Reported,
    /// When that decision was, and how many came before.
    at: Duration,
    epoch: u64,
}

/// The sums of reports.
#[derive(Debug, Default)]
struct Reported {
    wall: u64,
    waiting: u64,
    busy: u64,
    requests: u64,
    /// How many workers have reported.
    reports: usize,
}

/// The number of workers, found by measuring.
#[derive(Debug)]
pub(crate) struct Pace {
    pub start: Instant,
    /// Workers that may run; the others are suspended.
    target: AtomicUsize,
    /// Hung workers: each waits for a request that stays without an answer, so that another one may
    /// run instead.
    pub hung: AtomicUsize,
    /// Workers that exist.
    spawned: AtomicUsize,
    /// The target is above the number of cores, because workers wait for storage.
    waits_for_storage: AtomicBool,
    /// Decisions in a row that changed nothing while workers hardly waited for storage.
    calm: AtomicUsize,
    measured: Mutex<Measured>,
    /// The most workers; fewer once the system has refused a thread.
    cap: AtomicUsize,
    /// The caller said how many workers run: nothing is measured.
    fixed: bool,
}

impl Pace {
    /// The pace of exactly `fixed` workers, or of as many as pay, up to `cap`; `cautious` where the
    /// walk changes the tree.
    pub fn new(cap: usize, fixed: Option<usize>, cautious: bool) -> Pace {
        let cap = fixed.unwrap_or(cap).max(1);
        Pace {
            start: Instant::now(),
            target: AtomicUsize::new(1),
            hung: AtomicUsize::new(0),
            spawned: AtomicUsize::new(1),
            waits_for_storage: AtomicBool::new(false),
            calm: AtomicUsize::new(0),
            measured: Mutex::new(Measured {
                controller: Controller::new(cap, cautious),
                wall: 0,
                waiting: 0,
                sums: Reported::default(),
                at: Duration::ZERO,
                epoch: 0,
            }),
            cap: AtomicUsize::new(cap),
            fixed: fixed.is_some(),
        }
    }

    /// How many workers may run now, including the hung ones.
    pub fn target(&self) -> usize {
        let target = self.target.load(Ordering::Relaxed);
        match self.hung.load(Ordering::Relaxed) {
            0 => target,
            hung => (target + hung).min(self.cap()).max(target),
        }
    }

    fn cap(&self) -> usize {
        self.cap.load(Ordering::Relaxed)
    }

    /// Whether one worker runs where more may.
    pub fn is_alone(&self) -> bool {
        self.target() == 1 && self.is_parallel()
    }

    /// Whether one worker runs, and measuring decides about a second.
    pub fn decides_on_second_worker(&self) -> bool {
        self.is_alone() && !self.fixed
    }

    /// Whether more than one worker may ever run.
    pub fn is_parallel(&self) -> bool {
        self.cap() > 1
    }

    /// Whether tasks take little time, as far as is known: measuring has asked for no more workers
    /// than there are cores, and the caller did not fix their number.
    pub fn is_quick(&self) -> bool {
        !self.fixed && !self.waits_for_storage.load(Ordering::Relaxed)
    }

    /// Whether tasks are known to take little time: the last decision changed nothing, and
    /// workers hardly waited.
    pub fn is_calm(&self) -> bool {
        self.is_quick() && self.calm.load(Ordering::Relaxed) > 0
    }

    /// How many workers were spawned, with the calling thread.
    pub fn peak(&self) -> usize {
        self.spawned.load(Ordering::Relaxed)
    }

    /// How many workers run, apart from hung ones and including those that have nothing to do.
    pub fn running(&self) -> usize {
        self.peak().min(self.target()).saturating_sub(self.hung.load(Ordering::Relaxed))
    }

    /// Claims the right to spawn one more worker, up to the target; returns that worker's index.
    pub fn claim_spawn(&self) -> Option<usize> {
        let target = self.target();
        let claim = |spawned: usize| (spawned < target).then_some(spawned + 1);
        self.spawned.fetch_update(Ordering::AcqRel, Ordering::Relaxed, claim).ok()
    }

    /// The system refused a thread: the workers that there are become the most that may be.
    pub fn refused(&self) {
        let spawned = self.spawned.fetch_sub(1, Ordering::AcqRel) - 1;
        self.target.fetch_min(spawned, Ordering::Relaxed);
        self.cap.store(spawned, Ordering::Relaxed);
        lock(&self.measured).controller.cap = spawned;
    }

    /// The share of the workers' reported time in which they waited for storage.
    pub fn waiting_share(&self) -> f64 {
        let measured = lock(&self.measured);
        measured.waiting as f64 / measured.wall.max(1) as f64
    }

    /// A worker has done work that took `requests` storage calls; `slow` if it took long. If the
    /// worker's sample is due, it is reported and a decision is taken. `true` says that the target
    /// changed. `pending` gives the numbers of pending tasks and of idle workers.
    #[inline]
    pub fn measure(
        &self,
        sample: &mut Sample,
        now: Instant,
        requests: u64,
        slow: bool,
        pending: impl FnOnce() -> (usize, usize),
    ) -> bool {
        sample.requests += requests;
        sample.tasks = sample.tasks.saturating_add(1);
        // After calm samples, a task that took long is reported at once.
        let length = if slow { sample.length.min(SAMPLE) } else { sample.length };
        if !self.is_parallel() || now.duration_since(sample.since) < length {
            return false;
        }
        let (pending, idle) = pending();
        // A second worker would have no task: nothing is measured, and no file is opened for it.
        if pending == 0 && self.is_alone() {
            // Nor is `pending` asked after every task.
            sample.length = now.duration_since(sample.since) + FIRST_SAMPLE;
            return false;
        }
        if self.decides_on_second_worker() && sample.has_little_left(pending, now) {
            sample.length = now.duration_since(sample.since) + FIRST_SAMPLE / 4;
            return false;
        }
        if self.decides_on_second_worker() && sample.has_no_place_for_another() {
            sample.length = now.duration_since(sample.since) * 2;
            return false;
        }
        // Where the number is prescribed, what is measured is for the statistics alone.
        if !self.fixed || now.duration_since(sample.since) >= CALM_SAMPLE {
            self.report(sample, now);
        }
        self.decide(now, pending, idle)
    }

    #[cold]
    fn report(&self, sample: &mut Sample, now: Instant) {
        let wall = now.duration_since(sample.since).saturating_sub(sample.off_storage);
        let usage = sample.used();
        let before = sample.usage.unwrap_or_default();
        let (waiting, busy) = match usage {
            Some(usage) => (waiting(wall, before, usage), usage.cpu.saturating_sub(before.cpu)),
            None => by_latency(wall, sample.requests),
        };
        let [wall, waiting, busy] = [wall, waiting, busy].map(|time| time.as_nanos() as u64);
        let mut measured = lock(&self.measured);
        measured.wall += wall;
        measured.waiting += waiting;
        let Measured { sums, epoch, .. } = &mut *measured;
        sums.wall += wall;
        sums.waiting += waiting;
        sums.busy += busy;
        sums.requests += sample.requests;
        sums.reports += usize::from(sample.epoch != *epoch);
        sample.epoch = *epoch;
        sample.since = now;
        sample.usage = usage;
        sample.length = sample_length(self.calm.load(Ordering::Relaxed));
        sample.off_storage = Duration::ZERO;
        sample.requests = 0;
        sample.tasks = 0;
    }

    fn decide(&self, now: Instant, pending: usize, idle: usize) -> bool {
        let workers = self.target.load(Ordering::Relaxed);
        if self.fixed {
            let target = self.cap().min(workers + pending);
            return self.target.fetch_max(target, Ordering::Relaxed) < target;
        }
        let Ok(mut measured) = self.measured.try_lock() else { return false };
        let Measured { controller, sums, at, epoch, .. } = &mut *measured;
        let now = now.duration_since(self.start);
        let elapsed = now.saturating_sub(*at);
        let Reported { wall, waiting, busy, requests, reports } = *sums;
        // Half of the workers must have reported since the last decision, or the window says
        // nothing about their number.
        let is_early = workers > 1 && elapsed < SAMPLE;
        if (reports + idle) * 2 < workers || is_early || wall == 0 || requests == 0 {
            return false;
        }
        let window = Window {
            waiting: waiting as f64 / (waiting + busy).max(1) as f64,
            // A worker that stands in line for a processor shows that none is idle.
            busy: wall.saturating_sub(waiting) as f64 / elapsed.as_nanos().max(1) as f64,
            latency: wall as f64 / requests as f64,
            requests,
            workers,
            pending,
            idle,
        };
        #[cfg(test)]
        replay::note(now, elapsed, window);
        if controller.wants_longer(&window, elapsed) {
            return false;
        }
        *sums = Reported::default();
        *at = now;
        *epoch += 1;
        let target = controller.decide(window, now);
        self.target.store(target, Ordering::Relaxed);
        let is_calm = target == workers && window.waiting < WAITING_MATTERS && workers > 1;
        let calm = if is_calm { self.calm.load(Ordering::Relaxed) + 1 } else { 0 };
        self.calm.store(calm, Ordering::Relaxed);
        self.waits_for_storage.store(target > controller.cores(), Ordering::Relaxed);
        target != workers
    }
}

/// The length of the next sample after so many calm decisions in a row.
fn sample_length(calm: usize) -> Duration {
    // Limited before the shift, because a long walk has many of them.
    (SAMPLE * (1 << calm.min(8))).min(CALM_SAMPLE)
}

/// The part of `wall` in which the thread waited: it neither ran nor stood in line for a processor.
/// A thread that never gave the processor up itself did not wait: other threads of a busy machine,
/// or the host of a virtual one, took the missing time. Where the kernel does not report the time
/// in line, the waiting share of the missing time is that of voluntary context switches among all.
fn waiting(wall: Duration, before: ThreadUsage, after: ThreadUsage) -> Duration {
    let not_running = wall.saturating_sub(after.cpu.saturating_sub(before.cpu));
    let voluntary = after.voluntary.saturating_sub(before.voluntary);
    let involuntary = after.involuntary.saturating_sub(before.involuntary);
    if voluntary == 0 {
        return Duration::ZERO;
    }
    match (before.queued, after.queued) {
        (Some(before), Some(after)) => not_running.saturating_sub(after.saturating_sub(before)),
        _ => not_running.mul_f64(voluntary as f64 / (voluntary + involuntary) as f64),
    }
}

/// The part of `wall` in which the thread waited, and the rest, where the system does not report
/// what the thread used: all but the work, if the requests took longer than from a cache.
fn by_latency(wall: Duration, requests: u64) -> (Duration, Duration) {
    let requests = u32::try_from(requests).unwrap_or(u32::MAX);
    if wall <= CACHED.saturating_mul(requests) {
        return (Duration::ZERO, wall);
    }
    let busy = WORK * requests;
    (wall - busy, busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_thread_times_slow_requests_are_waiting_storage() {
        let wall = Duration::from_millis(10);
        assert_eq!(by_latency(wall, 400), (Duration::ZERO, wall));
        assert_eq!(by_latency(wall, 34), (Duration::ZERO, wall));
        let of_a_share = (Duration::from_micros(9_500), Duration::from_micros(500));
        assert_eq!(by_latency(wall, 10), of_a_share);
        assert_eq!(by_latency(wall, 0), (wall, Duration::ZERO));
        assert_eq!(by_latency(wall, u64::MAX), (Duration::ZERO, wall));
    }

    #[test]
    fn a_calm_walk_reports_rarely_and_a_slow_task_is_reported_at_once() {
        let pace = Pace::new(8, None, false);
        pace.target.store(2, Ordering::Relaxed);
        let controller = Controller::of_cores(2, 8, false);
        lock(&pace.measured).controller = controller;
        let mut now = pace.start;
        let mut sample = Sample::start(now, false);
        let none = || (100, 0);
        assert!(pace.is_quick() && !pace.is_calm(), "nothing is known");
        for _ in 0..20 {
            now += CALM_SAMPLE;
            assert!(!pace.measure(&mut sample, now, 100, false, none));
        }
        assert!(pace.is_calm());
        assert_eq!(sample.length, CALM_SAMPLE);
        let reports = |sample: &mut Sample, after, slow| {
            let before = sample.since;
            pace.measure(sample, before + after, 100, slow, none);
            sample.since != before
        };
        assert!(!reports(&mut sample, SAMPLE, false));
        assert!(reports(&mut sample, SAMPLE, true));
    }

    #[test]
    fn on_a_crowded_machine_a_little_waiting_is_no_reason_for_more_workers() {
        let starts = |busy, wall| {
            let pace = Pace::new(8, None, false);
            pace.target.store(2, Ordering::Relaxed);
            let mut measured = lock(&pace.measured);
            measured.controller = Controller::of_cores(2, 8, false);
            let sums = Reported { wall, waiting: 800_000, busy, requests: 100, reports: 2 };
            measured.sums = sums;
            drop(measured);
            pace.decide(pace.start + SAMPLE * 2, 100, 0)
        };
        assert!(!starts(2_000_000, 8_000_000), "they stood in line");
        assert!(starts(2_000_000, 2_800_000), "the cores were idle");
    }

    #[test]
    fn samples_grow_while_the_walk_is_calm() {
        assert_eq!(FIRST_SAMPLE, Duration::from_micros(400));
        let lengths = [0, 1, 2, 3, 4, 1_000].map(sample_length);
        assert_eq!(lengths.map(|length| length.as_millis()), [2, 4, 8, 16, 16, 16]);
    }

    #[test]
    fn a_worker_that_is_alone_measures_nothing_before_there_is_work_to_share() {
        let pace = Pace::new(8, None, false);
        lock(&pace.measured).controller = Controller::of_cores(2, 8, false);
        let mut sample = Sample::start(pace.start, false);
        let after = |ms| pace.start + Duration::from_millis(ms);
        let looks = std::cell::Cell::new(0);
        let none = || {
            looks.set(looks.get() + 1);
            (0, 0)
        };
        for unit in 1..1_000 {
            let now = pace.start + Duration::from_micros(20) * unit;
            assert!(!pace.measure(&mut sample, now, 10, false, none));
        }
        assert!((40..=50).contains(&looks.get()), "{} looks in 20 ms", looks.get());
        assert_eq!((sample.since, sample.usage.is_none()), (pace.start, true));
        assert_eq!(lock(&pace.measured).wall, 0);
        assert!(pace.measure(&mut sample, after(30), 10, false, || (100, 0)));
        assert_eq!((sample.since, pace.target()), (after(30), 2));
    }

    #[test]
    fn little_work_needs_no_second_worker_early_in_a_walk() {
        let starts = |after: u64, pending| {
            let pace = Pace::new(8, None, false);
            lock(&pace.measured).controller = Controller::of_cores(2, 8, false);
            let mut sample = Sample::start(pace.start, false);
            // The mean task takes 20 us.
            (1..=after / 20).any(|task| {
                let now = pace.start + Duration::from_micros(20 * task);
                pace.measure(&mut sample, now, 3, false, || (pending, 0))
            })
        };
        assert!(!starts(3_000, 80));
        assert!(starts(420, 120));
        assert!(starts(5_000, 40), "later, more is likely to come");
    }

    #[test]
    fn a_busy_machine_is_not_waiting_storage() {
        let wall = Duration::from_millis(10);
        let before = ThreadUsage::default();
        let cpu = Duration::from_millis(2);
        let preempted = ThreadUsage { cpu, queued: None, voluntary: 0, involuntary: 9 };
        assert_eq!(waiting(wall, before, preempted), Duration::ZERO);
        let blocked = ThreadUsage { voluntary: 9, involuntary: 0, ..preempted };
        assert_eq!(waiting(wall, before, blocked), Duration::from_millis(8));
        let begin = Some(Duration::ZERO);
        let end = Some(Duration::from_millis(7));
        let before = ThreadUsage { queued: begin, ..before };
        let both = ThreadUsage { queued: end, ..blocked };
        assert_eq!(waiting(wall, before, both), Duration::from_millis(1));
    }
}
