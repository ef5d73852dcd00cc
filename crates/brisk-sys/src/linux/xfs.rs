//! XFS's ioctls for all inodes at once.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::call::{outcome, retry};
use super::volume::reopen;
use crate::Meta;
use crate::xfs::record::{RECORD, meta_of};

/// The number of inodes that one request asks for: 96 KiB of records.
const ROOM: usize = 512;

/// The kernel's `struct xfs_bulk_ireq`.
#[repr(C)]
struct Header {
    /// The inode to begin with; in the answer, the one to go on with.
    next: u64,
    flags: u32,
    room: u32,
    found: u32,
    group: u32,
    reserved: [u64; 5],
}

/// The kernel's `struct xfs_bulkstat_req`.
#[repr(C)]
struct Request {
    header: Header,
    records: [[u8; RECORD]; ROOM],
}

const XFS_IOC_BULKSTAT: libc::Ioctl = libc::_IOR::<Header>(b'X' as u32, 127);

pub(crate) fn inodes(dir: BorrowedFd<'_>) -> io::Result<u64> {
    let told = retry(|| rustix::fs::fstatvfs(dir))?;
    Ok(told.f_files.saturating_sub(told.f_ffree))
}

pub(crate) fn bulkstat(
    dir: BorrowedFd<'_>,
    mut each: impl FnMut(Meta) -> ControlFlow<()>,
) -> io::Result<()> {
    let dir = reopen(dir)?;
    let room = ROOM as u32;
    let header = Header { next: 0, flags: 0, room, found: 0, group: 0, reserved: [0; 5] };
    let mut request = Box::new(Request { header, records: [[0; RECORD]; ROOM] });
    loop {
        // SAFETY: the kernel reads and writes the header, and writes at most `room` records, which
        // `request` has room for and which are valid whatever their bits.
        retry(|| unsafe {
            outcome(libc::ioctl(dir.as_raw_fd(), XFS_IOC_BULKSTAT, &raw mut *request).into())
        })?;
        let found = request.records.get(..request.header.found as usize).unwrap_or_default();
        if found.is_empty() || found.iter().any(|record| each(meta_of(record)).is_break()) {
            return Ok(());
        }
    }
}
