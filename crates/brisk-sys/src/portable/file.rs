//! Opening a file that is read whole, on `std::fs`.

use std::fs;
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
