//! [`Rounds`]: whether COMMAND starts itself, by what it writes.

use std::time::SystemTime;

use brisk_state::{Change, Report};

use crate::front::messages::Caller;
use crate::show::quoting::quoted;

/// How many runs may follow one another without an edit by another program. A generator that reads
/// what it has written comes to rest sooner.
const MAX: usize = 5;

/// How many paths a message names.
const NAMED: usize = 3;

/// Counts runs of COMMAND that the run before has caused.
#[derive(Default)]
pub(super) struct Rounds {
    /// When COMMAND last ended.
    pub(super) ended: Option<SystemTime>,
    count: usize,
}

impl Rounds {
    /// Counts a run that is about to start on these changes. One lstat or two for each change, until
    /// one is later than the end of the run before.
    pub(super) fn note(&mut self, report: &Report) {
        let is_own = |ended| report.changes.iter().all(|change| is_older(report, change, ended));
        self.count = if self.ended.is_some_and(is_own) { self.count + 1 } else { 0 };
        if self.count == MAX {
            let shown = report.changes.iter().take(NAMED);
            let shown: Vec<_> = shown.map(|change| quoted(&report.path(&change.place))).collect();
            let rest = report.changes.len().saturating_sub(NAMED);
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            Caller::Brisk.complain(&format!(
                "the command keeps changing what starts it: {}{rest}; leave out what \
                 it writes with --output GLOB",
                shown.join(", ")
            ));
        }
    }
}

/// Whether a change was made before this time: by its mtime, and by its directory's, which tells
/// when a name came or went.
fn is_older(report: &Report, change: &Change, time: SystemTime) -> bool {
    let path = report.path(&change.place);
    let places = [Some(path.as_path()), path.parent()];
    let times = places.into_iter().flatten().filter_map(|path| path.symlink_metadata().ok());
    times.filter_map(|meta| meta.modified().ok()).all(|mtime| mtime <= time)
}
