//! Recognising the end of a directory without the read that returns 0.
//!
//! The last record that getdents64 wrote holds the directory's position after the call (`d_off`).
//! On some file systems one position means the end and nothing else:
//!
//! ```text
//!   ext2, ext3, ext4 with hashed directories    0x7fffffffffffffff    a hash that no name gets
//!   tmpfs, btrfs                                0x7fffffff            INT_MAX
//!   all others                                  none                  read until 0
//! ```
//!
//! A short read does not mean the end. A signal, job control and the freezer of control groups cut
//! a read short in mid-directory (`filldir64` in the kernel), and a FUSE server may answer short.
//!
//! One fstatfs a mount reports which file system a directory is on, the first time that matters. An
//! NFS server hands on the positions of its ext file system, and the client asks it for a statfs each
//! time; but no ext file system is on a device without a driver, and the kernel knows the device. A
//! child opened by openat2 with `RESOLVE_NO_XDEV` is on its parent's mount, and inherits the
//! answer. (Test: the stopper in `tests/attacks/`.)

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU8, Ordering};

use super::storage::magic_at;
use super::{last, statx};
use crate::Buffer;
use crate::volume::VolumeKind;

/// The position that means the end: on ext file systems, and on tmpfs and btrfs.
const EXT_MARK: u64 = i64::MAX as u64;
const INT_MARK: u64 = i32::MAX as u64;

/// How the file system of a directory marks the end, as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum End {
    /// Unknown: the system has not been asked.
    Unasked,
    /// There is no mark: only a read that returns 0 is the end.
    Zero,
    /// The last record's position is [`EXT_MARK`].
    Ext,
    /// The last record's position is [`INT_MARK`].
    Int,
}

impl End {
    /// How the file system with this magic number marks the end. The mark of any other type than
    /// these is ignored, since the same number may be an ordinary position there.
    fn of(magic: u32) -> End {
        match VolumeKind::from_magic(magic) {
            VolumeKind::Ext => End::Ext,
            VolumeKind::Tmpfs | VolumeKind::Btrfs => End::Int,
            _ => End::Zero,
        }
    }

    fn mark(self) -> Option<u64> {
        match self {
            End::Ext => Some(EXT_MARK),
            End::Int => Some(INT_MARK),
            End::Unasked | End::Zero => None,
        }
    }
}

/// An [`End`] that is stored with an open directory. Workers that share the directory may ask at
/// the same time: all get the same answer.
#[derive(Debug)]
pub(super) struct KnownEnd(AtomicU8);

impl From<End> for KnownEnd {
    fn from(end: End) -> KnownEnd {
        KnownEnd(AtomicU8::new(end as u8))
    }
}

impl KnownEnd {
    #[inline]
    pub(super) fn get(&self) -> End {
        const ALL: [End; 4] = [End::Unasked, End::Zero, End::Ext, End::Int];
        ALL[usize::from(self.0.load(Ordering::Relaxed) & 3)]
    }

    fn set(&self, end: End) {
        self.0.store(end as u8, Ordering::Relaxed);
    }

    /// The answer for the directory of this handle. The first call makes one fstatfs, unless the
    /// answer was inherited.
    #[inline]
    pub(super) fn ask(&self, fd: BorrowedFd<'_>) -> End {
        match self.get() {
            End::Unasked => self.ask_system(fd, INT_MARK),
            known => known,
        }
    }

    /// Asks about a directory whose last record may bear this mark. For the mark of ext, one statx
    /// that asks no server comes first.
    #[cold]
    fn ask_system(&self, fd: BorrowedFd<'_>, mark: u64) -> End {
        let asks = mark != EXT_MARK || statx::has_driver(fd);
        let end = asks.then(|| magic_at(fd)).flatten().map_or(End::Zero, End::of);
        self.set(end);
        end
    }

    /// Notes that a read returned 0 after these records. They bore no mark, so that no directory on
    /// this mount bears one.
    pub(super) fn ended_by_zero(&self, buffer: &Buffer) {
        if self.get() == End::Unasked && !buffer.is_empty() {
            self.set(End::Zero);
        }
    }

    /// Whether the last record in the buffer is the last of the directory.
    ///
    /// On file systems whose positions are counters, a counter can reach the mark in mid-directory,
    /// and a read can end just there for lack of room. So a full buffer is never taken for the end.
    #[inline]
    pub(super) fn is_reached(&self, fd: BorrowedFd<'_>, buffer: &mut Buffer) -> bool {
        if self.get() == End::Zero || buffer.space().is_none() {
            return false;
        }
        let Some(mark) = last::position_if(buffer.records(), [EXT_MARK, INT_MARK]) else {
            return false;
        };
        let end = match self.get() {
            End::Unasked => self.ask_system(fd, mark),
            known => known,
        };
        end.mark() == Some(mark)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_mark_is_believed_from_its_own_file_systems_alone() {
        let marks = [
            (VolumeKind::Ext.magic(), Some(EXT_MARK)),
            (VolumeKind::Tmpfs.magic(), Some(INT_MARK)),
            (VolumeKind::Btrfs.magic(), Some(INT_MARK)),
        ];
        for (magic, mark) in marks {
            assert_eq!(End::of(magic).mark(), mark);
        }
        // XFS, overlay, FUSE, proc, sysfs, NFS: whatever their positions are.
        for magic in [0x5846_5342, 0x794c_7630, 0x6573_5546, 0x9fa0, 0x6265_6572, 0x6969] {
            assert_eq!(End::of(magic), End::Zero);
        }
    }

    #[test]
    fn the_system_is_asked_once() {
        let dir = std::fs::File::open("/proc").expect("/proc");
        let known = KnownEnd::from(End::Unasked);
        assert_eq!(known.ask(dir.as_fd()), End::Zero);
        let told = KnownEnd::from(End::Ext);
        assert_eq!(told.ask(dir.as_fd()), End::Ext, "an answer that was inherited is kept");
    }

    /// A tmpfs, as NFS, is on a device without a driver: no statfs says which file system it is.
    #[test]
    fn the_mark_of_ext_is_asked_about_where_there_is_a_driver() {
        let Ok(dir) = std::fs::File::open("/dev/shm") else { return };
        if magic_at(dir.as_fd()) != Some(VolumeKind::Tmpfs.magic()) {
            return testkit::left_out("a device without a driver", "/dev/shm is not a tmpfs");
        }
        assert!(!statx::has_driver(dir.as_fd()));
        for (mark, end) in [(EXT_MARK, End::Zero), (INT_MARK, End::Int)] {
            assert_eq!(KnownEnd::from(End::Unasked).ask_system(dir.as_fd(), mark), end);
        }
    }
}
