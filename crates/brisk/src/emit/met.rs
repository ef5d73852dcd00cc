//! [`Met`]: which entries of a long directory a removal has met, so that it can read the directory
//! again.
//!
//! Some servers count the entries that are left, and go on at a number. A listing that goes on after
//! removals then leaves out as many entries as were removed:
//!
//! ```text
//!   a b c d e f    read from 0: a b c, which are removed
//!   d e f          read from 3: the end
//! ```
//!
//! So where the file system does not mark the end of a directory, and the directory took more than
//! one buffer, it is read again until a reading removes nothing. What stays is met once, whatever
//! the number of readings. (Test: `rm/live.rs`.)

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::ffi::CStr;
use std::hash::BuildHasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::sched::lock;
use crate::tree::bound;

/// The most readings. Each finds half of what the last one missed, so only a directory that another
/// process keeps filling needs more.
const MOST: u8 = 60;

/// The bytes that one entry takes, with the free places of the table.
const ENTRY: usize = 18;

/// What comes after a reading of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterReading {
    /// Nothing was left out.
    Done,
    Again,
    /// There were too many readings, or too many entries stay.
    GivenUp,
}

/// The entries that were met and stay, by the hashes of their names.
#[derive(Default)]
pub(crate) struct Met {
    /// Random keys, so that no user can make names whose hashes are equal.
    keys: RandomState,
    here: Mutex<MetNow>,
    readings: AtomicU8,
}

#[derive(Default)]
struct MetNow {
    stay: HashSet<u64>,
    /// An entry was removed in this reading.
    has_shifted: bool,
    is_full: bool,
}

impl Met {
    /// Whether an entry was met before, and stays.
    pub fn has(&self, name: &CStr) -> bool {
        lock(&self.here).stay.contains(&self.keys.hash_one(name))
    }

    /// Adds entries, each with whether it is gone.
    pub fn add<'a>(&self, entries: impl Iterator<Item = (&'a CStr, bool)>) {
        let mut here = lock(&self.here);
        for (name, is_gone) in entries {
            if is_gone {
                here.has_shifted = true;
            } else if !here.is_full {
                here.stay.insert(self.keys.hash_one(name));
            }
        }
        here.is_full |= bound::is_reached(here.stay.capacity() * ENTRY);
    }

    /// An entry that was added has been removed since.
    pub fn remove(&self, name: &CStr) {
        let mut here = lock(&self.here);
        here.stay.remove(&self.keys.hash_one(name));
        here.has_shifted = true;
    }

    /// A reading of the directory, and all that is below it, is done.
    pub fn next(&self) -> AfterReading {
        let mut here = lock(&self.here);
        if !std::mem::take(&mut here.has_shifted) {
            return AfterReading::Done;
        }
        let readings = self.readings.fetch_add(1, Ordering::Relaxed);
        if here.is_full || readings >= MOST { AfterReading::GivenUp } else { AfterReading::Again }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_read_until_nothing_is_removed() {
        let met = Met::default();
        met.add([(c"stays", false), (c"goes", true)].into_iter());
        assert!(met.has(c"stays") && !met.has(c"goes"));
        assert_eq!((met.next(), met.next()), (AfterReading::Again, AfterReading::Done));
        met.remove(c"stays");
        assert!(!met.has(c"stays"));
        assert_eq!((met.next(), met.next()), (AfterReading::Again, AfterReading::Done));
    }

    #[test]
    fn readings_end_though_another_process_adds_entries() {
        let met = Met::default();
        let readings = (0..1000).take_while(|_| {
            met.add([(c"goes", true)].into_iter());
            met.next() == AfterReading::Again
        });
        assert_eq!(readings.count(), usize::from(MOST));
    }
}
