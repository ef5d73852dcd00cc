//! [`ChangeBatch`]: what a watcher reports at a time.

use std::path::PathBuf;

use super::why::{Scanned, WhyScanned};
use crate::rescan::Report;

/// What changed since the last accepted batch.
///
/// A consumer that keeps a list of names first removes what the batch deletes and the old names of
/// what it renames, and then adds the rest. If an entry is gone when the consumer opens it, a later
/// batch reports it as deleted.
#[derive(Debug)]
pub struct ChangeBatch {
    /// The changes, as a rescan reports them.
    pub report: Report,
    /// What was scanned because events could not say what changed there.
    pub scanned: Vec<Scanned>,
    /// The number of the rescan that made the batch.
    pub(super) serial: u64,
}

impl ChangeBatch {
    /// Why everything was scanned; `None` if only parts or nothing were scanned.
    #[must_use]
    pub fn full(&self) -> Option<&WhyScanned> {
        self.scanned.iter().find(|scanned| scanned.place.is_none()).map(|scanned| &scanned.why)
    }

    /// Why the batch is not from events alone, as text for users: there was no state to compare
    /// with, or everything was scanned.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let no_state = self.report.no_state.as_ref().map(ToString::to_string);
        no_state.or_else(|| self.full().map(ToString::to_string))
    }

    /// The parts that were scanned: their paths, and why, as text for users.
    pub fn parts(&self) -> impl Iterator<Item = (PathBuf, String)> {
        self.scanned.iter().filter_map(|scanned| {
            Some((self.report.path(scanned.place.as_ref()?), scanned.why.to_string()))
        })
    }
}
