//! Opening a file that is read whole, and creating files, on `std::fs`.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

/// Opens a file for reading. If the file is a pipe, the call does not wait for a writer.
pub(crate) fn open_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    options.open(path)
}

/// The beginning of the name of a file that has no lasting place. 16 hexadecimal digits follow.
pub(crate) const PREFIX: &str = ".brisk-tmp-";

/// A name that no other process comes upon. System calls: getrandom, once for each thread.
pub(crate) fn random_name() -> String {
    format!("{PREFIX}{:016x}", RandomState::new().build_hasher().finish())
}

/// Creates a file for writing, if there is none of this name.
pub(crate) fn create_new(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

/// As [`create_new`], but only this user can open the file.
pub(crate) fn create_private(path: &Path) -> io::Result<fs::File> {
    private().write(true).open(path)
}

fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.create_new(true);
    options
}

/// Creates a file for reading and writing in a directory, which only this user can open, and which
/// is gone when it is closed. System calls: a create; except on Windows, an unlink.
///
/// # Errors
/// Any error of these calls.
pub fn create_unnamed(dir: &Path) -> io::Result<fs::File> {
    let path = dir.join(random_name());
    let mut options = private();
    options.read(true).write(true);
    // FILE_FLAG_DELETE_ON_CLOSE.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0400_0000);
    let file = options.open(&path)?;
    #[cfg(not(windows))]
    fs::remove_file(&path)?;
    Ok(file)
}

/// Forces a file to the disk. A file system that does not support this makes no promise anyway.
/// System calls: one fsync.
///
/// # Errors
/// The errors of that call.
pub fn sync(file: &fs::File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whole::create_unnamed as create_natively;
    use std::io::{Read, Seek, Write};

    #[test]
    fn a_file_without_a_name_is_written_and_read() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for create in [create_unnamed, create_natively] {
            let mut one = create(place.path());
            let mut other = create(place.path());
            for (file, text) in [(&mut one, "one"), (&mut other, "other")] {
                let file = file.as_mut().expect("a file");
                file.write_all(text.as_bytes()).expect("written");
                file.rewind().expect("rewound");
                let mut read = String::new();
                file.read_to_string(&mut read).expect("read");
                assert_eq!(read, text);
            }
            if cfg!(unix) {
                assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 0);
            }
        }
    }
}
