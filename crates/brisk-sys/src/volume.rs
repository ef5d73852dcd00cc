//! What is known of the file system that a directory is on: its type, an identity that survives a
//! reboot, and what may be concluded from its inode numbers and timestamps.

pub(crate) mod kind;

use std::io;
use std::path::Path;

pub use kind::{Mount, Volume, VolumeKind};

use crate::{BorrowedHandle, native};

/// The mounts below a directory, which is an absolute path without links. Linux: reads
/// `/proc/self/mountinfo`. Windows: no call, and no mount, because no walk enters one there.
///
/// # Errors
/// That file cannot be read; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn mounts_below(top: &Path) -> io::Result<Vec<Mount>> {
    native::mounts_below(top)
}

impl Volume {
    /// The file system of an open directory, which may have been opened with `O_PATH`. Linux: two
    /// fstatfs; on ext one statx more; on XFS openat, ioctl and close; on an overlay one statx, the
    /// reading of `/proc/self/mountinfo`, and one statfs a layer. Windows: three
    /// NtQueryVolumeInformationFile.
    ///
    /// # Errors
    /// The errors of these calls; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
    pub fn of(dir: BorrowedHandle<'_>) -> io::Result<Volume> {
        native::volume_of(dir)
    }
}
