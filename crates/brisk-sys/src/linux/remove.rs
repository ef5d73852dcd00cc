//! `Dir` on Linux, for removals: removing a name, opening a directory to empty it, opening the
//! parent.
//!
//! A removal takes no path: the parent's handle and a name alone say what is removed. A directory
//! is opened for emptying in a way that never enters a link or, unless mounts are crossed, a mount
//! point:
//!
//! ```text
//!   openat2(parent, name, NOFOLLOW | DIRECTORY, RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS)
//!      │ ENOSYS, or EPERM from a seccomp filter
//!      └► openat(parent, name, NOFOLLOW | DIRECTORY), then the opened handle's device and mount id
//!         against the parent's (`mounts.rs`): the checked handle is the one that is read
//! ```

use std::ffi::CStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::Errno;

use super::call::{Known, outcome, retry};
use super::mounts::share_mount;
use super::open::{Dir, like};
use crate::{Identity, Links};

/// Whether the kernel has faccessat2. A kernel that has it answers EINVAL to unknown flags before
/// it looks at names.
static FACCESSAT2: Known = Known::new(|| {
    // SAFETY: the kernel refuses the flags and reads nothing from the pointer.
    outcome(unsafe { libc::syscall(libc::SYS_faccessat2, -1, std::ptr::null::<u8>(), 0, -1) })
});

impl Dir {
    pub(crate) fn open_path_only(path: &Path) -> io::Result<Dir> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Dir::from(retry(|| rustix::fs::openat(CWD, path, flags, Mode::empty()))?))
    }

    pub(crate) fn open_child_same_mount(&self, name: &CStr) -> io::Result<Dir> {
        match self.open_on_mount(name, Links::NoFollow, ResolveFlags::NO_SYMLINKS) {
            Some(Err(Errno::LOOP)) => Err(self.why_loop(name, Links::NoFollow)),
            // EAGAIN: a rename or a mount raced with the check.
            None | Some(Err(Errno::AGAIN)) => self.open_child_compared(name),
            Some(opened) => Ok(opened?),
        }
    }

    /// Opens the child and then checks its handle. Another process cannot change what a handle
    /// leads to.
    fn open_child_compared(&self, name: &CStr) -> io::Result<Dir> {
        let child = self.open_child(name, Links::NoFollow)?;
        if share_mount(self, &child)? { Ok(child) } else { Err(Errno::XDEV.into()) }
    }

    /// Opens `..`. `Dir::open_parent` checks it: a directory that was moved has another parent.
    pub(crate) fn open_parent(&self, _: Identity) -> io::Result<Dir> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let parent = retry(|| rustix::fs::openat(self.fd(), c"..", flags, Mode::empty()))?;
        Ok(like(self, parent))
    }

    #[inline]
    pub(crate) fn unlink(&self, name: &CStr) -> io::Result<()> {
        Ok(retry(|| rustix::fs::unlinkat(self.fd(), name, AtFlags::empty()))?)
    }

    pub(crate) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        Ok(retry(|| rustix::fs::unlinkat(self.fd(), name, AtFlags::REMOVEDIR))?)
    }

    pub(crate) fn rename_here(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        let rename = |flags| rustix::fs::renameat_with(self.fd(), from, self.fd(), to, flags);
        match rename(RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => rename_without_flag(self.fd(), from, to),
            done => Ok(done?),
        }
    }

    pub(crate) fn may_write(&self, name: &CStr) -> io::Result<bool> {
        self.may(name, Access::WRITE_OK)
    }

    pub(crate) fn may_execute(&self, name: &CStr) -> io::Result<bool> {
        self.may(name, Access::EXEC_OK)
    }

    fn may(&self, name: &CStr, wanted: Access) -> io::Result<bool> {
        match access(self.fd(), name, wanted) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// [`Dir::rename_here`] on a file system that lacks the flag: a second link never replaces. For
/// directories, and where there are no hard links, a check comes first: what another process makes
/// between the check and the renaming is replaced, but by a directory only an empty one.
fn rename_without_flag(dir: BorrowedFd<'_>, from: &CStr, to: &CStr) -> io::Result<()> {
    match rustix::fs::linkat(dir, from, dir, to, AtFlags::empty()) {
        Ok(()) => return Ok(rustix::fs::unlinkat(dir, from, AtFlags::empty())?),
        Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
        Err(_) => {}
    }
    match rustix::fs::statat(dir, to, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST.into()),
        Err(Errno::NOENT) => Ok(rustix::fs::renameat(dir, from, dir, to)?),
        Err(error) => Err(error.into()),
    }
}

/// Whether this user has these permissions for an entry. For an immutable file the answer to a
/// question about writing is EPERM.
pub(super) fn access(dir: BorrowedFd<'_>, name: &CStr, wanted: Access) -> Result<(), Errno> {
    let access = |flags| rustix::fs::accessat(dir, name, wanted, flags);
    FACCESSAT2
        .call(|| access(AtFlags::EACCESS))
        .unwrap_or_else(|| retry(|| access(AtFlags::empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> (tempfile::TempDir, Dir) {
        let place = testkit::scratch();
        let dir = Dir::open(place.path(), Links::NoFollow).expect("the scratch directory");
        (place, dir)
    }

    type Open = fn(&Dir, &CStr) -> io::Result<Dir>;
    const WAYS: [Open; 2] = [Dir::open_child_same_mount, Dir::open_child_compared];

    #[test]
    fn a_directory_opens_and_a_link_does_not() {
        let (place, dir) = here();
        std::fs::create_dir(place.path().join("d")).expect("a directory");
        std::os::unix::fs::symlink("d", place.path().join("l")).expect("a link");
        for open in WAYS {
            assert!(open(&dir, c"d").is_ok());
            assert!(open(&dir, c"l").is_err());
        }
    }

    #[test]
    fn a_mount_point_does_not_open() {
        let root = Dir::open(Path::new("/"), Links::NoFollow).expect("the root");
        for open in WAYS {
            let refused = open(&root, c"proc").expect_err("/proc is another file system");
            assert_eq!(refused.raw_os_error(), Some(libc::EXDEV));
        }
    }

    #[test]
    fn the_way_up_leads_to_the_parent_or_nowhere() {
        let (place, dir) = here();
        for name in ["a", "a/b", "c"] {
            std::fs::create_dir(place.path().join(name)).expect("a directory");
        }
        let a = crate::Dir::from(dir.open_child_same_mount(c"a").expect("a"));
        let b = a.open_child_same_mount(c"b").expect("b");
        let expected = a.identity().expect("it is open");
        assert_eq!(b.open_parent(expected).and_then(|up| up.identity()).ok(), Some(expected));
        std::fs::rename(place.path().join("a/b"), place.path().join("c/b")).expect("moved");
        assert!(b.open_parent(expected).is_err());
    }

    #[test]
    fn removing_by_name() {
        let (place, dir) = here();
        std::fs::create_dir(place.path().join("d")).expect("a directory");
        std::fs::write(place.path().join("f"), "").expect("a file");
        assert_eq!(dir.unlink(c"d").expect_err("a directory").raw_os_error(), Some(libc::EISDIR));
        assert!(dir.remove_dir(c"f").is_err());
        dir.rename_here(c"f", c"g").expect("renamed");
        assert!(dir.rename_here(c"g", c"d").is_err(), "nothing is replaced");
        let rename = |from, to| rename_without_flag(dir.fd(), from, to);
        rename(c"g", c"f").expect("renamed");
        rename(c"d", c"e").expect("renamed");
        assert!(rename(c"f", c"e").is_err(), "nothing is replaced");
        assert!(rename(c"e", c"f").is_err(), "nothing is replaced");
        rename(c"f", c"g").expect("renamed");
        rename(c"e", c"d").expect("renamed");
        dir.unlink(c"g").expect("removed");
        dir.remove_dir(c"d").expect("removed");
        assert_eq!(std::fs::read_dir(place.path()).expect("readable").count(), 0);
    }
}
