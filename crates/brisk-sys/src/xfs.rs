//! Metadata of all inodes of an XFS in bulk, without their names.
//!
//! The kernel's answer has the inode's timestamps as they are in memory. The size is that of what
//! has been written to the device: a file with dirty pages may have another one. So a difference
//! means that a caller must ask by statx. Equality holds as far as timestamps do, and these count
//! as coarse ones: the call does not make the next change use a finer timestamp, as statx does.

use std::io;
use std::ops::ControlFlow;

use crate::{BorrowedHandle, Fields, FileType, Meta, Timestamp, native};

/// How many inodes the file system of a directory has in use. Linux: one fstatfs. The file system
/// is not checked to be XFS.
///
/// # Errors
/// The errors of the call; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn inodes(dir: BorrowedHandle<'_>) -> io::Result<u64> {
    native::xfs::inodes(dir)
}

/// Hands on the metadata of each inode of the file system that a directory is on, in ascending
/// order, until `each` breaks. Filled are the type, mode, owner, group, number of links, inode,
/// size and four times. Linux: openat, one ioctl for 512 inodes, close.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN;
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems. A kernel before 5.3 and other file
/// systems refuse the ioctl.
pub fn bulkstat(
    dir: BorrowedHandle<'_>,
    each: impl FnMut(Meta) -> ControlFlow<()>,
) -> io::Result<()> {
    native::xfs::bulkstat(dir, each)
}

/// The size of a record, in bytes.
pub const RECORD: usize = 192;

/// The metadata in a record, `struct xfs_bulkstat`. Its numbers are the processor's. Makes no
/// system call.
///
/// ```text
///   0     8      16..32   32..64                64    68    72    80..96        112     132
///   | ino | size | …      | seconds of 4 times  | gen | uid | gid | nanoseconds | nlink | mode
/// ```
#[must_use]
pub fn meta_of(record: &[u8; RECORD]) -> Meta {
    let mode = u32::from(u16::from_ne_bytes(bytes_at(record, 132)));
    Meta {
        filled: Fields::TYPE
            | Fields::MODE
            | Fields::NLINK
            | Fields::UID
            | Fields::GID
            | Fields::INO
            | Fields::SIZE
            | Fields::ATIME
            | Fields::MTIME
            | Fields::CTIME
            | Fields::BTIME,
        file_type: FileType::from_mode(mode),
        mode,
        nlink: u64::from(u32_at(record, 112)),
        uid: u32_at(record, 68),
        gid: u32_at(record, 72),
        ino: u64::from_ne_bytes(bytes_at(record, 0)),
        size: u64::from_ne_bytes(bytes_at(record, 8)),
        atime: time(record, 0),
        mtime: time(record, 1),
        ctime: time(record, 2),
        btime: time(record, 3),
        ..Meta::default()
    }
}

/// One of the four times.
fn time(record: &[u8; RECORD], at: usize) -> Timestamp {
    let secs = i64::from_ne_bytes(bytes_at(record, 32 + 8 * at));
    Timestamp { secs, nanos: u32_at(record, 80 + 4 * at) }
}

fn u32_at(record: &[u8; RECORD], at: usize) -> u32 {
    u32::from_ne_bytes(bytes_at(record, at))
}

fn bytes_at<const N: usize>(record: &[u8; RECORD], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| record[at + byte])
}

#[cfg(test)]
mod tests;
