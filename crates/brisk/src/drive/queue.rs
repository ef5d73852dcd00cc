//! The queue of a walk that delivers entries as they come.
//!
//! Each worker has a deque of its own, and takes the newest task from it. A worker whose deque is
//! empty steals the oldest task of another worker. Such a walk goes mostly depth first, but no order
//! is promised. In a breadth-first walk all workers share one queue, in which the tasks of the next
//! level wait until all tasks of the current level are done.

use std::collections::VecDeque;
use std::iter::repeat_with;
use std::sync::Mutex;

use crossbeam_deque::{Steal, Stealer, Worker as Deque};

use crate::drive::task::{Children, Queue, Task, WalkKind};
use crate::sched::lock;
use crate::sched::pace::Pace;

/// Where the tasks of such a walk wait.
#[expect(clippy::large_enum_variant, reason = "a walk has one")]
pub(crate) enum UnorderedQueue<K: WalkKind> {
    /// Mostly depth first: the ends of all workers' deques that others steal from.
    Stealing(boxcar::Vec<Stealer<Task<K>>>),
    /// Strictly by level.
    Levels(Mutex<Levels<Task<K>>>),
}

/// Tasks by level.
pub(crate) struct Levels<T> {
    now: VecDeque<T>,
    next: VecDeque<T>,
    /// Tasks of the current level that wait or that a worker performs. A worker that takes the
    /// first of several pending directories pushes the rest as a task of its own.
    unfinished: usize,
}

impl<T> Default for Levels<T> {
    fn default() -> Self {
        // Listing the roots is the first task; it is never in the queue.
        Levels { now: VecDeque::new(), next: VecDeque::new(), unfinished: 1 }
    }
}

impl<T> Levels<T> {
    /// Adds a task of the current level.
    fn push(&mut self, task: T) {
        self.unfinished += 1;
        self.now.push_front(task);
    }

    /// A task of the current level is done; `true` if the next level begins.
    fn popped_done(&mut self) -> bool {
        self.unfinished = self.unfinished.saturating_sub(1);
        if self.unfinished > 0 {
            return false;
        }
        self.now = std::mem::take(&mut self.next);
        self.unfinished = self.now.len();
        self.unfinished > 0
    }
}

impl<K: WalkKind> UnorderedQueue<K> {
    pub fn new(by_level: bool) -> Self {
        match by_level {
            true => UnorderedQueue::Levels(Mutex::default()),
            false => UnorderedQueue::Stealing(boxcar::Vec::new()),
        }
    }
}

impl<K: WalkKind> Queue<K> for UnorderedQueue<K> {
    fn join(&self) -> Deque<Task<K>> {
        let deque = Deque::new_lifo();
        if let UnorderedQueue::Stealing(ends) = self {
            ends.push(deque.stealer());
        }
        deque
    }

    fn push(&self, own: &Deque<Task<K>>, task: Task<K>) {
        match self {
            UnorderedQueue::Stealing(_) => own.push(task),
            UnorderedQueue::Levels(levels) if matches!(task, Task::Open(_)) => {
                lock(levels).next.push_back(task);
            }
            UnorderedQueue::Levels(levels) => lock(levels).push(task),
        }
    }

    fn push_rest(&self, own: &Deque<Task<K>>, rest: Children<K>) {
        match self {
            UnorderedQueue::Stealing(_) => own.push(Task::Open(rest)),
            UnorderedQueue::Levels(levels) => lock(levels).push(Task::Open(rest)),
        }
    }

    fn pop(&self, own: &Deque<Task<K>>, worker: usize, _: &Pace) -> Option<Task<K>> {
        match self {
            UnorderedQueue::Stealing(ends) => own.pop().or_else(|| steal(ends, own, worker)),
            UnorderedQueue::Levels(levels) => lock(levels).now.pop_front(),
        }
    }

    fn popped_done(&self) -> bool {
        matches!(self, UnorderedQueue::Levels(levels) if lock(levels).popped_done())
    }

    fn has_work(&self) -> bool {
        match self {
            UnorderedQueue::Stealing(ends) => ends.iter().any(|(_, end)| !end.is_empty()),
            UnorderedQueue::Levels(levels) => !lock(levels).now.is_empty(),
        }
    }
}

/// The oldest task of another worker. Of a list of pending directories, the second half goes to the
/// worker's own deque, where others can steal it.
fn steal<K: WalkKind>(
    ends: &boxcar::Vec<Stealer<Task<K>>>,
    own: &Deque<Task<K>>,
    worker: usize,
) -> Option<Task<K>> {
    // Each worker begins elsewhere, so that not all of them look at the same one first.
    let count = ends.count();
    let others = || (0..count).filter_map(|number| ends.get((number + worker % count) % count));
    let mut steals = repeat_with(|| others().map(Stealer::steal).collect::<Steal<_>>());
    let mut task = steals.find(|stolen| !stolen.is_retry())?.success()?;
    if let Task::Open(children) = &mut task
        && let Some(rest) = children.split()
    {
        own.push(Task::Open(rest));
    }
    Some(task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_next_level_comes_before_this_one_is_done() {
        let mut levels = Levels::default();
        levels.next.extend([10, 11]);
        levels.push(1);
        assert_eq!(levels.now.pop_front(), Some(1));
        assert!(!levels.popped_done() && levels.now.is_empty(), "the roots are not done");
        assert!(levels.popped_done());
        levels.next.push_back(12);
        assert_eq!([(); 3].map(|()| levels.now.pop_front()), [Some(10), Some(11), None]);
        levels.push(13);
        assert_eq!(levels.now.pop_front(), Some(13));
        assert!(!levels.popped_done() && !levels.popped_done() && levels.popped_done());
        assert_eq!(levels.now.pop_front(), Some(12));
    }
}
