//! Whether the program is about to end: a flag that a signal handler may set. Calls that were
//! interrupted are then not made again.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on interrupted calls are not made again. One atomic store, which a signal handler may
/// make.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether the program is about to end. Makes no system call.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
