//! The numbers of errors, for other languages.

use std::io;

/// The number that Unix gives to an error; of one that brisk itself has found, the number of its
/// kind. Makes no system call.
#[must_use]
pub fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or_else(|| match error.kind() {
        io::ErrorKind::NotFound => libc::ENOENT,
        io::ErrorKind::PermissionDenied => libc::EACCES,
        io::ErrorKind::NotADirectory => libc::ENOTDIR,
        io::ErrorKind::IsADirectory => libc::EISDIR,
        io::ErrorKind::InvalidFilename => libc::ENAMETOOLONG,
        io::ErrorKind::InvalidInput => libc::EINVAL,
        io::ErrorKind::CrossesDevices => libc::EXDEV,
        io::ErrorKind::StaleNetworkFileHandle => libc::ESTALE,
        io::ErrorKind::ResourceBusy => libc::EBUSY,
        io::ErrorKind::Unsupported => libc::EOPNOTSUPP,
        _ => libc::EIO,
    })
}
