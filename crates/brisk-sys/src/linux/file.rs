//! Opening a file that is read whole, creating one without a name, and reserving space for one.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{CWD, FallocateFlags, Mode, OFlags, fallocate, openat};

use super::call::retry;
use super::storage::magic_at;
use crate::portable;
use crate::volume::kind::VolumeKind;

/// Opens a file for reading. If the file is a pipe, the call does not wait for a writer. One
/// openat.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(retry(|| openat(CWD, path, flags, Mode::empty()))?))
}

/// Creates a file without a name for reading and writing, which only this user can open. It is gone
/// when it is closed, however this process ends. `dir` says on which file system. System calls: one
/// openat; on a file system that has no files without names, a create and an unlink.
///
/// # Errors
/// Any error of these calls.
pub fn create_unnamed(dir: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match retry(|| openat(CWD, dir, flags, Mode::RUSR | Mode::WUSR)) {
        Ok(file) => Ok(File::from(file)),
        Err(_) => portable::file::create_unnamed(dir),
    }
}

/// Reserves space for an empty file that will have this many bytes, on ext4. There, a rename over
/// another file first finds space for what was written, which takes 6 ms for 12 MB. On a tmpfs,
/// reserving takes longer than it saves. System calls: fstatfs; on ext4 fallocate.
pub fn reserve(file: &File, bytes: u64) {
    if magic_at(file.as_fd()).map(VolumeKind::from_magic) == Some(VolumeKind::Ext) {
        // What cannot be reserved can perhaps be written, and if not, write says why.
        let _ = retry(|| fallocate(file, FallocateFlags::empty(), 0, bytes));
    }
}
