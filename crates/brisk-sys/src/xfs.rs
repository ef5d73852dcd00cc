//! Metadata of all inodes of an XFS in bulk, without their names.
//!
//! The kernel's answer has the inode's timestamps as they are in memory. The size is that of what
//! has been written to the device: a file with dirty pages may have another one. So a difference
//! means that a caller must ask by statx. Equality holds as far as timestamps do, and these count
//! as coarse ones: the call does not make the next change use a finer timestamp, as statx does.

pub(crate) mod record;

use std::io;
use std::ops::ControlFlow;

pub use record::{RECORD, meta_of};

use crate::{BorrowedHandle, Meta, native};

/// How many inodes the file system of a directory has in use. Linux: one fstatfs. The file system
/// is not checked to be XFS.
///
/// # Errors
/// The errors of the call; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn inodes(dir: BorrowedHandle<'_>) -> io::Result<u64> {
    native::xfs::inodes(dir)
}

/// How many allocation groups the file system of a directory has: parts whose inodes can be asked
/// about at once. Linux: openat, one ioctl, close.
///
/// # Errors
/// The errors of these calls: other file systems refuse the ioctl.
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn groups(dir: BorrowedHandle<'_>) -> io::Result<u32> {
    native::xfs::groups(dir)
}

/// Whether the caller may use [`bulkstat`]. Linux: openat, one ioctl for one inode, close.
///
/// # Errors
/// As [`bulkstat`].
pub fn check(dir: BorrowedHandle<'_>) -> io::Result<()> {
    native::xfs::check(dir)
}

/// Calls `each` for every inode in one of the [`groups`] of the file system that `dir` is on, in
/// ascending order, until `each` breaks. The metadata has the type, mode, owner, group, number of
/// links, inode, size and four times. Linux: openat, one ioctl for 512 inodes, close.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN;
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems. A kernel before 5.3 and other file
/// systems refuse the ioctl.
pub fn bulkstat(
    dir: BorrowedHandle<'_>,
    group: u32,
    each: impl FnMut(Meta) -> ControlFlow<()>,
) -> io::Result<()> {
    native::xfs::bulkstat(dir, group, each)
}

#[cfg(test)]
mod tests;
