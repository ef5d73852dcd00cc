//! The adaptive scheduler: how many workers run at once.
//!
//! **Who produces, who consumes.** Workers measure themselves: after a unit of work (a directory's
//! buffer, or a batch of a huge one) a worker whose sample is old enough adds its wall time, processor
//! time and completed requests to [`Totals`]; the same worker then tries to take the one decision that
//! is due. There is no controller thread.
//!
//! ```text
//!   worker ── unit ── unit ── unit ─┬─ report ──► Totals ──► decide ──► target ──► hire, bench, recall
//!                                   └─ (a getrusage every few milliseconds, never one a unit)
//! ```
//!
//! **What decides.** A worker that waits for storage leaves its core to others: wanted workers are
//! cores ÷ (processor time ÷ wall time). Warm local trees want one a core; a network file system wants
//! dozens. The number at most doubles, and only as long as units are pending and nobody is idle. Each
//! step beyond the cores is on trial: it stays if requests completed per second rose, which, by
//! Little's law, is to say that the time a request takes grew less than the number of workers did. A step
//! that seems not to pay is given a second window: the first may have held two dozen requests.
//! Where half of the cores idle although there is work, the number may double whatever the quotient says:
//! waiting comes in bursts.
//!
//! **What idleness costs.** Nothing: idle workers park on a condition variable, benched ones on
//! another; nobody polls.
//!
//! **How it ends.** With the walk; the target is only a number.

use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use brisk_sys::clock::{ThreadClock, ThreadUsage};

/// Below this much work a second thread costs more than it brings (starting one takes about 0.1 ms).
pub(crate) const FIRST_SAMPLE: Duration = Duration::from_micros(400);
/// How often a worker reports after that.
const SAMPLE: Duration = Duration::from_millis(2);
/// How often it reports while nothing changes: the interval doubles up to this.
const CALM_SAMPLE: Duration = Duration::from_millis(16);
/// A waiting share below this is noise: page faults, a lock in the kernel.
const WAITING_MATTERS: f64 = 0.2;
/// Waiting shares further apart than this come from different storage and cannot be compared.
const COMPARABLE: f64 = 0.25;
/// Cores less busy than this have room for more workers, whatever waiting says.
const BUSY: f64 = 0.5;
/// What a step must bring: requests per second grown by this factor.
const WORTH: f64 = 1.05;
/// Waiting shares jump about from one window to the next, and what they ask for jumps more: double of
/// it is as good. Whether a step pays is what trials are for.
const TOLERANCE: usize = 2;
/// While there is waiting, too many workers cost little; this many times what is wanted they go.
const FAR_TOO_MANY: usize = 8;
/// How long growth rests after a step that did not pay; doubled each time in a row.
const REST: Duration = Duration::from_millis(10);
const LONGEST_REST: Duration = Duration::from_millis(640);

/// Everything the workers have reported, since the start.
#[derive(Debug, Default)]
struct Totals {
    wall: AtomicU64,
    waiting: AtomicU64,
    busy: AtomicU64,
    requests: AtomicU64,
    /// Reports since the last decision, at most one a worker.
    reports: AtomicUsize,
}

/// One worker's own measurements.
#[derive(Debug)]
pub(crate) struct Sample {
    since: Instant,
    clock: ThreadClock,
    usage: Option<ThreadUsage>,
    length: Duration,
    epoch: u64,
    /// Wall time not spent on storage: writing output, being parked.
    elsewhere: Duration,
    requests: u64,
}

impl Sample {
    /// The calling thread begins; a thread that is yet to be started has used nothing.
    pub fn start(now: Instant, is_calling_thread: bool) -> Sample {
        let used = if is_calling_thread { ThreadClock::quick() } else { None };
        Sample {
            since: now,
            clock: ThreadClock::default(),
            usage: used,
            length: FIRST_SAMPLE,
            epoch: u64::MAX,
            elsewhere: Duration::ZERO,
            requests: 0,
        }
    }

    /// Time that is not the storage's.
    pub fn elsewhere(&mut self, time: Duration) {
        self.elsewhere += time;
    }
}

/// What the workers together did since the last decision.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Share of their wall time spent waiting for storage.
    waiting: f64,
    /// Cores that they kept busy.
    busy: f64,
    /// Wall nanoseconds a request took.
    latency: f64,
    requests: u64,
    workers: usize,
    /// Units that nobody works on.
    pending: usize,
    idle: usize,
}

/// A step that must prove itself.
#[derive(Clone, Copy, Debug)]
struct Trial {
    before: Window,
    /// The first window after the step, if that spoke against it: a few dozen requests may have
    /// been slow by chance.
    doubt: Option<Window>,
}

/// The state of the decisions: pure but for the clock that is handed in.
#[derive(Debug)]
struct Judge {
    /// Processors that this process may use; asking takes a dozen system calls, so not before the
    /// first decision.
    cores: OnceCell<usize>,
    cap: usize,
    trial: Option<Trial>,
    rest: Duration,
    rest_until: Duration,
}

impl Judge {
    fn new(cap: usize) -> Judge {
        Judge { cores: OnceCell::new(), cap, trial: None, rest: REST, rest_until: Duration::ZERO }
    }

    fn cores(&self) -> usize {
        let count = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        *self.cores.get_or_init(count)
    }

    /// How many workers should run from now on.
    fn decide(&mut self, window: Window, now: Duration) -> usize {
        if let Some(trial) = self.trial.take() {
            match trial.verdict(window) {
                Verdict::Pays => self.rest = REST,
                Verdict::Doubt => {
                    self.trial = Some(Trial { doubt: Some(window), ..trial });
                    return window.workers;
                }
                Verdict::DoesNotPay => {
                    self.rest_until = now + self.rest;
                    self.rest = (self.rest * 2).min(LONGEST_REST);
                    return trial.before.workers;
                }
            }
        }
        let wanted = self.wanted(&window);
        let too_many = if window.waiting < WAITING_MATTERS { 1 } else { FAR_TOO_MANY };
        if wanted * too_many < window.workers {
            return (window.workers / 2).max(wanted);
        }
        let ceiling = if wanted > self.cores() { wanted * TOLERANCE } else { wanted };
        if ceiling <= window.workers || window.idle > 0 || now < self.rest_until {
            return window.workers;
        }
        let target = ceiling.min(window.workers * 2).min(window.workers + window.pending);
        let target = target.min(self.cap);
        // A small step could not be judged; it waits until it is worth taking.
        if target * 2 < window.workers * 3 && target < self.cap {
            return window.workers;
        }
        if target > self.cores() && target > window.workers {
            self.trial = Some(Trial { before: window, doubt: None });
        }
        target
    }

    fn wanted(&self, window: &Window) -> usize {
        let cores = self.cores();
        if window.waiting < WAITING_MATTERS {
            return cores.min(self.cap);
        }
        let by_waiting = (cores as f64 / (1.0 - window.waiting).max(1e-3)) as usize;
        // Waiting comes in bursts: a core may idle although on average there is work for it.
        let by_idling = if window.busy < BUSY * cores as f64 { window.workers * 2 } else { 0 };
        by_waiting.max(by_idling).clamp(1, self.cap)
    }
}

/// What a window says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pays,
    /// It seems not to pay; one more window will tell.
    Doubt,
    DoesNotPay,
}

impl Trial {
    fn verdict(&self, window: Window) -> Verdict {
        let window = self.doubt.map_or(window, |doubt| doubt.and(window));
        let comparable = (window.waiting - self.before.waiting).abs() < COMPARABLE;
        let grown = window.workers as f64 / self.before.workers as f64;
        if !comparable || window.latency * WORTH <= self.before.latency * grown {
            Verdict::Pays
        } else if self.doubt.is_none() {
            Verdict::Doubt
        } else {
            Verdict::DoesNotPay
        }
    }
}

impl Window {
    /// The two as one.
    fn and(self, later: Window) -> Window {
        let requests = self.requests + later.requests;
        let share = self.requests as f64 / requests.max(1) as f64;
        let mean = |a: f64, b: f64| a * share + b * (1.0 - share);
        Window {
            waiting: mean(self.waiting, later.waiting),
            latency: mean(self.latency, later.latency),
            requests,
            ..later
        }
    }
}

/// The number of workers, found by measuring.
#[derive(Debug)]
pub(crate) struct Pace {
    start: Instant,
    /// Workers that may run; the rest is benched.
    target: AtomicUsize,
    /// Workers that exist.
    hired: AtomicUsize,
    epoch: AtomicU64,
    /// There are more workers than cores: the storage makes them wait.
    is_waiting: AtomicBool,
    /// Decisions in a row that changed nothing, on storage that nobody waits for.
    calm: AtomicUsize,
    totals: Totals,
    judge: Mutex<(Judge, Seen)>,
    /// The most workers; less once the system has refused a thread.
    cap: AtomicUsize,
    /// The user said how many: no measuring.
    fixed: bool,
}

/// Totals as they were at the last decision.
#[derive(Debug, Default)]
struct Seen {
    wall: u64,
    waiting: u64,
    busy: u64,
    requests: u64,
    at: Duration,
}

impl Pace {
    /// `fixed` workers exactly, or as many as pay up to `cap`.
    pub fn new(cap: usize, fixed: Option<usize>) -> Pace {
        let cap = fixed.unwrap_or(cap).max(1);
        Pace {
            start: Instant::now(),
            target: AtomicUsize::new(1),
            hired: AtomicUsize::new(1),
            epoch: AtomicU64::new(0),
            is_waiting: AtomicBool::new(false),
            calm: AtomicUsize::new(0),
            totals: Totals::default(),
            judge: Mutex::new((Judge::new(cap), Seen::default())),
            cap: AtomicUsize::new(cap),
            fixed: fixed.is_some(),
        }
    }

    /// How many workers may run now.
    pub fn target(&self) -> usize {
        self.target.load(Ordering::Relaxed)
    }

    fn cap(&self) -> usize {
        self.cap.load(Ordering::Relaxed)
    }

    /// Whether one worker runs where there may be more.
    pub fn is_alone(&self) -> bool {
        self.target() == 1 && self.is_parallel()
    }

    /// Whether more than one worker may ever run.
    pub fn is_parallel(&self) -> bool {
        self.cap() > 1
    }

    /// Whether units are quickly done, as far as is known: no more workers run than there are cores,
    /// and their number was not prescribed.
    pub fn is_quick(&self) -> bool {
        !self.fixed && !self.is_waiting.load(Ordering::Relaxed)
    }

    /// How many workers were ever hired.
    pub fn peak(&self) -> usize {
        self.hired.load(Ordering::Relaxed)
    }

    /// Claims the right to hire one more worker, up to the target.
    pub fn claim_hire(&self) -> Option<usize> {
        let target = self.target();
        let claim = |hired: usize| (hired < target).then_some(hired + 1);
        self.hired.fetch_update(Ordering::AcqRel, Ordering::Relaxed, claim).ok()
    }

    /// The system refused a thread: this many must do.
    pub fn refused(&self) {
        let hired = self.hired.fetch_sub(1, Ordering::AcqRel) - 1;
        self.target.fetch_min(hired, Ordering::Relaxed);
        self.cap.store(hired, Ordering::Relaxed);
        self.judge.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0.cap = hired;
    }

    /// The share of the workers' time that was waiting, as far as it was reported.
    pub fn waiting_share(&self) -> f64 {
        let wall = self.totals.wall.load(Ordering::Relaxed);
        self.totals.waiting.load(Ordering::Relaxed) as f64 / wall.max(1) as f64
    }

    /// A worker has completed a unit that took `requests` storage calls. If its sample is due it is
    /// reported and a decision taken; `true` says that the target changed.
    #[inline]
    pub fn unit_done(
        &self,
        sample: &mut Sample,
        now: Instant,
        requests: u64,
        slow: bool,
        pending: impl FnOnce() -> (usize, usize),
    ) -> bool {
        sample.requests += requests;
        // After calm, a unit that took long is news at once.
        let length = if slow { sample.length.min(SAMPLE) } else { sample.length };
        if !self.is_parallel() || now.duration_since(sample.since) < length {
            return false;
        }
        self.report(sample, now);
        let (pending, idle) = pending();
        self.decide(now, pending, idle)
    }

    #[cold]
    fn report(&self, sample: &mut Sample, now: Instant) {
        let wall = now.duration_since(sample.since).saturating_sub(sample.elsewhere);
        let usage = sample.clock.read();
        let before = sample.usage.unwrap_or_default();
        let waiting = usage.map_or(Duration::ZERO, |usage| waiting(wall, before, usage));
        let busy = usage.map_or(wall, |usage| usage.cpu.saturating_sub(before.cpu));
        self.totals.busy.fetch_add(busy.as_nanos() as u64, Ordering::Relaxed);
        self.totals.wall.fetch_add(wall.as_nanos() as u64, Ordering::Relaxed);
        self.totals.waiting.fetch_add(waiting.as_nanos() as u64, Ordering::Relaxed);
        self.totals.requests.fetch_add(sample.requests, Ordering::Relaxed);
        let epoch = self.epoch.load(Ordering::Relaxed);
        if sample.epoch != epoch {
            self.totals.reports.fetch_add(1, Ordering::Relaxed);
        }
        sample.since = now;
        sample.usage = usage;
        let calm = self.calm.load(Ordering::Relaxed).min(8) as u32;
        sample.length = (SAMPLE * (1 << calm)).min(CALM_SAMPLE);
        sample.epoch = epoch;
        sample.elsewhere = Duration::ZERO;
        sample.requests = 0;
    }

    fn decide(&self, now: Instant, pending: usize, idle: usize) -> bool {
        let workers = self.target();
        if self.fixed {
            let target = self.cap().min(workers + pending);
            return self.target.fetch_max(target, Ordering::Relaxed) < target;
        }
        // Nothing that a second worker could do: how many cores there are need not be asked.
        if workers == 1 && pending == 0 {
            return false;
        }
        // Half of them must have reported since the last change, or the window is not theirs.
        let reports = self.totals.reports.load(Ordering::Relaxed) + idle;
        if reports * 2 < workers {
            return false;
        }
        let Ok(mut judge) = self.judge.try_lock() else { return false };
        let (judge, seen) = &mut *judge;
        let now = now.duration_since(self.start);
        if workers > 1 && now.saturating_sub(seen.at) < SAMPLE {
            return false;
        }
        let elapsed = now.saturating_sub(seen.at);
        let Some(window) = self.window(seen, elapsed, pending, idle) else { return false };
        let window = Window { workers, ..window };
        seen.at = now;
        let target = judge.decide(window, now);
        self.epoch.fetch_add(1, Ordering::Relaxed);
        self.totals.reports.store(0, Ordering::Relaxed);
        self.target.store(target, Ordering::Relaxed);
        let is_calm = target == workers && window.waiting < WAITING_MATTERS && workers > 1;
        let calm = if is_calm { self.calm.load(Ordering::Relaxed) + 1 } else { 0 };
        self.calm.store(calm, Ordering::Relaxed);
        self.is_waiting.store(target > judge.cores(), Ordering::Relaxed);
        target != workers
    }

    /// What was reported since the last decision.
    fn window(
        &self,
        seen: &mut Seen,
        elapsed: Duration,
        pending: usize,
        idle: usize,
    ) -> Option<Window> {
        let wall = self.totals.wall.load(Ordering::Relaxed);
        let waiting = self.totals.waiting.load(Ordering::Relaxed);
        let busy = self.totals.busy.load(Ordering::Relaxed);
        let requests = self.totals.requests.load(Ordering::Relaxed);
        let took = wall.saturating_sub(seen.wall);
        let done = requests.saturating_sub(seen.requests);
        if took == 0 || done == 0 {
            return None;
        }
        let share = waiting.saturating_sub(seen.waiting) as f64 / took as f64;
        let cores = busy.saturating_sub(seen.busy) as f64 / elapsed.as_nanos().max(1) as f64;
        *seen = Seen { wall, waiting, busy, requests, at: seen.at };
        Some(Window {
            waiting: share.clamp(0.0, 1.0),
            busy: cores,
            latency: took as f64 / done as f64,
            requests: done,
            workers: 1,
            pending,
            idle,
        })
    }
}

/// The part of `wall` that the thread waited: it neither ran nor stood in line for a processor. A
/// thread that never gave the processor up itself did not wait: what is missing then was taken by a busy
/// machine, or by the host of a virtual one. Where the kernel does not tell the time in line, the missing
/// time is shared out by who ended the thread's turns.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judge_of(cores: usize) -> Judge {
        Judge { cores: OnceCell::from(cores), ..Judge::new(128) }
    }

    fn window(waiting: f64, latency: f64, workers: usize) -> Window {
        let busy = workers as f64 * (1.0 - waiting);
        Window { waiting, busy, latency, requests: 100, workers, pending: 10_000, idle: 0 }
    }

    /// Storage that answers each request after `base`, and `capacity` requests at a time.
    fn settle(cores: usize, base: f64, capacity: usize) -> usize {
        let mut judge = judge_of(cores);
        let mut workers = 1;
        let mut most = 0;
        for step in 0..200 {
            let latency = base * (workers as f64 / capacity as f64).max(1.0);
            let now = Duration::from_millis(4 * step);
            workers = judge.decide(window(0.99, latency, workers), now);
            most = most.max(workers);
        }
        assert!(most <= 2 * capacity.max(cores), "flooded with {most}");
        workers
    }

    #[test]
    fn a_calm_walk_reports_rarely_and_a_slow_unit_is_news_at_once() {
        let pace = Pace::new(8, None);
        pace.target.store(2, Ordering::Relaxed);
        pace.judge.lock().expect("nobody panicked").0.cores = OnceCell::from(2);
        let mut now = pace.start;
        let mut sample = Sample::start(now, false);
        let none = || (100, 0);
        for _ in 0..20 {
            now += CALM_SAMPLE;
            assert!(!pace.unit_done(&mut sample, now, 100, false, none));
        }
        assert_eq!(sample.length, CALM_SAMPLE);
        let reports = |sample: &mut Sample, after, slow| {
            let before = sample.since;
            pace.unit_done(sample, before + after, 100, slow, none);
            sample.since != before
        };
        assert!(!reports(&mut sample, SAMPLE, false));
        assert!(reports(&mut sample, SAMPLE, true));
    }

    #[test]
    fn a_warm_tree_gets_one_worker_a_core() {
        let mut judge = judge_of(2);
        assert_eq!(judge.decide(window(0.0, 5e3, 1), Duration::ZERO), 2);
        assert_eq!(judge.decide(window(0.05, 5e3, 2), SAMPLE), 2);
    }

    #[test]
    fn storage_with_capacity_gets_what_it_can_serve_and_no_flood() {
        assert_eq!(settle(2, 1e6, 1_000), 128);
        assert!((16..=32).contains(&settle(2, 1e6, 16)));
        assert!(settle(2, 1e6, 1) <= 2);
    }

    #[test]
    fn no_worker_without_work_for_it() {
        let mut judge = judge_of(2);
        let starved = Window { pending: 1, ..window(0.99, 1e6, 4) };
        assert_eq!(judge.decide(starved, Duration::ZERO), 4);
        let some = Window { pending: 2, ..starved };
        assert_eq!(judge.decide(some, Duration::ZERO), 6);
        let idle = Window { idle: 1, ..window(0.99, 1e6, 4) };
        assert_eq!(judge_of(2).decide(idle, Duration::ZERO), 4);
    }

    #[test]
    fn one_slow_window_is_no_failed_trial() {
        let mut judge = judge_of(2);
        assert_eq!(judge.decide(window(0.7, 1e5, 2), Duration::ZERO), 4);
        assert_eq!(judge.decide(window(0.7, 3e5, 4), SAMPLE), 4);
        assert_eq!(judge.decide(window(0.7, 1e4, 4), SAMPLE * 2), 8);
        let mut judge = judge_of(2);
        assert_eq!(judge.decide(window(0.7, 1e5, 2), Duration::ZERO), 4);
        assert_eq!(judge.decide(window(0.7, 3e5, 4), SAMPLE), 4);
        assert_eq!(judge.decide(window(0.7, 3e5, 4), SAMPLE * 2), 2);
    }

    #[test]
    fn idle_cores_get_more_workers_than_the_quotient_says() {
        let mut judge = judge_of(2);
        let bursts = Window { busy: 0.9, ..window(0.5, 1e5, 8) };
        assert_eq!(judge.decide(bursts, Duration::ZERO), 16);
        let busy = Window { busy: 1.9, ..bursts };
        assert_eq!(judge_of(2).decide(busy, Duration::ZERO), 8);
    }

    #[test]
    fn workers_go_when_waiting_ends() {
        let mut judge = judge_of(2);
        let mut workers = 64;
        for step in 1..8 {
            workers = judge.decide(window(0.01, 5e3, workers), SAMPLE * step);
        }
        assert_eq!(workers, 2);
    }

    #[test]
    fn a_slow_mount_in_mid_run_is_no_failed_trial() {
        let mut judge = judge_of(2);
        let first = judge.decide(window(0.5, 1e4, 2), Duration::ZERO);
        assert_eq!(first, 4);
        // All workers meet the mount at once: latency rises a hundredfold, and so does waiting.
        assert_eq!(judge.decide(window(0.99, 1e6, 4), SAMPLE), 8);
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
        let (begin, end) = (Some(Duration::ZERO), Some(Duration::from_millis(7)));
        let before = ThreadUsage { queued: begin, ..before };
        let both = ThreadUsage { queued: end, ..blocked };
        assert_eq!(waiting(wall, before, both), Duration::from_millis(1));
    }
}
