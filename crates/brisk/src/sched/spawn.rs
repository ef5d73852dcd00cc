//! How workers are spawned: the trait that starts a thread for each, and the thread itself.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::Builder;

use super::lock;

/// Starts workers, each with a visitor of its own. It is used as a `dyn`, so that the worker of a
/// serial walk, whose visitor need not be [`Send`], is the same code.
pub(crate) trait Spawn<'s, V>: Send + Sync {
    /// Starts a thread for worker `index`, with a fork of `visitor`. `spawner` is `self`: the new
    /// worker spawns others with it. `false`: the system has no thread to give, or no address space
    /// for it.
    fn spawn(&self, spawner: &Arc<dyn Spawn<'s, V> + 's>, visitor: &mut V, index: usize) -> bool;
}

/// What a thread does.
pub(crate) type Work<'s> = Box<dyn FnOnce() + Send + 's>;

/// Starts a thread.
pub(crate) type Start<'s> = Box<dyn Fn(Builder, Work<'s>) -> io::Result<()> + Send + Sync + 's>;

/// Runs `work` with `value` in the thread that `start` starts. If the system has no thread to give,
/// the value comes back, and the walk goes on with the threads it has.
pub(crate) fn run_in_thread<'s, T: Send + 's>(
    start: impl FnOnce(Work<'s>) -> io::Result<()>,
    value: T,
    work: impl FnOnce(T) + Send + 's,
) -> Option<T> {
    // A closure whose thread does not start is dropped, so the value waits outside of it.
    let waiting = Arc::new(Mutex::new(Some(value)));
    let inside = Arc::clone(&waiting);
    let started = start(Box::new(move || {
        let value = lock(&inside).take();
        value.map(work);
    }));
    if started.is_ok() { None } else { lock(&waiting).take() }
}
