//! What a copy does: files opened, made and named by their directory's handle, contents passed on
//! by the kernel, attributes set by descriptor. No call follows a link unless its caller says so.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, SeekFrom, Timespec, Timestamps, Uid, XattrFlags,
};
use rustix::io::Errno;

use super::acl;
use super::call::retry;
pub use super::open::{close, read_link};
use super::statx::stat_handle;
pub use super::waiting::{wait_for_reader, wait_to_read, wait_to_write};
pub use super::who::{effective_group, effective_user, has_group};
use crate::{Dir, Fields, FileType, Ids, Links, Meta, Timestamp, base_of, handle_of};

/// An extended attribute.
pub type Attribute = (CString, Vec<u8>);

/// The access list of a file.
pub const ACCESS_LIST: &CStr = c"system.posix_acl_access";
/// The access list that entries of a directory inherit.
pub const DEFAULT_LIST: &CStr = c"system.posix_acl_default";
/// The security context of SELinux.
const CONTEXT: &CStr = c"security.selinux";

fn open(dir: BorrowedFd<'_>, name: &CStr, flags: OFlags, mode: u32) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mode = Mode::from_raw_mode(mode);
    Ok(retry(|| rustix::fs::openat(dir, name, flags, mode))?.into())
}

/// The bits that new files of this process lack; 0o022 where `/proc` does not tell.
#[must_use]
pub fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let text = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    text.and_then(|text| u32::from_str_radix(text.trim(), 8).ok()).unwrap_or(0o022)
}

/// Opens a file for reading, whatever its type. The call does not wait for the writer of a pipe;
/// nor do later reads, see [`wait_to_read`]. One openat.
///
/// # Errors
/// The errors of the call; a link that is not followed is ELOOP.
pub fn open_source(dir: BorrowedFd<'_>, name: &CStr, links: Links) -> io::Result<File> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK;
    flags.set(OFlags::NOFOLLOW, links == Links::NoFollow);
    open(dir, name, flags, 0)
}

/// Makes a file for writing, if there is none of this name. One openat.
///
/// # Errors
/// The errors of the call.
pub fn create(dir: BorrowedFd<'_>, name: &CStr, mode: u32) -> io::Result<File> {
    open(dir, name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode)
}

/// Makes a file without a name for writing, on the directory's file system. One openat.
///
/// # Errors
/// The errors of the call; EOPNOTSUPP or EISDIR where file system or kernel has no such files.
pub fn create_unnamed(dir: BorrowedFd<'_>, mode: u32) -> io::Result<File> {
    open(dir, c".", OFlags::WRONLY | OFlags::TMPFILE, mode)
}

/// Gives a file without a name its first name. One linkat; a second one through `/proc` where the
/// system refuses descriptors to this user.
///
/// # Errors
/// There is an entry of that name.
pub fn name_file(file: &File, dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    match rustix::fs::linkat(file, c"", dir, name, AtFlags::EMPTY_PATH) {
        Err(Errno::NOENT | Errno::INVAL) => {
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(rustix::fs::linkat(CWD, &path, dir, name, AtFlags::SYMLINK_FOLLOW)?)
        }
        done => Ok(done?),
    }
}

/// Opens an existing file for writing, without changing it. The call does not wait for the reader of
/// a pipe; nor do later writes, see [`wait_to_write`]. One openat.
///
/// # Errors
/// The errors of the call; see [`lacks_reader`]. With [`Links::NoFollow`] a link is ELOOP.
pub fn open_existing(dir: BorrowedFd<'_>, name: &CStr, links: Links) -> io::Result<File> {
    let mut flags = OFlags::WRONLY | OFlags::NONBLOCK;
    flags.set(OFlags::NOFOLLOW, links == Links::NoFollow);
    open(dir, name, flags, 0)
}

/// Whether a pipe was not opened because no process has it open for reading.
#[must_use]
pub fn lacks_reader(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::NXIO)
}

/// Makes a directory. One mkdirat.
///
/// # Errors
/// The errors of the call.
pub fn make_dir(dir: &Dir, name: &CStr, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(base_of(dir)?, name, Mode::from_raw_mode(mode))?)
}

/// Makes a symbolic link. One symlinkat.
///
/// # Errors
/// The errors of the call.
pub fn make_link(text: &CStr, dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(text, dir, name)?)
}

/// Makes a FIFO, a device or a socket. One mknodat.
///
/// # Errors
/// The errors of the call.
pub fn make_node(
    dir: BorrowedFd<'_>,
    name: &CStr,
    file_type: FileType,
    mode: u32,
    device: u64,
) -> io::Result<()> {
    let kind = rustix::fs::FileType::from_raw_mode(file_type.mode_bits());
    Ok(rustix::fs::mknodat(dir, name, kind, Mode::from_raw_mode(mode), device)?)
}

/// Makes a hard link. One linkat.
///
/// # Errors
/// The errors of the call.
pub fn hard_link(
    (from, old): (BorrowedFd<'_>, &CStr),
    (to, new): (BorrowedFd<'_>, &CStr),
    links: Links,
) -> io::Result<()> {
    let mut flags = AtFlags::empty();
    flags.set(AtFlags::SYMLINK_FOLLOW, links == Links::Follow);
    Ok(rustix::fs::linkat(from, old, to, new, flags)?)
}

/// Gives an entry another name in its directory. What has that name is replaced. One renameat.
///
/// # Errors
/// The errors of the call.
pub fn rename_over(dir: BorrowedFd<'_>, from: &CStr, to: &CStr) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, from, dir, to, RenameFlags::empty())?)
}

/// The metadata of an open file. One statx.
///
/// # Errors
/// The errors of the call.
#[inline]
pub fn stat_open(file: BorrowedFd<'_>, wanted: Fields) -> io::Result<Meta> {
    stat_handle(file, wanted)
}

/// Has the kernel copy bytes from one file's position to the other's. One copy_file_range.
///
/// # Errors
/// The errors of the call.
#[inline]
pub fn copy_range(from: &File, to: &File, bytes: usize) -> io::Result<usize> {
    Ok(retry(|| rustix::fs::copy_file_range(from, None, to, None, bytes))?)
}

/// Has a file share the other's blocks. One ioctl, FICLONE.
///
/// # Errors
/// The errors of the call.
pub fn clone(from: &File, to: &File) -> io::Result<()> {
    Ok(retry(|| rustix::fs::ioctl_ficlone(to, from))?)
}

/// The next range of data from an offset on, and moves the file's position there; `None` if only a
/// hole is left. Two lseek, and a third one.
///
/// # Errors
/// The errors of the calls.
pub fn next_data(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    let begin = match rustix::fs::seek(file, SeekFrom::Data(from)) {
        Err(Errno::NXIO) => return Ok(None),
        found => found?,
    };
    let end = match rustix::fs::seek(file, SeekFrom::Hole(begin)) {
        // The file has become shorter.
        Err(Errno::NXIO) => return Ok(None),
        found => found?,
    };
    rustix::fs::seek(file, SeekFrom::Start(begin))?;
    Ok(Some((begin, end)))
}

/// Sets an open file's owners. One fchown.
///
/// # Errors
/// The errors of the call.
pub fn set_owners(file: BorrowedFd<'_>, to: Ids) -> io::Result<()> {
    let user = to.user.map(Uid::from_raw);
    let group = to.group.map(Gid::from_raw);
    Ok(retry(|| rustix::fs::fchown(file, user, group))?)
}

/// Sets an open file's permissions, with setuid, setgid and sticky. One fchmod.
///
/// # Errors
/// The errors of the call.
pub fn set_mode(file: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    Ok(retry(|| rustix::fs::fchmod(file, Mode::from_raw_mode(mode)))?)
}

fn timestamps(access: Timestamp, change: Timestamp) -> Timestamps {
    let time = |it: Timestamp| Timespec { tv_sec: it.secs, tv_nsec: it.nanos.into() };
    Timestamps { last_access: time(access), last_modification: time(change) }
}

/// Sets an open file's times of access and modification. One utimensat.
///
/// # Errors
/// The errors of the call.
pub fn set_times(file: BorrowedFd<'_>, access: Timestamp, change: Timestamp) -> io::Result<()> {
    Ok(retry(|| rustix::fs::futimens(file, &timestamps(access, change)))?)
}

/// Sets the times of an entry, and follows no link. One utimensat.
///
/// # Errors
/// The errors of the call.
pub fn set_times_at(
    dir: BorrowedFd<'_>,
    name: &CStr,
    access: Timestamp,
    change: Timestamp,
) -> io::Result<()> {
    let times = timestamps(access, change);
    Ok(retry(|| rustix::fs::utimensat(dir, name, &times, AtFlags::SYMLINK_NOFOLLOW))?)
}

/// The attributes that were read, and why others could not be. Where their names cannot be listed,
/// that is an error of the name `""`, and access lists and the context are read all the same.
pub type Attributes = (Vec<Attribute>, Vec<(CString, io::Error)>);

/// The extended attributes of an open file whose names are `wanted`; `None` where the file system has
/// no attributes. One flistxattr, and one fgetxattr for each; one more where a list or value is long.
pub fn attributes(file: BorrowedFd<'_>, wanted: impl Fn(&CStr) -> bool) -> Option<Attributes> {
    let list = |room: &mut [u8]| rustix::fs::flistxattr(file, room);
    let get = |name: &CStr, room: &mut [u8]| rustix::fs::fgetxattr(file, name, room);
    found(list, get, wanted)
}

/// The same of an entry, which need not be opened; the calls take a path in `/proc/self/fd`.
pub fn attributes_at(
    dir: BorrowedFd<'_>,
    name: &CStr,
    links: Links,
    wanted: impl Fn(&CStr) -> bool,
) -> Option<Attributes> {
    use rustix::fs::{getxattr, lgetxattr, listxattr, llistxattr};
    let prefix = match dir.as_raw_fd() {
        at if at < 0 => String::new(),
        at => format!("/proc/self/fd/{at}/"),
    };
    let path = [prefix.as_bytes(), name.to_bytes()].concat();
    let path = CString::new(path).expect("BUG: neither part has a zero");
    let path = path.as_c_str();
    let follows = links == Links::Follow;
    let list = |room: &mut [u8]| match follows {
        true => listxattr(path, room),
        false => llistxattr(path, room),
    };
    let get = |name: &CStr, room: &mut [u8]| match follows {
        true => getxattr(path, name, room),
        false => lgetxattr(path, name, room),
    };
    found(list, get, wanted)
}

fn found(
    list: impl Fn(&mut [u8]) -> Result<usize, Errno>,
    get: impl Fn(&CStr, &mut [u8]) -> Result<usize, Errno>,
    wanted: impl Fn(&CStr) -> bool,
) -> Option<Attributes> {
    let mut room = [0; 512];
    let mut found = Attributes::default();
    let listed = match list(&mut room) {
        Ok(0) => return Some(found),
        Ok(length) => Ok(room[..length].to_vec()),
        Err(Errno::RANGE) => long(list),
        Err(Errno::NOTSUP) => return None,
        Err(error) => Err(error),
    };
    let names = listed.unwrap_or_else(|error| {
        found.1.push((CString::default(), error.into()));
        [ACCESS_LIST, DEFAULT_LIST, CONTEXT].map(CStr::to_bytes_with_nul).concat()
    });
    for name in names.split_inclusive(|&byte| byte == 0) {
        let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
        if wanted(name) {
            match long(|room| get(name, room)) {
                Ok(value) => found.0.push((name.into(), value)),
                // There is none, or another process has removed it.
                Err(Errno::NODATA) => {}
                Err(error) => found.1.push((name.into(), error.into())),
            }
        }
    }
    Some(found)
}

/// An entry that this process has made and that cannot be opened, such as a link or a pipe: held, so
/// that what is set is set there, whatever has its name meanwhile.
#[derive(Debug)]
pub struct Held(File);

impl Held {
    /// Holds an entry. One openat with `O_PATH`, one statx.
    ///
    /// # Errors
    /// The errors of the calls; [`StaleNetworkFileHandle`](io::ErrorKind::StaleNetworkFileHandle) if
    /// it is of another type or device number, has other links, or is another user's.
    pub fn new(
        dir: BorrowedFd<'_>,
        name: &CStr,
        (file_type, device): (FileType, u64),
    ) -> io::Result<Held> {
        let file = open(dir, name, OFlags::PATH | OFlags::NOFOLLOW, 0)?;
        let wanted = Fields::TYPE | Fields::NLINK | Fields::UID | Fields::DEV;
        let meta = stat_open(file.as_fd(), wanted)?;
        let is_device = matches!(file_type, FileType::BlockDevice | FileType::CharDevice);
        let is_own = meta.file_type() == Some(file_type)
            && (!is_device || meta.rdev() == Some(device))
            && meta.nlink() == Some(1)
            && meta.uid() == Some(effective_user());
        if is_own { Ok(Held(file)) } else { Err(io::ErrorKind::StaleNetworkFileHandle.into()) }
    }

    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }

    /// Sets its owners. One fchownat.
    ///
    /// # Errors
    /// The errors of the call.
    pub fn set_owners(&self, to: Ids) -> io::Result<()> {
        let user = to.user.map(Uid::from_raw);
        let group = to.group.map(Gid::from_raw);
        let flags = AtFlags::EMPTY_PATH;
        Ok(retry(|| rustix::fs::chownat(&self.0, c"", user, group, flags))?)
    }

    /// Sets its permissions. One chmod through `/proc`.
    ///
    /// # Errors
    /// The errors of the call.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(retry(|| rustix::fs::chmod(self.path(), Mode::from_raw_mode(mode)))?)
    }

    /// Sets an extended attribute. One setxattr through `/proc`.
    ///
    /// # Errors
    /// The errors of the call.
    pub fn set_attribute(&self, (name, value): &Attribute) -> io::Result<()> {
        Ok(rustix::fs::setxattr(self.path(), name, value, XattrFlags::empty())?)
    }

    /// Removes an extended attribute, if there is one. One removexattr through `/proc`.
    ///
    /// # Errors
    /// As of [`remove_attribute`].
    pub fn remove_attribute(&self, name: &CStr) -> io::Result<()> {
        removed(rustix::fs::removexattr(self.path(), name))
    }
}

/// What a call reads, up to 64 KiB: Linux's bound on lists of names and on values.
fn long(read: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut room = vec![0; 64 << 10];
    let length = read(&mut room)?;
    room.truncate(length);
    room.shrink_to_fit();
    Ok(room)
}

/// Sets an extended attribute of an open file. One fsetxattr.
///
/// # Errors
/// The errors of the call.
pub fn set_attribute(file: BorrowedFd<'_>, (name, value): &Attribute) -> io::Result<()> {
    Ok(rustix::fs::fsetxattr(file, name, value, XattrFlags::empty())?)
}

/// Whether an open file may have an extended attribute. One fgetxattr.
#[must_use]
pub fn may_have_attribute(file: BorrowedFd<'_>, name: &CStr) -> bool {
    let asked = rustix::fs::fgetxattr(file, name, &mut [0; 0]);
    !matches!(asked, Err(Errno::NODATA | Errno::NOTSUP))
}

/// The permissions that an open directory's default access list allows what is made in it; `None`
/// without such a list. One fgetxattr.
#[must_use]
pub fn inherited_limit(dir: BorrowedFd<'_>) -> Option<u32> {
    let list = long(|room| rustix::fs::fgetxattr(dir, DEFAULT_LIST, room)).ok()?;
    acl::limit(&list)
}

/// Removes an extended attribute of an open file, if there is one. One fremovexattr.
///
/// # Errors
/// The errors of the call, but for those that say that there is none.
pub fn remove_attribute(file: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    removed(rustix::fs::fremovexattr(file, name))
}

fn removed(done: Result<(), Errno>) -> io::Result<()> {
    match done {
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(()),
        done => Ok(done?),
    }
}

/// Takes the lock of an open directory, unless another process has it; `false` if so. One flock.
#[must_use]
pub fn lock(dir: &Dir) -> bool {
    let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
    let locked = handle_of(dir).map(|dir| rustix::fs::flock(dir, operation));
    locked != Some(Err(Errno::WOULDBLOCK))
}

/// Has the system write an open file's file system to disk. One syncfs.
///
/// # Errors
/// The errors of the call.
pub fn sync_file_system(dir: BorrowedFd<'_>) -> io::Result<()> {
    // syncfs refuses handles that were opened with `O_PATH`.
    let dir = open(dir, c".", OFlags::RDONLY | OFlags::DIRECTORY, 0)?;
    Ok(rustix::fs::syncfs(dir.as_fd())?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    /// An entry keeps its handle when another takes its name; what this process cannot have made is
    /// refused.
    #[test]
    fn what_is_held_is_changed_whatever_has_its_name() {
        let place = testkit::scratch();
        let path = |name: &str| place.path().join(name);
        let dir = File::open(place.path()).expect("a directory");
        let fifo = (FileType::Fifo, 0);
        make_node(dir.as_fd(), c"p", FileType::Fifo, 0o600, 0).expect("made");
        let held = Held::new(dir.as_fd(), c"p", fifo).expect("held");
        std::fs::rename(path("p"), path("q")).expect("renamed");
        std::fs::write(path("f"), "").expect("a file");
        symlink("f", path("p")).expect("a link");
        held.set_mode(0o644).expect("set");
        let mode = |name: &str| std::fs::metadata(path(name)).expect("there").permissions().mode();
        assert_eq!((mode("q") & 0o777, mode("f") & 0o777), (0o644, 0o644 & !umask()));
        let meta = std::fs::metadata(path("q")).expect("there");
        held.set_owners(Ids { user: Some(meta.uid()), group: Some(meta.gid()) }).expect("set");
        let stale = |name| Held::new(dir.as_fd(), name, fifo).expect_err("another");
        assert_eq!(stale(c"p").kind(), io::ErrorKind::StaleNetworkFileHandle);
        std::fs::hard_link(path("q"), path("r")).expect("linked");
        assert_eq!(stale(c"r").kind(), io::ErrorKind::StaleNetworkFileHandle);
    }
}
