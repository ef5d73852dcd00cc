//! `Dir`: an open directory of either backend.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::Path;

use crate::{
    Attributes, Backend, Buffer, Fields, Fill, Freshness, Identity, Links, Meta, Owners, Xattr,
    native, portable, whole,
};

/// An open directory; closed when dropped.
///
/// The documentation of each method names the system calls of Linux and Windows. With
/// [`Backend::Portable`], and on all other systems, a method makes the calls of `std::fs` that
/// serve the same purpose, by path. Such a method follows a link that another process puts in the
/// place of a directory above.
///
/// The errors of a method are those of its system calls, and what its `# Errors` adds.
#[derive(Debug)]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", windows)),
    expect(clippy::large_enum_variant, reason = "both variants hold a portable directory there")
)]
pub enum Dir {
    /// Opened by the platform's own calls.
    Native(native::Dir),
    /// Opened by `std::fs`.
    Portable(Box<portable::Dir>),
}

/// Asks the backend of a directory, which the expression calls `$dir`.
macro_rules! ask {
    ($self:ident, $dir:ident => $answer:expr) => {
        match $self {
            Dir::Native($dir) => $answer,
            Dir::Portable($dir) => $answer,
        }
    };
}

#[cfg(any(target_os = "linux", target_os = "android", windows))]
impl From<native::Dir> for Dir {
    fn from(dir: native::Dir) -> Dir {
        Dir::Native(dir)
    }
}

impl From<portable::Dir> for Dir {
    fn from(dir: portable::Dir) -> Dir {
        Dir::Portable(Box::new(dir))
    }
}

impl Dir {
    /// Opens a root by its path. Linux: one openat. Windows: one CreateFile and one
    /// NtQueryInformationFile.
    ///
    /// # Errors
    /// A path that leads to no directory; with [`Links::NoFollow`], a path that leads to a link.
    pub fn open(backend: Backend, path: &Path, links: Links) -> io::Result<Dir> {
        match backend {
            Backend::Native => native::Dir::open(path, links).map(Dir::Native),
            Backend::Portable => portable::Dir::open(path, links).map(Dir::from),
        }
    }

    /// Opens a directory that names are to be relative to, and follows links. The directory need
    /// not be readable, and the caller cannot read from it. Linux: one openat with `O_PATH`.
    /// Windows: as [`open`](Dir::open).
    ///
    /// # Errors
    /// A path that leads to no directory.
    pub fn open_path_only(backend: Backend, path: &Path) -> io::Result<Dir> {
        match backend {
            Backend::Native => native::Dir::open_path_only(path).map(Dir::Native),
            Backend::Portable => portable::Dir::open_path_only(path).map(Dir::from),
        }
    }

    /// The current directory, which relative paths are relative to. The caller cannot read from it.
    /// Makes no system call.
    #[must_use]
    pub fn current(backend: Backend) -> Dir {
        match backend {
            Backend::Native => Dir::Native(native::Dir::current()),
            Backend::Portable => portable::Dir::current().into(),
        }
    }

    /// Changes how directories below this one are opened: reading them then writes no access times.
    /// Linux: O_NOATIME, where the system permits it to this user. Elsewhere nothing changes. Makes
    /// no system call.
    #[must_use]
    pub fn without_access_times(self) -> Dir {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => Dir::Native(dir.without_access_times()),
            dir => dir,
        }
    }

    /// Opens a directory in this one. Linux: one openat2 relative to this handle, with
    /// `RESOLVE_NO_XDEV`, so that the child inherits what is known of the mount. Where a mount
    /// begins, one openat more; where the kernel has no openat2, one openat instead. The first time
    /// on a mount, one fstatfs. Windows: one NtCreateFile; on systems without OBJ_DONT_REPARSE, one
    /// NtQueryInformationFile more.
    ///
    /// # Errors
    /// With [`Links::NoFollow`], a link in the place of the directory is
    /// [`NotADirectory`](io::ErrorKind::NotADirectory). The portable backend checks this before it
    /// opens the directory, and misses a link that comes later.
    #[inline]
    pub fn open_child(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        ask!(self, dir => dir.open_child(name, links).map(Dir::from))
    }

    /// Opens a directory in this one for a caller that knows its names: names can be relative to it,
    /// and the caller cannot read from it. Linux: one openat2 as [`open_child`](Dir::open_child)
    /// makes it, with `O_PATH`; where that fails, and on other systems, `open_child`.
    ///
    /// # Errors
    /// As [`open_child`](Dir::open_child).
    pub fn open_child_path_only(&self, name: &CStr, links: Links) -> io::Result<Dir> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.open_child_path_only(name, links).map(Dir::Native),
            dir => dir.open_child(name, links),
        }
    }

    /// Opens a directory several levels below this one. With [`Links::NoFollow`] the call goes
    /// neither through a link nor out of this directory nor, on Linux with `one_mount`, into a mount
    /// point. Linux: one openat2 with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`, and `RESOLVE_NO_XDEV`
    /// for one mount; where the kernel has no openat2, one openat a component. Windows: one
    /// NtCreateFile; on systems without OBJ_DONT_REPARSE, one a component.
    ///
    /// # Errors
    /// With [`Links::NoFollow`], a component that is a link (portable: only the last one).
    pub fn open_beneath(&self, relative: &CStr, links: Links, one_mount: bool) -> io::Result<Dir> {
        ask!(self, dir => dir.open_beneath(relative, links, one_mount).map(Dir::from))
    }

    /// Opens a directory in this one that is neither a link nor a mount point. Linux: one openat2
    /// with `RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS`. Where the kernel has no openat2: one openat,
    /// then one statx on both handles; if statx does not report the mount, name_to_handle_at, then
    /// `/proc`. Windows: one NtCreateFile and one NtQueryInformationFile.
    ///
    /// # Errors
    /// As [`open_child`](Dir::open_child). A mount point is
    /// [`CrossesDevices`](io::ErrorKind::CrossesDevices) (portable: only if it is on another
    /// device; Windows: [`NotADirectory`](io::ErrorKind::NotADirectory)). If the system does not
    /// report the mount, [`Unsupported`](io::ErrorKind::Unsupported).
    #[inline]
    pub fn open_child_same_mount(&self, name: &CStr) -> io::Result<Dir> {
        ask!(self, dir => dir.open_child_same_mount(name).map(Dir::from))
    }

    /// Whether a directory in this one is a mount point. Linux: one openat with `O_PATH`, and one
    /// statx on both handles; if statx does not report the mount, name_to_handle_at, then `/proc`.
    /// Windows: no system call, always `false`, because mounted volumes are links there. Portable:
    /// `true` if the directory is on another device.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) if the system does not report the mount.
    pub fn is_mount_point(&self, name: &CStr) -> io::Result<bool> {
        ask!(self, dir => dir.is_mount_point(name))
    }

    /// Opens the directory above this one, if it is the one expected. The caller can open and
    /// remove relative to the result, but not read from it. Linux: one openat of `..`, one statx.
    /// Windows: one NtCreateFile by the expected file's number, one NtQueryInformationFile.
    ///
    /// # Errors
    /// The directory above is another than the one expected:
    /// [`StaleNetworkFileHandle`](io::ErrorKind::StaleNetworkFileHandle).
    pub fn open_parent(&self, expected: Identity) -> io::Result<Dir> {
        let parent = ask!(self, dir => dir.open_parent(expected).map(Dir::from))?;
        let is_expected = parent.identity()? == expected;
        if is_expected { Ok(parent) } else { Err(io::ErrorKind::StaleNetworkFileHandle.into()) }
    }

    /// Device and inode of this directory. Linux: one statx. Windows: one NtQueryInformationFile;
    /// the first time below a root, one NtQueryVolumeInformationFile.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) if the system does not report them.
    pub fn identity(&self) -> io::Result<Identity> {
        let meta = self.stat_self(Fields::DEV | Fields::INO)?;
        meta.identity().ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Removes a name that is not a directory. A link is removed itself, not what it leads to. Linux:
    /// one unlinkat relative to this handle. Windows: one NtCreateFile, one NtSetInformationFile;
    /// more, with waits of at most 127 ms in all, if another program has the file open.
    ///
    /// # Errors
    /// The name is a directory.
    #[inline]
    pub fn unlink(&self, name: &CStr) -> io::Result<()> {
        ask!(self, dir => dir.unlink(name))
    }

    /// Removes an empty directory. Linux: one unlinkat relative to this handle. Windows: as
    /// [`unlink`](Dir::unlink).
    ///
    /// # Errors
    /// The name is not a directory, or the directory is not empty.
    #[inline]
    pub fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        ask!(self, dir => dir.remove_dir(name))
    }

    /// Gives an entry of this directory another name in this directory. The call does not replace
    /// an entry of that name, if the file system can promise so. Linux: one renameat2 relative to
    /// this handle; if the file system refuses the flag, one linkat and one unlinkat more, or for
    /// directories and without hard links one linkat, newfstatat and renameat. Windows: one
    /// NtCreateFile, one NtSetInformationFile; one more without POSIX semantics.
    ///
    /// # Errors
    /// An entry has the new name already.
    pub fn rename_here(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        ask!(self, dir => dir.rename_here(from, to))
    }

    /// Whether this directory has no more entries, from the current position on, but `.` and `..`.
    /// The call reads until the first other entry. Linux: one getdents64; two if the directory is
    /// empty. Windows: one NtQueryDirectoryFile or two.
    ///
    /// # Errors
    /// A read failed.
    pub fn is_empty(&self) -> io::Result<bool> {
        let mut buffer = Buffer::for_one_read();
        loop {
            buffer.clear();
            let at_end = self.fill(&mut buffer).at_end;
            if buffer.entries().next().is_some() {
                return Ok(false);
            }
            if at_end? {
                return Ok(true);
            }
        }
    }

    /// Whether the system permits this user to execute a file, or to enter a directory. Links are
    /// followed. Access control lists count, and so do mounts that forbid execution. Linux: one
    /// faccessat2.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) on Windows and with the portable backend.
    pub fn may_execute(&self, name: &CStr) -> io::Result<bool> {
        ask!(self, dir => dir.may_execute(name))
    }

    /// Whether the system permits this user to write to an entry. Links are followed. Linux: one
    /// faccessat2. Windows (one NtCreateFile, one NtQueryInformationFile) and portable: whether the
    /// entry is not marked read-only.
    ///
    /// # Errors
    /// The entry cannot be reached.
    pub fn may_write(&self, name: &CStr) -> io::Result<bool> {
        ask!(self, dir => dir.may_write(name))
    }

    /// Whose entries may be removed from this directory, as far as the system reports before a
    /// removal. Linux: one faccessat2 and one statx. Elsewhere [`Owners::All`], without a system
    /// call.
    ///
    /// # Errors
    /// The error that every removal would return: this user may not write to the directory or
    /// search it, the directory is immutable or append-only, or its mount is read-only.
    pub fn removable(&self) -> io::Result<Owners> {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.removable(),
            _ => Ok(Owners::All),
        }
    }

    /// Reads records until the buffer is nearly full or the directory ends. Linux: getdents64, once
    /// or more. ext file systems, tmpfs and btrfs mark the last record (one fstatfs a mount tells
    /// them apart); on others the end is a read that returns 0. A short read does not end a
    /// directory. Windows: NtQueryDirectoryFile, once or more, until it answers that there are no
    /// more files.
    #[inline]
    pub fn fill(&self, buffer: &mut Buffer) -> Fill {
        ask!(self, dir => dir.fill(buffer))
    }

    /// As [`fill`](Dir::fill), with at most one read. Linux: one getdents64. Elsewhere the same as
    /// `fill`.
    #[inline]
    pub fn read(&self, buffer: &mut Buffer) -> Fill {
        match self {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Dir::Native(dir) => dir.read(buffer),
            _ => self.fill(buffer),
        }
    }

    /// The metadata of an entry. The answer has at least the fields `wanted`, if the system has
    /// them. Linux: one statx with that mask relative to this handle; fstatat where the kernel has
    /// no statx. Windows: one NtCreateFile, one NtQueryInformationFile (two for a reparse point),
    /// and at most one NtQueryVolumeInformationFile.
    ///
    /// # Errors
    /// The entry does not exist.
    #[inline]
    pub fn stat(
        &self,
        name: &CStr,
        wanted: Fields,
        links: Links,
        freshness: Freshness,
    ) -> io::Result<Meta> {
        ask!(self, dir => dir.stat(name, wanted, links, freshness))
    }

    /// The metadata of this directory itself. Linux: one statx on the handle. Windows: as
    /// [`stat`](Dir::stat), without NtCreateFile.
    ///
    /// # Errors
    /// Those of the system calls alone.
    pub fn stat_self(&self, wanted: Fields) -> io::Result<Meta> {
        ask!(self, dir => dir.stat_self(wanted))
    }

    /// The device of all entries of this directory, if no entry can be on another device. Metadata
    /// that came with the names is then complete. Windows: at most one NtQueryVolumeInformationFile
    /// for all directories below a root. Elsewhere `None`, without a system call: an entry may be a
    /// mount point.
    #[must_use]
    pub fn dev_of_entries(&self) -> Option<u64> {
        match self {
            #[cfg(windows)]
            Dir::Native(dir) => dir.dev_of_entries(),
            _ => None,
        }
    }

    /// Where a symbolic link points. Linux: one readlinkat relative to this handle, more for a long
    /// target. Windows: one NtCreateFile, one NtFsControlFile.
    ///
    /// # Errors
    /// The entry is not a link.
    pub fn read_link(&self, name: &CStr) -> io::Result<CString> {
        ask!(self, dir => dir.read_link(name))
    }

    /// Whether the file system of an entry, which must not be a link, may store what
    /// [`attributes`](Dir::attributes) looks for. NFS 4.2 does not, but lists names with a request
    /// a file. Linux: one getxattrat where it stores access lists, at most three. Elsewhere `true`,
    /// without a system call.
    #[must_use]
    pub fn stores_attributes(&self, name: &CStr, links: Links) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Dir::Native(dir) => dir.stores_attributes(name, links),
            _ => {
                let _ = (name, links);
                true
            }
        }
    }

    /// Which extended attributes an entry has. Linux: one listxattrat relative to this handle;
    /// before Linux 6.13, one listxattr through `/proc/self/fd`. If the names take more than 1 KiB,
    /// one call more.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) on Windows and with the portable backend, which
    /// cannot ask. That error says nothing about the file.
    pub fn attributes(&self, name: &CStr, links: Links) -> io::Result<Xattr<Attributes>> {
        ask!(self, dir => dir.attributes(name, links))
    }

    /// Whether a file has capabilities. Linux: one getxattrat relative to this handle; before Linux
    /// 6.13, one getxattr through `/proc/self/fd`.
    ///
    /// # Errors
    /// As [`attributes`](Dir::attributes).
    pub fn has_capability(&self, name: &CStr, links: Links) -> io::Result<Xattr<bool>> {
        ask!(self, dir => dir.has_capability(name, links))
    }

    /// An entry's security context, if it has one. Linux: as
    /// [`has_capability`](Dir::has_capability). Windows: the owner's name, by one NtCreateFile and
    /// one GetKernelObjectSecurity; for each new owner, one LookupAccountSid.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) with the portable backend.
    pub fn context(&self, name: &CStr, links: Links) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        ask!(self, dir => dir.context(name, links))
    }

    /// The content of a regular file in this directory. The call neither follows a link nor waits
    /// for the writer of a pipe. Linux: openat, fstat, one read or more, close. Windows:
    /// NtCreateFile, one query, one read or more.
    ///
    /// # Errors
    /// A link. A file that is not regular is [`InvalidInput`](io::ErrorKind::InvalidInput); a file
    /// larger than [`MOST`](crate::whole::MOST) bytes is
    /// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
    pub fn read_file(&self, name: &CStr) -> io::Result<Vec<u8>> {
        whole::read_open(&self.open_file(name)?)
    }

    /// Opens a file in this directory for reading, whatever its type. The call neither follows a
    /// link nor waits for the writer of a pipe. Linux: openat. Windows: NtCreateFile.
    ///
    /// # Errors
    /// A link.
    pub fn open_file(&self, name: &CStr) -> io::Result<File> {
        ask!(self, dir => dir.open_file(name))
    }

    /// Whether an entry of that name exists. System calls as [`stat`](Dir::stat).
    #[must_use]
    pub fn has(&self, name: &CStr) -> bool {
        self.stat(name, Fields::TYPE, Links::NoFollow, Freshness::AsStat).is_ok()
    }
}

/// The metadata of a path, for roots. Linux: one statx. Windows: one NtQueryFullAttributesFile if
/// type and attributes are all that is wanted and the path leads to no reparse point; otherwise one
/// CreateFile, and NtQueryInformationFile as [`Dir::stat`].
///
/// # Errors
/// The path leads to no file.
pub fn stat_path(backend: Backend, path: &Path, wanted: Fields, links: Links) -> io::Result<Meta> {
    match backend {
        Backend::Native => native::stat_path(path, wanted, links),
        Backend::Portable => portable::stat_path(path, wanted, links),
    }
}
