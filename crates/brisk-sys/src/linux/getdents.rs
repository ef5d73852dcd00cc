//! getdents64: directory records into a buffer.

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

use super::call::{outcome, retry};
use crate::{Buffer, Fill};

/// Fills `buffer` until a record may not fit any more or the directory ends, which is when
/// getdents64 returns 0: a short read says nothing (FUSE returns them in mid-directory). At most `most`
/// calls are made, and none for what is left of a buffer after a directory went on behind a short
/// read: each is a request to a server then, of the size of the space.
#[inline]
pub(super) fn fill(fd: BorrowedFd<'_>, buffer: &mut Buffer, most: u32) -> Fill {
    let mut calls = 0;
    let complete = loop {
        let most_of_it = buffer.capacity() / 4 * 3;
        let Some(space) = buffer.space() else { break Ok(false) };
        if calls == most || (calls > 1 && space.len() < most_of_it) {
            break Ok(false);
        }
        calls += 1;
        match retry(|| getdents64(fd, space)) {
            Ok(0) => break Ok(true),
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
