//! A count of allocations, for tests that compare it with committed numbers.
//!
//! This module exists only with the feature `count-allocations`, which tests turn on. Every program
//! that links this crate then allocates through [`Counting`]. A test calls [`allocations`] in its
//! own process. Another program writes the number to a file when it ends:
//!
//! ```text
//!   test ── BRISK_COUNT_ALLOCATIONS=file ──► brisk … main returns ── fini_array ──► report: file
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that names the file to which the program writes the number at its end.
const REPORT_TO: &str = "BRISK_COUNT_ALLOCATIONS";

static COUNT: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the section holds pointers to functions without arguments that libc calls once, in exit;
// `report` is one, and the static is never written to.
#[unsafe(link_section = ".fini_array")]
#[used]
static AT_EXIT: extern "C" fn() = report;

/// How many times this process has allocated or resized a block. Makes no system call.
#[must_use]
pub fn allocations() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// The system's allocator, with a count of its calls.
struct Counting;

// SAFETY: every call goes unchanged to the system's allocator, which keeps the contract. The
// counter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise about `layout` is the one that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` by one of the other methods, with this layout: the
        // caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as in `dealloc`; the caller vouches for `size`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

extern "C" fn report() {
    let count = allocations();
    if let Some(file) = std::env::var_os(REPORT_TO) {
        // If this fails, the test notices that the file is missing.
        let _ = std::fs::write(file, count.to_string());
    }
}
