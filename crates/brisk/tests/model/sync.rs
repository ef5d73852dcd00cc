//! In place of `src/sched/sync.rs`: the same names, made of loom.

use std::cell::Cell;

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

thread_local! {
    /// Whether fences are in force. (A model's threads run on one thread.)
    pub(crate) static FENCES: Cell<bool> = const { Cell::new(true) };
}

pub(crate) fn fence(order: Ordering) {
    if FENCES.get() {
        loom::sync::atomic::fence(order);
    }
}

pub(crate) fn count_writes<T: ?Sized>(_: &T, _writes: u64) {}
