//! [`Sums`]: what files take, added up; and [`Tally`], to which workers add at the same time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::Timestamp;
use crate::sched::lock;

/// What one file takes, or several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sums {
    /// The bytes allocated: blocks of 512 bytes, as `st_blocks` counts them.
    pub allocated: u64,
    /// The bytes of the contents. Of which types they count: [`Apparent`](super::Apparent).
    pub apparent: u64,
    /// The number of files and directories; hard links as [`HardLinks`](super::HardLinks) says.
    pub entries: u64,
    /// The newest time of the kind that the caller asked for ([`Usage::time`](super::Usage::time)).
    pub newest: Option<Timestamp>,
}

impl Sums {
    /// Both together.
    #[must_use]
    pub(super) fn plus(self, other: Sums) -> Sums {
        Sums {
            allocated: self.allocated.wrapping_add(other.allocated),
            apparent: self.apparent.wrapping_add(other.apparent),
            entries: self.entries.wrapping_add(other.entries),
            newest: self.newest.max(other.newest),
        }
    }

    /// As a caller sees it. A file that grows while its links are met is subtracted with another
    /// size than it was added with, so that a sum can be less than 0.
    #[must_use]
    pub(super) fn shown(self) -> Sums {
        let shown = |sum: u64| sum.cast_signed().max(0).cast_unsigned();
        let (allocated, apparent) = (shown(self.allocated), shown(self.apparent));
        Sums { allocated, apparent, ..self }
    }
}

/// Sums to which workers add at the same time.
#[derive(Debug, Default)]
pub(super) struct Tally {
    allocated: AtomicU64,
    apparent: AtomicU64,
    entries: AtomicU64,
    newest: Mutex<Option<Timestamp>>,
}

impl Tally {
    pub fn add(&self, sums: Sums) {
        self.allocated.fetch_add(sums.allocated, Relaxed);
        self.apparent.fetch_add(sums.apparent, Relaxed);
        self.entries.fetch_add(sums.entries, Relaxed);
        if sums.newest.is_some() {
            let mut newest = lock(&self.newest);
            *newest = newest.max(sums.newest);
        }
    }

    /// Takes back what was added, or will be. The newest time stays.
    pub fn subtract(&self, sums: Sums) {
        self.allocated.fetch_sub(sums.allocated, Relaxed);
        self.apparent.fetch_sub(sums.apparent, Relaxed);
        self.entries.fetch_sub(sums.entries, Relaxed);
    }

    pub fn sums(&self) -> Sums {
        Sums {
            allocated: self.allocated.load(Relaxed),
            apparent: self.apparent.load(Relaxed),
            entries: self.entries.load(Relaxed),
            newest: *lock(&self.newest),
        }
    }
}
