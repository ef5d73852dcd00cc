//! Btrfs: Linux alone has it.

use std::io;
use std::ops::ControlFlow;

use crate::BorrowedHandle;
use crate::btrfs::items::Subvolume;

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn subvolume_of(_: BorrowedHandle<'_>) -> io::Result<Subvolume> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn changed_since(
    _: BorrowedHandle<'_>,
    _: u64,
    _: impl FnMut(u64) -> ControlFlow<()>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn sync(_: BorrowedHandle<'_>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
