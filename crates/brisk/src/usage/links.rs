//! [`Links`]: in which directory a file with several links counts.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

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

/// Whether a link that was met counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Yes: the file is met for the first time.
    New,
    /// Yes: the file has counted in another directory, which comes later.
    Moved,
    /// No.
    Known,
}

/// The files with several links that were met.
#[derive(Debug, Default)]
pub(super) struct Links {
    rule: HardLinks,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Each with the number of the directory that it counts in.
    inodes: Inodes,
    /// The directories by their numbers, from 1 on.
    directories: Vec<Arc<Account>>,
}

impl Links {
    pub fn new(rule: HardLinks) -> Links {
        Links { rule, known: Mutex::default() }
    }

    /// A file with several links was met in this directory.
    pub fn claim(&self, id: Identity, here: &Arc<Account>, sums: Sums) -> Claim {
        let is_new = |known: Option<&mut u32>| known.map_or(Claim::New, |_| Claim::Known);
        match self.rule {
            HardLinks::Each => Claim::New,
            HardLinks::FirstMet => is_new(lock(&self.known).inodes.add(id, 1)),
            HardLinks::FirstSorted => lock(&self.known).claim(id, here, sums),
        }
    }
}

impl Known {
    fn claim(&mut self, id: Identity, here: &Arc<Account>, sums: Sums) -> Claim {
        let number = self.number(here);
        let Some(holder) = self.inodes.add(id, number) else { return Claim::New };
        if *holder == number {
            return Claim::Known;
        }
        let there = &self.directories[*holder as usize - 1];
        if !here.precedes(there) {
            return Claim::Known;
        }
        there.own.subtract(Sums { newest: None, ..sums });
        *holder = number;
        Claim::Moved
    }

    /// The number of this directory.
    fn number(&mut self, here: &Arc<Account>) -> u32 {
        if here.number.load(Relaxed) == 0 {
            self.directories.push(Arc::clone(here));
            let number = u32::try_from(self.directories.len());
            here.number.store(number.expect("BUG: more directories than memory holds"), Relaxed);
            here.waits.store(true, Relaxed);
        }
        here.number.load(Relaxed)
    }
}
