//! Opening a file that is read whole.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::call::retry;

/// Opens a file for reading. If the file is a pipe, the call does not wait for a writer. One
/// openat.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(retry(|| openat(CWD, path, flags, Mode::empty()))?))
}
