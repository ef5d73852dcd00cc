//! Scheduling: where workers wait, how many workers run, and how they start.
//!
//! This module knows tasks and time, and nothing of directories. It passes visitors on, and calls none:
//!
//! - `parking`: where idle workers, suspended workers and the thread that delivers in order wait;
//! - `pace`: how many workers run, found by measuring;
//! - `spawn`: threads;
//! - `sync`: the atomics and locks of what several workers write.

pub(crate) mod pace;
pub(crate) mod parking;
pub(crate) mod spawn;
pub(crate) mod sync;

pub(crate) use brisk_sys::threads::lock;
