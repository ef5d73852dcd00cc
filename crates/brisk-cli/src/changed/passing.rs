//! [`Passing`]: which changes pass other filters than those of the state, in a dry run.

use std::collections::HashSet;
use std::path::PathBuf;

use brisk::filter::{Filter, Scratch};
use brisk::ignore::{Level, Rules};
use brisk::unstable::hand_on;
use brisk::{Directory, Entry, Error, Fields, FileType, Flow, Needs, Recalled, Select, Visitor};
use brisk_state::{Change, Kind, Place, Report, Rescan};
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::{components, prefix};

use super::options::Options;
use crate::front::messages::{Caller, unnumbered};

/// The entries that pass, and what decides about those that are gone.
pub(super) struct Passing {
    present: HashSet<Place>,
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
        let report = rescan.run().map_err(|why| unnumbered(&why))?;
        Ok(Passing {
            present: report.changes.into_iter().map(|change| change.place).collect(),
            filter: options.selecting.filter(Caller::Brisk)?,
            rules,
        })
    }

    /// Leaves the changes that pass. An entry that still exists is not deleted, though the state
    /// would leave it out.
    pub(super) fn retain(&self, report: &mut Report) {
        let changes = std::mem::take(&mut report.changes);
        let is_gone = |place: &Place| report.path(place).symlink_metadata().is_err();
        let passes = |change: &Change| match change.kind {
            Kind::Unknown => true,
            Kind::Deleted => {
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
    fn would_pass(&self, roots: &[PathBuf], place: &Place, file_type: FileType) -> bool {
        let mut path = prefix(with_slashes(&roots[place.root]));
        let top = self.rules.as_ref().map(Rules::top);
        let mut asked = Asked { passing: self, level: top, is_taken: false };
        asked.enter(&path, 0);
        let count = components(&place.path).count();
        for (name, depth) in components(&place.path).zip(1..) {
            let is_last = depth == count;
            let mut entries = Recalled::of(0, 1);
            let is_name =
                entries.push(0, if is_last { file_type } else { FileType::Directory }, name);
            let (_, enters) = hand_on(&mut asked, &path, depth, 1, entries);
            if !is_name || !enters && !is_last {
                return false;
            }
            path.extend([name, b"/"].concat());
            asked.enter(&path, depth);
        }
        // Of a root, which has a path of its own, no filter is asked.
        asked.is_taken || count == 0
    }
}

/// The visitor to which the components of a path are handed.
struct Asked<'p> {
    passing: &'p Passing,
    level: Option<Level>,
    is_taken: bool,
}

impl Asked<'_> {
    fn enter(&mut self, prefix: &[u8], depth: usize) {
        self.level = self.level.as_ref().map(|level| level.enter_above(prefix, depth).0);
    }
}

impl Visitor for Asked<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(Fields::empty())
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let is_ignored = self.level.as_ref().is_some_and(|level| level.is_ignored(entry));
        let found = match is_ignored {
            true => Select::Drop,
            false => self.passing.filter.select(entry, Fields::empty(), &mut Scratch::default()),
        };
        self.is_taken = matches!(found, Select::Take(_));
        found
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
        Flow::Continue
    }

    fn error(&mut self, _: Error) -> Flow {
        Flow::Continue
    }
}
