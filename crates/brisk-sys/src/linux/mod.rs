//! Linux: getdents64, openat, statx, xattrs and their fallbacks.
//!
//! Every other platform module must provide the same names: [`Dir`], [`stat_path`], [`clock`],
//! [`limits`], [`locale`], [`signals`], [`TOLD`].

#[cfg(feature = "count-allocations")]
pub mod allocations;
mod allow;
pub mod clock;
pub mod getdents;
pub mod limits;
pub mod locale;
mod open;
mod remove;
pub mod signals;
mod statx;
mod xattr;

pub use open::Dir;
pub(crate) use statx::stat_path;

/// The fields that this system can tell.
pub const TOLD: crate::Fields = crate::Fields::STATX.union(crate::Fields::DEV);
