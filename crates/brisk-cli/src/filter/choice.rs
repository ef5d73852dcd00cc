//! Which entries belong to the state: the filters, in the form that the library uses.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

use brisk::{Entry, Fields, Select};
use brisk_state::Choice;

use super::{Filters, Selecting};
use crate::front::messages::Caller;

/// The entries that pass the filters.
pub(crate) struct Chosen {
    filters: Filters,
    fingerprint: u64,
}

impl Chosen {
    /// Compiles the filters.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn new(selecting: &Selecting) -> Result<Chosen, String> {
        let filters = Filters::new(selecting, Caller::Brisk)?;
        Ok(Chosen { filters, fingerprint: fingerprint(selecting) })
    }
}

impl Choice for Chosen {
    fn by_name(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> Select {
        self.filters.select(entry, Fields::empty(), scratch)
    }

    fn by_metadata(&self, entry: &Entry<'_>, _: &mut Vec<u8>) -> bool {
        // The walk does not count these requests: they are asked of few files.
        let mut calls = 0;
        self.filters.by_metadata(entry, &mut calls)
    }

    fn is_all(&self) -> bool {
        self.filters.is_empty()
    }

    fn is_steady(&self) -> bool {
        !self.filters.depends_on_times()
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// The number of what the user said: the same words give the same number in each run, also if they
/// are relative to now. Files of rules count by their contents.
fn fingerprint(selecting: &Selecting) -> u64 {
    let Selecting { matching, ignoring, filtering, .. } = selecting;
    let mut hasher = DefaultHasher::new();
    format!("{matching:?} {ignoring:?} {filtering:?}").hash(&mut hasher);
    for file in &ignoring.ignore_files {
        // The rules say so if the file cannot be read.
        fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    if matching.full_path {
        // Relative paths begin there. The filters say so if the directory is not known.
        std::env::current_dir().unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(set: impl FnOnce(&mut Selecting)) -> u64 {
        let mut selecting = Selecting::default();
        set(&mut selecting);
        Chosen::new(&selecting).unwrap().fingerprint()
    }

    #[test]
    fn the_fingerprint_is_that_of_the_words() {
        let none = number(|_| {});
        let day =
            || number(|selecting| selecting.filtering.times.modified_after = Some("1d".into()));
        let before = day();
        assert_eq!(before, day(), "a time that is relative to now");
        let others = [
            none,
            before,
            number(|selecting| selecting.ignoring.hidden = true),
            number(|selecting| selecting.ignoring.exclude.push("x".into())),
            number(|selecting| selecting.filtering.extensions.push("rs".into())),
            number(|selecting| selecting.matching.pattern = "rs".into()),
        ];
        for (at, one) in others.iter().enumerate() {
            assert!(!others[..at].contains(one), "{at}");
        }
    }

    #[test]
    fn the_fingerprint_follows_a_file_of_rules() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("rules");
        let with = || number(|selecting| selecting.ignoring.ignore_files.push(file.clone()));
        fs::write(&file, "a\n").unwrap();
        let before = with();
        fs::write(&file, "b\n").unwrap();
        assert_ne!(before, with());
    }
}
