//! The queue of a walk that delivers entries as they come. Each worker has a deque of its own, from
//! which others steal, or all workers share one queue by level.

use crossbeam_deque::Worker as Deque;

use crate::drive::task::{Children, Kind, Queue, Task};
use crate::sched::levels::Levels;
use crate::sched::pace::Pace;
use crate::sched::stealing::Stealing;

/// Where the tasks of such a walk wait.
pub(crate) enum Streaming<K: Kind> {
    /// Mostly depth first; no order is promised.
    Stealing(Stealing<Task<K>>),
    /// Strictly by level.
    Levels(Levels<Task<K>>),
}

impl<K: Kind> Streaming<K> {
    pub fn new(by_level: bool) -> Self {
        if by_level {
            Streaming::Levels(Levels::default())
        } else {
            Streaming::Stealing(Stealing::default())
        }
    }
}

impl<K: Kind> Queue<K> for Streaming<K> {
    fn join(&self) -> Deque<Task<K>> {
        let deque = Deque::new_lifo();
        if let Streaming::Stealing(stealing) = self {
            stealing.join(&deque);
        }
        deque
    }

    fn push(&self, own: &Deque<Task<K>>, task: Task<K>) {
        match self {
            Streaming::Stealing(_) => own.push(task),
            Streaming::Levels(levels) => levels.push(task),
        }
    }

    fn push_rest(&self, own: &Deque<Task<K>>, rest: Children<K>) {
        match self {
            Streaming::Levels(levels) => levels.push_now(Task::Open(rest)),
            Streaming::Stealing(_) => own.push(Task::Open(rest)),
        }
    }

    fn pop(&self, own: &Deque<Task<K>>, _pace: &Pace) -> Option<Task<K>> {
        match self {
            Streaming::Stealing(stealing) => stealing.pop(own),
            Streaming::Levels(levels) => levels.pop(),
        }
    }

    fn done(&self) -> bool {
        matches!(self, Streaming::Levels(levels) if levels.done())
    }

    fn has_work(&self) -> bool {
        match self {
            Streaming::Stealing(stealing) => stealing.has_work(),
            Streaming::Levels(levels) => levels.has_work(),
        }
    }
}
