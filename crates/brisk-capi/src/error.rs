//! [`Error`]: what failed, on which path, and why.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Display;
use std::ptr::null;

use brisk::Operation;
use brisk::copy::NotCopied;
use brisk::remove::Failure;
use brisk_sys::errno;

/// What failed, on which path, and why.
pub struct Error {
    operation: &'static CStr,
    path: CString,
    number: c_int,
    text: CString,
}

/// A string that ends at the first NUL, if there is one.
pub fn c_string(bytes: &[u8]) -> CString {
    CString::new(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).unwrap_or_default()
}

impl Error {
    #[cold]
    pub fn new(operation: &'static CStr, path: &[u8], number: c_int, text: &str) -> Error {
        let text = c_string(text.as_bytes());
        Error { operation, path: c_string(path), number, text }
    }

    /// An argument that cannot be understood.
    #[cold]
    pub fn argument(text: impl Display) -> Error {
        Error::new(c"argument", b"", libc::EINVAL, &text.to_string())
    }
}

/// What a walk has reported.
impl From<&brisk::Error> for Error {
    #[cold]
    fn from(error: &brisk::Error) -> Error {
        let operation = match error.operation() {
            Operation::Open => c"open",
            Operation::Reopen => c"reopen",
            Operation::Read => c"read",
            Operation::Stat => c"stat",
            Operation::ReadLink => c"read link",
            Operation::ReadIgnoreFile => c"read ignore file",
            Operation::FollowLoop => c"follow",
            _ => c"read file",
        };
        let path = error.path().as_os_str().as_encoded_bytes();
        Error::new(operation, path, error.errno(), &error.to_string())
    }
}

/// Why an entry stays that was to be removed.
impl From<&Failure> for Error {
    #[cold]
    fn from(failure: &Failure) -> Error {
        let number = errno(&failure.why().to_io());
        let path = failure.path().as_os_str().as_encoded_bytes();
        Error::new(c"remove", path, number, &failure.to_string())
    }
}

/// What was not copied.
impl From<&NotCopied> for Error {
    #[cold]
    fn from(failure: &NotCopied) -> Error {
        let path = failure.path().as_os_str().as_encoded_bytes();
        Error::new(c"copy", path, errno(&failure.to_io()), &failure.to_string())
    }
}

/// What failed: "open", "reopen", "read", "stat", "read link", "read file", "read ignore file",
/// "follow" (a link or mount that leads back to a directory above it), "remove", "copy",
/// "load state", "save state", "changed", "argument", or "panic" for an error in the library. There
/// may be others in later versions. NULL if `error` is NULL.
///
/// Threads: any, until the error is freed.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_error_operation(error: Option<&Error>) -> *const c_char {
    error.map_or(null(), |error| error.operation.as_ptr())
}

/// The path on which it failed, beginning with the path that the caller gave; empty if there is
/// none. NULL if `error` is NULL. The string lives as long as the error.
///
/// Threads: any, until the error is freed.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_error_path(error: Option<&Error>) -> *const c_char {
    error.map_or(null(), |error| error.path.as_ptr())
}

/// The error's number, as in errno.h; 0 if `error` is NULL.
///
/// Threads: any, until the error is freed.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_error_errno(error: Option<&Error>) -> c_int {
    error.map_or(0, |error| error.number)
}

/// The whole error as a line of English, with the path quoted as for a shell. NULL if `error` is
/// NULL. The string lives as long as the error.
///
/// Threads: any, until the error is freed.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_error_text(error: Option<&Error>) -> *const c_char {
    error.map_or(null(), |error| error.text.as_ptr())
}

/// Frees an error that a function has returned, or NULL. Errors that a callback gets are the
/// library's.
///
/// Threads: any; no other thread may use the error.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_error_free(error: Option<Box<Error>>) {
    drop(error);
}
