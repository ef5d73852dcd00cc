//! getdents64: directory records into a buffer.

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

use super::call::{outcome, retry};
use super::end::KnownEnd;
use crate::{Buffer, Fill};

/// Fills `buffer` until a record may not fit any more or the directory ends: where the file system has
/// a mark of the end, at the mark; elsewhere when getdents64 returns 0. A short read says nothing (FUSE
/// and a pending signal cut reads short in mid-directory).
#[inline]
pub(super) fn fill(fd: BorrowedFd<'_>, buffer: &mut Buffer, end: &KnownEnd) -> Fill {
    let mut calls = 0;
    let complete = loop {
        if calls > 0 && end.is_reached(fd, buffer) {
            break Ok(true);
        }
        let Some(space) = buffer.space() else {
            // Children are opened before the end is seen, and inherit the answer.
            end.ask(fd);
            break Ok(false);
        };
        calls += 1;
        match retry(|| getdents64(fd, space)) {
            Ok(0) => {
                end.ended_by_zero(buffer);
                break Ok(true);
            }
            Ok(count) => buffer.advance(count),
            // The directory was removed while it was open: it has no more entries.
            Err(Errno::NOENT) => break Ok(true),
            Err(error) => break Err(error.into()),
        }
    };
    Fill { calls, complete }
}

/// One getdents64. rustix has the call only behind its own iterator, which keeps the buffer.
#[inline]
fn getdents64(fd: BorrowedFd<'_>, space: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes at most `space.len()` bytes from `space.as_mut_ptr()`, which the
    // exclusive borrow covers for the duration of the call, and `fd` is open because it is borrowed.
    outcome(unsafe {
        libc::syscall(libc::SYS_getdents64, fd.as_raw_fd(), space.as_mut_ptr(), space.len())
    })
}
