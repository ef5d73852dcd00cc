//! [`RetainedDir`]: what a removal holds of a directory until everything below it is removed: the
//! handle and, of a long directory, the entries that stay.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::{Dir, marks_end};

use super::met::Met;
use crate::sched::lock;
use crate::tree::{Extra, HandleBudget, KeptHandle};

/// What is held of a directory until the directory is left.
#[derive(Default)]
pub(crate) struct RetainedDir {
    /// `None` if the directory has no subdirectories so far, or if the budget of handles was spent.
    handle: Mutex<Option<KeptHandle>>,
    met: OnceLock<Box<Met>>,
}

impl RetainedDir {
    /// Which entries were met, if the directory may have to be read again.
    pub fn met(&self) -> Option<&Met> {
        self.met.get().map(|met| &**met)
    }

    /// Closes the handle, before the directory is removed.
    pub fn close(&self) {
        drop(lock(&self.handle).take());
    }
}

impl Extra for RetainedDir {
    fn lend(&mut self, handle: &Arc<Dir>) {
        *lock(&self.handle) = Some((Arc::clone(handle), None));
    }

    fn held(&self) -> Option<Arc<Dir>> {
        lock(&self.handle).as_ref().map(|(handle, _)| Arc::clone(handle))
    }

    fn keep(&self, handle: &Arc<Dir>, budget: &Arc<HandleBudget>) -> Option<KeptHandle> {
        let mut held = lock(&self.handle);
        if held.is_none() {
            *held = budget.permit().map(|permit| (Arc::clone(handle), Some(permit)));
        }
        held.as_ref().map(|(handle, _)| (Arc::clone(handle), None))
    }

    fn note_long(&self, handle: &Dir) {
        if !marks_end(handle) {
            self.met.get_or_init(Box::default);
        }
    }

    fn has_met(&self, name: &CStr) -> bool {
        self.met().is_some_and(|met| met.has(name))
    }
}
