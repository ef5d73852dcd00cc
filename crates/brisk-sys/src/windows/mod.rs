//! Windows: NtQueryDirectoryFile, opens relative to a handle, and deletion by handle.
//!
//! The structures that these calls fill are read in `src/nt/`, as bytes. Nothing here asks for one file
//! what an enumeration has told already.

mod call;
pub mod clock;
mod enumerate;
pub mod limits;
mod open;
mod owner;
pub mod paths;
mod remove;
mod stat;

pub use call::{attributes_of, bytes_of, open_path, wide_path};
pub use open::Dir;
pub(crate) use stat::stat_path;

pub(crate) use crate::portable::file::open_file;

use crate::Fields;

/// The fields that this system can tell: Windows has neither mode nor numeric owners.
pub const TOLD: Fields = Fields::TYPE
    .union(Fields::NLINK)
    .union(Fields::ATIME)
    .union(Fields::MTIME)
    .union(Fields::CTIME)
    .union(Fields::BTIME)
    .union(Fields::INO)
    .union(Fields::SIZE)
    .union(Fields::BLOCKS)
    .union(Fields::DEV)
    .union(Fields::ATTRIBUTES);

/// A status of the native calls as an error.
#[must_use]
pub fn error_of(status: i32) -> std::io::Error {
    call::Status(status).into()
}

/// Whether an error is this system's for too many links on the way.
#[must_use]
pub fn is_link_loop(error: &std::io::Error) -> bool {
    let loops = windows_sys::Win32::Foundation::ERROR_CANT_RESOLVE_FILENAME;
    error.raw_os_error() == Some(loops.cast_signed())
}

/// Memory: not told here.
pub mod memory {
    /// Unknown on this system.
    #[must_use]
    pub fn available() -> Option<u64> {
        None
    }
}
