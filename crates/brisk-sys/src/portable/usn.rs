//! The journal of NTFS ([`nt::usn`](crate::nt::usn)): Windows alone has it.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use crate::BorrowedHandle;
use crate::nt::usn::{Position, UsnJournal, UsnRecord};

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn open_volume(_: BorrowedHandle<'_>) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn journal_of(_: &File) -> io::Result<UsnJournal> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn changed_since(
    _: &File,
    _: &Position,
    _: impl FnMut(UsnRecord) -> ControlFlow<()>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn directories_of(_: &File, _: u64) -> io::Result<Vec<u64>> {
    Err(io::ErrorKind::Unsupported.into())
}
