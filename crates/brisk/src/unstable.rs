//! What the program brisk needs of the library. It may change in any version, and is not for others.

use std::ffi::CStr;
use std::io;

pub use brisk_sys::append;

pub use crate::remove::settings::Known;
use crate::remove::{Remove, Root};
pub use crate::tree::bound;

/// Which file a path that was looked up leads to.
#[must_use]
pub fn known(root: &Root) -> Known {
    root.known
}

/// Gives a file that was looked up another name in its directory, which must be free. System calls:
/// one renameat2, and statx of the file and of the directory, to see that it is the file that was
/// looked up; if not, another renameat2 takes that back.
///
/// # Errors
/// What the operating system says; [`io::ErrorKind::NotFound`] if another file had the name by
/// then.
pub fn rename(root: &Root, new: &CStr) -> io::Result<()> {
    root.rename(new)
}

/// Removes the file at the paths only if it is exactly this one, in this directory; any other file
/// is a failure. For a tree whose removal another process began and did not finish.
#[must_use]
pub fn only(remove: Remove, known: Known) -> Remove {
    remove.only(known)
}
