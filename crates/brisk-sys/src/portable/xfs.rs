//! XFS: Linux alone has it.

use std::io;
use std::ops::ControlFlow;

use crate::{BorrowedHandle, Meta};

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn groups(_: BorrowedHandle<'_>) -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn inodes(_: BorrowedHandle<'_>) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn check(_: BorrowedHandle<'_>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn bulkstat(
    _: BorrowedHandle<'_>,
    _: u32,
    _: impl FnMut(Meta) -> ControlFlow<()>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
