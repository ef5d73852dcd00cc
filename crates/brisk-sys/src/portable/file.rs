//! Opening a file that is read whole, and creating files, on `std::fs`.

use std::fs;
use std::io;
use std::path::Path;

use crate::output::{Readers, random_name};

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

/// Creates a file for writing, if there is none of this name.
pub(crate) fn create_new(path: &Path, readers: Readers) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    // Windows's lists of access are those of the directory.
    #[cfg(not(unix))]
    let _ = readers;
    options.write(true).create_new(true).open(path)
}

/// Creates a file for reading and writing in a directory, which only this user can open, and which
/// is gone when it is closed.
pub(crate) fn create_unnamed(dir: &Path) -> io::Result<fs::File> {
    let path = dir.join(random_name());
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // FILE_FLAG_DELETE_ON_CLOSE.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0400_0000);
    let file = options.open(&path)?;
    #[cfg(not(windows))]
    fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    #[test]
    fn a_file_without_a_name_is_written_and_read() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for create in [create_unnamed, crate::whole::create_unnamed] {
            let (mut one, mut other) = (create(place.path()), create(place.path()));
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
