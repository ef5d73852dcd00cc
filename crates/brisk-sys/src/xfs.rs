//! Metadata of all inodes of an XFS in bulk, without their names.
//!
//! The kernel's answer has the inode's timestamps as they are in memory. The size is that of what
//! has been written to the device: a file with dirty pages may have another one. So a difference
//! means that a caller must ask by statx. Equality holds as far as timestamps do, and these count
//! as coarse ones: the call does not make the next change use a finer timestamp, as statx does.

pub(crate) mod record;

pub use crate::native::xfs::{bulkstat, check, groups, inodes};
pub use record::{RECORD, meta_of};

#[cfg(test)]
mod tests;
