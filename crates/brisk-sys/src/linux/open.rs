//! `Dir` on Linux: opening directories, and reading small files, relative to a handle.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use super::call::{Known, outcome, retry};
use super::end::{End, KnownEnd};
use crate::{Buffer, Fields, FileType, Fill, Freshness, Links, Meta};

/// An open directory. [`crate::Dir`] names the system calls of its methods.
#[derive(Debug)]
pub struct Dir {
    /// `None` is the current directory.
    fd: Option<OwnedFd>,
    end: KnownEnd,
    /// Whether children are opened with O_NOATIME: the caller wants that, and the system has
    /// refused it neither for this directory nor for a child.
    noatime: AtomicBool,
}

/// A handle, and whether it was opened with O_NOATIME.
type Opened = (OwnedFd, bool);

/// Whether the kernel has openat2. A kernel that has it answers EINVAL to a structure of size 0
/// before it looks at names.
pub(super) static OPENAT2: Known = Known::new(|| {
    // SAFETY: the kernel refuses the size and reads nothing from either pointer.
    outcome(unsafe {
        libc::syscall(libc::SYS_openat2, -1, std::ptr::null::<u8>(), std::ptr::null::<u8>(), 0)
    })
});

pub(super) fn flags(links: Links) -> OFlags {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOCTTY;
    match links {
        Links::Follow => flags,
        Links::NoFollow => flags | OFlags::NOFOLLOW,
    }
}

impl From<OwnedFd> for Dir {
    fn from(fd: OwnedFd) -> Dir {
        Dir::with((fd, false), End::Unasked)
    }
}

pub(crate) fn duplicate(handle: BorrowedFd<'_>) -> io::Result<Dir> {
    handle.try_clone_to_owned().map(Dir::from)
}

pub(crate) fn handle_of(dir: &Dir) -> Option<BorrowedFd<'_>> {
    dir.fd.as_ref().map(AsFd::as_fd)
}

pub(crate) fn base_of(dir: &Dir) -> Option<BorrowedFd<'_>> {
    Some(dir.fd())
}

pub(crate) fn marks_end(dir: &Dir) -> bool {
    dir.end.ask(dir.fd()) != End::Zero
}

impl Dir {
    pub(crate) fn current() -> Dir {
        // Searches and listings start here. They write access times, so that `ls -lu` shows the
        // same times as after GNU ls.
        Dir { fd: None, end: End::Unasked.into(), noatime: false.into() }
    }

    pub(crate) fn without_access_times(self) -> Dir {
        Dir { noatime: true.into(), ..self }
    }

    #[inline]
    fn with((fd, noatime): Opened, end: End) -> Dir {
        Dir { fd: Some(fd), end: end.into(), noatime: noatime.into() }
    }

    #[inline]
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_ref().map_or(CWD, AsFd::as_fd)
    }

    pub(crate) fn open(path: &Path, links: Links) -> io::Result<Dir> {
        let opened = retry(|| openat(CWD, path, flags(links), Mode::empty()))?;
        Ok(Dir::from(opened))
    }

    #[inline]
    pub(crate) fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        let on_mount = match self.fd {
            Some(_) => self.open_on_mount(name, links, ResolveFlags::empty()),
            // A root may be on any mount.
            None => None,
        };
        let opened = match on_mount {
            // A mount begins there, or the kernel could not check that.
            None | Some(Err(Errno::XDEV | Errno::AGAIN)) => self.open_anywhere(name, links),
            Some(opened) => opened,
        };
        match opened {
            Err(Errno::LOOP) => Err(self.why_loop(name, links)),
            opened => Ok(opened?),
        }
    }

    pub(crate) fn open_child_path_only(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        if let Some(fd) = self.fd.as_ref().filter(|_| OPENAT2.is_there()) {
            // openat2 accepts no other flag beside O_PATH.
            let flags = flags(links) & !OFlags::NOCTTY | OFlags::PATH;
            let resolve = ResolveFlags::NO_XDEV;
            if let Ok(child) = retry(|| openat2(fd, name, flags, Mode::empty(), resolve)) {
                let opened = (child, self.noatime.load(Ordering::Relaxed));
                return Ok(Dir::with(opened, self.end.ask(fd.as_fd())));
            }
        }
        self.open_child(name, links)
    }

    /// Opens a child if it is on the mount of this directory. The child inherits how directories
    /// end there. `None`: openat2 is missing or denied.
    #[inline]
    pub(super) fn open_on_mount(
        &self,
        name: &CStr,
        links: Links,
        resolve: ResolveFlags,
    ) -> Option<Result<Dir, Errno>> {
        let resolve = resolve | ResolveFlags::NO_XDEV;
        let open = |flags| openat2(self.fd(), name, flags, Mode::empty(), resolve);
        let opened = OPENAT2.call(|| self.open_with_noatime(links, open))?;
        // This directory may have been opened to reach others and never read: the system is asked
        // now how directories end, so that all children inherit the answer.
        let end = || self.fd.as_ref().map_or(End::Unasked, |fd| self.end.ask(fd.as_fd()));
        Some(opened.map(|opened| Dir::with(opened, end())))
    }

    /// Opens a child with O_NOATIME if that is wanted, so that reading it writes no access time. The
    /// system refuses that for another user's directory, which is then opened without the flag, and
    /// so are the other children, because siblings mostly have one owner.
    #[inline]
    fn open_with_noatime(
        &self,
        links: Links,
        open: impl Fn(OFlags) -> Result<OwnedFd, Errno>,
    ) -> Result<Opened, Errno> {
        let tries = self.noatime.load(Ordering::Relaxed);
        if tries {
            match open(flags(links) | OFlags::NOATIME) {
                Err(Errno::PERM) => {}
                opened => return opened.map(|fd| (fd, true)),
            }
        }
        let opened = open(flags(links))?;
        if tries {
            self.noatime.store(false, Ordering::Relaxed);
        }
        Ok((opened, false))
    }

    /// Opens a child on any mount. Without openat2 the child is read until a read returns 0: one
    /// fstatfs a directory would cost what the mark of the end saves.
    fn open_anywhere(&self, name: &CStr, links: Links) -> Result<Dir, Errno> {
        let open = |flags| openat(self.fd(), name, flags, Mode::empty());
        let opened = retry(|| self.open_with_noatime(links, open))?;
        let is_told = OPENAT2.is_there() || self.fd.is_none();
        Ok(Dir::with(opened, if is_told { End::Unasked } else { End::Zero }))
    }

    /// The error to report for an ELOOP. Either a link stands in the place of the directory,
    /// because another process has swapped them (ENOTDIR); or the file system itself answers ELOOP
    /// although the directory is there (ELOOP).
    #[cold]
    pub(super) fn why_loop(&self, name: &CStr, links: Links) -> io::Error {
        let ask = |links| self.stat(name, Fields::TYPE, links, Freshness::AsStat);
        let is_dir = |meta: Meta| meta.file_type() == Some(FileType::Directory);
        let is_there = match ask(Links::NoFollow) {
            Ok(meta) if meta.file_type() == Some(FileType::Symlink) => {
                links == Links::Follow && ask(Links::Follow).is_ok_and(is_dir)
            }
            Ok(meta) => is_dir(meta),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        if is_there { Errno::LOOP.into() } else { Errno::NOTDIR.into() }
    }

    pub(crate) fn open_beneath(
        &self,
        relative: &CStr,
        links: Links,
        one_mount: bool,
    ) -> io::Result<Dir> {
        if links == Links::Follow {
            return self.open_child(relative, links);
        }
        let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        resolve.set(ResolveFlags::NO_XDEV, one_mount);
        let open = || openat2(self.fd(), relative, flags(links), Mode::empty(), resolve);
        match OPENAT2.call(open) {
            // EAGAIN: a rename raced with the check. ELOOP: a component is a link, or the file
            // system answers so. Opening component by component finds out which.
            None | Some(Err(Errno::AGAIN | Errno::LOOP)) => {
                self.open_by_component(relative.to_bytes(), one_mount)
            }
            // Another process moved a component out of this directory, or mounted a file system,
            // meanwhile.
            Some(Err(Errno::XDEV)) => Err(io::ErrorKind::NotFound.into()),
            Some(opened) => Ok(like(self, opened?)),
        }
    }

    /// Opens one component after the other, each with NOFOLLOW: what openat2 does in one call.
    fn open_by_component(&self, relative: &[u8], one_mount: bool) -> io::Result<Dir> {
        let mut current: Option<Dir> = None;
        for component in relative.split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
            let name = CString::new(component)?;
            let parent = current.as_ref().unwrap_or(self);
            current = Some(if one_mount {
                parent.open_child_same_mount(&name)?
            } else {
                parent.open_child(&name, Links::NoFollow)?
            });
        }
        current.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    #[inline]
    pub(crate) fn fill(&self, buffer: &mut Buffer) -> Fill {
        super::getdents::fill(self.fd(), buffer, &self.end, u32::MAX)
    }

    #[inline]
    pub(crate) fn read(&self, buffer: &mut Buffer) -> Fill {
        super::getdents::fill(self.fd(), buffer, &self.end, 1)
    }

    #[inline]
    pub(crate) fn stat(
        &self,
        name: &CStr,
        wanted: Fields,
        links: Links,
        freshness: Freshness,
    ) -> io::Result<Meta> {
        super::statx::stat_at(self.fd(), name, wanted, links, freshness)
    }

    pub(crate) fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        super::statx::stat_handle(self.fd(), wanted)
    }

    pub(crate) fn read_link(&self, name: &CStr) -> io::Result<CString> {
        read_link(self.fd(), name)
    }

    pub(crate) fn open_file(&self, name: &CStr) -> io::Result<File> {
        // NONBLOCK: opening a pipe of that name must not wait. The caller checks the type.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        Ok(retry(|| openat(self.fd(), name, flags, Mode::empty()))?.into())
    }
}

/// Closes a file. One close.
///
/// # Errors
/// A network file system or FUSE could not write what it had accepted.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor was this file's alone, and is not used again.
    Ok(unsafe { rustix::io::try_close(file.into_raw_fd()) }?)
}

/// Where a symbolic link points. One readlinkat, more for a long target.
///
/// # Errors
/// The entry is not a link.
pub fn read_link(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<CString> {
    Ok(retry(|| rustix::fs::readlinkat(dir, name, Vec::new()))?)
}

/// A directory on any mount, whose children are opened as those of `dir` are.
pub(super) fn like(dir: &Dir, fd: OwnedFd) -> Dir {
    Dir::with((fd, dir.noatime.load(Ordering::Relaxed)), End::Unasked)
}

/// Opens a directory again, for reading: ioctl refuses a handle that was opened with `O_PATH`. The
/// other handle has a position of its own.
///
/// # Errors
/// The errors of openat: the caller may not be allowed to read the directory.
pub(super) fn reopen(dir: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry(|| openat(dir, c".", flags, Mode::empty()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_leads_on_and_cannot_be_read() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        std::fs::create_dir_all(scratch.path().join("place/below")).expect("directories");
        let dir = Dir::open(scratch.path(), Links::NoFollow).expect("a directory");
        let place = dir.open_child_path_only(c"place", Links::NoFollow).expect("a place");
        let fill = place.fill(&mut Buffer::with_capacity(0));
        assert_eq!(fill.at_end.map_err(|error| error.raw_os_error()), Err(Some(libc::EBADF)));
        place.open_child(c"below", Links::NoFollow).expect("a directory below");
    }

    #[test]
    fn component_by_component_opens_what_openat2_opens_and_no_link() {
        let root = tempfile::tempdir().expect("a scratch directory");
        std::fs::create_dir_all(root.path().join("a/b/c")).expect("three levels");
        std::os::unix::fs::symlink("b", root.path().join("a/link")).expect("a link");
        let dir = Dir::open(root.path(), Links::NoFollow).expect("the root");
        let open: [fn(&Dir, &CStr) -> io::Result<Dir>; 3] = [
            |dir, path| dir.open_beneath(path, Links::NoFollow, false),
            |dir, path| dir.open_beneath(path, Links::NoFollow, true),
            |dir, path| dir.open_by_component(path.to_bytes(), true),
        ];
        for open in open {
            let wanted = Fields::INO;
            let direct = Dir::open(&root.path().join("a/b/c"), Links::NoFollow).expect("direct");
            let beneath = open(&dir, c"a/b/c").expect("beneath");
            let inos = [direct, beneath].map(|dir| dir.stat_self(wanted).expect("stat").ino());
            assert_eq!(inos[0], inos[1]);
            assert!(open(&dir, c"a/link/c").is_err(), "went through a link");
            assert!(open(&dir, c"a/missing").is_err());
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_directory_is_told_from_a_directory_that_answers_eloop() {
        let root = tempfile::tempdir().expect("a scratch directory");
        std::fs::create_dir(root.path().join("dir")).expect("a directory");
        for (target, link) in [("dir", "link"), ("loop", "loop"), ("missing", "dangling")] {
            std::os::unix::fs::symlink(target, root.path().join(link)).expect("a link");
        }
        let dir = Dir::open(root.path(), Links::NoFollow).expect("the root");
        let why = |name, links| dir.why_loop(name, links).raw_os_error();
        let swapped = Some(libc::ENOTDIR);
        let answered = Some(libc::ELOOP);
        assert_eq!(why(c"dir", Links::NoFollow), answered);
        assert_eq!(why(c"dir", Links::Follow), answered);
        assert_eq!(why(c"link", Links::NoFollow), swapped);
        assert_eq!(why(c"link", Links::Follow), answered);
        for name in [c"loop", c"dangling", c"missing"] {
            assert_eq!(why(name, Links::NoFollow), swapped, "{name:?}");
            assert_eq!(why(name, Links::Follow), swapped, "{name:?}");
        }
    }

    #[test]
    fn the_kernel_is_asked_whether_it_has_openat2() {
        assert!(!OPENAT2.is_refused(), "this kernel is younger than Linux 5.6");
    }
}
