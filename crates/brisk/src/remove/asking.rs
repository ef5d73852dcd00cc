//! [`Asking`]: the requests for one entry's metadata in a removal with questions.

use std::ffi::CStr;
use std::io;

use brisk_sys::{Dir, Freshness, Links};

use crate::{Fields, Meta};

/// Asks for an entry's metadata, but not again after a failure.
pub(super) struct Asking<'a> {
    pub handle: &'a Dir,
    pub name: &'a CStr,
    pub calls: u64,
    pub refused: Option<io::Error>,
}

impl Asking<'_> {
    pub fn ask(&mut self, fields: Fields) -> Option<Meta> {
        if self.refused.is_some() {
            return None;
        }
        self.calls += 1;
        let told = self.handle.stat(self.name, fields, Links::NoFollow, Freshness::AsStat);
        told.map_err(|error| self.refused = Some(error)).ok()
    }
}
