//! [`RetainedDir`]: what a removal holds of a directory until everything below it is removed. That
//! is the directory's handle or, where handles are scarce, its identity and its waiting children.

use std::sync::{Arc, Mutex};

use brisk_sys::{Dir, Identity};

use crate::sched::lock;
use crate::tree::{HandleBudget, PackedNames, Permit};

/// A directory's handle, or what is needed to open it again by `..` from a child.
pub(crate) struct RetainedDir {
    /// The handle, until the directory is left; `None` if the budget of handles was spent. The
    /// permit is missing where another owner of the handle has it.
    held: Mutex<Option<(Arc<Dir>, Option<Permit>)>>,
    /// The directory's device and inode, if the handle was given up.
    identity: Option<Identity>,
    waiting: Mutex<Waiting>,
}

/// Waiting children of a directory whose handle was given up; workers visit one at a time.
#[derive(Default)]
struct Waiting {
    names: PackedNames,
    /// Where the record of the first child begins that was not taken yet.
    used: usize,
    /// A worker visits one of them, or is about to.
    is_active: bool,
}

impl RetainedDir {
    /// Retains a handle whose owner has the permit.
    pub fn lent(handle: &Arc<Dir>) -> RetainedDir {
        let held = Mutex::new(Some((Arc::clone(handle), None)));
        RetainedDir { held, identity: None, waiting: Mutex::default() }
    }

    /// Retains the handle if the budget has a permit for it, else the directory's identity, which
    /// costs a stat.
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

    /// Closes the handle, before the directory is removed.
    pub fn close(&self) {
        drop(lock(&self.held).take());
    }

    /// Adds waiting children, which [`next`](Self::next) takes. `true` if no worker visits any of
    /// them: then the caller must call `next`.
    pub fn wait(&self, names: &PackedNames) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.names.append(names);
        !std::mem::replace(&mut waiting.is_active, true)
    }

    /// The next waiting child; `None` if none is left, or if the directory's children do not wait
    /// here.
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

    /// Forgets the waiting children; returns how many there were.
    pub fn abandon(&self) -> usize {
        std::mem::take(&mut *lock(&self.waiting)).names.count()
    }
}
