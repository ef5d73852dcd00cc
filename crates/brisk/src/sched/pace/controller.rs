//! The [`Controller`] decides from a window of measurements how many workers should run. It reads
//! no clock and changes nothing outside itself; the caller passes the time.
//!
//! ```text
//!                a step above the number of cores (row 6 below)
//!         ┌──────────────────────────────────────────────────────────┐
//!         │                                                          ▼
//!   ┌───────────┐  pays: its number stays                       ┌─────────┐
//!   │  steady   │ ◄─────────────────────────────────────────────┤  trial  │ ◄─┐ doubt: one
//!   └───────────┘ ◄─────────────────────────────────────────────┤         │ ──┘ window more
//!      │     ▲     does not pay: the number before, and growth  └─────────┘
//!      └─────┘     rests, twice as long as the last time
//!     rows 2 to 5
//! ```
//!
//! *Wanted* is one worker per core, and more while workers wait. A steady controller takes the
//! first row that applies to a window:
//!
//! ```text
//!    window                                                 workers            then
//! 1  cautious: workers may contend; shrinking has no rest   half               trial
//! 2  fewer are wanted; shortly after waiting: far fewer     half, or wanted    steady
//! 3  no more are wanted, or one is idle, or growth rests    the same           steady
//! 4  the step would be less than half as many again         the same           steady
//! 5  one per core is wanted                                 the wanted         steady, or trial¹
//! 6  more are wanted                                        ≤ 2 × wanted       trial
//!
//!    5 and 6: at most twice as many, and no more further ones than tasks that wait
//!    ¹ if the controller is cautious and has tried another number before
//! ```
//!
//! After a step, all windows since then together decide, by the factor by which requests per second
//! rose:
//!
//! ```text
//!    factor                               1st window   2nd to 4th     5th
//!    ≥ CLEAR_GAIN, or other storage       pays         pays           pays
//!    ≥ WORTH                              doubt        doubt          pays
//!    ≥ 1                                  doubt        doubt          does not pay
//!    < 1                                  doubt        does not pay   does not pay
//! ```
//!
//! In a walk that changes the tree, the controller is *cautious*. In such a walk, workers may wait
//! for each other, for the lock of a journal or of an allocation group, and then each further
//! worker makes all of them slower. So the cautious controller also tries fewer workers, compares
//! requests per second even if the shares of waiting time differ, and uses long windows, because
//! file systems defer work and then do much at once. As long as workers may contend, the second
//! window after a step decides alone:
//!
//! ```text
//!    step   1st window              2nd window: pays           does not pay
//!    up     < 1 does not pay        ≥ CLEAR_GAIN;              growth rests
//!                                   shrinking's rest ends
//!    down   doubt                   ≥ 1 ÷ WORTH;               shrinking rests
//!                                   growth rests
//! ```
//!
//! (Tests: below; `replay.rs` replays the windows of real walks.)

use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Waiting matters if it takes at least this share of wall time. Less is noise: page faults, a lock
/// in the kernel.
pub(super) const WAITING_MATTERS: f64 = 0.2;
/// Workers that wait for at least this share of wall time wait for storage. Workers that wait for
/// each other keep about one core busy.
const STORAGE_WAITS: f64 = 0.9;
/// If the waiting shares of two windows differ by at least this much, the windows come from
/// different storage and cannot be compared.
const COMPARABLE: f64 = 0.25;
/// If workers run or stand in line for less than this share of the cores, there is room for more
/// workers, whatever the waiting share says.
const BUSY: f64 = 0.5;
/// The longest sample of a worker: while no decision changes the target, samples grow up to this. The
/// number of workers falls to that of the cores only after workers have hardly waited for as long.
pub(super) const CALM_SAMPLE: Duration = Duration::from_millis(16);
/// The factor by which a step must raise requests per second to pay at once. Of a cautious step up,
/// nothing less is enough: twice as many workers must do nearly half as much again.
const CLEAR_GAIN: f64 = 1.4;
/// The factor by which a step must raise requests per second to pay after [`LONGEST_DOUBT`]. A
/// cautious step down may lower them by this factor: half of the workers may do a tenth less.
const WORTH: f64 = 1.1;
/// How many windows may leave a step in doubt. Requests per second of a cold local disk vary by half
/// from one window to the next, so that single windows let many useless steps pay.
const LONGEST_DOUBT: usize = 4;
/// At most this many times the wanted number of workers is tried. Waiting shares vary from one window
/// to the next, and the wanted number varies more; a trial shows whether the larger number pays.
const TOLERANCE: usize = 2;
/// The number of workers is halved if it is this many times the wanted one although workers wait:
/// while they wait, too many of them cost little.
const FAR_TOO_MANY: usize = 8;
/// How long growth rests after the first step that did not pay.
const REST: Duration = Duration::from_millis(10);
/// The longest rest is this many times the first: each step in a row that does not pay doubles the
/// rest.
const LONGEST_REST: u32 = 64;
/// The first rest of a cautious controller, whose trials take longer.
const CAUTIOUS_REST: Duration = REST.saturating_mul(LONGEST_REST);
/// The least length of a cautious window. XFS frees inodes a hundred at a time and ext4 commits its
/// journal, so that 20 ms may bring half as many requests again as the 20 ms before, for no reason
/// that lasts.
const CAUTIOUS_WINDOW: Duration = Duration::from_millis(40);

/// What the workers together did since the last decision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// The share in which they waited for storage, of the time in which they waited or ran. The time
    /// in line for a processor says nothing about storage.
    pub waiting: f64,
    /// How many of them ran at a time, or stood in line for a processor.
    pub busy: f64,
    /// Wall time of a worker for each request, in nanoseconds.
    pub latency: f64,
    pub requests: u64,
    pub workers: usize,
    /// Tasks that wait for a worker.
    pub pending: usize,
    /// Workers without a task.
    pub idle: usize,
}

/// A step that must prove itself.
#[derive(Clone, Copy, Debug)]
struct Trial {
    before: Window,
    /// The windows since the step, as one, if they left it in doubt: a few dozen requests may have
    /// been slow by chance. The cautious controller ignores the first one's rate, because in that
    /// window the file system does what it had put off before the step.
    so_far: Option<Window>,
    /// The number of these windows.
    windows: usize,
}

/// How long there are no steps in one direction after a step that did not pay: twice as long after
/// each further one in a row.
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

    fn is_over(&self, now: Duration) -> bool {
        self.until <= now
    }
}

/// The state of the decisions.
#[derive(Debug)]
pub(super) struct Controller {
    /// The processors that this process may use. Asking takes a dozen system calls, so the
    /// controller asks with the first decision.
    cores: OnceCell<usize>,
    pub cap: usize,
    trial: Option<Trial>,
    growing: Rest,
    /// All windows since the number of workers changed, as one.
    standing: Option<Window>,
    /// When workers last waited.
    waited: Duration,
    cautious: Option<Caution>,
}

/// What a cautious controller knows in addition.
#[derive(Debug)]
struct Caution {
    shrinking: Rest,
    /// A trial has ended: the present number of workers did better than another one.
    was_tried: bool,
}

impl Controller {
    pub fn new(cap: usize, cautious: bool) -> Controller {
        Controller {
            cores: OnceCell::new(),
            cap,
            trial: None,
            growing: Rest::new(if cautious { CAUTIOUS_REST } else { REST }),
            standing: None,
            waited: Duration::ZERO,
            cautious: cautious
                .then(|| Caution { shrinking: Rest::new(CAUTIOUS_REST), was_tried: false }),
        }
    }

    pub fn cores(&self) -> usize {
        let count = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        *self.cores.get_or_init(count)
    }

    /// Whether the window has to last longer before it says enough.
    pub fn wants_longer(&self, window: &Window, length: Duration) -> bool {
        let Some(cautious) = &self.cautious else { return false };
        let compares = cautious.was_tried || self.trial.is_some();
        let contends = window.workers > 1 && window.may_contend();
        (compares || contends) && window.waiting < STORAGE_WAITS && length < CAUTIOUS_WINDOW
    }

    /// How many workers should run from now on.
    pub fn decide(&mut self, window: Window, now: Duration) -> usize {
        if window.waiting >= WAITING_MATTERS {
            self.waited = now;
        }
        if let Some(trial) = self.trial.take()
            && let Some(target) = self.end_trial(trial, window, now)
        {
            return target;
        }
        let standing = self.stand(window);
        // A journal may be committed in any single window.
        let window = if self.cautious.is_some() { standing } else { window };
        if let Some(cautious) = &self.cautious
            && cautious.shrinking.is_over(now)
            && window.workers > 1
            && window.may_contend()
        {
            return self.try_out(standing, window.workers / 2);
        }
        let wanted = self.wanted(&window);
        // Waiting comes in bursts: one read of a cold disk brings the next dozen inodes.
        let lull = now.saturating_sub(self.waited);
        let too_many = if lull < CALM_SAMPLE { FAR_TOO_MANY } else { 1 };
        if wanted * too_many < window.workers {
            return (window.workers / 2).max(wanted);
        }
        let ceiling = if wanted > self.cores() { wanted * TOLERANCE } else { wanted };
        if ceiling <= window.workers || window.idle > 0 || !self.growing.is_over(now) {
            return window.workers;
        }
        let target = ceiling.min(window.workers * 2).min(window.workers + window.pending);
        let target = target.min(self.cap);
        // A trial of a small step would show nothing, so growth waits until a larger one is wanted.
        if target * 2 < window.workers * 3 && target < self.cap {
            return window.workers;
        }
        let was_tried = self.cautious.as_ref().is_some_and(|cautious| cautious.was_tried);
        if (target > self.cores() || was_tried) && target > window.workers {
            return self.try_out(standing, target);
        }
        target
    }

    /// The windows of this number of workers as one, with which a step is compared.
    fn stand(&mut self, window: Window) -> Window {
        let before = self.standing.filter(|before| before.workers == window.workers);
        *self.standing.insert(before.map_or(window, |before| before.and(window)))
    }

    fn try_out(&mut self, before: Window, target: usize) -> usize {
        self.trial = Some(Trial { before, so_far: None, windows: 0 });
        target
    }

    /// Ends a trial, or prolongs it. Returns the number of workers if no other step is to follow
    /// now.
    fn end_trial(&mut self, trial: Trial, window: Window, now: Duration) -> Option<usize> {
        let so_far = trial.so_far.map_or(window, |so_far| so_far.and(window));
        let verdict = match self.cautious {
            Some(_) => trial.cautious_verdict(window, so_far),
            None => trial.verdict(so_far),
        };
        if verdict == Verdict::Doubt {
            let windows = trial.windows + 1;
            self.trial = Some(Trial { so_far: Some(so_far), windows, ..trial });
            return Some(window.workers);
        }
        let pays = verdict == Verdict::Pays;
        let went_down = window.workers < trial.before.workers;
        if let Some(cautious) = &mut self.cautious {
            cautious.was_tried = true;
            match (went_down, pays) {
                (true, true) => cautious.shrinking.reset(),
                (true, false) => cautious.shrinking.begin(now),
                // The way back down is tried next, as a proof of the step up.
                (false, true) => cautious.shrinking.until = Duration::ZERO,
                (false, false) => {}
            }
        }
        // If fewer workers do better, or more workers do worse, growth would not pay.
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
        // Waiting comes in bursts: a core may be idle although on average there is work for it.
        let by_idling = if window.busy < BUSY * cores as f64 { window.workers * 2 } else { 0 };
        by_waiting.max(by_idling).clamp(1, self.cap)
    }
}

/// What a window says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pays,
    /// The step does not clearly pay, or the cautious controller does not ask yet: it is given one
    /// more window.
    Doubt,
    DoesNotPay,
}

impl Trial {
    /// What all windows since the step say of it.
    fn verdict(&self, so_far: Window) -> Verdict {
        let gain = so_far.rate() / self.before.rate();
        // Whether the windows before and after the step come from the same storage.
        let is_comparable = (so_far.waiting - self.before.waiting).abs() < COMPARABLE;
        if !is_comparable || gain >= CLEAR_GAIN {
            return Verdict::Pays;
        }
        match self.windows {
            0 => Verdict::Doubt,
            1..LONGEST_DOUBT if gain >= 1.0 => Verdict::Doubt,
            LONGEST_DOUBT.. if gain >= WORTH => Verdict::Pays,
            _ => Verdict::DoesNotPay,
        }
    }

    /// What the last window says of the step, while workers may wait for each other.
    fn cautious_verdict(&self, window: Window, so_far: Window) -> Verdict {
        if window.waiting >= STORAGE_WAITS {
            return self.verdict(so_far);
        }
        let gain = window.rate() / self.before.rate();
        let went_down = window.workers < self.before.workers;
        let worth = if went_down { 1.0 / WORTH } else { CLEAR_GAIN };
        // If more workers do less, a second window is not needed.
        let is_clear = !went_down && gain < 1.0;
        match (self.so_far, gain >= worth) {
            (None, _) if !is_clear => Verdict::Doubt,
            (_, true) => Verdict::Pays,
            (_, false) => Verdict::DoesNotPay,
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

    /// The two windows as one.
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
        /// A controller for this number of processors.
        pub fn of_cores(cores: usize, cap: usize, cautious: bool) -> Controller {
            Controller { cores: OnceCell::from(cores), ..Controller::new(cap, cautious) }
        }
    }

    fn controller_of(cores: usize) -> Controller {
        Controller::of_cores(cores, 128, false)
    }

    /// The number of workers at which a cautious controller ends after three seconds, and how many
    /// milliseconds of them it spent at other numbers. `rate` is how many requests a number of
    /// workers completes per second, `waiting` the share of their time in which they wait.
    fn settle_cautiously(rate: fn(usize) -> f64, waiting: fn(usize) -> f64) -> (usize, usize) {
        let mut controller = Controller::of_cores(2, 128, true);
        let mut workers = 1;
        let mut now = Duration::ZERO;
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
        let mut controller = Controller::of_cores(2, 128, true);
        let calm = window(0.0, 13e3, 2);
        for step in 1..100 {
            assert_eq!(controller.decide(calm, SAMPLE * step), 2);
        }
        let commit = Window { requests: 4_000, ..window(0.37, 21e3, 2) };
        assert_eq!(controller.decide(commit, CAUTIOUS_WINDOW * 6), 2);
    }

    #[test]
    fn a_cautious_controller_settles_where_most_is_done() {
        // As measured of removals on XFS, where workers wait for each other, and on ext4.
        let waiting = |workers| match workers {
            1 => 0.43,
            2 => 0.66,
            _ => 0.84,
        };
        let (workers, elsewhere) =
            settle_cautiously(|workers| 47e3 / (workers as f64).sqrt(), waiting);
        assert_eq!(workers, 1);
        assert!(elsewhere < 500, "{elsewhere} ms of 3 s with more");
        let rate = |workers: usize| [47e3, 70e3, 105e3, 107e3][workers.ilog2().min(3) as usize];
        let (workers, elsewhere) = settle_cautiously(rate, |_| 0.4);
        assert_eq!(workers, 4);
        assert!(elsewhere < 600, "{elsewhere} ms of 3 s with others");
        // In memory no worker waits; a network is given what it can serve.
        assert_eq!(settle_cautiously(|workers| 1e5 * workers.min(2) as f64, |_| 0.0).0, 2);
        assert_eq!(settle_cautiously(|workers| 1e3 * workers as f64, |_| 0.98).0, 128);
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
        assert_eq!(controller.decide(window(0.7, 1e4, 4), SAMPLE * 2), 4);
        assert_eq!(controller.decide(window(0.7, 1e4, 4), SAMPLE * 3), 8);
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
        for step in 1..=13 {
            workers = controller.decide(window(0.01, 5e3, workers), SAMPLE * step);
        }
        assert_eq!(workers, 2);
    }

    #[test]
    fn workers_stay_between_two_bursts_of_waiting() {
        let mut controller = controller_of(2);
        for step in 1..100 {
            let waiting = if step % 7 == 0 { 0.7 } else { 0.1 };
            let busy = Window { busy: 1.9, ..window(waiting, 1e5, 10) };
            assert_eq!(controller.decide(busy, SAMPLE * step), 10, "after {step} windows");
        }
    }

    /// Storage that serves no more than eight at a time, with rates that vary by half.
    #[test]
    fn chance_lets_few_useless_steps_pay() {
        let mut controller = controller_of(2);
        let mut workers = 8;
        let mut above = 0;
        let mut random: u32 = 1;
        for step in 1..=1_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let chance = 0.5 + f64::from(random >> 8) / f64::from(1 << 24);
            let latency = 1e5 * (workers as f64 / 8.0).max(1.0) / chance;
            workers = controller.decide(window(0.9, latency, workers), SAMPLE * step);
            above += usize::from(workers > 32);
        }
        assert!(above < 200, "{above} of 1000 windows with more than 32 workers");
    }

    #[test]
    fn a_slow_mount_in_mid_run_is_no_failed_trial() {
        let mut controller = controller_of(2);
        let first = controller.decide(window(0.5, 1e4, 2), Duration::ZERO);
        assert_eq!(first, 4);
        // All workers reach the mount at once: latency rises a hundredfold, and waiting rises too.
        assert_eq!(controller.decide(window(0.99, 1e6, 4), SAMPLE), 8);
    }
}
