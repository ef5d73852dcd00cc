//! Reading whole files: ignore rules, configuration, lists of users, states. Opening them does not
//! wait, and their size is bounded, except that of states.
//!
//! Such a file may lie in a tree that another user filled. A pipe in its place would block the
//! program until a writer comes, and a sparse file of four tebibytes would exhaust the memory. So
//! opening the file does not wait, the handle says whether the file is a regular one, and no more
//! than [`MOST`] bytes are read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::interrupted;
use crate::native::open_file;
pub use crate::native::{create_unnamed, reserve};

/// The size, in bytes, of the largest file that is read: 8 MiB, a thousand times what people write
/// by hand.
pub const MOST: u64 = 8 << 20;

/// How many times in a row a read is made if each attempt is interrupted. A signal interrupts one
/// attempt; a file system that always answers EINTR would otherwise block the program for ever.
const TRIES: u32 = 8;

/// Reads a regular file, or the one that a link leads to. On Unix the null device counts as an
/// empty file, because users disable configuration by a link to it. System calls: stat, open,
/// fstat, one read or more, close.
///
/// # Errors
/// Any error of these calls. A file that is not regular is
/// [`InvalidInput`](io::ErrorKind::InvalidInput), a file larger than [`MOST`] is
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    // The stat comes first, because merely opening some devices has an effect.
    let meta = fs::metadata(path)?;
    if is_null_device(&meta) {
        return Ok(Vec::new());
    }
    check(&meta)?;
    read_open(&open_file(path)?)
}

/// As [`read`], for text. System calls as [`read`].
///
/// # Errors
/// As [`read`]; bytes that are not UTF-8 are [`InvalidData`](io::ErrorKind::InvalidData).
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")
    })
}

/// Reads a file that the user has named. It may be a pipe: the call waits for the writer and reads
/// to the end. System calls: open, fstat, one read or more, close.
///
/// # Errors
/// Any error of these calls. More than [`MOST`] bytes are
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    read_bounded(&file, file.metadata()?.len())
}

/// Opens a regular file for reading, without waiting for the writer of a pipe in its place. System
/// calls: open, fstat.
///
/// # Errors
/// Any error of these calls; [`InvalidInput`](io::ErrorKind::InvalidInput) if the file is not
/// regular.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_file(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_regular_file()) }
}

/// Reads an open regular file from its current position. The caller should have opened the file
/// with `O_NONBLOCK`, so that opening a pipe does not wait. System calls: fstat, one read or more.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: &File) -> io::Result<Vec<u8>> {
    let meta = file.metadata()?;
    check(&meta)?;
    read_bounded(file, meta.len())
}

fn check(meta: &fs::Metadata) -> io::Result<()> {
    match () {
        () if !meta.is_file() => Err(no_regular_file()),
        () if meta.len() > MOST => Err(too_large()),
        () => Ok(()),
    }
}

#[cold]
pub(crate) fn no_regular_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

#[cold]
fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "larger than 8 MiB, the most that is read")
}

/// Reads to the end. `expected` is a hint of the length, in bytes; the file may be longer or
/// shorter.
fn read_bounded(mut file: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    if expected > MOST {
        return Err(too_large());
    }
    let mut content = vec![0; expected as usize + 1];
    let mut length = 0;
    let mut interruptions = 0;
    loop {
        match file.read(&mut content[length..]) {
            Ok(0) => break,
            Ok(count) => {
                length += count;
                interruptions = 0;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                interruptions += 1;
                if interruptions == TRIES || interrupted() {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        if length as u64 > MOST {
            return Err(too_large());
        }
        if length == content.len() {
            content.resize(length * 2, 0);
        }
    }
    content.truncate(length);
    Ok(content)
}

#[cfg(unix)]
fn is_null_device(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let null = || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev());
    meta.file_type().is_char_device() && null()
}

#[cfg(not(unix))]
fn is_null_device(_meta: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of which each read returns at most three bytes, after interrupted attempts.
    struct Trickle<'a>(&'a [u8], u32);

    impl Read for Trickle<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if !self.1.is_multiple_of(TRIES) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = room.len().min(3);
            (&mut self.0).take(count as u64).read(room)
        }
    }

    #[test]
    fn content_is_read_whole_whatever_length_was_expected() {
        for expected in [0, 1, 9, 10, 11, 100] {
            let read = read_bounded(Trickle(b"0123456789", 0), expected).expect("readable");
            assert_eq!(read, b"0123456789");
        }
        let endless = |expected| read_bounded(io::repeat(0), expected).map_err(|e| e.kind());
        assert_eq!(endless(0), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(endless(MOST), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(endless(u64::MAX), Err(io::ErrorKind::FileTooLarge));
        let most = read_bounded(io::repeat(0).take(MOST), 0).expect("not too large");
        assert_eq!(most.len() as u64, MOST);
    }

    #[test]
    fn what_is_always_interrupted_ends() {
        struct Never;
        impl Read for Never {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Interrupted.into())
            }
        }
        let error = read_bounded(Never, 0).expect_err("nothing is read");
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        let file = File::create(&path).expect("a file");
        assert_eq!(read(&path).expect("readable"), b"");
        file.set_len(MOST).expect("sparse");
        assert_eq!(read(&path).expect("readable").len() as u64, MOST);
        file.set_len(1 << 40).expect("sparse");
        for read in [read, read_named] {
            let kind = read(&path).map_err(|error| error.kind());
            assert_eq!(kind, Err(io::ErrorKind::FileTooLarge));
        }
        let kind = read(place.path()).map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::InvalidInput));
    }

    #[cfg(unix)]
    #[test]
    fn the_null_device_is_empty_and_others_are_no_files() {
        assert_eq!(read("/dev/null".as_ref()).expect("empty"), b"");
        let kind = read("/dev/zero".as_ref()).map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::InvalidInput));
    }
}
