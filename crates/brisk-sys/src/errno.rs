//! The numbers of errors, for other languages.

use std::io;

/// Windows has no number for a handle of a file that is gone.
#[cfg(unix)]
const STALE: i32 = libc::ESTALE;
#[cfg(not(unix))]
const STALE: i32 = libc::EIO;

/// The number of a path that leads back to a directory above it.
pub const ELOOP: i32 = libc::ELOOP;

/// Whether an error is ELOOP: the path has too many links, or has one where none is permitted. Makes
/// no system call.
#[cfg(unix)]
#[must_use]
pub fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ELOOP)
}

/// The number that Unix gives to an error; of one that brisk itself has found, and on Windows, the
/// number of its kind. Makes no system call.
#[must_use]
pub fn errno(error: &io::Error) -> i32 {
    let own = error.raw_os_error().filter(|_| cfg!(unix));
    own.unwrap_or_else(|| match error.kind() {
        io::ErrorKind::NotFound => libc::ENOENT,
        io::ErrorKind::PermissionDenied => libc::EACCES,
        io::ErrorKind::AlreadyExists => libc::EEXIST,
        io::ErrorKind::NotADirectory => libc::ENOTDIR,
        io::ErrorKind::IsADirectory => libc::EISDIR,
        io::ErrorKind::DirectoryNotEmpty => libc::ENOTEMPTY,
        io::ErrorKind::ResourceBusy => libc::EBUSY,
        io::ErrorKind::InvalidFilename => libc::ENAMETOOLONG,
        io::ErrorKind::InvalidInput => libc::EINVAL,
        io::ErrorKind::CrossesDevices => libc::EXDEV,
        // A walk that was cancelled.
        io::ErrorKind::Interrupted => libc::ECANCELED,
        io::ErrorKind::StaleNetworkFileHandle => STALE,
        io::ErrorKind::Unsupported => libc::EOPNOTSUPP,
        _ => libc::EIO,
    })
}
