//! Opening: directories relative to their parent's handle, small files beside them.

use std::ffi::{CStr, CString};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::{Attributes, Buffer, Fields, Fill, Links, Meta, Sync, Xattr};

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    /// `None` is the current directory.
    fd: Option<OwnedFd>,
}

/// Set when the kernel or a seccomp filter has refused openat2 once.
pub(super) static NO_OPENAT2: AtomicBool = AtomicBool::new(false);

pub(super) fn flags(links: Links) -> OFlags {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOCTTY;
    match links {
        Links::Follow => flags,
        Links::NoFollow => flags | OFlags::NOFOLLOW,
    }
}

impl From<OwnedFd> for Dir {
    fn from(fd: OwnedFd) -> Dir {
        Dir { fd: Some(fd) }
    }
}

impl Dir {
    pub(crate) fn current() -> Dir {
        Dir { fd: None }
    }

    #[inline]
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_ref().map_or(CWD, AsFd::as_fd)
    }

    pub(crate) fn open(path: &Path, links: Links) -> io::Result<Dir> {
        let fd = retry(|| rustix::fs::openat(CWD, path, flags(links), Mode::empty()))?;
        Ok(Dir { fd: Some(fd) })
    }

    #[inline]
    pub(crate) fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        let fd = retry(|| rustix::fs::openat(self.fd(), name, flags(links), Mode::empty()))?;
        Ok(Dir { fd: Some(fd) })
    }

    pub(crate) fn open_beneath(&self, relative: &CStr, links: Links) -> io::Result<Dir> {
        if links == Links::Follow {
            return self.open_child(relative, links);
        }
        if !NO_OPENAT2.load(Ordering::Relaxed) {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let opened = retry(|| {
                rustix::fs::openat2(self.fd(), relative, flags(links), Mode::empty(), resolve)
            });
            match opened {
                // EAGAIN: a rename raced with the check; go component by component instead.
                Err(Errno::NOSYS | Errno::PERM) => NO_OPENAT2.store(true, Ordering::Relaxed),
                Err(Errno::AGAIN) => {}
                // A component was moved out of this directory meanwhile: nothing is there any more.
                Err(Errno::XDEV) => return Err(io::ErrorKind::NotFound.into()),
                opened => return Ok(Dir { fd: Some(opened?) }),
            }
        }
        self.open_by_component(relative.to_bytes())
    }

    /// One openat a component, each with NOFOLLOW: what openat2 does in one call.
    fn open_by_component(&self, relative: &[u8]) -> io::Result<Dir> {
        let mut current: Option<Dir> = None;
        for component in relative.split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
            let name = CString::new(component)?;
            let parent = current.as_ref().unwrap_or(self);
            current = Some(parent.open_child(&name, Links::NoFollow)?);
        }
        current.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    #[inline]
    pub(crate) fn fill(&self, buffer: &mut Buffer) -> Fill {
        super::getdents::fill(self.fd(), buffer)
    }

    #[inline]
    pub(crate) fn stat(
        &self,
        name: &CStr,
        wanted: Fields,
        links: Links,
        sync: Sync,
    ) -> io::Result<Meta> {
        super::statx::stat_at(self.fd(), name, wanted, links, sync)
    }

    pub(crate) fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        super::statx::stat_handle(self.fd(), wanted)
    }

    pub(crate) fn read_link(&self, name: &CStr) -> io::Result<CString> {
        Ok(rustix::fs::readlinkat(self.fd(), name, Vec::new())?)
    }

    pub(crate) fn attributes(&self, name: &CStr, links: Links) -> io::Result<Xattr<Attributes>> {
        super::xattr::attributes(self.fd(), name, links)
    }

    pub(crate) fn has_capability(&self, name: &CStr, links: Links) -> io::Result<Xattr<bool>> {
        super::xattr::has_capability(self.fd(), name, links)
    }

    pub(crate) fn context(
        &self,
        name: &CStr,
        links: Links,
    ) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        super::xattr::context(self.fd(), name, links)
    }

    pub(crate) fn read_file(&self, name: &CStr) -> io::Result<Vec<u8>> {
        // NONBLOCK: a pipe of that name must not hang the walk; the type is checked right after.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let fd = retry(|| rustix::fs::openat(self.fd(), name, flags, Mode::empty()))?;
        let mut file = std::fs::File::from(fd);
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut content = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
        file.read_to_end(&mut content)?;
        Ok(content)
    }
}

/// Repeats a call that a signal interrupted.
#[inline]
pub(super) fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_by_component_opens_what_openat2_opens_and_no_link() {
        let root = tempfile::tempdir().expect("a scratch directory");
        std::fs::create_dir_all(root.path().join("a/b/c")).expect("three levels");
        std::os::unix::fs::symlink("b", root.path().join("a/link")).expect("a link");
        let dir = Dir::open(root.path(), Links::NoFollow).expect("the root");
        let open: [fn(&Dir, &CStr) -> io::Result<Dir>; 2] = [
            |dir, path| dir.open_beneath(path, Links::NoFollow),
            |dir, path| dir.open_by_component(path.to_bytes()),
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
}
