//! The bound on memory: for one directory's entries, and for the directories that wait to be
//! opened.
//!
//! A walk that sorts a directory, or lays it out in columns, must hold all of its entries. A
//! breadth-first walk must hold the names of all directories of the next level. A directory may
//! have no end (some FUSE file systems list new names for ever), but memory has one. A directory
//! that reaches the bound ends in an error that names the bound. The bound is
//!
//! - a quarter of the memory that is available, since names are copied into lines and columns that
//!   take as much again: ten million names, which need about 500 MiB, want 2 GiB available;
//! - at most 4 GiB, so that an endless directory on a large machine is recognised within a minute;
//! - at least 16 MiB.
//!
//! A process asks the system once how much is available, and not before the walk holds 16 MiB.
//! (Test: `every/endless.rs`.)

use std::io;
use std::sync::OnceLock;

use brisk_sys::memory;

/// The least bound, in bytes: every process can spare that much.
const LEAST: usize = 16 << 20;
/// The greatest bound, in bytes: an endless directory fills it within a minute.
const MOST: usize = 4 << 30;

/// The bytes that count as available where the system does not say how many are: every machine of
/// today has that much.
const UNKNOWN: u64 = 4 << 30;

/// Whether this many bytes are more than a walk may hold.
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

/// The error of a directory whose entries reach the bound.
#[must_use]
pub fn error() -> io::Error {
    more_than("entries cannot be sorted in memory: list them unsorted (find --order=none, ls -U1)")
}

/// The error of a directory whose subdirectories are not entered, because too many are pending.
pub(crate) fn pending_error() -> io::Error {
    more_than("directories wait to be read")
}

fn more_than(what: &str) -> io::Error {
    let mebibytes = most() >> 20;
    io::Error::new(io::ErrorKind::OutOfMemory, format!("more than {mebibytes} MiB of {what}"))
}
