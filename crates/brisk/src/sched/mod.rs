//! Scheduling: where tasks wait, where workers wait, and how workers come into being.
//!
//! Knows tasks and time, and nothing of directories or visitors:
//!
//! - `stealing`: the queue of an unordered walk, one deque a worker;
//! - `levels`: the queue of a breadth-first walk;
//! - `parking`: where workers without work wait, and those that are one too many;
//! - `spawn`: threads.

pub(crate) mod levels;
pub(crate) mod pace;
pub(crate) mod parking;
pub(crate) mod spawn;
pub(crate) mod stealing;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the queues must know of a task.
pub(crate) trait Task: Sized {
    /// Cuts a long task in two: keeps the first part, and returns the other for another worker.
    fn split(&mut self) -> Option<Self>;

    /// Whether a breadth-first walk does this task with the next level, not with this one.
    fn is_of_next_level(&self) -> bool;
}

/// Locks a mutex, also after a panic: a worker that panicked ends the walk anyway, so what it left
/// behind may be looked at.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
