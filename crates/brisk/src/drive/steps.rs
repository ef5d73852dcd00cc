//! [`Steps`]: a walk whose calling thread takes part only while it asks for more. That thread is
//! the first worker, and its state is kept here between two calls. Other workers have threads of
//! their own, and go on meanwhile.
//!
//! ```text
//!   caller asks ─► a task, a task, … until the visitor has something ─► caller goes away
//!                                    (other workers go on, and may take what is left of its tasks)
//! ```

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, ThreadId, current, panicking};

use crate::drive::queue::UnorderedQueue;
use crate::drive::run::{Finished, OnCaller, Setup, Spawner};
use crate::drive::shared::StopOnPanic;
use crate::drive::worker::Worker;
use crate::emit::Unordered;
use crate::emit::ordered::InOrder;
use crate::emit::ordered::arrange::ByName;
use crate::emit::ordered::turns::Turns;
use crate::sched::lock;
use crate::{Order, Parallel, Walk};

/// A walk that goes on step by step, whatever its order.
pub(crate) trait Steps: Send {
    /// Performs one task. If there is none, waits until there is one or `is_ready` returns true.
    /// Returns `false` once the walk is over.
    fn step(&mut self, is_ready: &dyn Fn() -> bool) -> bool;

    /// The calling thread goes on with the walk, after it has done something else.
    fn resume(&mut self);

    /// The calling thread does something else for now.
    fn leave(&mut self);

    /// Ends the walk, even if it is not over, and waits for its threads. Merges what their visitors
    /// have gathered, unless one of the threads has panicked: then this panics as well.
    fn end(&mut self);

    /// Wakes the calling thread where it waits in [`step`](Steps::step), so that it looks again.
    fn waker(&self) -> Waker;
}

/// What another thread wakes the calling thread with.
pub(crate) type Waker = Box<dyn Fn() + Send + Sync>;

impl Walk {
    /// Begins the walk with the roots.
    pub(crate) fn steps<V>(self, visitor: V) -> Box<dyn Steps>
    where
        V: Parallel + 'static,
        V::State: 'static,
    {
        match self.order {
            Order::Unordered | Order::Breadth => {
                let queue = UnorderedQueue::new(self.order == Order::Breadth);
                Box::new(Course::<V, Unordered<V::State>>::new(self, visitor, queue))
            }
            Order::Depth(_) | Order::Sorted(_) => {
                let queue = Turns::new(self.siblings());
                Box::new(Course::<V, InOrder<V::State, ByName>>::new(self, visitor, queue))
            }
        }
    }
}

/// A walk of one kind.
struct Course<V: Parallel + 'static, E: OnCaller<V>> {
    worker: Worker<'static, V, E>,
    emission: E::Emission,
    finished: Finished<V>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
    /// The thread that has made the last step.
    thread: ThreadId,
}

impl<V: Parallel + 'static, E: OnCaller<V> + 'static> Course<V, E> {
    fn new(walk: Walk, visitor: V, queue: E::Queue) -> Course<V, E> {
        let setup = Setup::<E>::new(walk, &visitor, queue);
        let finished = Finished::default();
        let threads = Arc::<Mutex<Vec<JoinHandle<()>>>>::default();
        let started = Arc::clone(&threads);
        let start = move |builder: Builder, work| {
            lock(&started).push(builder.spawn(work)?);
            Ok(())
        };
        let spawn = Spawner::shared(&setup.shared, &finished, start);
        let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, Some(spawn), 0);
        let roots = setup.begin(&mut worker);
        let emission = E::begin_emission(&mut worker, &roots);
        Course { worker, emission, finished, threads, thread: current().id() }
    }
}

impl<V: Parallel + 'static, E: OnCaller<V> + 'static> Steps for Course<V, E> {
    fn step(&mut self, is_ready: &dyn Fn() -> bool) -> bool {
        let shared = Arc::clone(&self.worker.shared);
        let _end = StopOnPanic(&shared);
        if shared.is_over() {
            return false;
        }
        if !E::deliver_next(&mut self.worker, &mut self.emission) && !self.worker.do_one_task() {
            self.worker.await_more(is_ready);
        }
        true
    }

    fn resume(&mut self) {
        let thread = current().id();
        let is_other = std::mem::replace(&mut self.thread, thread) != thread;
        self.worker.was_idle();
        if is_other {
            self.worker.sample.moved();
        }
    }

    fn leave(&mut self) {
        self.worker.ledger.settle();
        self.worker.sample.leave();
    }

    fn end(&mut self) {
        let worker = &mut self.worker;
        if !worker.shared.is_over() {
            worker.shared.parking.stop();
        }
        worker.shared.parking.wake_all();
        let mut panicked = None;
        while let Some(thread) = { lock(&self.threads).pop() } {
            panicked = thread.join().err().or(panicked);
        }
        if let Some(panic) = panicked
            && !panicking()
        {
            resume_unwind(panic);
        }
        for (other, _) in std::mem::take(&mut *lock(&self.finished)) {
            worker.visitor.merge(other);
        }
        worker.let_write(true);
    }

    fn waker(&self) -> Waker {
        let shared = Arc::clone(&self.worker.shared);
        Box::new(move || shared.parking.wake_turn())
    }
}
