//! getdents64: reading directory records into a buffer.

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

use super::call::{outcome, retry};
use super::end::KnownEnd;
use crate::{Buffer, Fill};

/// Fills `buffer` until the next record may not fit or the directory ends. If the file system marks
/// the end, the directory ends at the mark; elsewhere, when getdents64 returns 0. A short read does
/// not mean the end: FUSE and a pending signal cut reads short in mid-directory.
///
/// At most `most` calls are made; after two of them only while three fourths of the buffer are free.
/// Reads that short come from a server, where each call is a round trip: the next one has an empty
/// buffer.
#[inline]
pub(super) fn fill(fd: BorrowedFd<'_>, buffer: &mut Buffer, end: &KnownEnd, most: u32) -> Fill {
    fill_by(buffer, (end, fd), most, |records| getdents64(fd, records))
}

/// As [`fill`], by any call that answers as getdents64 does.
#[inline]
fn fill_by(
    buffer: &mut Buffer,
    (end, fd): (&KnownEnd, BorrowedFd<'_>),
    most: u32,
    mut read: impl FnMut(&mut Vec<u8>) -> Result<usize, Errno>,
) -> Fill {
    let mut calls = 0;
    let at_end = loop {
        if calls > 0 && end.is_reached(fd, buffer) {
            break Ok(true);
        }
        let most_of_it = buffer.capacity() / 4 * 3;
        let Some(records) = buffer.space() else {
            // Children are opened before the end is reached. They inherit the answer.
            end.ask(fd);
            break Ok(false);
        };
        if calls == most || (calls > 1 && records.capacity() - records.len() < most_of_it) {
            break Ok(false);
        }
        calls += 1;
        match retry(|| read(records)) {
            Ok(0) => {
                end.ended_by_zero(buffer);
                break Ok(true);
            }
            Ok(_) => {}
            // The directory was removed while it was open, and has no more entries.
            Err(Errno::NOENT) => break Ok(true),
            // The next record is longer than the space.
            Err(Errno::INVAL) if !buffer.is_empty() => break Ok(false),
            Err(Errno::INVAL) if buffer.grow() => {}
            Err(error) => break Err(error.into()),
        }
    };
    Fill { calls, at_end }
}

/// One getdents64, which appends to the records. Returns how many bytes. rustix offers the call only
/// through its own iterator, which keeps the buffer.
#[inline]
fn getdents64(fd: BorrowedFd<'_>, records: &mut Vec<u8>) -> Result<usize, Errno> {
    let space = records.spare_capacity_mut();
    // SAFETY: the kernel writes at most `space.len()` bytes from `space.as_mut_ptr()` on, which the
    // exclusive borrow covers for the duration of the call; `fd` is open because it is borrowed.
    let count = outcome(unsafe {
        libc::syscall(libc::SYS_getdents64, fd.as_raw_fd(), space.as_mut_ptr(), space.len())
    })?;
    // SAFETY: the kernel has written so many bytes of the spare capacity.
    unsafe { records.set_len(records.len() + count) };
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use std::fs::File;
    use std::os::fd::AsFd;
    use std::sync::OnceLock;

    use super::*;
    use crate::FileType;
    use crate::native::end::End;

    /// A directory without a mark of the end, about which the system is not asked.
    fn no_mark() -> (&'static KnownEnd, BorrowedFd<'static>) {
        static NONE: OnceLock<(KnownEnd, File)> = OnceLock::new();
        let (end, file) = NONE.get_or_init(|| {
            let file = File::open("/dev/null").expect("the null device");
            (KnownEnd::from(End::Zero), file)
        });
        (end, file.as_fd())
    }

    /// A directory whose names have these lengths. `read` answers as getdents64 does: with whole
    /// records, and with EINVAL if the next record is longer than the space.
    struct Listed {
        records: VecDeque<Vec<u8>>,
        largest: usize,
    }

    impl Listed {
        fn new(lengths: &[usize]) -> Listed {
            let record = |length: &usize| {
                let mut one = Buffer::with_capacity(length + 64);
                assert!(one.push(1, FileType::File, &vec![b'x'; *length]));
                one.records().to_vec()
            };
            Listed { records: lengths.iter().map(record).collect(), largest: 0 }
        }

        fn read(&mut self, records: &mut Vec<u8>) -> Result<usize, Errno> {
            let start = records.len();
            self.largest = self.largest.max(records.capacity() - start);
            while let Some(record) = self.records.front() {
                if records.len() + record.len() > records.capacity() {
                    return if records.len() == start {
                        Err(Errno::INVAL)
                    } else {
                        Ok(records.len() - start)
                    };
                }
                records.extend_from_slice(record);
                self.records.pop_front();
            }
            Ok(records.len() - start)
        }
    }

    /// The lengths of all names, read buffer by buffer.
    fn lengths(listed: &mut Listed) -> std::io::Result<Vec<usize>> {
        let mut buffer = Buffer::with_capacity(0);
        let mut all = Vec::new();
        loop {
            buffer.clear();
            let fill = fill_by(&mut buffer, no_mark(), u32::MAX, |records| listed.read(records));
            all.extend(buffer.entries().map(|entry| entry.name.count_bytes()));
            if fill.at_end? {
                return Ok(all);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of buffers take minutes; nothing here is unsafe")]
    fn a_record_longer_than_the_space_that_is_left_opens_the_next_buffer() {
        for before in 0..200 {
            let mut names = vec![20; before];
            names.extend([2_500, 3, 2_000, 1_100, 9]);
            assert_eq!(lengths(&mut Listed::new(&names)).expect("no error"), names, "{before}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of buffers take minutes; nothing here is unsafe")]
    fn a_record_longer_than_a_whole_buffer_has_it_grow() {
        for names in [&[10_000][..], &[5, 10_000, 5, 60_000, 7], &[4_060, 4_096, 65_000]] {
            let mut listed = Listed::new(names);
            assert_eq!(lengths(&mut listed).expect("no error"), names);
            assert!(listed.largest <= 1 << 16);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of buffers take minutes; nothing here is unsafe")]
    fn what_is_invalid_for_every_buffer_is_an_error() {
        let mut buffer = Buffer::with_capacity(0);
        let mut calls = 0;
        let fill = fill_by(&mut buffer, no_mark(), u32::MAX, |_| {
            calls += 1;
            Err(Errno::INVAL)
        });
        assert_eq!(fill.at_end.expect_err("invalid").raw_os_error(), Some(libc::EINVAL));
        assert_eq!((fill.calls, calls), (2, 2));
    }
}
