//! Modes and owners of an entry, relative to its directory's handle. No link is followed unless the
//! caller wants that, also if another process puts one in the entry's place.
//!
//! ```text
//!   fchmodat2(dir, name, mode, AT_SYMLINK_NOFOLLOW)                                  Linux 6.6
//!      │ ENOSYS, or EPERM from a seccomp filter
//!      └► openat(dir, name, O_PATH | O_NOFOLLOW) ─► no link? ─► chmod /proc/self/fd/N
//! ```

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use super::call::{Known, outcome, retry};
use super::statx::stat_at;
use crate::{Fields, FileType, Freshness, Ids, Links, Meta};

/// The number of the system call, which libc does not name everywhere. From openat2 on, calls have
/// the same order on every architecture.
const SYS_FCHMODAT2: libc::c_long = libc::SYS_openat2 + 15;

/// Whether the kernel has fchmodat2. A kernel that has it answers EINVAL to unknown flags before it
/// looks at names.
static FCHMODAT2: Known = Known::new(|| {
    // SAFETY: the kernel refuses the flags and reads nothing from the pointer.
    outcome(unsafe { libc::syscall(SYS_FCHMODAT2, -1, std::ptr::null::<u8>(), 0, -1) })
});

/// The metadata of an entry: at least the fields `wanted`, if the system has them. System calls: one
/// statx relative to the directory's handle.
///
/// # Errors
/// The entry does not exist.
pub fn stat(dir: BorrowedFd<'_>, name: &CStr, wanted: Fields, links: Links) -> io::Result<Meta> {
    stat_at(dir, name, wanted, links, Freshness::AsStat)
}

/// Sets the permission bits of an entry, with setuid, setgid and sticky. System calls: one
/// fchmodat2 relative to the directory's handle. Before Linux 6.6: one openat with `O_PATH`, one
/// fstat, one chmod through `/proc/self/fd`. If links are followed: one fchmodat.
///
/// # Errors
/// A link that is not followed: it has no mode of its own.
pub fn set_mode(dir: BorrowedFd<'_>, name: &CStr, mode: u32, links: Links) -> io::Result<()> {
    let bits = Mode::from_raw_mode(mode);
    if links == Links::Follow {
        return Ok(retry(|| rustix::fs::chmodat(dir, name, bits, AtFlags::empty()))?);
    }
    if let Some(done) = FCHMODAT2.call(|| chmod_at(dir, name, mode)) {
        return Ok(done?);
    }
    chmod_by_handle(&place(dir, name, links)?, bits)
}

fn chmod_at(dir: BorrowedFd<'_>, name: &CStr, mode: u32) -> Result<(), Errno> {
    let flags = libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the name ends in a NUL and outlives the call.
    let answer = unsafe {
        libc::syscall(SYS_FCHMODAT2, dir.as_raw_fd(), name.as_ptr(), mode as libc::mode_t, flags)
    };
    outcome(answer).map(drop)
}

/// An open file changes its mode only by a path: fchmod refuses handles of `O_PATH`. Some file
/// systems would change the mode of a link.
#[cold]
fn chmod_by_handle(file: &OwnedFd, bits: Mode) -> io::Result<()> {
    let mode = retry(|| rustix::fs::fstat(file))?.st_mode;
    if FileType::from_mode(mode) == FileType::Symlink {
        return Err(Errno::OPNOTSUPP.into());
    }
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    match retry(|| rustix::fs::chmod(&path, bits)) {
        // There is no /proc.
        Err(Errno::NOENT) => Err(Errno::OPNOTSUPP.into()),
        done => Ok(done?),
    }
}

/// A handle that stands for the entry, with which nothing can be read or written.
fn place(dir: BorrowedFd<'_>, name: &CStr, links: Links) -> Result<OwnedFd, Errno> {
    let mut flags = OFlags::PATH | OFlags::CLOEXEC;
    flags.set(OFlags::NOFOLLOW, links == Links::NoFollow);
    retry(|| rustix::fs::openat(dir, name, flags, Mode::empty()))
}

/// Sets the owners of an entry, if it has those of `from`; returns whether it had. System calls: one
/// fchownat relative to the directory's handle. If `from` names any: one openat with `O_PATH`, one
/// fstat, one fchownat of the handle, so that no other file can take the entry's place meanwhile.
///
/// # Errors
/// Those of the system calls, and [`InvalidInput`](io::ErrorKind::InvalidInput) for the number
/// that means no owner, `u32::MAX`.
pub fn set_owners(
    dir: BorrowedFd<'_>,
    name: &CStr,
    to: Ids,
    from: Ids,
    links: Links,
) -> io::Result<bool> {
    if from != Ids::default() {
        return set_owners_from(&place(dir, name, links)?, to, from);
    }
    let mut flags = AtFlags::empty();
    flags.set(AtFlags::SYMLINK_NOFOLLOW, links == Links::NoFollow);
    chown(dir, name, to, flags)
}

#[cold]
fn set_owners_from(file: &OwnedFd, to: Ids, from: Ids) -> io::Result<bool> {
    let now = retry(|| rustix::fs::fstat(file))?;
    if !from.allow(Ids { user: Some(now.st_uid), group: Some(now.st_gid) }) {
        return Ok(false);
    }
    chown(file.as_fd(), c"", to, AtFlags::EMPTY_PATH)
}

fn chown(dir: BorrowedFd<'_>, name: &CStr, to: Ids, flags: AtFlags) -> io::Result<bool> {
    // To the system this number is none, and an owner who is not changed.
    if [to.user, to.group].contains(&Some(u32::MAX)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let user = to.user.map(Uid::from_raw);
    let group = to.group.map(Gid::from_raw);
    retry(|| rustix::fs::chownat(dir, name, user, group, flags))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn here() -> (tempfile::TempDir, std::fs::File) {
        let place = testkit::scratch();
        std::fs::write(place.path().join("f"), "").expect("a file");
        symlink("f", place.path().join("l")).expect("a link");
        let dir = std::fs::File::open(place.path()).expect("the scratch directory");
        (place, dir)
    }

    #[test]
    fn a_mode_is_set_and_a_link_is_not_followed() {
        let (scratch, dir) = here();
        let dir = dir.as_fd();
        let mode = || {
            let meta = std::fs::metadata(scratch.path().join("f")).expect("it is there");
            meta.permissions().mode() & 0o7777
        };
        let by_handle = |name, mode| {
            let file = place(dir, name, Links::NoFollow)?;
            chmod_by_handle(&file, Mode::from_raw_mode(mode))
        };
        set_mode(dir, c"f", 0o4711, Links::NoFollow).expect("set");
        assert_eq!(mode(), 0o4711);
        by_handle(c"f", 0o640).expect("set");
        assert_eq!(mode(), 0o640);
        for refused in [set_mode(dir, c"l", 0, Links::NoFollow), by_handle(c"l", 0)] {
            assert_eq!(refused.expect_err("a link").raw_os_error(), Some(libc::EOPNOTSUPP));
        }
        assert_eq!(mode(), 0o640);
        set_mode(dir, c"l", 0o600, Links::Follow).expect("set");
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn owners_are_set_only_from_those_that_are_named() {
        let (scratch, dir) = here();
        let dir = dir.as_fd();
        let meta = std::fs::metadata(scratch.path().join("f")).expect("it is there");
        let own = Ids { user: Some(meta.uid()), group: Some(meta.gid()) };
        let others = Ids { user: Some(meta.uid() + 1), group: None };
        let none = Ids::default();
        for links in [Links::Follow, Links::NoFollow] {
            for name in [c"f", c"l"] {
                assert!(set_owners(dir, name, own, none, links).expect("set"));
                assert!(set_owners(dir, name, own, own, links).expect("set"));
                assert!(!set_owners(dir, name, own, others, links).expect("asked"));
                let invalid = Ids { user: Some(u32::MAX), group: None };
                let refused = set_owners(dir, name, invalid, none, links).expect_err("no owner");
                assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
            }
        }
    }
}
