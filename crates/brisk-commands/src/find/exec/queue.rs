//! The bounded queue between the walk and the job threads: a channel.
//!
//! ```text
//!   push: full? wait ──► send                      next: empty? wait ──► take
//!   dropped queue (the walk is done):       takers drain the rest, then get `None`
//!   stopped takers (commands cannot run):   pushers get `Stop`, the rest is dropped
//! ```
//!
//! `-x` sends results one by one, so that job threads share them; `-X` sends many together, so that
//! its one thread is seldom woken. Every result passes exactly once, whatever the
//! number of threads on either side: the tests replay several of each against a bound of one.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use brisk::Flow;

use brisk_sys::threads::lock;

/// One result on its way to a command: its path as the walk spells it.
pub type Job = Box<[u8]>;

/// The walk's end of the queue. When it is dropped, even by a panic in the walk, no more jobs come.
#[derive(Debug)]
pub struct Queue {
    end: End,
    /// Whether jobs are sent one by one.
    splits: bool,
}

#[derive(Debug)]
enum End {
    Bounded(SyncSender<Vec<Job>>),
    Endless(Sender<Vec<Job>>),
}

/// How many results a worker of `-X` sends together: so many that a wake-up costs little for each,
/// in 64 KiB of memory.
const TOGETHER: usize = 512;

impl Queue {
    /// Whether a worker with these jobs should push them before it is done.
    pub fn takes(&self, jobs: &[Job]) -> bool {
        jobs.len() >= if self.splits { 1 } else { TOGETHER }
    }

    /// Puts all jobs into the queue, in order, and waits for room where there is none; `jobs` is
    /// empty afterwards. Returns `Stop` if commands cannot run any more, so that the walk ends.
    pub fn push(&self, jobs: &mut Vec<Job>) -> Flow {
        let most = if self.splits { 1 } else { jobs.len().max(1) };
        let send = |jobs| match &self.end {
            End::Bounded(sender) => sender.send(jobs),
            End::Endless(sender) => sender.send(jobs),
        };
        let mut all = jobs.drain(..).peekable();
        while all.peek().is_some() {
            if send(all.by_ref().take(most).collect()).is_err() {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}

/// The job threads' end of the queue.
#[derive(Debug)]
pub(super) struct Jobs(Mutex<Option<Receiver<Vec<Job>>>>);

impl Jobs {
    /// A queue in which `bound` pieces may wait; without a bound, any number.
    pub(super) fn queue(bound: Option<usize>, splits: bool) -> (Queue, Jobs) {
        let (end, jobs) = match bound.map(sync_channel) {
            Some((sender, jobs)) => (End::Bounded(sender), jobs),
            None => {
                let (sender, jobs) = channel();
                (End::Endless(sender), jobs)
            }
        };
        (Queue { end, splits }, Jobs(Mutex::new(Some(jobs))))
    }

    /// The jobs, as they come, until the walk is done. Other threads may take some meanwhile.
    pub(super) fn each(&self) -> impl Iterator<Item = Job> {
        std::iter::from_fn(|| lock(&self.0).as_ref()?.recv().ok()).flatten()
    }

    /// Drops the waiting jobs, and makes the walk stop.
    pub(super) fn stop(&self) {
        *lock(&self.0) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn job(number: usize) -> Job {
        number.to_string().into_bytes().into()
    }

    /// Sends 2,000 jobs from four threads through a queue of one place to three threads.
    fn pass_through(splits: bool) -> Vec<usize> {
        const PUSHERS: usize = 4;
        const EACH: usize = 500;
        let (queue, jobs) = Jobs::queue(Some(1), splits);
        let taken = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for job in jobs.each() {
                        taken.lock().expect("lock").push(job);
                    }
                });
            }
            thread::scope(|scope| {
                for pusher in 0..PUSHERS {
                    let queue = &queue;
                    scope.spawn(move || {
                        let numbers = pusher * EACH..(pusher + 1) * EACH;
                        let mut jobs: Vec<Job> = numbers.map(job).collect();
                        assert_eq!(queue.push(&mut jobs), Flow::Continue);
                        assert!(jobs.is_empty());
                    });
                }
            });
            drop(queue);
        });
        let number = |job: &Job| String::from_utf8_lossy(job).parse().expect("a number");
        let mut taken: Vec<usize> = taken.into_inner().expect("lock").iter().map(number).collect();
        taken.sort_unstable();
        taken
    }

    #[test]
    fn every_job_passes_once_through_the_narrowest_queue() {
        let all: Vec<usize> = (0..2000).collect();
        assert_eq!(pass_through(true), all);
        assert_eq!(pass_through(false), all);
    }

    #[test]
    fn order_is_kept_and_the_rest_drained_after_closing() {
        for bound in [None, Some(2)] {
            let (queue, jobs) = Jobs::queue(bound, true);
            assert_eq!(queue.push(&mut vec![job(1), job(2)]), Flow::Continue);
            drop(queue);
            assert_eq!(jobs.each().collect::<Vec<_>>(), [job(1), job(2)]);
        }
    }

    #[test]
    fn stopped_takers_stop_the_walk_even_one_that_waits() {
        let (queue, jobs) = Jobs::queue(Some(1), true);
        thread::scope(|scope| {
            let pusher = scope.spawn(|| queue.push(&mut vec![job(1), job(2), job(3)]));
            assert_eq!(jobs.each().next(), Some(job(1)));
            jobs.stop();
            assert_eq!(pusher.join().expect("no panic"), Flow::Stop);
        });
        assert_eq!(queue.push(&mut vec![job(4)]), Flow::Stop);
        assert_eq!(jobs.each().next(), None);
    }
}
