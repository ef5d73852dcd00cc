//! [`At`]: where the operating system finds an entry that a visitor acts on.

use std::ffi::CStr;
use std::io;

use brisk_sys::{BorrowedHandle, Dir, base_of};

/// Where the operating system finds an entry: a name relative to the handle of a directory, as the
/// calls that end in `at` take them.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub(crate) base: BorrowedHandle<'a>,
    pub(crate) name: &'a CStr,
}

impl<'a> At<'a> {
    pub(crate) fn new(dir: &'a Dir, name: &'a CStr) -> io::Result<At<'a>> {
        Ok(At { base: base_of(dir)?, name })
    }

    /// The entry's name. For a root this is the path as it was given, which may have several
    /// components, or `.` if the caller has the root open; in a removal its last component.
    #[must_use]
    pub fn name(&self) -> &'a CStr {
        self.name
    }

    /// The descriptor of the directory that the name is relative to: `AT_FDCWD` for a root, except
    /// in a removal. It is valid for the time of the call to the visitor.
    #[cfg(unix)]
    #[must_use]
    pub fn as_fd(&self) -> BorrowedHandle<'a> {
        self.base
    }

    /// The handle of the directory that the name is relative to, valid for the time of the call to
    /// the visitor.
    #[cfg(not(unix))]
    #[must_use]
    pub fn as_handle(&self) -> BorrowedHandle<'a> {
        self.base
    }
}
