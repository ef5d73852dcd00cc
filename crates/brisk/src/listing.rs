//! [`Listing`]: the names that the first read of a directory brought.

use std::ffi::CStr;

use brisk_sys::RawEntries;

/// The names in the first buffer of a directory.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    pub(crate) entries: RawEntries<'a>,
    pub(crate) complete: bool,
}

impl<'a> Listing<'a> {
    /// The names, without `.` and `..`, in the directory's own order.
    pub fn names(&self) -> impl Iterator<Item = &'a CStr> + use<'a> {
        self.entries.clone().map(|entry| entry.name)
    }

    /// Whether these are all names of the directory. If not, more names may follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}
