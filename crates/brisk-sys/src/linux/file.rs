//! Opening a file that is read whole, and creating one without a name.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::call::retry;
use crate::portable;

/// Opens a file for reading. If the file is a pipe, the call does not wait for a writer. One
/// openat.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(retry(|| openat(CWD, path, flags, Mode::empty()))?))
}

/// Creates a file for reading and writing in a directory, which only this user can open, and which
/// has no name. One openat. A file system that has no such files gets one with a name, which is
/// removed at once.
pub(crate) fn create_unnamed(dir: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match retry(|| openat(CWD, dir, flags, Mode::RUSR | Mode::WUSR)) {
        Ok(file) => Ok(File::from(file)),
        Err(_) => portable::file::create_unnamed(dir),
    }
}
