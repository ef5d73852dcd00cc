//! The queue of a breadth-first walk: tasks of the next level wait until all tasks of the current
//! level are done.

use std::collections::VecDeque;
use std::sync::Mutex;

use super::{Task, lock};

/// Tasks by level.
pub(crate) struct Levels<T>(Mutex<Tasks<T>>);

struct Tasks<T> {
    now: VecDeque<T>,
    next: VecDeque<T>,
    /// Tasks of the current level that wait or that a worker performs. A worker that takes the
    /// first of several pending directories pushes the rest as a task of its own.
    unfinished: usize,
}

impl<T> Default for Levels<T> {
    fn default() -> Self {
        // Listing the roots is the first task; it is never in the queue.
        Levels(Mutex::new(Tasks { now: VecDeque::new(), next: VecDeque::new(), unfinished: 1 }))
    }
}

impl<T: Task> Levels<T> {
    pub fn push(&self, task: T) {
        if task.is_of_next_level() {
            lock(&self.0).next.push_back(task);
        } else {
            self.push_now(task);
        }
    }

    /// Adds a task of the current level, whatever the task says: the rest of one that was begun.
    pub fn push_now(&self, task: T) {
        let mut state = lock(&self.0);
        state.unfinished += 1;
        state.now.push_front(task);
    }

    pub fn pop(&self) -> Option<T> {
        lock(&self.0).now.pop_front()
    }

    pub fn has_work(&self) -> bool {
        !lock(&self.0).now.is_empty()
    }

    /// A task of the current level is done; `true` if the next level begins.
    pub fn done(&self) -> bool {
        let mut state = lock(&self.0);
        state.unfinished = state.unfinished.saturating_sub(1);
        if state.unfinished > 0 {
            return false;
        }
        state.now = std::mem::take(&mut state.next);
        state.unfinished = state.now.len();
        state.unfinished > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Task for u32 {
        fn split(&mut self) -> Option<u32> {
            None
        }

        fn is_of_next_level(&self) -> bool {
            *self >= 10
        }
    }

    #[test]
    fn nothing_of_the_next_level_comes_before_this_one_is_done() {
        let levels = Levels::default();
        levels.push(10);
        levels.push(11);
        levels.push(1);
        assert_eq!(levels.pop(), Some(1));
        assert!(!levels.done() && !levels.has_work(), "the roots are not done");
        assert!(levels.done());
        levels.push(12);
        assert_eq!((levels.pop(), levels.pop(), levels.pop()), (Some(10), Some(11), None));
        levels.push_now(13);
        assert_eq!(levels.pop(), Some(13));
        assert!(!levels.done() && !levels.done() && levels.done());
        assert_eq!(levels.pop(), Some(12));
    }
}
