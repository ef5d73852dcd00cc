//! The queue of an unordered walk: each worker has a deque of its own, works on the newest task of
//! it, and steals the oldest of another worker. By and large that is depth first, in no order that
//! is promised.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crossbeam_deque::{Steal, Stealer, Worker as Deque};

use super::Task;

/// The other ends of all deques.
pub(crate) struct Stealing<T>(RwLock<Vec<Stealer<T>>>);

impl<T> Default for Stealing<T> {
    fn default() -> Self {
        Stealing(RwLock::default())
    }
}

impl<T: Task> Stealing<T> {
    /// Lets others steal from a new worker's deque.
    pub fn join(&self, deque: &Deque<T>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(deque.stealer());
    }

    fn stealers(&self) -> RwLockReadGuard<'_, Vec<Stealer<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a worker that looks now may find something.
    pub fn has_work(&self) -> bool {
        self.stealers().iter().any(|stealer| !stealer.is_empty())
    }

    /// The next task of a worker: from its own deque, or the oldest of another worker; of a long one,
    /// a part stays in the deque for others.
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
