//! Metadata by statx, with the mask that the caller wants; by fstatat where the kernel has no
//! statx.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Statx, StatxAttributes, StatxFlags, StatxTimestamp};

use super::call::{Known, is_refusal, outcome, retry};
use crate::{Fields, FileType, Freshness, Links, Meta, Pins, Timestamp};

/// Whether the kernel has statx. A kernel that has it answers EFAULT to null pointers before it
/// looks at a file.
static STATX: Known = Known::new(|| {
    // SAFETY: the kernel refuses both null pointers, and neither reads nor writes anything.
    outcome(unsafe {
        libc::syscall(
            libc::SYS_statx,
            -1,
            std::ptr::null::<u8>(),
            0,
            libc::STATX_BASIC_STATS,
            std::ptr::null_mut::<u8>(),
        )
    })
});

/// AT_STATX_DONT_SYNC: the client's cached metadata is good enough.
const DONT_SYNC: AtFlags = AtFlags::STATX_DONT_SYNC;

#[inline]
pub(super) fn stat_at(
    fd: BorrowedFd<'_>,
    name: &CStr,
    wanted: Fields,
    links: Links,
    freshness: Freshness,
) -> io::Result<Meta> {
    // A stat must not trigger an automount.
    let mut flags = AtFlags::NO_AUTOMOUNT;
    if links == Links::NoFollow {
        flags |= AtFlags::SYMLINK_NOFOLLOW;
    }
    if freshness == Freshness::Cached {
        flags |= DONT_SYNC;
    }
    stat(fd, name, flags, wanted)
}

pub(super) fn stat_handle(fd: BorrowedFd<'_>, wanted: Fields) -> io::Result<Meta> {
    stat(fd, c"", AtFlags::EMPTY_PATH, wanted)
}

/// Whether a file's device has a driver, as disks have, but no network file system. What the kernel
/// knows is enough: no server is asked.
pub(super) fn has_driver(fd: BorrowedFd<'_>) -> bool {
    let told = stat(fd, c"", AtFlags::EMPTY_PATH | DONT_SYNC, Fields::DEV);
    told.ok().and_then(|meta| meta.dev()).is_none_or(|dev| rustix::fs::major(dev) != 0)
}

pub(crate) fn stat_path(path: &Path, wanted: Fields, links: Links) -> io::Result<Meta> {
    let flags = match links {
        Links::Follow => AtFlags::empty(),
        Links::NoFollow => AtFlags::SYMLINK_NOFOLLOW,
    };
    stat(CWD, path, flags, wanted)
}

#[inline]
fn stat<P: rustix::path::Arg + Copy>(
    fd: impl AsFd,
    path: P,
    flags: AtFlags,
    wanted: Fields,
) -> io::Result<Meta> {
    // `Known::call` would copy the answer.
    if STATX.is_there() {
        let mask = StatxFlags::from_bits_retain((wanted & Fields::STATX).bits());
        match retry(|| rustix::fs::statx(fd.as_fd(), path, flags, mask)) {
            Err(error) if is_refusal(error) && STATX.is_refused() => {}
            answer => return Ok(from_statx(&answer?)),
        }
    }
    let flags = flags.difference(DONT_SYNC);
    Ok(from_stat(&retry(|| rustix::fs::statat(fd.as_fd(), path, flags))?))
}

#[inline]
fn from_statx(answer: &Statx) -> Meta {
    let mode = u32::from(answer.stx_mode);
    let mut filled = (Fields::from_bits_retain(answer.stx_mask) & Fields::STATX) | Fields::DEV;
    // Only a mount of the kernel's own has the id 0. QEMU's user mode returns 0 for every file, with
    // a mask that says that this is the id.
    if answer.stx_mnt_id == 0 {
        filled -= Fields::MNT_ID;
    }
    Meta {
        filled,
        file_type: FileType::from_mode(mode),
        mode,
        nlink: u64::from(answer.stx_nlink),
        uid: answer.stx_uid,
        gid: answer.stx_gid,
        ino: answer.stx_ino,
        size: answer.stx_size,
        blocks: answer.stx_blocks,
        dev: rustix::fs::makedev(answer.stx_dev_major, answer.stx_dev_minor),
        rdev: rustix::fs::makedev(answer.stx_rdev_major, answer.stx_rdev_minor),
        mnt_id: answer.stx_mnt_id,
        atime: timestamp(answer.stx_atime),
        mtime: timestamp(answer.stx_mtime),
        ctime: timestamp(answer.stx_ctime),
        btime: timestamp(answer.stx_btime),
        pins: pins(answer.stx_attributes),
        ..Meta::default()
    }
}

#[inline]
fn pins(attributes: StatxAttributes) -> Pins {
    let pin = |attribute, pin| if attributes.contains(attribute) { pin } else { Pins::empty() };
    pin(StatxAttributes::IMMUTABLE, Pins::IMMUTABLE)
        | pin(StatxAttributes::APPEND, Pins::APPEND_ONLY)
        | pin(StatxAttributes::MOUNT_ROOT, Pins::MOUNT_POINT)
}

#[inline]
fn timestamp(time: StatxTimestamp) -> Timestamp {
    Timestamp { secs: time.tv_sec, nanos: time.tv_nsec }
}

/// As [`from_statx`], from the older call, which has neither a time of creation nor a mount id.
#[expect(clippy::unnecessary_cast, reason = "the fields' types differ between architectures")]
fn from_stat(answer: &rustix::fs::Stat) -> Meta {
    let without = Fields::BTIME | Fields::MNT_ID;
    Meta {
        filled: (Fields::STATX - without) | Fields::DEV,
        file_type: FileType::from_mode(answer.st_mode),
        mode: answer.st_mode,
        nlink: answer.st_nlink as u64,
        uid: answer.st_uid,
        gid: answer.st_gid,
        ino: answer.st_ino as u64,
        size: answer.st_size as u64,
        blocks: answer.st_blocks as u64,
        dev: answer.st_dev as u64,
        rdev: answer.st_rdev as u64,
        atime: Timestamp { secs: answer.st_atime as i64, nanos: answer.st_atime_nsec as u32 },
        mtime: Timestamp { secs: answer.st_mtime as i64, nanos: answer.st_mtime_nsec as u32 },
        ctime: Timestamp { secs: answer.st_ctime as i64, nanos: answer.st_ctime_nsec as u32 },
        ..Meta::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_id_0_is_none() {
        let mask = StatxFlags::MNT_ID;
        let mut answer = rustix::fs::statx(CWD, "/", AtFlags::empty(), mask).expect("statx");
        assert_eq!(from_statx(&answer).mnt_id(), Some(answer.stx_mnt_id));
        answer.stx_mnt_id = 0;
        assert_eq!(from_statx(&answer).mnt_id(), None);
    }

    /// The fallback must answer as statx does.
    #[test]
    fn fstatat_and_statx_agree() {
        for path in ["/", "/proc/self/exe", "/dev/null", "/etc/passwd"] {
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            let new = rustix::fs::statx(CWD, path, flags, StatxFlags::BASIC_STATS).expect("statx");
            let old = rustix::fs::statat(CWD, path, flags).expect("fstatat");
            let new = from_statx(&new);
            let old = from_stat(&old);
            assert_eq!((new.file_type(), new.mode()), (old.file_type(), old.mode()), "{path}");
            assert_eq!((new.size(), new.mtime()), (old.size(), old.mtime()), "{path}");
            assert_eq!((new.ino(), new.dev()), (old.ino(), old.dev()), "{path}");
            assert_eq!((new.uid(), new.nlink()), (old.uid(), old.nlink()), "{path}");
            assert_eq!(old.btime(), None);
        }
    }
}
