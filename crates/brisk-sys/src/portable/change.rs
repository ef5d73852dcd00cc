//! Changing modes and owners by a directory's handle: `std` cannot, so nothing here does.

use std::ffi::CStr;
use std::io;

use crate::{BorrowedHandle, Fields, Ids, Links, Meta};

/// Not supported. Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn stat(_: BorrowedHandle<'_>, _: &CStr, _: Fields, _: Links) -> io::Result<Meta> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not supported. Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn set_mode(_: BorrowedHandle<'_>, _: &CStr, _: u32, _: Links) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not supported. Makes no system call.
///
/// # Errors
/// Always [`Unsupported`](io::ErrorKind::Unsupported).
pub fn set_owners(_: BorrowedHandle<'_>, _: &CStr, _: Ids, _: Ids, _: Links) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}
