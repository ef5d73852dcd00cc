//! The file system of a directory: `std` does not tell.

use std::io;

use crate::BorrowedHandle;
use crate::volume::Volume;

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn volume_of(_: BorrowedHandle<'_>) -> io::Result<Volume> {
    Err(io::ErrorKind::Unsupported.into())
}
