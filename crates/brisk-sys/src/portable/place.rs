//! What is at the place of an output, beyond what `std::fs` says on every system.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Permission bits of a directory in which each user may create files, and only a file's owner may
/// remove it.
#[cfg(unix)]
const SHARED: u32 = 0o1002;

/// The number of the open file that a path names: `/dev/fd/3`.
#[cfg(unix)]
pub(crate) fn descriptor(path: &Path) -> Option<libc::c_int> {
    let own = format!("/proc/{}/fd", std::process::id());
    let dir = path.parent()?;
    let is_own = ["/dev/fd", "/proc/self/fd", &own].iter().any(|own| dir == Path::new(own));
    path.file_name().filter(|_| is_own)?.to_str()?.parse().ok()
}

/// No path names an open file.
#[cfg(not(unix))]
pub(crate) fn descriptor(_path: &Path) -> Option<i32> {
    None
}

/// Opens a device or a pipe for writing, or duplicates the handle of an open file. The duplicate
/// shares the position.
#[cfg(unix)]
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::os::unix::fs::OpenOptionsExt;
    let Some(number) = descriptor(path) else {
        return OpenOptions::new().write(true).custom_flags(libc::O_NOCTTY).open(path);
    };
    // SAFETY: the call takes three numbers, and fails if no open file has the first.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has returned this handle just now, so nothing else owns it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(copy) }))
}

/// Opens a device for writing.
#[cfg(not(unix))]
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Whether this is a socket.
#[cfg(unix)]
pub(crate) fn is_socket(meta: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&meta.file_type())
}

/// No file is a socket.
#[cfg(not(unix))]
pub(crate) fn is_socket(_meta: &Metadata) -> bool {
    false
}

/// Refuses the link of another user in a directory like `/tmp`, as Linux does by default
/// (`fs.protected_symlinks`). A link of the directory's owner may be followed.
#[cfg(unix)]
pub(crate) fn check_link(link: &Metadata, dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let dir = std::fs::metadata(dir)?;
    // SAFETY: the call takes nothing and always succeeds.
    let trusted = [dir.uid(), unsafe { libc::geteuid() }];
    if dir.mode() & SHARED == SHARED && !trusted.contains(&link.uid()) {
        return Err(io::Error::from_raw_os_error(libc::EACCES));
    }
    Ok(())
}

/// Every link is followed.
#[cfg(not(unix))]
pub(crate) fn check_link(_link: &Metadata, _dir: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a file for reading and writing, which is created if it is missing, and locks it until it is
/// closed; `None` if another process has it locked. On Unix a process that is forked meanwhile
/// shares the lock. System calls: open, flock.
///
/// # Errors
/// The errors of these calls.
#[cfg(unix)]
pub fn open_locked(path: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsRawFd;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    // SAFETY: the call takes two numbers; the file is open.
    let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    if locked == 0 {
        return Ok(Some(file));
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        error => Err(error),
    }
}

/// The same. The lock is an opening that shares no writing.
#[cfg(windows)]
pub fn open_locked(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    /// FILE_SHARE_READ.
    const SHARE: u32 = 1;
    /// ERROR_SHARING_VIOLATION.
    const IN_USE: i32 = 32;
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false).share_mode(SHARE);
    match how.open(path) {
        Err(error) if error.raw_os_error() == Some(IN_USE) => Ok(None),
        file => file.map(Some),
    }
}

/// Forces the names in a directory to the disk. System calls: open, fsync, close.
///
/// # Errors
/// The errors of these calls.
#[cfg(unix)]
pub fn sync_directory(path: &Path) -> io::Result<()> {
    crate::portable::file::sync(&File::open(path)?)
}

/// Nothing: NTFS keeps a journal of names.
#[cfg(windows)]
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}
