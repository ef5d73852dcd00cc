//! Scheduling: where tasks wait, where workers wait, how many workers run, and how they start.
//!
//! This module knows tasks and time, and nothing of directories. It passes visitors on, and calls none:
//!
//! - `stealing`: the queue of an unordered walk, one deque a worker;
//! - `levels`: the queue of a breadth-first walk;
//! - `parking`: where idle workers, suspended workers and the thread that delivers in order wait;
//! - `pace`: how many workers run, found by measuring;
//! - `spawn`: threads.

pub(crate) mod levels;
pub(crate) mod pace;
pub(crate) mod parking;
pub(crate) mod spawn;
pub(crate) mod stealing;

pub(crate) use brisk_sys::threads::lock;

/// What the queues must know of a task.
pub(crate) trait Task: Sized {
    /// Cuts a long task in two: the first part stays, the second is returned for another worker.
    /// `None` if the task cannot be cut.
    fn split(&mut self) -> Option<Self>;

    /// Whether a breadth-first walk does this task with the next level, not with this one.
    fn is_of_next_level(&self) -> bool;
}
