//! Threads: how workers are started.

use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope};

use super::lock;

/// The stack of a thread, in bytes. Workers hardly use it; visitors run matchers and formatters on
/// it.
const STACK: usize = 512 << 10;

/// Starts workers, each with a visitor of its own. Behind a `dyn`, so that the workers of a serial
/// walk, whose visitor need not be [`Send`], are the same code.
pub(crate) trait Spawn<'s, V>: Send + Sync {
    /// Starts a thread for worker `index`, whose visitor is made from this one and gets a number.
    /// `all` is this, for the worker's own use. `false`: the system refuses.
    fn spawn(
        &self,
        all: &Arc<dyn Spawn<'s, V> + 's>,
        visitor: &mut V,
        index: usize,
        number: usize,
    ) -> bool;
}

/// Runs `work` with `value` in a thread of the scope. The value comes back if the system has no more
/// threads: the walk goes on with those it has.
pub(crate) fn run_in_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    value: T,
    work: impl FnOnce(T) + Send + 'scope,
) -> Option<T> {
    // A closure that could not be started is gone: the value waits outside for its thread.
    let waiting = Arc::new(Mutex::new(Some(value)));
    let inside = Arc::clone(&waiting);
    let started = Builder::new().name(name).stack_size(STACK).spawn_scoped(scope, move || {
        let value = lock(&inside).take();
        value.map(work);
    });
    if started.is_ok() { None } else { lock(&waiting).take() }
}
