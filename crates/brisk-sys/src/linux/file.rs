//! Opening a file that is read whole.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::call::retry;

/// Opens a file to be read, without waiting for a pipe's writer.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(retry(|| openat(CWD, path, flags, Mode::empty()))?))
}
