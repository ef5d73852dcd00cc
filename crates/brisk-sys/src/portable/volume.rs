//! The file system of a directory: `std` does not report it.

use std::io;
use std::path::Path;

use crate::BorrowedHandle;
use crate::volume::kind::{Mount, Volume};

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn volume_of(_: BorrowedHandle<'_>) -> io::Result<Volume> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn mounts_below(_: &Path) -> io::Result<Vec<Mount>> {
    Err(io::ErrorKind::Unsupported.into())
}
