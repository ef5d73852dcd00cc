//! Btrfs: Linux alone has it.

use std::convert::Infallible;
use std::ffi::CStr;
use std::io;
use std::ops::ControlFlow;

use crate::BorrowedHandle;
use crate::btrfs::items::{StoredExtent, Subvolume};

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

/// There is none.
#[derive(Debug)]
pub struct Inspected(Infallible);

impl Inspected {
    /// Makes no system call.
    ///
    /// # Errors
    /// Always [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn open(_: Option<BorrowedHandle<'_>>, _: &CStr) -> io::Result<Inspected> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn place(&self) -> io::Result<([u8; 16], u64)> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn extents(&self, _: u64, _: impl FnMut(StoredExtent)) -> io::Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn users(&self, _: StoredExtent) -> io::Result<Option<Vec<(u64, u64)>>> {
        match self.0 {}
    }
}
