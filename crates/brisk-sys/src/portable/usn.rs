//! The journal of NTFS: Windows alone has it.

use std::io;
use std::ops::ControlFlow;

use crate::BorrowedHandle;
use crate::nt::usn::{Change, Journal};

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn journal_of(_: BorrowedHandle<'_>) -> io::Result<Journal> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn changed_since(
    _: BorrowedHandle<'_>,
    _: &Journal,
    _: impl FnMut(Change) -> ControlFlow<()>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
