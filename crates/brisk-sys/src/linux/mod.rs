//! Linux: getdents64, openat2, statx, extended attributes, and their fallbacks.
//!
//! Every other platform module must provide the same names: [`Dir`], [`stat_path`], [`base_of`], [`btrfs`], [`change`], [`clock`],
//! [`create_unnamed`], [`duplicate`], [`events`], [`handle_of`], [`limits`], [`marks_end`], [`memory`],
//! [`open_file`], [`reserve`], [`storage`], [`usn`], [`volume_of`], [`mounts_below`], [`xfs`], [`Mapping`] and [`STATX`].

pub mod acl;
mod allow;
pub mod btrfs;
mod call;
pub mod change;
pub mod clock;
pub mod copy;
mod end;
pub mod events;
mod file;
pub mod getdents;
mod last;
pub mod limits;
mod map;
pub mod memory;
mod mounts;
mod open;
mod remove;
mod statx;
pub mod storage;
mod volume;
mod waiting;
mod who;
mod xattr;
pub mod xfs;

pub use crate::portable::usn;
pub(crate) use file::open_file;
pub use file::{create_unnamed, reserve};
pub(crate) use map::Mapping;
pub use open::Dir;
pub(crate) use open::{base_of, duplicate, handle_of, marks_end};
pub(crate) use statx::stat_path;
pub use volume::mounts_below;
pub(crate) use volume::volume_of;

/// The fields that a stat can fill on this system, if the file system has them.
pub const STATX: crate::Fields = crate::Fields::STATX.union(crate::Fields::DEV);
