//! [`Passing`]: which changes pass other filters than those of the state, in a dry run.

use std::collections::HashSet;
use std::path::PathBuf;

use brisk::FileType;
use brisk::filter::{Early, Filter, Scratch};
use brisk::ignore::{Level, Rules};
use brisk::unstable::as_entry;
use brisk_state::{Change, ChangeKind, Report, Rescan, RootedPath};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::{components, prefix};

use super::flags::Options;
use crate::front::messages::Caller;

/// The entries that pass, and what decides about those that are gone.
pub(super) struct Passing {
    present: HashSet<RootedPath>,
    filter: Filter,
    rules: Option<Rules>,
}

impl Passing {
    /// Walks the trees with these filters. `rescan` has no state to compare with.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn find(options: &Options, rescan: Rescan) -> Result<Passing, String> {
        let rules = rescan.rules.clone();
        let report = options.compare.run_showing_progress(rescan)?;
        Ok(Passing {
            present: report.changes.into_iter().map(|change| change.place).collect(),
            filter: options.compare.selecting.filter(Caller::Brisk)?,
            rules,
        })
    }

    /// Keeps only the changes that pass. A deleted entry that still exists is one that the state's
    /// filter no longer chooses: it is dropped.
    pub(super) fn retain(&self, report: &mut Report) {
        let changes = std::mem::take(&mut report.changes);
        let is_gone = |place: &RootedPath| report.path(place).symlink_metadata().is_err();
        let passes = |change: &Change| match change.kind {
            ChangeKind::Unknown => true,
            ChangeKind::Deleted => {
                is_gone(&change.place)
                    && self.would_pass(&report.roots, &change.place, change.file_type)
            }
            _ => {
                let from = || change.from.as_ref();
                self.present.contains(&change.place)
                    || from()
                        .is_some_and(|from| self.would_pass(&report.roots, from, change.file_type))
            }
        };
        let changes = changes.into_iter().filter(passes).collect();
        report.changes = changes;
    }

    /// Whether an entry that is gone would pass, by its path and its type.
    fn would_pass(&self, roots: &[PathBuf], place: &RootedPath, file_type: FileType) -> bool {
        let mut path = prefix(with_slashes(&roots[place.root]));
        let level = |level: &Level, path: &[u8], depth| level.enter_above(path, depth).0;
        let mut rules = self.rules.as_ref().map(|rules| level(&rules.top(), &path, 0));
        // A root always passes: filters judge only what is below it.
        let mut found = true;
        let count = components(&place.path).count();
        for (name, depth) in components(&place.path).zip(1..) {
            let file_type = if depth == count { file_type } else { FileType::Directory };
            let asked = as_entry(&path, depth, name, file_type, |entry| {
                let is_ignored = rules.as_ref().is_some_and(|rules| entry.is_ignored_by(rules));
                let early = self.filter.early(entry, &mut Scratch::default());
                found = !is_ignored && early != Early::No;
                found || !is_ignored && !entry.is_pruned()
            });
            if asked != Some(true) {
                return false;
            }
            path.extend([name, b"/"].concat());
            rules = rules.map(|rules| level(&rules, &path, depth));
        }
        found
    }
}
