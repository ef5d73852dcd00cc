//! Locks that outlive a worker which panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever became of a worker that held the lock before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
