//! Linux: getdents64, openat, statx, xattrs and their fallbacks.
//!
//! Every other platform module must provide the same names: [`Dir`], [`stat_path`], [`clock`],
//! [`limits`], [`locale`], [`memory`], [`open_file`], [`signals`], [`TOLD`], and the macro
//! `open_missing_before_main`.

#[cfg(feature = "count-allocations")]
pub mod allocations;
mod allow;
mod call;
pub mod clock;
mod end;
pub mod getdents;
mod last;
pub mod limits;
pub mod locale;
pub mod memory;
mod mounts;
mod open;
mod remove;
pub mod signals;
pub mod standard;
mod statx;
mod xattr;

pub use open::Dir;
pub(crate) use open::open_file;
pub(crate) use statx::stat_path;

/// The fields that this system can tell.
pub const TOLD: crate::Fields = crate::Fields::STATX.union(crate::Fields::DEV);
