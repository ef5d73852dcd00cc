//! Windows: NtQueryDirectoryFile, opening relative to a handle, and deleting by handle.
//!
//! `src/nt/` decodes the structures that these calls fill, as bytes. Metadata that came with the
//! names in a directory is not asked for again.

mod call;
mod change_request;
mod enumerate;
pub mod events;
pub mod limits;
mod open;
mod owner;
pub mod paths;
mod remove;
mod stat;
pub mod usn;
mod volume;

pub use call::{attributes_of, bytes_of, open_path, wide_path};
pub use open::Dir;
pub(crate) use open::{base_of, duplicate, handle_of, marks_end};
pub(crate) use stat::stat_path;
pub use volume::mounts_below;
pub(crate) use volume::volume_of;

pub(crate) use crate::portable::btrfs;
pub use crate::portable::file::create_unnamed;
pub(crate) use crate::portable::file::open_file;
pub(crate) use crate::portable::map::Mapping;
pub use crate::portable::storage;
pub use crate::portable::storage::reserve;
pub(crate) use crate::portable::xfs;
pub use crate::portable::{change, clock, memory};

use crate::Fields;

/// The fields that a stat can fill on this system. Windows has neither modes nor numeric owners.
pub const STATX: Fields = Fields::TYPE
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

/// A status of the native calls as an error. Makes no system call.
#[must_use]
pub fn error_of(status: i32) -> std::io::Error {
    call::Status(status).into()
}

/// Whether an error says that the path has too many links. Makes no system call.
#[must_use]
pub fn is_link_loop(error: &std::io::Error) -> bool {
    let loops = windows_sys::Win32::Foundation::ERROR_CANT_RESOLVE_FILENAME;
    error.raw_os_error() == Some(loops.cast_signed())
}
