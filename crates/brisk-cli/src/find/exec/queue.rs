//! The bounded queue between the walk and the job threads.
//!
//! ```text
//!   push: full? park on `room` ──► append ──► wake the threads parked on `filled`
//!   pop:  empty? park on `filled` (until closed) ──► take one, or all ──► wake those on `room`
//!   close   (the walk is done):      poppers drain the rest, then get None
//!   abandon (commands cannot run):   pushers get Stop, the rest is dropped
//! ```
//!
//! Every result passes exactly once, whatever the number of threads on either side: the tests
//! replay several of each against a bound of one.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use brisk::Flow;

use crate::show::template::Item;
use crate::show::template::parts::{Parts, Separator};
use crate::sync::lock;

/// One result on its way to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    path: Box<[u8]>,
    name_at: usize,
}

impl Job {
    /// The job for a result.
    #[must_use]
    pub fn new(item: &Item<'_>, separator: &Separator) -> Job {
        Job::of_parts(&Parts::of_item(item, separator))
    }

    pub(super) fn of_parts(parts: &Parts<'_>) -> Job {
        Job { path: parts.path().into(), name_at: parts.cut() }
    }

    pub(super) fn parts(&self) -> Parts<'_> {
        Parts::new(&self.path, self.name_at)
    }
}

/// Results that wait for a job thread.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    /// Signalled when a job has been taken out.
    room: Condvar,
    /// Signalled when jobs have been put in, and when the queue is closed.
    filled: Condvar,
}

#[derive(Debug)]
struct State {
    jobs: VecDeque<Job>,
    bound: usize,
    /// Whether the walk may still push.
    open: bool,
    /// Whether commands cannot run any more.
    abandoned: bool,
    /// How many threads are parked on `room` and on `filled`. A wake-up is a system call even where
    /// no thread is parked, so it is left out then.
    pushers_parked: usize,
    poppers_parked: usize,
}

impl Queue {
    /// A queue in which `bound` results may wait.
    pub(super) fn bounded(bound: usize) -> Queue {
        let state = State {
            jobs: VecDeque::new(),
            bound,
            open: true,
            abandoned: false,
            pushers_parked: 0,
            poppers_parked: 0,
        };
        Queue { state: Mutex::new(state), room: Condvar::new(), filled: Condvar::new() }
    }

    /// Puts all jobs into the queue, in order, and waits for room where there is none; `jobs` is
    /// empty afterwards. Returns `Stop` if commands cannot run any more, so that the walk ends.
    pub fn push(&self, jobs: &mut Vec<Job>) -> Flow {
        let mut waiting = jobs.drain(..).peekable();
        let mut state = self.lock();
        while waiting.peek().is_some() && !state.abandoned {
            let room = state.bound.saturating_sub(state.jobs.len());
            if room == 0 {
                state.pushers_parked += 1;
                state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.pushers_parked -= 1;
                continue;
            }
            state.jobs.extend(waiting.by_ref().take(room));
            if state.poppers_parked > 0 {
                self.filled.notify_all();
            }
        }
        if state.abandoned { Flow::Stop } else { Flow::Continue }
    }

    /// Takes the next job, and waits for one until the queue is closed.
    pub(super) fn pop(&self) -> Option<Job> {
        let mut state = self.wait_for_jobs();
        let job = state.jobs.pop_front();
        if state.pushers_parked > 0 {
            self.room.notify_one();
        }
        job
    }

    /// Takes all waiting jobs, and waits for some until the queue is closed. Empty at the end.
    pub(super) fn pop_all(&self) -> VecDeque<Job> {
        let mut state = self.wait_for_jobs();
        let jobs = std::mem::take(&mut state.jobs);
        if state.pushers_parked > 0 {
            self.room.notify_all();
        }
        jobs
    }

    /// The state once there are jobs, or once there will never be any more.
    fn wait_for_jobs(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while state.jobs.is_empty() && state.open {
            state.poppers_parked += 1;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.poppers_parked -= 1;
        }
        state
    }

    /// Drops the waiting jobs, and tells the walk to stop.
    pub(super) fn abandon(&self) {
        let mut state = self.lock();
        state.abandoned = true;
        state.jobs.clear();
        self.room.notify_all();
    }

    /// Lets any number of jobs wait: no thread takes jobs before the walk is done.
    pub(super) fn lift_bound(&self) {
        self.lock().bound = usize::MAX;
    }

    /// Closes the queue when the guard is dropped, even by a panic in the walk.
    pub(super) fn close_when_dropped(&self) -> Closing<'_> {
        Closing(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Closes the queue when dropped.
pub(super) struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().open = false;
        self.0.filled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    fn job(number: usize) -> Job {
        let name = number.to_string();
        Job::of_parts(&Parts::of_path(name.as_bytes(), &Separator::default()))
    }

    /// Sends 2,000 jobs through a queue of one place, taken out by `take` on three threads.
    fn pass_through(take: impl Fn(&Queue) -> Vec<Job> + Sync) -> Vec<usize> {
        const PUSHERS: usize = 4;
        const EACH: usize = 500;
        let queue = Queue::bounded(1);
        let taken = Mutex::new(Vec::new());
        let pushing = AtomicUsize::new(PUSHERS);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let jobs = take(&queue);
                        if jobs.is_empty() {
                            break;
                        }
                        taken.lock().expect("lock").extend(jobs);
                    }
                });
            }
            for pusher in 0..PUSHERS {
                let queue = &queue;
                let pushing = &pushing;
                scope.spawn(move || {
                    let mut jobs: Vec<Job> = (0..EACH).map(|n| job(pusher * EACH + n)).collect();
                    assert_eq!(queue.push(&mut jobs), Flow::Continue);
                    assert!(jobs.is_empty());
                    if pushing.fetch_sub(1, Ordering::Relaxed) == 1 {
                        drop(queue.close_when_dropped());
                    }
                });
            }
        });
        let number = |job: &Job| String::from_utf8_lossy(&job.path).parse().expect("a number");
        let mut taken: Vec<usize> = taken.into_inner().expect("lock").iter().map(number).collect();
        taken.sort_unstable();
        taken
    }

    #[test]
    fn every_job_passes_once_through_the_narrowest_queue() {
        let all: Vec<usize> = (0..2000).collect();
        assert_eq!(pass_through(|queue| queue.pop().into_iter().collect()), all);
        assert_eq!(pass_through(|queue| queue.pop_all().into()), all);
    }

    #[test]
    fn order_is_kept_and_the_rest_drained_after_closing() {
        let queue = Queue::bounded(usize::MAX);
        assert_eq!(queue.push(&mut vec![job(1), job(2)]), Flow::Continue);
        drop(queue.close_when_dropped());
        assert_eq!(queue.pop(), Some(job(1)));
        assert_eq!(queue.pop(), Some(job(2)));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn an_abandoned_queue_stops_the_walk_even_one_that_waits() {
        let queue = Queue::bounded(1);
        thread::scope(|scope| {
            let pusher = scope.spawn(|| queue.push(&mut vec![job(1), job(2)]));
            // The pusher gives the lock up only to wait: once its first job is seen, the pusher is
            // parked.
            while queue.lock().jobs.is_empty() {
                thread::yield_now();
            }
            queue.abandon();
            assert_eq!(pusher.join().expect("no panic"), Flow::Stop);
        });
        assert_eq!(queue.push(&mut vec![job(4)]), Flow::Stop);
        drop(queue.close_when_dropped());
        assert_eq!(queue.pop(), None);
    }
}
