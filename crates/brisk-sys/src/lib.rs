//! The operating system as brisk sees it: directories read in bulk, metadata asked by mask.
//!
//! This crate and `brisk-cli-sys` are the only ones with `unsafe`. This crate knows nothing of
//! trees. It opens a directory relative to its parent's handle, fills a [`Buffer`] with raw
//! directory records, decodes the records into borrowed [`RawEntry`] values, and answers
//! [`Dir::stat`] with at least the [`Fields`] that the caller wants.
//!
//! [`Dir`] has two backends. The native one makes the platform's own calls (`linux/`, `windows/`).
//! The other, [`portable`], uses `std::fs` alone; every platform compiles it, and tests compare the
//! native backend with it. The platform is chosen here, once.
//!
//! The `brisk` crate re-exports these types, because its users need them. They belong to the API of
//! `brisk`, and change as it does:
//!
//! | type | why users of `brisk` need it |
//! |---|---|
//! | [`Fields`] | a visitor says with it which metadata it needs |
//! | [`Meta`] | the metadata of an entry |
//! | [`FileType`], [`Timestamp`] | an entry and its `Meta` return them |
//! | [`Access`], [`Target`] | `Meta` returns them |
//! | [`Backend`] | the builder of a walk takes it |
//! | [`Ids`], [`mode::ModeChange`] | a change is made to them |
//!
//! Everything else is public for the other crates of this workspace, their tests and the fuzz
//! targets alone, and may change in any version.

pub mod btrfs;
mod buffer;
mod bytes;
mod dir;
mod errno;
pub mod events;
mod extent;
mod fields;
mod file_type;
mod handle;
mod ids;
mod interrupt;
pub mod map;
mod meta;
pub mod mode;
mod notice;
pub mod nt;
pub mod output;
mod owners;
pub mod portable;
pub mod quoting;
mod request;
pub mod slashed;
pub mod threads;
mod timestamp;
mod usage;
pub mod volume;
pub mod whole;
mod xattr;
pub mod xfs;

#[cfg(not(windows))]
pub mod paths;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux/mod.rs"]
mod native;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod native;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
#[path = "other/mod.rs"]
mod native;

pub use buffer::{Buffer, Fill, LEAST_RECORD, RawEntries, RawEntry, until_nul};
pub use bytes::append;
pub use dir::{Dir, stat_path};
#[cfg(unix)]
pub use errno::is_link_loop;
pub use errno::{ELOOP, errno};
pub use extent::Extent;
pub use fields::{Fields, Pins};
pub use file_type::{FileType, Target};
pub use handle::{AsHandle, BorrowedHandle, base_of, borrow_handle, handle_of, marks_end};
pub use ids::{Ids, permitting};
pub use interrupt::{interrupt, interrupted};
pub use meta::{Identity, Meta};
pub use native::{STATX, change, clock, limits, memory, storage, usn};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use native::{acl, copy, getdents};
#[cfg(windows)]
#[doc(hidden)]
pub use native::{attributes_of, bytes_of, error_of, open_path, wide_path};
#[cfg(windows)]
pub use native::{is_link_loop, paths};
pub use owners::Owners;
pub use request::{Backend, Freshness, Links};
pub use timestamp::Timestamp;
pub use xattr::{Access, Attributes, Xattr};
