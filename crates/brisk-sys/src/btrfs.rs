//! What btrfs remembers of its own changes; and of the extents of a file: who else uses them
//! ([`Inspected`]).
//!
//! Each transaction has a number, the generation, and each
//! inode keeps the generation that wrote it last.
//!
//! ```text
//!   generation  …  41        42        43        44 (running)
//!                  │ └ chmod └ mkdir d └ write f
//!                  └ Subvolume::of, whose `next` is 41; then the scan
//!   changed_since(41) ──► what was chmodded, the parent of d, d and f; and what else 41 wrote,
//!                         perhaps before the scan
//! ```
//!
//! Creating, removing or renaming an entry writes the inode of its directory. So an inode that was
//! not written has the same content and metadata, and a directory that was not written has the same
//! names. A mount over a directory is not a change of the file system, and neither is a change in a
//! subvolume below: a subvolume has generations and inode numbers of its own.
//!
//! A transaction is lost if the machine stops, or the file system fails, before it is committed.
//! The next mount goes on at the last transaction that was committed, and uses the numbers of lost
//! ones again. So what a caller has remembered is of use only while the file system stays mounted.

pub(crate) mod items;

use std::io;

pub use crate::native::btrfs::{Inspected, changed_since, sync};
pub use items::{EXTENT, INODE, Items, StoredExtent, Subvolume, TreeItem};

use crate::{BorrowedHandle, native};

impl Subvolume {
    /// The subvolume that an open directory is in. The handle may be one that was opened with
    /// `O_PATH`. Linux: openat, two ioctls, statx, close, and the reading of a file of `/proc`. No
    /// privilege is needed but the permission to read the directory.
    ///
    /// # Errors
    /// The errors of these calls: a directory of another file system is one.
    /// [`Unsupported`](io::ErrorKind::Unsupported): a kernel before 5.10, or another system.
    pub fn of(dir: BorrowedHandle<'_>) -> io::Result<Subvolume> {
        native::btrfs::subvolume_of(dir)
    }
}

#[cfg(test)]
mod tests;
