//! [`RetainedDir`]: what a walk that acts holds of a directory until everything below it is done:
//! the handle and, of a long directory, which entries were met and stay ([`Staying`]), so that it
//! can be listed again.
//!
//! Some servers count the entries that are left, and go on at a number. A listing that goes on
//! after removals then leaves out as many entries as were removed:
//!
//! ```text
//!   a b c d e f    read from 0: a b c, which are removed
//!   d e f          read from 3: the end
//! ```
//!
//! File systems that mark the end of a directory (ext, tmpfs, btrfs) or go on by names leave
//! nothing out. On others a directory of more than one buffer is listed again until a reading
//! removes nothing. What stays is met once, whatever the number of relistings. (Test:
//! `rm/live.rs`.)

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::ffi::CStr;
use std::hash::BuildHasher;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::{Dir, marks_end};

use crate::sched::lock;
use crate::tree::{EmitState, HandleBudget, HeldHandle, bound};

/// The most relistings of one directory. Each finds half of what the last one missed, so only a
/// directory that another process keeps filling needs more.
const MAX_RELISTINGS: u8 = 60;

/// The bytes that one entry takes, with the free places of the table.
const ENTRY: usize = 18;

/// What is held of a directory until the directory is left.
#[derive(Default)]
pub(crate) struct RetainedDir {
    /// `None` if the directory has no subdirectories so far, or if the budget of handles was spent.
    handle: Mutex<Option<HeldHandle>>,
    staying: OnceLock<Box<Staying>>,
}

impl RetainedDir {
    /// Which entries were met and stay, if the directory may have to be listed again.
    pub fn staying(&self) -> Option<&Staying> {
        self.staying.get().map(|staying| &**staying)
    }

    /// Closes the handle, before the directory is removed.
    pub fn close(&self) {
        drop(lock(&self.handle).take());
    }
}

impl EmitState for RetainedDir {
    fn hold_above_roots(&mut self, handle: &Arc<Dir>) {
        *lock(&self.handle) = Some((Arc::clone(handle), None));
    }

    fn held(&self) -> Option<Arc<Dir>> {
        lock(&self.handle).as_ref().map(|(handle, _)| Arc::clone(handle))
    }

    fn hold_for_children(
        &self,
        handle: &Arc<Dir>,
        budget: &Arc<HandleBudget>,
    ) -> Option<HeldHandle> {
        let mut held = lock(&self.handle);
        if held.is_none() {
            *held = budget.permit().map(|permit| (Arc::clone(handle), Some(permit)));
        }
        held.as_ref().map(|(handle, _)| (Arc::clone(handle), None))
    }

    fn prepare_relisting(&self, handle: &Dir) {
        if !marks_end(handle) {
            self.staying.get_or_init(Box::default);
        }
    }

    fn was_met_before(&self, name: &CStr) -> bool {
        self.staying().is_some_and(|staying| staying.has(name))
    }
}

/// The entries that were met and stay, by the hashes of their names.
#[derive(Default)]
pub(crate) struct Staying {
    /// Random keys, so that no user can make names whose hashes are equal.
    keys: RandomState,
    met: Mutex<MetNow>,
    relistings: AtomicU8,
}

#[derive(Default)]
struct MetNow {
    stay: HashSet<u64>,
    /// An entry was removed in this reading.
    has_removed: bool,
    is_full: bool,
}

impl Staying {
    /// Whether an entry was met before, and stays.
    pub fn has(&self, name: &CStr) -> bool {
        lock(&self.met).stay.contains(&self.keys.hash_one(name))
    }

    /// Adds entries, each with whether it is gone.
    pub fn add<'a>(&self, entries: impl Iterator<Item = (&'a CStr, bool)>) {
        let mut met = lock(&self.met);
        for (name, is_gone) in entries {
            if is_gone {
                met.has_removed = true;
            } else if !met.is_full {
                met.stay.insert(self.keys.hash_one(name));
            }
        }
        met.is_full |= bound::is_reached(met.stay.capacity() * ENTRY);
    }

    /// An entry that was added has been removed since.
    pub fn remove(&self, name: &CStr) {
        let mut met = lock(&self.met);
        met.stay.remove(&self.keys.hash_one(name));
        met.has_removed = true;
    }

    /// A reading of the directory, and all that is below it, is done: whether something may have
    /// been left out, so that it must be listed again.
    ///
    /// # Errors
    /// There were too many relistings, or too many entries stay.
    pub fn must_relist(&self) -> io::Result<bool> {
        let mut met = lock(&self.met);
        let has_removed = std::mem::take(&mut met.has_removed);
        if has_removed
            && (met.is_full || self.relistings.fetch_add(1, Ordering::Relaxed) >= MAX_RELISTINGS)
        {
            return Err(io::Error::other("it does not end: entries are added, or too many stay"));
        }
        Ok(has_removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_read_until_nothing_is_removed() {
        let staying = Staying::default();
        staying.add([(c"stays", false), (c"goes", true)].into_iter());
        assert!(staying.has(c"stays") && !staying.has(c"goes"));
        assert_eq!([(); 2].map(|()| staying.must_relist().ok()), [Some(true), Some(false)]);
        staying.remove(c"stays");
        assert!(!staying.has(c"stays"));
        assert_eq!([(); 2].map(|()| staying.must_relist().ok()), [Some(true), Some(false)]);
    }

    #[test]
    fn readings_end_though_another_process_adds_entries() {
        let staying = Staying::default();
        let readings = (0..1000).take_while(|_| {
            staying.add([(c"goes", true)].into_iter());
            matches!(staying.must_relist(), Ok(true))
        });
        assert_eq!(readings.count(), usize::from(MAX_RELISTINGS));
    }
}
