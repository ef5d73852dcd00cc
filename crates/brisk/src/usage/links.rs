//! [`Links`]: in which directory a file with several links counts.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use brisk_sys::Identity;

use super::account::Account;
use super::sums::Sums;
use crate::inodes::Inodes;
use crate::sched::lock;

/// How files with several hard links count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HardLinks {
    /// Once, in the first of their directories in sorted order, so that every run has the same
    /// sums. Sums of directories that have such files, in them or below, are delivered at the end.
    #[default]
    FirstSorted,
    /// Once, where they are met first, as GNU du does. Roots are walked one after the other.
    FirstMet,
    /// As often as they are met. Roots are walked one after the other.
    Each,
}

/// The files with several links that were met.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Each with the number of the directory that it counts in.
    inodes: Inodes,
    /// The directories by their numbers, from 1 on.
    directories: Vec<Arc<Account>>,
}

impl Links {
    /// A file with several links was met in this directory; `None` where it counts in the one in
    /// which it is met first. Returns whether it counts there: then it was not met before, or it
    /// moves from a directory that comes later.
    pub fn claim(&mut self, id: Identity, here: Option<&Arc<Account>>, sums: Sums) -> bool {
        let number = here.map_or(1, |here| self.number(here));
        let Some(holder) = self.inodes.add(id, number) else { return true };
        let Some(here) = here.filter(|_| holder != number) else { return false };
        let there = &self.directories[holder as usize - 1];
        let moves = here.precedes(there);
        if moves {
            *lock(&there.own) -= sums;
            self.inodes.set(id, number);
        }
        moves
    }

    /// The number of this directory.
    fn number(&mut self, here: &Arc<Account>) -> u32 {
        if here.number.load(Relaxed) == 0 {
            self.directories.push(Arc::clone(here));
            let number = u32::try_from(self.directories.len());
            here.number.store(number.expect("BUG: more directories than memory holds"), Relaxed);
            here.mark(|account| &account.waits);
        }
        here.number.load(Relaxed)
    }
}
