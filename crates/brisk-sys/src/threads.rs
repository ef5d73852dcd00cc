//! Threads and locks. A thread is started only while there is address space for it.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};

use crate::memory;

/// The stack of a thread, in bytes, as the standard library's: 2 MiB. The system gives memory only
/// to the part that is used: workers need little, but the callers' visitors may recurse.
pub const STACK: usize = 2 << 20;

/// The address space for each thread beside its stack, in bytes: its buffers, and the entries that
/// it has read and not delivered. In a tree of small directories a worker takes a seventh of it.
const EACH: usize = 1 << 20;

/// The address space that stays free when a thread is started, in bytes: what the program has to
/// hold needs it more than another thread does.
const REST: usize = 16 << 20;

/// What starts one more of `count` threads. Those that were started a moment ago have not taken
/// their address space yet, so there must be enough for all of them. `None` if there is not. System
/// calls: those of [`memory::has_room`].
#[must_use]
pub fn one_of(count: usize) -> Option<Builder> {
    one_with_stack(count, STACK)
}

/// As [`one_of`], with a stack of so many bytes.
#[must_use]
pub fn one_with_stack(count: usize, stack: usize) -> Option<Builder> {
    let has_room = memory::has_room(stack.saturating_add(count * EACH + REST));
    has_room.then(|| Builder::new().stack_size(stack))
}

/// Does the same work in `count` threads, of which this is one: in fewer if the system refuses
/// threads or has no address space for them.
///
/// # Errors
/// The error of one of them.
pub fn run<E: Send>(count: usize, work: impl Fn() -> Result<(), E> + Sync) -> Result<(), E> {
    scope(|scope| {
        let start = |others| one_of(others)?.spawn_scoped(scope, &work).ok();
        let others: Vec<_> = (1..count).map_while(start).collect();
        let own = work();
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        others.fold(own, Result::and)
    })
}

/// Locks a mutex, also after a panic: a worker that panics ends the walk, so the others may read what
/// it left behind.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
