//! The ways of asking for the names, types, sizes and times of one directory's entries, side by side: what
//! `brisk bench attrs` measures. Nothing else uses them.

use std::io;
use std::path::Path;

use brisk_sys::{FileType, Timestamp};

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod native;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
mod native {
    pub(super) const TECHNIQUES: &[super::Technique] = &[];
}
mod child;
#[cfg(windows)]
#[path = "windows.rs"]
mod native;
mod standard;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod uring;

pub use child::{Ended, run};
#[cfg(windows)]
pub use native::free_bytes;

/// What a technique tells of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The name's bytes, never `.` or `..`.
    pub name: &'a [u8],
    /// Its type.
    pub file_type: FileType,
    /// Its size; 0 where the technique does not tell.
    pub size: u64,
    /// Time of the last change; the epoch where the technique does not tell.
    pub mtime: Timestamp,
}

/// Where rows go.
pub type Sink<'a> = dyn FnMut(Row<'_>) + 'a;

/// One way of asking.
#[derive(Clone, Copy, Debug)]
pub struct Technique {
    /// What it is called in the report.
    pub name: &'static str,
    /// Whether it tells size and time as well as name and type.
    pub is_whole: bool,
    /// Asks; returns how many system calls that took, as far as they are known.
    pub run: fn(&Path, &mut Sink<'_>) -> io::Result<u64>,
}

/// All techniques of this system.
pub fn techniques() -> impl Iterator<Item = &'static Technique> {
    native::TECHNIQUES.iter().chain(standard::TECHNIQUES)
}
