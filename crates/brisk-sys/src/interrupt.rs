//! A flag that says that the program is about to end. A signal handler may set it. From then on an
//! interrupted system call is not made again.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Sets the flag: from now on an interrupted system call is not made again. One atomic store, so
/// that a signal handler may call this. Makes no system call.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether [`interrupt`] was called. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
