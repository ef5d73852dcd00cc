//! A file tree behind FUSE, with a set latency for each metadata request.
//!
//! ```text
//! shape   how many directories and files at each depth; inode number <-> place, by arithmetic
//! look    what an inode looks like: size, times, mode, link target, all from its number
//! tree    shape + look: names, lookup, the entries of a directory
//! faults  names that answer with an error, or not at all
//! lies    directories that are listed otherwise than they are
//! delay   replies that wait for their deadline, hundreds at once on one thread
//! serve   the FUSE operations on top of the above
//! mirror  the FUSE operations on a directory that exists, instead of a synthetic tree
//! known   the numbers and open files of a mirror; change: attributes that are set in it
//! mount   mounting, running, unmounting
//! ```
//!
//! Nothing is stored per entry of a synthetic tree, so one of ten million entries takes no more memory than an
//! empty one. All of it is derived from the flags: two mounts with the same flags are equal.

pub mod counters;
pub mod faults;
pub mod gone;
pub mod lies;
pub mod look;
pub mod shape;
pub mod span;
pub mod tree;

#[cfg(target_os = "linux")]
mod change;
#[cfg(target_os = "linux")]
mod delay;
#[cfg(target_os = "linux")]
mod dirents;
#[cfg(target_os = "linux")]
mod known;
#[cfg(target_os = "linux")]
mod mirror;
#[cfg(target_os = "linux")]
pub mod mount;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod set;
pub mod settings;
