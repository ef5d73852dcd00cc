//! The decisions: what a window of measurements says about the number of workers. Pure but for the clock,
//! which is handed in.
//!
//! ```text
//!            no waiting: one a core
//!   ┌───────────────────────────────────┐
//!   │           waiting                 │                 pays ──► stays, and goes on
//!   └─► steady ─────────► step on trial ─┬─ a window later ┤
//!          ▲                             └─ (doubt: two)   │
//!          └──────── rest, doubled ◄──── the number before ┴ does not pay
//! ```
//!
//! A walk that changes the tree is *cautious*: what its workers wait for may be each other, as the locks of a
//! journal or of an allocation group, and then each one more makes all slower. There a step down is tried as
//! well, a step is judged by requests per second whatever happened to waiting, and windows are long: file
//! systems put work off and then do much at once.

use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::time::Duration;

/// A waiting share below this is noise: page faults, a lock in the kernel.
pub(super) const WAITING_MATTERS: f64 = 0.2;
/// Above this share it is the storage that is waited for: workers that wait for each other keep a core
/// busy between them.
const STORAGE_WAITS: f64 = 0.9;
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
/// How long growth rests after a step that did not pay, and how many times that at most.
const REST: Duration = Duration::from_millis(10);
const LONGEST_REST: u32 = 64;
/// The same for the cautious, whose trials take longer.
const CAUTIOUS_REST: Duration = Duration::from_millis(640);
/// How long a cautious window is at least: XFS frees inodes a hundred at a time, ext4 commits its journal, and
/// half as many requests more in 20 ms than in the 20 before mean nothing.
const CAUTIOUS_WINDOW: Duration = Duration::from_millis(40);
/// What the cautious ask of twice as many workers, and leave to half of them.
const CAUTIOUS_WORTH: f64 = 1.4;
const CAUTIOUS_LOSS: f64 = 0.9;

/// What the workers together did since the last decision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// Share of their wall time spent waiting for storage.
    pub waiting: f64,
    /// Cores that they kept busy.
    pub busy: f64,
    /// Wall nanoseconds a request took.
    pub latency: f64,
    pub requests: u64,
    pub workers: usize,
    /// Units that nobody works on.
    pub pending: usize,
    pub idle: usize,
}

/// A step that must prove itself.
#[derive(Clone, Copy, Debug)]
struct Trial {
    before: Window,
    /// The first window after the step, if that spoke against it: a few dozen requests may have
    /// been slow by chance. To the cautious it says nothing: what the workers before it put off is done in it.
    first: Option<Window>,
}

/// How long steps in one direction rest after one that did not pay: twice as long each time in a row.
#[derive(Debug)]
struct Rest {
    first: Duration,
    next: Duration,
    until: Duration,
}

impl Rest {
    fn new(first: Duration) -> Rest {
        Rest { first, next: first, until: Duration::ZERO }
    }

    fn begin(&mut self, now: Duration) {
        self.until = now + self.next;
        self.next = (self.next * 2).min(self.first * LONGEST_REST);
    }

    fn reset(&mut self) {
        self.next = self.first;
    }

    fn end(&mut self) {
        self.until = Duration::ZERO;
    }

    fn is_over(&self, now: Duration) -> bool {
        self.until <= now
    }
}

/// The state of the decisions.
#[derive(Debug)]
pub(super) struct Controller {
    /// Processors that this process may use; asking takes a dozen system calls, so not before the
    /// first decision.
    cores: OnceCell<usize>,
    pub cap: usize,
    trial: Option<Trial>,
    growing: Rest,
    cautious: Option<Caution>,
}

/// What a cautious judge knows beyond.
#[derive(Debug)]
struct Caution {
    shrinking: Rest,
    /// All windows since the number of workers changed.
    standing: Option<Window>,
    /// There was a trial: what runs now is better than its neighbours were.
    was_tried: bool,
}

impl Controller {
    pub fn new(cap: usize, cautious: bool) -> Controller {
        Controller {
            cores: OnceCell::new(),
            cap,
            trial: None,
            growing: Rest::new(if cautious { CAUTIOUS_REST } else { REST }),
            cautious: cautious.then(|| Caution {
                shrinking: Rest::new(CAUTIOUS_REST),
                standing: None,
                was_tried: false,
            }),
        }
    }

    pub fn cores(&self) -> usize {
        let count = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        *self.cores.get_or_init(count)
    }

    /// Whether a window says too little yet.
    pub fn wants_longer(&self, window: &Window, length: Duration) -> bool {
        let Some(cautious) = &self.cautious else { return false };
        let compares = cautious.was_tried || self.trial.is_some();
        let contends = window.workers > 1 && window.may_contend();
        (compares || contends) && window.waiting < STORAGE_WAITS && length < CAUTIOUS_WINDOW
    }

    /// How many workers should run from now on.
    pub fn decide(&mut self, window: Window, now: Duration) -> usize {
        if let Some(trial) = self.trial.take()
            && let Some(target) = self.end_trial(trial, window, now)
        {
            return target;
        }
        let window = self.stand(window);
        if let Some(cautious) = &self.cautious
            && cautious.shrinking.is_over(now)
            && window.workers > 1
            && window.may_contend()
        {
            return self.try_out(window, window.workers / 2);
        }
        let wanted = self.wanted(&window);
        let too_many = if window.waiting < WAITING_MATTERS { 1 } else { FAR_TOO_MANY };
        if wanted * too_many < window.workers {
            return (window.workers / 2).max(wanted);
        }
        let ceiling = if wanted > self.cores() { wanted * TOLERANCE } else { wanted };
        if ceiling <= window.workers || window.idle > 0 || !self.growing.is_over(now) {
            return window.workers;
        }
        let target = ceiling.min(window.workers * 2).min(window.workers + window.pending);
        let target = target.min(self.cap);
        // A small step could not be was_tried; it waits until it is worth taking.
        if target * 2 < window.workers * 3 && target < self.cap {
            return window.workers;
        }
        let was_tried = self.cautious.as_ref().is_some_and(|cautious| cautious.was_tried);
        if (target > self.cores() || was_tried) && target > window.workers {
            return self.try_out(window, target);
        }
        target
    }

    /// What is decided by, and a step compared with: to the cautious all that this number of workers did, because
    /// in a single window a journal may be committed; to others what they did last.
    fn stand(&mut self, window: Window) -> Window {
        let Some(cautious) = &mut self.cautious else { return window };
        let before = cautious.standing.filter(|before| before.workers == window.workers);
        *cautious.standing.insert(before.map_or(window, |before| before.and(window)))
    }

    fn try_out(&mut self, before: Window, target: usize) -> usize {
        self.trial = Some(Trial { before, first: None });
        target
    }

    /// Ends a trial, or prolongs it. The number of workers, if that is all for now.
    fn end_trial(&mut self, trial: Trial, window: Window, now: Duration) -> Option<usize> {
        let verdict = trial.verdict(window, self.cautious.is_some());
        if verdict == Verdict::Doubt {
            self.trial = Some(Trial { first: Some(window), ..trial });
            return Some(window.workers);
        }
        let pays = verdict == Verdict::Pays;
        let went_down = window.workers < trial.before.workers;
        if let Some(cautious) = &mut self.cautious {
            cautious.was_tried = true;
            match (went_down, pays) {
                (true, true) => cautious.shrinking.reset(),
                (true, false) => cautious.shrinking.begin(now),
                // The way back is tried next: the proof of the step.
                (false, true) => cautious.shrinking.end(),
                (false, false) => {}
            }
        }
        // What fewer workers do better, more would do worse.
        if went_down == pays {
            self.growing.begin(now);
        } else if pays {
            self.growing.reset();
        }
        if pays { None } else { Some(trial.before.workers) }
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
    /// It seems not to pay, or the cautious do not ask yet; one more window will tell.
    Doubt,
    DoesNotPay,
}

impl Trial {
    fn verdict(&self, window: Window, cautious: bool) -> Verdict {
        if cautious && window.waiting < STORAGE_WAITS {
            let gain = window.rate() / self.before.rate();
            let went_down = window.workers < self.before.workers;
            let worth = if went_down { CAUTIOUS_LOSS } else { CAUTIOUS_WORTH };
            // More workers that do less have nothing to wait for.
            let is_clear = !went_down && gain < 1.0;
            return match (self.first, gain >= worth) {
                (None, _) if !is_clear => Verdict::Doubt,
                (_, true) => Verdict::Pays,
                (_, false) => Verdict::DoesNotPay,
            };
        }
        let window = self.first.map_or(window, |first| first.and(window));
        let comparable = (window.waiting - self.before.waiting).abs() < COMPARABLE;
        if !comparable || window.rate() >= self.before.rate() * WORTH {
            Verdict::Pays
        } else if self.first.is_none() {
            Verdict::Doubt
        } else {
            Verdict::DoesNotPay
        }
    }
}

impl Window {
    /// Whether the workers may be waiting for one another.
    fn may_contend(&self) -> bool {
        (WAITING_MATTERS..STORAGE_WAITS).contains(&self.waiting)
    }

    /// Requests per nanosecond, all workers together.
    fn rate(&self) -> f64 {
        self.workers as f64 / self.latency
    }

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

#[cfg(test)]
mod tests {
    use super::super::SAMPLE;
    use super::*;

    impl Controller {
        /// One that takes this for the number of processors.
        pub fn of_cores(cores: usize, cap: usize) -> Controller {
            Controller { cores: OnceCell::from(cores), ..Controller::new(cap, false) }
        }
    }

    fn controller_of(cores: usize) -> Controller {
        Controller::of_cores(cores, 128)
    }

    fn cautious(cores: usize) -> Controller {
        Controller { cores: OnceCell::from(cores), ..Controller::new(128, true) }
    }

    /// Where a cautious judge ends, and how many of three seconds' milliseconds it spent elsewhere, given what
    /// each number of workers does a second and which share of their time they wait.
    fn settle_wary(rate: fn(usize) -> f64, waiting: fn(usize) -> f64) -> (usize, usize) {
        let mut controller = cautious(2);
        let (mut workers, mut now) = (1, Duration::ZERO);
        let mut spent = Vec::new();
        while now < Duration::from_secs(3) {
            let latency = workers as f64 * 1e9 / rate(workers);
            let window = window(waiting(workers), latency, workers);
            let mut length = SAMPLE;
            while controller.wants_longer(&window, length) {
                length += SAMPLE;
            }
            now += length;
            spent.push((workers, length));
            workers = controller.decide(window, now);
        }
        let elsewhere = spent.iter().filter(|(at, _)| *at != workers).map(|(_, length)| *length);
        (workers, elsewhere.sum::<Duration>().as_millis() as usize)
    }

    #[test]
    fn a_journal_that_is_committed_once_costs_no_worker() {
        let mut controller = cautious(2);
        let calm = window(0.0, 13e3, 2);
        for step in 1..100 {
            assert_eq!(controller.decide(calm, SAMPLE * step), 2);
        }
        let commit = Window { requests: 4_000, ..window(0.37, 21e3, 2) };
        assert_eq!(controller.decide(commit, CAUTIOUS_WINDOW * 6), 2);
    }

    #[test]
    fn the_wary_settle_where_most_is_done() {
        // As measured of removals on XFS, where workers wait for each other, and on ext4.
        let waiting = |workers| match workers {
            1 => 0.43,
            2 => 0.66,
            _ => 0.84,
        };
        let (workers, elsewhere) = settle_wary(|workers| 47e3 / (workers as f64).sqrt(), waiting);
        assert_eq!(workers, 1);
        assert!(elsewhere < 500, "{elsewhere} ms of 3 s with more");
        let rate = |workers: usize| [47e3, 70e3, 105e3, 107e3][workers.ilog2().min(3) as usize];
        let (workers, elsewhere) = settle_wary(rate, |_| 0.4);
        assert_eq!(workers, 4);
        assert!(elsewhere < 600, "{elsewhere} ms of 3 s with others");
        // In memory nobody waits; a network is given what it can serve.
        assert_eq!(settle_wary(|workers| 1e5 * workers.min(2) as f64, |_| 0.0).0, 2);
        assert_eq!(settle_wary(|workers| 1e3 * workers as f64, |_| 0.98).0, 128);
    }

    fn window(waiting: f64, latency: f64, workers: usize) -> Window {
        let busy = workers as f64 * (1.0 - waiting);
        Window { waiting, busy, latency, requests: 100, workers, pending: 10_000, idle: 0 }
    }

    /// Storage that answers each request after `base`, and `capacity` requests at a time.
    fn settle(cores: usize, base: f64, capacity: usize) -> usize {
        let mut controller = controller_of(cores);
        let mut workers = 1;
        let mut most = 0;
        for step in 0..200 {
            let latency = base * (workers as f64 / capacity as f64).max(1.0);
            let now = Duration::from_millis(4 * step);
            workers = controller.decide(window(0.99, latency, workers), now);
            most = most.max(workers);
        }
        assert!(most <= 2 * capacity.max(cores), "flooded with {most}");
        workers
    }

    #[test]
    fn a_warm_tree_gets_one_worker_a_core() {
        let mut controller = controller_of(2);
        assert_eq!(controller.decide(window(0.0, 5e3, 1), Duration::ZERO), 2);
        assert_eq!(controller.decide(window(0.05, 5e3, 2), SAMPLE), 2);
    }

    #[test]
    fn storage_with_capacity_gets_what_it_can_serve_and_no_flood() {
        assert_eq!(settle(2, 1e6, 1_000), 128);
        assert!((16..=32).contains(&settle(2, 1e6, 16)));
        assert!(settle(2, 1e6, 1) <= 2);
    }

    #[test]
    fn no_worker_without_work_for_it() {
        let mut controller = controller_of(2);
        let starved = Window { pending: 1, ..window(0.99, 1e6, 4) };
        assert_eq!(controller.decide(starved, Duration::ZERO), 4);
        let some = Window { pending: 2, ..starved };
        assert_eq!(controller.decide(some, Duration::ZERO), 6);
        let idle = Window { idle: 1, ..window(0.99, 1e6, 4) };
        assert_eq!(controller_of(2).decide(idle, Duration::ZERO), 4);
    }

    #[test]
    fn one_slow_window_is_no_failed_trial() {
        let mut controller = controller_of(2);
        assert_eq!(controller.decide(window(0.7, 1e5, 2), Duration::ZERO), 4);
        assert_eq!(controller.decide(window(0.7, 3e5, 4), SAMPLE), 4);
        assert_eq!(controller.decide(window(0.7, 1e4, 4), SAMPLE * 2), 8);
        let mut controller = controller_of(2);
        assert_eq!(controller.decide(window(0.7, 1e5, 2), Duration::ZERO), 4);
        assert_eq!(controller.decide(window(0.7, 3e5, 4), SAMPLE), 4);
        assert_eq!(controller.decide(window(0.7, 3e5, 4), SAMPLE * 2), 2);
    }

    #[test]
    fn idle_cores_get_more_workers_than_the_quotient_says() {
        let mut controller = controller_of(2);
        let bursts = Window { busy: 0.9, ..window(0.5, 1e5, 8) };
        assert_eq!(controller.decide(bursts, Duration::ZERO), 16);
        let busy = Window { busy: 1.9, ..bursts };
        assert_eq!(controller_of(2).decide(busy, Duration::ZERO), 8);
    }

    #[test]
    fn workers_go_when_waiting_ends() {
        let mut controller = controller_of(2);
        let mut workers = 64;
        for step in 1..8 {
            workers = controller.decide(window(0.01, 5e3, workers), SAMPLE * step);
        }
        assert_eq!(workers, 2);
    }

    #[test]
    fn a_slow_mount_in_mid_run_is_no_failed_trial() {
        let mut controller = controller_of(2);
        let first = controller.decide(window(0.5, 1e4, 2), Duration::ZERO);
        assert_eq!(first, 4);
        // All workers meet the mount at once: latency rises a hundredfold, and so does waiting.
        assert_eq!(controller.decide(window(0.99, 1e6, 4), SAMPLE), 8);
    }
}
