//! An open directory, whichever backend opened it.

use std::ffi::{CStr, CString};
use std::io;
use std::path::Path;

use crate::{
    Attributes, Backend, Buffer, Fields, Fill, Identity, Links, Meta, Owners, Sync, Xattr, native,
    portable,
};

/// An open directory; closed when dropped.
#[derive(Debug)]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", windows)),
    expect(clippy::large_enum_variant, reason = "both are the portable one there")
)]
pub enum Dir {
    /// Opened by the platform's own calls.
    Native(native::Dir),
    /// Opened by `std::fs`.
    Portable(Box<portable::Dir>),
}

impl Dir {
    /// Opens a root by its path. Linux: one openat.
    ///
    /// # Errors
    /// What the operating system says; a path that is no directory is an error, as is a link with
    /// [`Links::NoFollow`].
    pub fn open(backend: Backend, path: &Path, links: Links) -> io::Result<Dir> {
        match backend {
            Backend::Native => native::Dir::open(path, links).map(Dir::Native),
            Backend::Portable => {
                portable::Dir::open(path, links).map(|dir| Dir::Portable(Box::new(dir)))
            }
        }
    }

    /// Opens a directory as a place that names are relative to: links are followed, and it need not be
    /// readable. It cannot be read from. Linux: one openat with `O_PATH`.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open_place(backend: Backend, path: &Path) -> io::Result<Dir> {
        match backend {
            Backend::Native => native::Dir::open_place(path).map(Dir::Native),
            Backend::Portable => {
                portable::Dir::open_place(path).map(|dir| Dir::Portable(Box::new(dir)))
            }
        }
    }

    /// The current directory, as the place that relative paths start from. It cannot be read from;
    /// no system call is made.
    #[must_use]
    pub fn current(backend: Backend) -> Dir {
        match backend {
            Backend::Native => Dir::Native(native::Dir::current()),
            Backend::Portable => Dir::Portable(Box::new(portable::Dir::current())),
        }
    }

    /// Has directories below this one opened so that reading them writes no access times. Linux:
    /// O_NOATIME, as far as the system lets this user; elsewhere as before.
    #[must_use]
    pub fn without_access_times(self) -> Dir {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => Dir::Native(dir.without_access_times()),
            dir => dir,
        }
    }

    /// Opens a directory in this one. Linux: one openat2 relative to this handle, with
    /// `RESOLVE_NO_XDEV`, so that the child inherits what is known of the mount; where a mount begins
    /// one openat more, and without openat2 one openat alone. The first time on a mount, one fstatfs.
    ///
    /// # Errors
    /// As [`open`](Dir::open); a directory that was swapped for a link is
    /// [`NotADirectory`](io::ErrorKind::NotADirectory) with [`Links::NoFollow`] (portable: if the
    /// swap happened before the check).
    #[inline]
    pub fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        match self {
            Dir::Native(dir) => dir.open_child(name, links).map(Dir::Native),
            Dir::Portable(dir) => {
                dir.open_child(name, links).map(|dir| Dir::Portable(Box::new(dir)))
            }
        }
    }

    /// Opens a directory several levels below this one, never through a link and never out of it.
    /// Linux: one openat2 with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`; without openat2, one openat
    /// a component.
    ///
    /// # Errors
    /// What the operating system says; a component that has become a link is an error.
    pub fn open_beneath(&self, relative: &CStr, links: Links) -> io::Result<Dir> {
        match self {
            Dir::Native(dir) => dir.open_beneath(relative, links).map(Dir::Native),
            Dir::Portable(dir) => {
                dir.open_beneath(relative, links).map(|dir| Dir::Portable(Box::new(dir)))
            }
        }
    }

    /// Opens a directory in this one that is neither a link nor a mount point. Linux: one openat2
    /// with `RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS`; without openat2, one openat and a statx on
    /// both handles (name_to_handle_at too where that does not tell the mount, then `/proc`).
    ///
    /// # Errors
    /// As [`open_child`](Dir::open_child); a mount point is
    /// [`CrossesDevices`](io::ErrorKind::CrossesDevices) (portable: only if it is another device),
    /// and where the system does not tell, [`Unsupported`](io::ErrorKind::Unsupported).
    #[inline]
    pub fn open_child_here(&self, name: &CStr) -> io::Result<Dir> {
        match self {
            Dir::Native(dir) => dir.open_child_here(name).map(Dir::Native),
            Dir::Portable(dir) => dir.open_child_here(name).map(|dir| Dir::Portable(Box::new(dir))),
        }
    }

    /// Whether a directory in this one is a mount point. Linux: one openat with `O_PATH`, and a
    /// statx on both handles (name_to_handle_at too where that does not tell the mount, then
    /// `/proc`).
    ///
    /// # Errors
    /// What the operating system says; [`Unsupported`](io::ErrorKind::Unsupported) where it does
    /// not tell (portable: only another device counts).
    pub fn is_mount_point(&self, name: &CStr) -> io::Result<bool> {
        match self {
            Dir::Native(dir) => dir.is_mount_point(name),
            Dir::Portable(dir) => dir.is_mount_point(name),
        }
    }

    /// The directory above this one, by `..`, provided that it is the one expected. It can be removed
    /// from and opened from, not read. Linux: one openat, one statx.
    ///
    /// # Errors
    /// What the operating system says; another directory than the expected one is an error.
    pub fn open_parent(&self, expected: Identity) -> io::Result<Dir> {
        match self {
            Dir::Native(dir) => dir.open_parent(expected).map(Dir::Native),
            Dir::Portable(dir) => dir.open_parent(expected).map(|dir| Dir::Portable(Box::new(dir))),
        }
    }

    /// Device and inode of this directory. Linux: one statx.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn identity(&self) -> io::Result<Identity> {
        match self {
            Dir::Native(dir) => dir.identity(),
            Dir::Portable(dir) => dir.identity(),
        }
    }

    /// Removes a name that is no directory. A link goes, not what it leads to. Linux: one unlinkat
    /// relative to this handle.
    ///
    /// # Errors
    /// What the operating system says; a directory is an error.
    #[inline]
    pub fn unlink(&self, name: &CStr) -> io::Result<()> {
        match self {
            Dir::Native(dir) => dir.unlink(name),
            Dir::Portable(dir) => dir.unlink(name),
        }
    }

    /// Removes an empty directory. Linux: one unlinkat relative to this handle.
    ///
    /// # Errors
    /// What the operating system says; anything but an empty directory is an error.
    #[inline]
    pub fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        match self {
            Dir::Native(dir) => dir.remove_dir(name),
            Dir::Portable(dir) => dir.remove_dir(name),
        }
    }

    /// Gives an entry of this directory another name in it. An existing entry of that name is not
    /// replaced, where the file system can promise that. Linux: one renameat2 relative to this handle.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn rename_here(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        match self {
            Dir::Native(dir) => dir.rename_here(from, to),
            Dir::Portable(dir) => dir.rename_here(from, to),
        }
    }

    /// Whether there are no entries from here on but `.` and `..`: reads until the first one.
    /// Linux: two getdents64 for an empty directory, else one.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn is_empty(&self) -> io::Result<bool> {
        let mut buffer = Buffer::for_one_read();
        loop {
            buffer.clear();
            let complete = self.fill(&mut buffer).complete;
            if buffer.entries().next().is_some() {
                return Ok(false);
            }
            if complete? {
                return Ok(true);
            }
        }
    }

    /// Whether this user may execute a file (enter a directory), or what a link leads to, by the
    /// system's word: access lists and mounts without execution counted. Linux: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says; [`Unsupported`](io::ErrorKind::Unsupported) where it does
    /// not tell (Windows, portable).
    pub fn may_execute(&self, name: &CStr) -> io::Result<bool> {
        match self {
            Dir::Native(dir) => dir.may_execute(name),
            Dir::Portable(dir) => dir.may_execute(name),
        }
    }

    /// Whether this user may write to an entry, by the system's word. Linux: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn may_write(&self, name: &CStr) -> io::Result<bool> {
        match self {
            Dir::Native(dir) => dir.may_write(name),
            Dir::Portable(dir) => dir.may_write(name),
        }
    }

    /// Whose entries may be removed from this directory, as far as that can be known beforehand.
    /// Linux: one faccessat2 and one statx. Elsewhere nothing is asked.
    ///
    /// # Errors
    /// What each removal would answer, whatever the entry: a directory that this user may not write
    /// to or search, that is immutable or append-only, or on a read-only mount.
    pub fn removable(&self) -> io::Result<Owners> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.removable(),
            _ => Ok(Owners::All),
        }
    }

    /// Whether GNU's tools would visit the entries of a very large directory in the order of their
    /// inodes: not where that is no faster. Linux: one fstatfs. Elsewhere no.
    #[must_use]
    pub fn prefers_inode_order(&self) -> bool {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.prefers_inode_order(),
            _ => false,
        }
    }

    /// Reads records until the buffer is nearly full or the directory ends. Linux: getdents64 until
    /// one of the two. The end is the last record's mark on ext file systems, tmpfs and btrfs (one
    /// fstatfs a mount), elsewhere a read that returns 0; a short read does not end a directory.
    #[inline]
    pub fn fill(&self, buffer: &mut Buffer) -> Fill {
        match self {
            Dir::Native(dir) => dir.fill(buffer),
            Dir::Portable(dir) => dir.fill(buffer),
        }
    }

    /// As [`fill`](Dir::fill), with one read where the system reads in several. Linux: one getdents64.
    #[inline]
    pub fn read(&self, buffer: &mut Buffer) -> Fill {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.read(buffer),
            _ => self.fill(buffer),
        }
    }

    /// The metadata of an entry, with at least `wanted` where the system can tell. Linux: one statx
    /// with that mask relative to this handle (fstatat where statx is missing).
    ///
    /// # Errors
    /// What the operating system says.
    #[inline]
    pub fn stat(&self, name: &CStr, wanted: Fields, links: Links, sync: Sync) -> io::Result<Meta> {
        match self {
            Dir::Native(dir) => dir.stat(name, wanted, links, sync),
            Dir::Portable(dir) => dir.stat(name, wanted, links, sync),
        }
    }

    /// The metadata of this directory itself. Linux: one statx on the handle.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        match self {
            Dir::Native(dir) => dir.stat_self(wanted),
            Dir::Portable(dir) => dir.stat_self(wanted),
        }
    }

    /// The device of all entries, where it is that of the directory for certain, so that what the
    /// enumeration told of them lacks nothing. Windows: at most one NtQueryVolumeInformationFile for all
    /// directories below a root. Elsewhere `None`: an entry may be a mount point.
    #[must_use]
    pub fn dev_of_entries(&self) -> Option<u64> {
        match self {
            #[cfg(windows)]
            Dir::Native(dir) => dir.dev_of_entries(),
            _ => None,
        }
    }

    /// Where a symbolic link points. Linux: one readlinkat relative to this handle.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn read_link(&self, name: &CStr) -> io::Result<CString> {
        match self {
            Dir::Native(dir) => dir.read_link(name),
            Dir::Portable(dir) => dir.read_link(name),
        }
    }

    /// What the names of an entry's extended attributes tell. Linux: one listxattrat relative to this
    /// handle, or one listxattr through `/proc/self/fd` where that is missing (before 6.13); two more
    /// if the names take more than a kibibyte.
    ///
    /// # Errors
    /// What the operating system says; [`Unsupported`](io::ErrorKind::Unsupported) where brisk cannot
    /// ask (portable), which tells nothing of the file.
    pub fn attributes(&self, name: &CStr, links: Links) -> io::Result<Xattr<Attributes>> {
        match self {
            Dir::Native(dir) => dir.attributes(name, links),
            Dir::Portable(dir) => dir.attributes(name, links),
        }
    }

    /// Whether a file has capabilities. Linux: one getxattrat relative to this handle, or one getxattr
    /// through `/proc/self/fd`.
    ///
    /// # Errors
    /// As [`attributes`](Dir::attributes).
    pub fn has_capability(&self, name: &CStr, links: Links) -> io::Result<Xattr<bool>> {
        match self {
            Dir::Native(dir) => dir.has_capability(name, links),
            Dir::Portable(dir) => dir.has_capability(name, links),
        }
    }

    /// An entry's security context, if it has one. System calls as
    /// [`has_capability`](Dir::has_capability).
    ///
    /// # Errors
    /// As [`attributes`](Dir::attributes).
    pub fn context(&self, name: &CStr, links: Links) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        match self {
            Dir::Native(dir) => dir.context(name, links),
            Dir::Portable(dir) => dir.context(name, links),
        }
    }

    /// The content of a regular file in this directory; a link is not followed, a pipe not waited
    /// for. Linux: openat, fstat, read, close.
    ///
    /// # Errors
    /// What the operating system says; anything but a regular file is
    /// [`InvalidInput`](io::ErrorKind::InvalidInput), a larger one than
    /// [`MOST`](crate::whole::MOST) bytes [`FileTooLarge`](io::ErrorKind::FileTooLarge).
    pub fn read_file(&self, name: &CStr) -> io::Result<Vec<u8>> {
        match self {
            Dir::Native(dir) => dir.read_file(name),
            Dir::Portable(dir) => dir.read_file(name),
        }
    }

    /// Whether an entry of that name exists. Linux: one statx.
    #[must_use]
    pub fn has(&self, name: &CStr) -> bool {
        self.stat(name, Fields::TYPE, Links::NoFollow, Sync::AsStat).is_ok()
    }
}

/// The metadata of a path: for roots. Linux: one statx.
///
/// # Errors
/// What the operating system says.
pub fn stat_path(backend: Backend, path: &Path, wanted: Fields, links: Links) -> io::Result<Meta> {
    match backend {
        Backend::Native => native::stat_path(path, wanted, links),
        Backend::Portable => portable::stat_path(path, wanted, links),
    }
}
