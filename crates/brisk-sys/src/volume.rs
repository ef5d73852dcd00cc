//! What is known of the file system that a directory is on: its type, an identity that survives a
//! reboot, and what may be concluded from its inode numbers and timestamps.

pub(crate) mod kind;

use std::io;

pub use crate::native::mounts_below;
pub use kind::{Mount, Volume, VolumeKind};

use crate::{BorrowedHandle, native};

impl Volume {
    /// The file system of an open directory, which may have been opened with `O_PATH`. Linux: two
    /// fstatfs; on ext one statx more; on XFS openat, ioctl and close. Windows: three
    /// NtQueryVolumeInformationFile.
    ///
    /// # Errors
    /// The errors of these calls; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
    pub fn of(dir: BorrowedHandle<'_>) -> io::Result<Volume> {
        native::volume_of(dir)
    }
}
