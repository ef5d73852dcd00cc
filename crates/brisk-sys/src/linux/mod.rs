//! Linux: getdents64, openat, statx and their fallbacks.
//!
//! Every other platform module must provide the same names: [`Dir`], [`stat_path`], [`clock`],
//! [`limits`].

#[cfg(feature = "count-allocations")]
pub mod allocations;
pub mod clock;
pub mod getdents;
pub mod limits;
mod open;
mod statx;

pub use open::Dir;
pub(crate) use statx::stat_path;
