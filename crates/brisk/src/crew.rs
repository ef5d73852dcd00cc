//! Threads: how workers are started, and where they leave what they gathered.

use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope};

use crate::driver::Driver;
use crate::queue::lock;
use crate::stats::Stats;
use crate::stuck::GUARD;
use crate::worker::Worker;

/// Visitors and counts of workers that have finished.
pub(crate) type Finished<V> = Mutex<Vec<(V, Stats)>>;

type Hire<'scope, 'env, V> =
    fn(Crew<'scope, 'env, V>, Worker<'scope, 'env, V>) -> Option<Worker<'scope, 'env, V>>;

/// The right to start threads within a scope: all of them end before the walk returns.
pub(crate) struct Crew<'scope, 'env, V: Driver> {
    scope: &'scope Scope<'scope, 'env>,
    finished: &'env Finished<V>,
    /// Set where `V` is known to be `Send`, so that a serial walk need not be.
    hire: Hire<'scope, 'env, V>,
}

impl<V: Driver> Copy for Crew<'_, '_, V> {}

impl<V: Driver> Clone for Crew<'_, '_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'scope, 'env, V: Driver> Crew<'scope, 'env, V> {
    /// Starts a thread for a worker, which comes back if the system has no more threads for us: the
    /// walk goes on with those it has.
    pub fn hire(self, worker: Worker<'scope, 'env, V>) -> Option<Worker<'scope, 'env, V>> {
        (self.hire)(self, worker)
    }
}

impl<'scope, 'env, V: Driver + Send + 'scope> Crew<'scope, 'env, V>
where
    V::State: 'scope,
{
    pub fn new(scope: &'scope Scope<'scope, 'env>, finished: &'env Finished<V>) -> Self {
        Crew { scope, finished, hire: start }
    }
}

fn start<'scope, 'env, V: Driver + Send + 'scope>(
    crew: Crew<'scope, 'env, V>,
    worker: Worker<'scope, 'env, V>,
) -> Option<Worker<'scope, 'env, V>>
where
    V::State: 'scope,
{
    let finished = crew.finished;
    let name = match worker.index {
        GUARD => "brisk-guard".to_owned(),
        index => format!("brisk-{index}"),
    };
    // A closure that could not be started is gone: the worker waits outside for its thread.
    let waiting = Arc::new(Mutex::new(Some(worker)));
    let inside = Arc::clone(&waiting);
    // Workers hardly use their stack; visitors run matchers and formatters on it.
    let builder = Builder::new().name(name).stack_size(512 << 10);
    let started = builder.spawn_scoped(crew.scope, move || {
        let worker = lock(&inside).take();
        let result = worker.map(Worker::run);
        lock(finished).extend(result);
    });
    if started.is_ok() { None } else { lock(&waiting).take() }
}
