//! [`Report`]: what a change did, in numbers.

use crate::Stats;

/// What a change did.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries that were changed; in a dry run, of those that would be.
    pub changed: u64,
    /// The number of entries that were already as requested, or that
    /// [`from`](field@super::Change::from) excludes.
    pub retained: u64,
    /// The number of errors.
    pub failed: u64,
    /// The observer stopped the change before its end.
    pub stopped: bool,
    /// System calls, workers, time.
    pub stats: Stats,
}

impl Report {
    /// Adds what another worker did.
    pub(super) fn add(&mut self, other: &Report) {
        self.changed += other.changed;
        self.retained += other.retained;
        self.failed += other.failed;
        self.stopped |= other.stopped;
    }
}
