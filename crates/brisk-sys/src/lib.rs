//! The operating system as brisk sees it: directories read in bulk, metadata asked by mask.
//!
//! This crate is the only one with `unsafe`. It has no opinion about trees: it opens a directory
//! relative to its parent's handle, fills a [`Buffer`] with raw directory records, decodes them into
//! borrowed [`RawEntry`] values, and answers [`Dir::stat`] with exactly the [`Fields`] asked for.
//!
//! Two backends stand behind [`Dir`]: the platform's own (`linux/`), and [`portable`] on `std::fs`,
//! which is compiled everywhere and serves as the other's oracle. The platform is chosen here, once.

mod buffer;
mod bytes;
mod dir;
mod meta;
pub mod portable;
mod usage;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux/mod.rs"]
mod native;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "other/mod.rs"]
mod native;

pub use buffer::{Buffer, RawEntries, RawEntry, until_nul};
pub use bytes::append;
pub use dir::{Backend, Dir, Fill, Links, Sync, stat_path};
pub use meta::{Fields, FileType, Meta, Timestamp};
#[cfg(all(feature = "count-allocations", any(target_os = "linux", target_os = "android")))]
#[doc(hidden)]
pub use native::allocations::allocations;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use native::getdents;
pub use native::{clock, limits};
