//! Which mount a directory is on. Where openat2 is missing, this alone keeps a removal on its
//! mount.
//!
//! A mount's id comes from the first of these that reports it. All three report the same number:
//!
//! ```text
//!   statx (Linux 5.8) ──► name_to_handle_at (2.6.39) ──► /proc/self/fdinfo (3.15) ──► refused
//! ```
//!
//! A directory whose mount is unknown is not entered: two unknown mounts may be different ones.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::{Mode, OFlags};

use super::call::{outcome, retry};
use super::open::Dir;
use crate::{Fields, whole};

/// Where a directory is: its device and, if the system reports it, its mount's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MountPlace {
    dev: u64,
    mount: Option<u64>,
}

impl MountPlace {
    /// Whether both are on one mount.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported): both are on one device, and a mount is unknown.
    fn is_same_mount(self, other: MountPlace) -> io::Result<bool> {
        if self.dev != other.dev {
            return Ok(false);
        }
        match self.mount.zip(other.mount) {
            Some((own, other)) => Ok(own == other),
            None => Err(unknown_mount()),
        }
    }
}

#[cold]
fn unknown_mount() -> io::Error {
    let text = "this system does not tell whether another file system is mounted there";
    io::Error::new(io::ErrorKind::Unsupported, text)
}

impl MountPlace {
    fn of(dir: &Dir) -> io::Result<MountPlace> {
        let meta = dir.stat_self(Fields::DEV | Fields::MNT_ID)?;
        let dev = meta.dev().ok_or(io::ErrorKind::Unsupported)?;
        Ok(MountPlace { dev, mount: meta.mnt_id().or_else(|| mount_of(dir.fd())) })
    }
}

/// Whether an open child is on the mount of a directory.
pub(super) fn share_mount(dir: &Dir, child: &Dir) -> io::Result<bool> {
    MountPlace::of(child)?.is_same_mount(MountPlace::of(dir)?)
}

impl Dir {
    pub(crate) fn is_mount_point(&self, name: &CStr) -> io::Result<bool> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let child = retry(|| rustix::fs::openat(self.fd(), name, flags, Mode::empty()))?;
        Ok(!share_mount(self, &Dir::from(child))?)
    }
}

/// The mount's id, if statx does not report it.
#[cold]
fn mount_of(fd: BorrowedFd<'_>) -> Option<u64> {
    mount_by_handle(fd).or_else(|| mount_by_proc(fd))
}

/// A flag of name_to_handle_at (Linux 6.5 and later): file systems whose handles cannot be opened
/// again then return handles that only identify a file.
const AT_HANDLE_FID: libc::c_int = 0x200;

fn mount_by_handle(fd: BorrowedFd<'_>) -> Option<u64> {
    [0, AT_HANDLE_FID].into_iter().find_map(|flag| {
        // The head of `struct file_handle`: the size of the room for a handle (0), and the type
        // that the kernel writes.
        let mut head = [0_u32; 2];
        let mut mount: libc::c_int = -1;
        let asked = retry(|| {
            // SAFETY: the path ends in a NUL. The kernel writes `mount` and the two numbers of
            // `head`, and nothing behind them, because the first number says that there is no room.
            outcome(unsafe {
                libc::syscall(
                    libc::SYS_name_to_handle_at,
                    fd.as_raw_fd(),
                    c"".as_ptr(),
                    head.as_mut_ptr(),
                    &raw mut mount,
                    libc::AT_EMPTY_PATH | flag,
                )
            })
        });
        // EOVERFLOW: the handle, which is not wanted, has no room. The mount's id was written.
        let is_told = matches!(asked, Ok(_) | Err(rustix::io::Errno::OVERFLOW));
        u64::try_from(mount).ok().filter(|_| is_told)
    })
}

fn mount_by_proc(fd: BorrowedFd<'_>) -> Option<u64> {
    let path = format!("/proc/self/fdinfo/{}", fd.as_raw_fd());
    let text = String::from_utf8(whole::read(path.as_ref()).ok()?).ok()?;
    text.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Links;

    #[test]
    fn every_way_tells_the_same_mount() {
        let root = Dir::open(Path::new("/"), Links::NoFollow).expect("the root");
        let proc = root.open_child(c"proc", Links::NoFollow).expect("/proc");
        for dir in [&root, &proc] {
            let told = MountPlace::of(dir).expect("it is open").mount;
            assert!(told.is_some());
            assert_eq!(mount_by_proc(dir.fd()), told);
            // Not every file system and kernel returns handles.
            assert!(mount_by_handle(dir.fd()).is_none_or(|mount| Some(mount) == told));
        }
        assert!(root.is_mount_point(c"proc").expect("it can be told"));
        assert!(!proc.is_mount_point(c"self/task").expect("it can be told"));
    }

    #[test]
    fn unknown_mounts_are_not_the_same() {
        let place = |dev, mount| MountPlace { dev, mount };
        let same = |a: MountPlace, b: MountPlace| a.is_same_mount(b).map_err(|error| error.kind());
        assert_eq!(same(place(1, Some(2)), place(1, Some(2))), Ok(true));
        assert_eq!(same(place(1, Some(2)), place(1, Some(3))), Ok(false));
        assert_eq!(same(place(1, None), place(2, None)), Ok(false));
        for (own, other) in [(None, None), (Some(2), None), (None, Some(2))] {
            let unknown = Err(io::ErrorKind::Unsupported);
            assert_eq!(same(place(1, own), place(1, other)), unknown);
        }
    }
}
