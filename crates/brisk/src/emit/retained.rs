//! A directory that is removed once everything below it is: its handle, or how to come back to it.

use std::sync::{Arc, Mutex};

use brisk_sys::{Dir, Identity};

use crate::sched::lock;
use crate::tree::{HandleBudget, PackedNames, Permit};

/// A directory's handle, or how to come back to it.
pub(crate) struct RetainedDir {
    /// The handle, until the directory is left; `None` where there were too many.
    held: Mutex<Option<(Arc<Dir>, Option<Permit>)>>,
    /// Which directory it is, if the handle was given up.
    identity: Option<Identity>,
    waiting: Mutex<Waiting>,
}

/// Children of a directory without a handle.
#[derive(Default)]
struct Waiting {
    names: PackedNames,
    used: usize,
    /// One of them is being visited.
    is_active: bool,
}

impl RetainedDir {
    /// Keeps a handle whose owner has the permit.
    pub fn lent(handle: &Arc<Dir>) -> RetainedDir {
        let held = Mutex::new(Some((Arc::clone(handle), None)));
        RetainedDir { held, identity: None, waiting: Mutex::default() }
    }

    /// Keeps the handle if the budget allows, else only what it leads to, which costs a stat.
    pub fn new(handle: &Arc<Dir>, budget: &Arc<HandleBudget>, stats: &mut u64) -> RetainedDir {
        if let Some(permit) = budget.permit() {
            let held = Mutex::new(Some((Arc::clone(handle), Some(permit))));
            return RetainedDir { held, identity: None, waiting: Mutex::default() };
        }
        *stats += 1;
        let identity = handle.identity().ok();
        RetainedDir { held: Mutex::new(None), identity, waiting: Mutex::default() }
    }

    pub fn handle(&self) -> Option<Arc<Dir>> {
        lock(&self.held).as_ref().map(|(handle, _)| Arc::clone(handle))
    }

    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Closes the handle, before the directory goes.
    pub fn close(&self) {
        drop(lock(&self.held).take());
    }

    /// Keeps children until [`next`](Self::next) takes them; `true` if none is being visited: then
    /// that is to be called.
    pub fn wait(&self, names: &PackedNames) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.names.append(names);
        !std::mem::replace(&mut waiting.is_active, true)
    }

    /// The next child, if the directory's children come one at a time.
    pub fn next(&self) -> Option<PackedNames> {
        let mut waiting = lock(&self.waiting);
        let Waiting { names, used, is_active } = &mut *waiting;
        if !*is_active {
            return None;
        }
        let next = names.split_first(used);
        *is_active = next.is_some();
        next
    }

    /// Forgets the children; returns how many there were.
    pub fn abandon(&self) -> usize {
        std::mem::take(&mut *lock(&self.waiting)).names.count()
    }
}
