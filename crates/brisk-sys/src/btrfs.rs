//! What btrfs remembers of its own changes: each transaction has a number, the generation, and each
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
//! names. A mount over a directory is no change of the file system, and neither is a change in a
//! subvolume below: a subvolume has generations and inode numbers of its own.
//!
//! A transaction is lost if the machine stops, or the file system fails, before it is committed.
//! The next mount goes on at the last transaction that was committed, and uses the numbers of lost
//! ones again. So what a caller has remembered is of use only while the file system stays mounted.

use std::io;
use std::ops::ControlFlow;

use crate::{BorrowedHandle, native};

/// A mounted subvolume, and how far its changes have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subvolume {
    /// The UUID of the file system.
    pub filesystem: [u8; 16],
    /// The id of the subvolume: 5 for the top level.
    pub id: u64,
    /// The UUID of the subvolume; zeros for the top level of an old file system.
    pub uuid: [u8; 16],
    /// This start of the machine: the kernel's boot id.
    pub boot: [u8; 16],
    /// The mount's id, which since Linux 6.8 is used once between two starts of the machine.
    pub mount: u64,
    /// The generation that the next change belongs to, at the earliest: the transaction that is
    /// running, or the next one if the last one is known to be committed.
    pub next: u64,
}

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

    /// Whether this is the same subvolume, mounted without a break, at a time that is not earlier.
    /// Makes no system call.
    #[must_use]
    pub fn continues(&self, earlier: &Subvolume) -> bool {
        *self == Subvolume { next: self.next, ..*earlier } && self.next >= earlier.next
    }
}

/// Hands on the number of each inode of a subvolume that this generation or a later one wrote, in
/// ascending order, until `each` breaks. Only what is committed is found: call [`sync`] first.
/// `dir` is any directory of the subvolume. Linux: openat, one ioctl for each 64 KiB of metadata
/// that changed, close.
///
/// # Errors
/// [`PermissionDenied`](io::ErrorKind::PermissionDenied) without CAP_SYS_ADMIN;
/// [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn changed_since(
    dir: BorrowedHandle<'_>,
    generation: u64,
    each: impl FnMut(u64) -> ControlFlow<()>,
) -> io::Result<()> {
    native::btrfs::changed_since(dir, generation, each)
}

/// Commits the file system of a directory. This takes as long as writing all its dirty pages
/// ([`memory::dirty`](crate::memory::dirty)). Linux: openat, syncfs, close.
///
/// # Errors
/// The errors of these calls; [`Unsupported`](io::ErrorKind::Unsupported) on other systems.
pub fn sync(dir: BorrowedHandle<'_>) -> io::Result<()> {
    native::btrfs::sync(dir)
}

/// An item that a search of a tree returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The first part of the key: the inode, for items that belong to one.
    pub object: u64,
    /// The second part of the key: [`INODE`] and others.
    pub kind: u32,
    /// The content, as on the device.
    pub content: &'a [u8],
}

/// The kind of item that holds the metadata of an inode.
pub const INODE: u32 = 1;

impl Item<'_> {
    /// The generation that wrote an inode last; `None` for any other kind of item. Makes no system
    /// call.
    #[must_use]
    pub fn written_by(&self) -> Option<u64> {
        let number = self.content.get(8..)?.first_chunk()?;
        (self.kind == INODE).then(|| u64::from_le_bytes(*number))
    }
}

/// The items in the answer of a search. No method makes a system call.
///
/// ```text
///   0         8        16       24     28       32
///   | transid | object | offset | kind | length | content … | transid | …
/// ```
///
/// The numbers of this header are the processor's; those of the content are little-endian. An item
/// that does not fit the bytes ends the iteration.
#[derive(Clone, Debug)]
pub struct Items<'a>(&'a [u8]);

impl<'a> Items<'a> {
    /// The items in these bytes, with nothing behind the last one.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Items<'a> {
        Items(bytes)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let (header, rest) = self.0.split_first_chunk::<32>()?;
        let object = u64::from_ne_bytes(*header[8..].first_chunk()?);
        let kind = u32::from_ne_bytes(*header[24..].first_chunk()?);
        let length = u32::from_ne_bytes(*header[28..].first_chunk()?);
        let (content, rest) = rest.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(Item { object, kind, content })
    }
}

#[cfg(test)]
mod tests;
