//! The queue of an unordered walk: each worker has its own deque and takes the newest task from it.
//! A worker whose deque is empty steals the oldest task of another worker. The walk goes mostly
//! depth first, but no order is promised.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crossbeam_deque::{Steal, Stealer, Worker as Deque};

use super::Task;

/// The ends of all workers' deques that other workers steal from.
pub(crate) struct Stealing<T>(RwLock<Vec<Stealer<T>>>);

impl<T> Default for Stealing<T> {
    fn default() -> Self {
        Stealing(RwLock::default())
    }
}

impl<T: Task> Stealing<T> {
    /// Lets other workers steal from a new worker's deque.
    pub fn join(&self, deque: &Deque<T>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(deque.stealer());
    }

    fn stealers(&self) -> RwLockReadGuard<'_, Vec<Stealer<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a worker that looks now may find a task.
    pub fn has_work(&self) -> bool {
        self.stealers().iter().any(|stealer| !stealer.is_empty())
    }

    /// The next task of a worker: the newest of its own deque, or the oldest of another worker's.
    /// Of a long stolen task, the second part goes to the worker's own deque, where others can
    /// steal it.
    pub fn pop(&self, own: &Deque<T>) -> Option<T> {
        own.pop().or_else(|| self.steal(own))
    }

    fn steal(&self, own: &Deque<T>) -> Option<T> {
        let stealers = self.stealers();
        loop {
            let mut is_contended = false;
            for stealer in stealers.iter() {
                match stealer.steal() {
                    Steal::Success(mut task) => {
                        if let Some(rest) = task.split() {
                            own.push(rest);
                        }
                        return Some(task);
                    }
                    Steal::Retry => is_contended = true,
                    Steal::Empty => {}
                }
            }
            if !is_contended {
                return None;
            }
        }
    }
}
