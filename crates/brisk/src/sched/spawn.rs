//! Threads: how workers are started, and where they leave what they gathered.

use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope};

use super::lock;

/// The stack of a thread, in bytes. Workers hardly use it; visitors run matchers and formatters on
/// it.
const STACK: usize = 512 << 10;

type Start<'scope, 'env, W, R> = fn(Spawner<'scope, 'env, W, R>, W, String) -> Option<W>;

/// The right to start threads within a scope: all of them end before the walk returns. A worker is a
/// `W`, and leaves an `R`.
pub(crate) struct Spawner<'scope, 'env, W, R> {
    scope: &'scope Scope<'scope, 'env>,
    finished: &'env Mutex<Vec<R>>,
    run: fn(W) -> R,
    /// Set where `W` is known to be `Send`, so that a serial walk need not be.
    start: Start<'scope, 'env, W, R>,
}

impl<W, R> Copy for Spawner<'_, '_, W, R> {}

impl<W, R> Clone for Spawner<'_, '_, W, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W, R> Spawner<'_, '_, W, R> {
    /// Starts a thread for a worker, which comes back if the system has no more threads: the walk
    /// goes on with those it has.
    pub fn spawn(self, worker: W, name: String) -> Option<W> {
        (self.start)(self, worker, name)
    }
}

impl<'scope, 'env, W: Send + 'scope, R: Send> Spawner<'scope, 'env, W, R> {
    /// `run` is a worker's work.
    pub fn new(
        scope: &'scope Scope<'scope, 'env>,
        finished: &'env Mutex<Vec<R>>,
        run: fn(W) -> R,
    ) -> Self {
        Spawner { scope, finished, run, start }
    }
}

fn start<'scope, W: Send + 'scope, R: Send>(
    spawner: Spawner<'scope, '_, W, R>,
    worker: W,
    name: String,
) -> Option<W> {
    let Spawner { scope, finished, run, .. } = spawner;
    // A closure that could not be started is gone: the worker waits outside for its thread.
    let waiting = Arc::new(Mutex::new(Some(worker)));
    let inside = Arc::clone(&waiting);
    let started = Builder::new().name(name).stack_size(STACK).spawn_scoped(scope, move || {
        let worker = lock(&inside).take();
        let result = worker.map(run);
        lock(finished).extend(result);
    });
    if started.is_ok() { None } else { lock(&waiting).take() }
}
