//! The entries that were removed: the only state between requests, and only with `--removable`.
//!
//! The tree itself is computed, so the state is a set of inode numbers, and for each directory the
//! number of its removed entries. Positions in a directory do not change: a listing goes on where
//! it was, whichever entries are removed meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The inodes that were removed.
#[derive(Debug, Default)]
pub struct Gone(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    inodes: HashSet<u64>,
    /// How many entries of a directory were removed.
    of: HashMap<u64, u64>,
}

impl Gone {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code panics while the set is half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the inode was removed.
    pub fn has(&self, ino: u64) -> bool {
        self.lock().inodes.contains(&ino)
    }

    /// How many entries of a directory were removed.
    pub fn of(&self, dir: u64) -> u64 {
        self.lock().of.get(&dir).copied().unwrap_or(0)
    }

    /// Removes an entry; `false` if it was gone already.
    pub fn take(&self, dir: u64, ino: u64) -> bool {
        let mut inner = self.lock();
        let taken = inner.inodes.insert(ino);
        if taken {
            *inner.of.entry(dir).or_default() += 1;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_goes_once() {
        let gone = Gone::default();
        assert!(gone.take(1, 7) && gone.take(1, 8));
        assert!(!gone.take(1, 7));
        assert!(gone.has(7) && !gone.has(9));
        assert_eq!((gone.of(1), gone.of(7)), (2, 0));
    }
}
