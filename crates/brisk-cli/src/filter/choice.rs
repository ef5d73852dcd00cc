//! Which entries belong to the state: the filters, in the form that the library uses.

use brisk::{Entry, Fields, Select};
use brisk_state::Choice;
use xxhash_rust::xxh3::xxh3_64;

use super::{Filters, Selecting};
use crate::front::messages::Caller;

/// The entries that pass the filters.
pub(crate) struct Chosen {
    filters: Filters,
    fingerprint: u64,
}

impl Chosen {
    /// Compiles the filters. `words` say the same: equal words have the same fingerprint in each
    /// run, also if they are relative to now.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn new(selecting: &Selecting, words: &[u8]) -> Result<Chosen, String> {
        let filters = Filters::new(selecting, Caller::Brisk)?;
        // Where relative paths begin counts too.
        let base = filters.base.as_deref().unwrap_or_default();
        let fingerprint = xxh3_64(&[words, b"\0", base].concat());
        Ok(Chosen { filters, fingerprint })
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
