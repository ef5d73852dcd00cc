//! A count of allocations, for tests that compare it with committed numbers.
//!
//! This module exists only with the feature `count-allocations`, which tests turn on. A test calls
//! [`allocations`] for its own thread. Another program writes the number of all its threads to a
//! file when it ends:
//!
//! ```text
//!   test ── BRISK_COUNT_ALLOCATIONS=file ──► brisk … main returns ── fini_array ──► report: file
//! ```

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that names the file to which the program writes the number at its end.
const REPORT_TO: &str = "BRISK_COUNT_ALLOCATIONS";

/// The allocations of all threads.
static COUNT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The allocations of this thread. Neither its beginning nor its end allocates.
    static OWN: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the section holds pointers to functions without arguments that libc calls once, in exit;
// `report` is one, and the static is never written to.
#[unsafe(link_section = ".fini_array")]
#[used]
static AT_EXIT: extern "C" fn() = report;

/// How many times this thread has allocated or resized a block. Makes no system call.
#[must_use]
pub fn allocations() -> u64 {
    OWN.get()
}

/// Counts one allocation. Neither allocates nor unwinds.
pub(crate) fn count() {
    COUNT.fetch_add(1, Ordering::Relaxed);
    OWN.set(OWN.get() + 1);
}

extern "C" fn report() {
    let count = COUNT.load(Ordering::Relaxed);
    if let Some(file) = std::env::var_os(REPORT_TO) {
        // If this fails, the test notices that the file is missing.
        let _ = std::fs::write(file, count.to_string());
    }
}
