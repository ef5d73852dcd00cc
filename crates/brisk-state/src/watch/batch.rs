//! [`ChangeBatch`]: what a watcher tells at a time.

use std::path::PathBuf;

use super::why::{Scanned, WhyScanned};
use crate::rescan::Report;

/// Changes that belong together: what changed since the last accepted batch.
///
/// A consumer that keeps names first takes away all that the batch deletes, with the old names of
/// what was renamed, and then adds the rest. An entry that is gone when the consumer looks will be
/// told as deleted.
#[derive(Debug)]
pub struct ChangeBatch {
    /// The changes, as a rescan reports them.
    pub report: Report,
    /// What was scanned because events could not say what changed there.
    pub scanned: Vec<Scanned>,
    /// The number of the batch's look at the trees.
    pub(super) serial: u64,
}

impl ChangeBatch {
    /// Why everything was scanned; `None` if only parts were, or nothing.
    #[must_use]
    pub fn full(&self) -> Option<&WhyScanned> {
        self.scanned.iter().find(|scanned| scanned.place.is_none()).map(|scanned| &scanned.why)
    }

    /// Why the batch has more than what events have said, for users: there was no state to compare
    /// with, or everything was scanned.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let no_state = self.report.no_state.as_ref().map(ToString::to_string);
        no_state.or_else(|| self.full().map(ToString::to_string))
    }

    /// The parts that were scanned: their paths, and why, for users.
    pub fn parts(&self) -> impl Iterator<Item = (PathBuf, String)> {
        self.scanned.iter().filter_map(|scanned| {
            Some((self.report.path(scanned.place.as_ref()?), scanned.why.to_string()))
        })
    }
}
