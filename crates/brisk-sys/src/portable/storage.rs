//! What only some file systems of Linux report or do: nothing here.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::{BorrowedHandle, Buffer, Extent};

/// Always `None`. Makes no system call.
#[must_use]
pub fn magic(_: &Path) -> Option<u32> {
    None
}

/// Always `None`. Makes no system call.
#[must_use]
pub fn magic_at(_: BorrowedHandle<'_>) -> Option<u32> {
    None
}

/// Always `false`. Makes no system call.
#[must_use]
pub fn keep_first(_: BorrowedHandle<'_>, _: &mut Buffer, _: usize) -> bool {
    false
}

/// Does nothing. Makes no system call.
pub fn reserve(_: &File, _: u64) {}

/// Always `None`. Makes no system call.
#[must_use]
pub fn recursive_bytes(_: &Path) -> Option<u64> {
    None
}

/// Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn shared_extents(
    _: Option<BorrowedHandle<'_>>,
    _: &CStr,
    _: impl FnMut(Extent),
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
