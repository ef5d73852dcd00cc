//! What only some file systems report: shared extents (FIEMAP), the size of a whole tree on CephFS,
//! and entries of a directory once more.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::call::{ioctl, retry};
use crate::{BorrowedHandle, Buffer, Extent};

/// The number of extents that one request asks for: with 56 bytes each, less than one page.
const ROOM: usize = 64;

/// The flags of an extent, from linux/fiemap.h.
const LAST: u32 = 0x1;
const ENCODED: u32 = 0x8;
const SHARED: u32 = 0x2000;

/// FS_IOC_FIEMAP. The size in its number is that of the header alone.
const FS_IOC_FIEMAP: libc::Ioctl = libc::_IOWR::<FiemapHeader>(b'f' as u32, 11);

/// The kernel's `struct fiemap`.
#[repr(C)]
struct FiemapHeader {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
}

/// The kernel's `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Raw {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// One request: the header, and behind it room for the answer.
#[repr(C)]
struct FiemapRequest {
    header: FiemapHeader,
    extents: [Raw; ROOM],
}

/// The magic number (statfs(2)) of the file system that a path is on. System calls: one statfs.
#[must_use]
pub fn magic(path: &Path) -> Option<u32> {
    // The type of `f_type` differs between architectures; a magic number has 32 bits.
    retry(|| rustix::fs::statfs(path)).ok().map(|told| told.f_type as u32)
}

/// The magic number of the file system that a file or directory is on. System calls: one fstatfs.
#[must_use]
pub fn magic_at(dir: BorrowedHandle<'_>) -> Option<u32> {
    retry(|| rustix::fs::fstatfs(dir)).ok().map(|told| told.f_type as u32)
}

/// The bytes of all files below a directory of CephFS. System calls: one getxattr.
#[must_use]
pub fn recursive_bytes(path: &Path) -> Option<u64> {
    // A number of 64 bits has at most 20 digits.
    let mut room = [0; 32];
    let read = || rustix::fs::getxattr(path, c"ceph.dir.rbytes", &mut room[..]);
    let length = retry(read).ok()?;
    std::str::from_utf8(room.get(..length)?).ok()?.trim_end_matches('\0').parse().ok()
}

/// Keeps the first `count` entries of the buffer that was read from this directory last. The next
/// read begins with the others. Returns whether there were others, and the system goes back to
/// them. System calls: one lseek, if there are.
#[must_use]
pub fn keep_first(dir: BorrowedHandle<'_>, buffer: &mut Buffer, count: usize) -> bool {
    let Some((end, position)) = buffer.others_than(count) else { return false };
    let is_back = rustix::fs::seek(dir, rustix::fs::SeekFrom::Start(position)).is_ok();
    if is_back {
        buffer.truncate(end);
    }
    is_back
}

/// Reports those extents of a file that other files share, in the order of the file. `path` is
/// relative to `dir` or, without one, to the current directory; a link is not followed. System
/// calls: openat, one ioctl for 64 extents, close.
///
/// # Errors
/// The file cannot be opened for reading, or its file system knows no extents.
pub fn shared_extents(
    dir: Option<BorrowedHandle<'_>>,
    path: &CStr,
    mut each: impl FnMut(Extent),
) -> io::Result<()> {
    let file = open_to_ask(dir, path)?;
    let mut start = 0;
    while let Some(next) = some_extents(file.as_fd(), start, &mut each)? {
        start = next;
    }
    Ok(())
}

/// Opens a file that is asked where it is stored.
pub(super) fn open_to_ask(dir: Option<BorrowedFd<'_>>, path: &CStr) -> io::Result<OwnedFd> {
    // NONBLOCK: another process may have put a pipe there.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let dir = dir.unwrap_or(CWD);
    Ok(retry(|| openat(dir, path, flags | OFlags::NOCTTY, Mode::empty()))?)
}

/// One request, from this position in the file on. Returns where the next one begins, unless the
/// last extent was among these.
fn some_extents(
    file: BorrowedFd<'_>,
    start: u64,
    each: &mut impl FnMut(Extent),
) -> io::Result<Option<u64>> {
    let room = ROOM as u32;
    let header =
        FiemapHeader { start, length: u64::MAX - start, flags: 0, mapped: 0, room, reserved: 0 };
    let mut request = FiemapRequest { header, extents: [Raw::default(); ROOM] };
    // SAFETY: the kernel reads the header, and writes the header and at most `room` extents, which
    // `request` has room for and which are valid whatever their bits.
    unsafe { ioctl(file, FS_IOC_FIEMAP, &mut request) }?;
    let found = request.extents.get(..request.header.mapped as usize).unwrap_or_default();
    for raw in found.iter().filter(|raw| raw.flags & SHARED != 0) {
        let Raw { logical, physical, length, flags, .. } = *raw;
        each(Extent { logical, physical, length, encoded: flags & ENCODED != 0 });
    }
    let last = found.last().filter(|last| last.flags & LAST == 0);
    // An extent behind which nothing follows ends the loop, and so does one that does not advance.
    Ok(last.map(|last| last.logical.saturating_add(last.length)).filter(|&next| next > start))
}
