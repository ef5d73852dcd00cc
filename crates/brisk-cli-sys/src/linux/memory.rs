//! The program's memory: the system's allocator, and what happens where it has no more to give.
//!
//! The standard library aborts there, and so does the C library in a few places. A program that is
//! out of memory ends with a message and an exit code instead.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "count-allocations")]
use super::allocations::count;

/// The exit code of a program that is out of memory. Only the worst errors of any command have it.
const EXIT_CODE: libc::c_int = 2;

const MESSAGE: &[u8] = b"brisk: out of memory\n";

/// The address space for each of the C library's heaps, in bytes. A heap takes 64 MiB, and twice as
/// much while it is mapped. The same again is for everything else.
const HEAP: u64 = 256 << 20;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The system's allocator. No method returns without a block.
struct Allocator;

// SAFETY: every call goes unchanged to the system's allocator, which keeps the contract. What is
// added neither allocates nor unwinds.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout` is the one that the system asks for.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as in `alloc`.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` by one of the other methods, with this layout: the
        // caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as in `dealloc`; the caller vouches for `size`.
        given(unsafe { System.realloc(pointer, layout, size) })
    }
}

#[cfg(not(feature = "count-allocations"))]
fn count() {}

#[inline]
fn given(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        out_of_memory();
    }
    block
}

/// Ends the program, from any thread. The first one to come here prints the message.
#[cold]
fn out_of_memory() -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    while IS_ENDING.swap(true, Ordering::Relaxed) {
        // SAFETY: the call only waits.
        unsafe { libc::pause() };
    }
    // SAFETY: the bytes live as long as the program.
    unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
    // SAFETY: the call ends all threads, and runs no code of this program.
    unsafe { libc::_exit(EXIT_CODE) }
}

/// Prepares the allocator for a limit on the address space (`ulimit -v`). One getrlimit.
///
/// Each thread has a heap of its own while there is address space for heaps. A thread that gets
/// none has a mapping for each block, which takes a page at least. With a limit, there are only as
/// many heaps as fit, and threads share them.
pub fn prepare() {
    if let Some(limit) = brisk_sys::memory::address_limit() {
        share_heaps(libc::c_int::try_from(limit / HEAP).unwrap_or(libc::c_int::MAX).max(1));
    }
}

#[cfg(target_env = "gnu")]
fn share_heaps(most: libc::c_int) {
    // SAFETY: the call sets a number, before there is a second thread. A refusal changes nothing.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
}

/// Other C libraries have one heap.
#[cfg(not(target_env = "gnu"))]
fn share_heaps(_: libc::c_int) {}
