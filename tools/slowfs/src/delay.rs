//! Replies that wait for their deadline: hundreds at once, on one thread.
//!
//! The latency is the same for every request, so deadlines come in the order of arrival and a
//! FIFO is the timer queue. The thread that reads requests only pushes; it wakes the timer if,
//! and only if, the queue had run empty. A busy daemon therefore makes no wake-up per request:
//!
//! ```text
//! reader   read /dev/fuse ── push (deadline, reply) ──▶ ▒▒▒▒▒▒▒ ──▶ timer   sleep until the head
//!            ▲                                        in flight       is due, write all due
//!            └── next request at once                                 replies, sleep again
//! ```
//!
//! The deadline counts from the moment the request was read, so the hand-over is inside it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::counters::{Counters, Op};

/// Sends one reply; runs on the timer thread.
pub(crate) type Send = Box<dyn FnOnce() + std::marker::Send>;

/// How late the kernel may wake the timer, in nanoseconds. The default of 50 µs would add five per
/// cent to a latency of 1 ms; with 1 ns no two replies would share a wake-up.
const SLACK_NS: u64 = 5_000;

/// The queue and what its two sides need to know.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Instant, Send)>,
    /// Whether the timer has found the queue empty and sleeps without a deadline.
    idle: bool,
    /// Whether there are no more pushes: the timer sends the remaining replies and ends.
    closed: bool,
}

/// The queue as both threads hold it.
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    pushed: Condvar,
}

/// Holds replies back for a fixed time.
pub(crate) struct Delay {
    latency: Duration,
    /// The operations that take the latency; none stands for all.
    only: Vec<Op>,
    counters: Arc<Counters>,
    shared: Arc<Shared>,
    timer: Option<JoinHandle<()>>,
}

impl Delay {
    /// Starts the timer thread, unless the latency is zero: then replies are sent at once.
    pub(crate) fn new(
        latency: Duration,
        only: Vec<Op>,
        counters: Arc<Counters>,
    ) -> io::Result<Delay> {
        let shared = Arc::new(Shared::default());
        let timer = if latency.is_zero() {
            None
        } else {
            let shared = Arc::clone(&shared);
            let builder = Builder::new().name("slowfs-timer".to_owned());
            Some(builder.spawn(move || shared.run())?)
        };
        Ok(Delay { latency, only, counters, shared, timer })
    }

    /// Sends the reply to a request once the latency is over.
    pub(crate) fn push(&self, op: Op, send: impl FnOnce() + std::marker::Send + 'static) {
        let is_quick = !self.only.is_empty() && !self.only.contains(&op);
        if self.timer.is_none() || is_quick {
            return send();
        }
        let send: Send = Box::new(send);
        let mut queue = self.shared.lock();
        // The clock is read under the lock, so deadlines stay in order whichever thread pushes.
        queue.waiting.push_back((Instant::now() + self.latency, send));
        let waiting = queue.waiting.len();
        let wake = std::mem::take(&mut queue.idle);
        drop(queue);
        if wake {
            self.shared.pushed.notify_one();
        }
        self.counters.waiting(waiting);
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.pushed.notify_one();
        if let Some(timer) = self.timer.take() {
            // A panic of the timer has been printed already.
            let _ = timer.join();
        }
    }
}

impl Shared {
    /// A panic cannot leave the queue half changed, so a poisoned lock can be used.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The timer thread.
    fn run(&self) {
        // If this is refused, replies come up to 50 µs late, which is no reason not to serve.
        let _ = nix::sys::prctl::set_timerslack(SLACK_NS);
        let mut due = Vec::new();
        while self.wait_for_due(&mut due) {
            for send in due.drain(..) {
                send();
            }
        }
    }

    /// Sleeps until replies are due and moves them to `due`; false once closed and empty.
    fn wait_for_due(&self, due: &mut Vec<Send>) -> bool {
        let mut queue = self.lock();
        loop {
            let Some(&(head, _)) = queue.waiting.front() else {
                if queue.closed {
                    return false;
                }
                queue.idle = true;
                queue = self.pushed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let now = Instant::now();
            if head <= now {
                let ripe = queue.waiting.iter().take_while(|(deadline, _)| *deadline <= now);
                let ripe = ripe.count();
                due.extend(queue.waiting.drain(..ripe).map(|(_, send)| send));
                return true;
            }
            let sleep = self.pushed.wait_timeout(queue, head - now);
            queue = sleep.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn replies_wait_side_by_side_and_in_order() {
        let latency = Duration::from_millis(20);
        let counters = Arc::new(Counters::default());
        let delay = Delay::new(latency, Vec::new(), Arc::clone(&counters)).expect("a thread");
        let (sent, received) = mpsc::channel();
        let start = Instant::now();
        for number in 0..300 {
            let sent = sent.clone();
            delay.push(Op::Lookup, move || {
                sent.send((number, start.elapsed())).expect("a receiver")
            });
        }
        drop(sent);
        let replies: Vec<_> = received.iter().collect();
        assert!(replies.iter().map(|(number, _)| *number).eq(0..300));
        assert!(replies.iter().all(|(_, after)| *after >= latency), "{replies:?}");
        assert!(start.elapsed() < latency * 30, "{:?}", start.elapsed());
        assert!(counters.json().contains("\"peak_waiting\":300"), "{}", counters.json());
    }

    #[test]
    fn closing_sends_what_is_left() {
        let delay =
            Delay::new(Duration::from_millis(5), Vec::new(), Arc::default()).expect("a thread");
        let (sent, received) = mpsc::channel();
        delay.push(Op::Lookup, move || sent.send(()).expect("a receiver"));
        drop(delay);
        assert_eq!(received.try_recv(), Ok(()));
    }
}
