//! XFS's ioctls: for all inodes at once, and for what the file system is.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};

use super::call::{ioctl, retry};
use super::open::reopen;
use crate::Meta;
use crate::xfs::record::{RECORD, meta_of};

/// The number of inodes that one request asks for: 96 KiB of records.
const ROOM: usize = 512;

/// The kernel's `struct xfs_bulk_ireq`.
#[repr(C)]
struct BulkHeader {
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
struct BulkRequest {
    header: BulkHeader,
    records: [[u8; RECORD]; ROOM],
}

const XFS_IOC_BULKSTAT: libc::Ioctl = libc::_IOR::<BulkHeader>(b'X' as u32, 127);

/// A request for the inodes of one allocation group.
const OF_GROUP: u32 = 1;

/// The kernel's `struct xfs_fsop_geom_v4`, of which the UUID and the groups are wanted.
#[repr(C)]
#[derive(Default)]
struct Geometry {
    sizes: [u32; 3],
    groups: u32,
    more: [u32; 4],
    blocks: [u64; 4],
    uuid: [u8; 16],
    rest: [u32; 8],
}

/// XFS_IOC_FSGEOMETRY_V4.
const XFS_IOC_FSGEOMETRY: libc::Ioctl = libc::_IOR::<Geometry>(b'X' as u32, 124);

fn geometry(dir: BorrowedFd<'_>) -> io::Result<Geometry> {
    let dir = reopen(dir)?;
    let mut told = Geometry::default();
    // SAFETY: the kernel writes one geometry, which consists of numbers.
    unsafe { ioctl(dir.as_fd(), XFS_IOC_FSGEOMETRY, &mut told) }?;
    Ok(told)
}

/// The file system's own identity, which no mount changes.
pub(super) fn uuid(dir: BorrowedFd<'_>) -> Option<[u8; 16]> {
    Some(geometry(dir).ok()?.uuid)
}

/// How many allocation groups the file system of a directory has: parts whose inodes can be asked
/// about at once. System calls: openat, one ioctl, close.
///
/// # Errors
/// The errors of these calls: other file systems refuse the ioctl.
pub fn groups(dir: BorrowedFd<'_>) -> io::Result<u32> {
    Ok(geometry(dir)?.groups)
}

/// How many inodes the file system of a directory has in use. System calls: one fstatfs. The file
/// system is not checked to be XFS.
///
/// # Errors
/// The errors of the call.
pub fn inodes(dir: BorrowedFd<'_>) -> io::Result<u64> {
    let told = retry(|| rustix::fs::fstatvfs(dir))?;
    Ok(told.f_files.saturating_sub(told.f_ffree))
}

/// A request that begins with the first inode, of all groups or of one.
fn request(room: usize, group: Option<u32>) -> Box<BulkRequest> {
    let flags = group.map_or(0, |_| OF_GROUP);
    let room = room as u32;
    let group = group.unwrap_or(0);
    let header = BulkHeader { next: 0, flags, room, found: 0, group, reserved: [0; 5] };
    Box::new(BulkRequest { header, records: [[0; RECORD]; ROOM] })
}

/// Asks for the next inodes.
fn answer<'a>(dir: BorrowedFd<'_>, request: &'a mut BulkRequest) -> io::Result<&'a [[u8; RECORD]]> {
    request.header.room = request.header.room.min(ROOM as u32);
    // SAFETY: the kernel reads and writes the header, and writes at most `room` records, which
    // `request` has room for and which are valid whatever their bits.
    unsafe { ioctl(dir, XFS_IOC_BULKSTAT, request) }?;
    Ok(request.records.get(..request.header.found as usize).unwrap_or_default())
}

/// Whether the caller may use [`bulkstat`]. System calls: openat, one ioctl for one inode, close.
///
/// # Errors
/// As [`bulkstat`].
pub fn check(dir: BorrowedFd<'_>) -> io::Result<()> {
    let dir = reopen(dir)?;
    answer(dir.as_fd(), &mut request(1, None)).map(drop)
}

/// Calls `each` for every inode in one of the [`groups`] of the file system that `dir` is on, in
/// ascending order, until `each` breaks. The metadata has the type, mode, owner, group, number of
/// links, inode, size and four times. System calls: openat, one ioctl for 512 inodes, close.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN. A kernel before 5.3
/// and other file systems refuse the ioctl.
pub fn bulkstat(
    dir: BorrowedFd<'_>,
    group: u32,
    mut each: impl FnMut(Meta) -> ControlFlow<()>,
) -> io::Result<()> {
    let dir = reopen(dir)?;
    let mut request = request(ROOM, Some(group));
    loop {
        let found = answer(dir.as_fd(), &mut request)?;
        if found.is_empty() || found.iter().any(|record| each(meta_of(record)).is_break()) {
            return Ok(());
        }
    }
}
