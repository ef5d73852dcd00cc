//! Every other system: the portable backend stands in for the native one.

use std::io;

use crate::BorrowedHandle;
pub use crate::portable::Dir;
pub(crate) use crate::portable::btrfs;
pub use crate::portable::file::create_unnamed;
pub(crate) use crate::portable::file::open_file;
pub(crate) use crate::portable::map::Mapping;
pub(crate) use crate::portable::stat_path;
pub use crate::portable::storage;
pub use crate::portable::storage::reserve;
pub use crate::portable::usn;
pub use crate::portable::volume::mounts_below;
pub(crate) use crate::portable::volume::volume_of;
pub(crate) use crate::portable::xfs;
pub use crate::portable::{change, clock, memory};

#[cfg(target_os = "macos")]
#[path = "../macos/events.rs"]
pub mod events;
#[cfg(not(target_os = "macos"))]
pub use crate::portable::events;

/// The fields that a stat can fill on this system, if the file system has them.
pub const STATX: crate::Fields = crate::Fields::STATX.union(crate::Fields::DEV);

pub(crate) fn duplicate(_: BorrowedHandle<'_>) -> io::Result<Dir> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn handle_of(_: &Dir) -> Option<BorrowedHandle<'_>> {
    None
}

pub(crate) use handle_of as base_of;

pub(crate) fn marks_end(_: &Dir) -> bool {
    false
}

/// Limits on open files: brisk neither reads nor changes those of these systems.
pub mod limits {
    /// How many files this program may have open: 256, macOS's soft limit and the lowest that
    /// systems set. Makes no system call.
    #[must_use]
    pub fn open_files() -> u64 {
        256
    }

    /// Does nothing on these systems.
    pub fn raise_open_files() {}

    /// Does nothing on these systems.
    pub fn reserve_descriptors(_count: u64) {}

    /// Whether an error says that the process, or the system, can open no more files. Unix systems
    /// agree on both numbers, ENFILE and EMFILE.
    #[must_use]
    pub fn is_out_of_descriptors(error: &std::io::Error) -> bool {
        matches!(error.raw_os_error(), Some(23 | 24))
    }
}
