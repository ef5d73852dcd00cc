//! [`Budget`]: how much a unit reads before it hands back the rest.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use brisk::Cancel;
use brisk_table::dataset::Unit;

/// What a worker has at most read before it charges it: some milliseconds' work.
const HANDFUL: u64 = 4 << 10;

/// How much a unit may read. Once it is used up, no other directory is entered.
pub(crate) struct Budget {
    began: Instant,
    time: Option<Duration>,
    /// Entries and directories.
    most: u64,
    handful: u64,
    spent: AtomicU64,
    pub cancel: Cancel,
}

impl Budget {
    pub fn of(unit: &Unit) -> Budget {
        let most = unit.budget_entries.unwrap_or(u64::MAX);
        Budget {
            began: Instant::now(),
            time: unit.budget_seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()),
            most,
            handful: (most / 64).clamp(1, HANDFUL),
            spent: AtomicU64::new(0),
            cancel: Cancel::new(),
        }
    }

    /// Charges what a worker has read, if it is a handful or took long.
    #[inline]
    pub fn spend(&self, read: &mut u64, slow: bool) {
        if slow || *read >= self.handful {
            self.charge(std::mem::take(read));
        }
    }

    /// A unit that has read nothing yet goes on: each unit enters at least one directory.
    #[cold]
    fn charge(&self, read: u64) {
        let spent = self.spent.fetch_add(read, Relaxed) + read;
        let is_late = || self.time.is_some_and(|time| self.began.elapsed() >= time);
        if spent > 0 && (spent >= self.most || is_late()) {
            self.cancel.at_boundary();
        }
    }
}
