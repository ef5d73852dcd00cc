//! How much is held in memory: of one directory, and of directories that wait to be read.
//!
//! What is sorted, and what is laid out in columns, must be held whole; breadth first, so must all
//! names of directories of the next level. A directory may have no end (some FUSE file systems list
//! new names for ever), and memory has one. So there is a bound, and a directory that reaches it
//! ends in an error that names the bound:
//!
//! - a quarter of the memory that is available, since names are copied into lines and columns that
//!   take as much again: ten million names, which need about 500 MiB, want 2 GiB available;
//! - at most 4 GiB, so that an endless directory on a large machine is recognised within a minute;
//! - at least 16 MiB.
//!
//! How much is available is asked once in a process, and only once 16 MiB are held. (Test:
//! `promises/endless.rs`.)

use std::io;
use std::sync::OnceLock;

use brisk_sys::memory;

const LEAST: usize = 16 << 20;
const MOST: usize = 4 << 30;

/// The bound where the system does not tell what is available: every machine of today has that
/// much.
const UNKNOWN: u64 = 4 << 30;

/// Whether this many bytes are more than may be held of one directory.
#[must_use]
#[inline]
pub fn is_reached(bytes: usize) -> bool {
    bytes > LEAST && bytes > most()
}

/// The bound, in bytes.
#[cold]
fn most() -> usize {
    static BOUND: OnceLock<usize> = OnceLock::new();
    *BOUND.get_or_init(|| {
        let available = memory::available().unwrap_or(UNKNOWN);
        usize::try_from(available / 4).unwrap_or(MOST).clamp(LEAST, MOST)
    })
}

/// What is said of a directory that reached the bound.
#[must_use]
pub fn error() -> io::Error {
    let mebibytes = most() >> 20;
    let told = format!(
        "more than {mebibytes} MiB of entries cannot be sorted in memory: list them unsorted \
         (find --order=none, ls -U1)"
    );
    io::Error::new(io::ErrorKind::OutOfMemory, told)
}
