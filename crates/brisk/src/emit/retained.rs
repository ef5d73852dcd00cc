//! [`RetainedDir`]: the handle that a removal holds of a directory until everything below it is
//! removed.

use std::sync::{Arc, Mutex};

use brisk_sys::Dir;

use crate::sched::lock;
use crate::tree::{Extra, HandleBudget, KeptHandle};

/// A directory's handle, until the directory is left; `None` if the directory has no
/// subdirectories so far, or if the budget of handles was spent.
#[derive(Default)]
pub(crate) struct RetainedDir(Mutex<Option<KeptHandle>>);

impl RetainedDir {
    /// Retains a handle whose owner has the permit.
    pub fn lend(&self, handle: &Arc<Dir>) {
        *lock(&self.0) = Some((Arc::clone(handle), None));
    }

    /// Closes the handle, before the directory is removed.
    pub fn close(&self) {
        drop(lock(&self.0).take());
    }
}

impl Extra for RetainedDir {
    fn held(&self) -> Option<Arc<Dir>> {
        lock(&self.0).as_ref().map(|(handle, _)| Arc::clone(handle))
    }

    fn keep(&self, handle: &Arc<Dir>, budget: &Arc<HandleBudget>) -> Option<KeptHandle> {
        let mut held = lock(&self.0);
        if held.is_none() {
            *held = budget.permit().map(|permit| (Arc::clone(handle), Some(permit)));
        }
        held.as_ref().map(|(handle, _)| (Arc::clone(handle), None))
    }
}
