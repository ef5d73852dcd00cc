//! What the command line tool asks of the operating system beyond files: signals, the locale, the
//! terminal, standard descriptors, and the ways of asking that `brisk bench attrs` compares.
//!
//! No library uses this crate. Files and directories belong to `brisk-sys`, the other crate with
//! `unsafe`. The platform is chosen here, once.

#[cfg(unix)]
pub mod children;
mod glyph;
#[cfg(unix)]
pub mod group;
mod holder;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod input;
#[cfg(unix)]
pub mod printf;
#[doc(hidden)]
pub mod start;
mod stream_ends;
pub mod survey;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux/mod.rs"]
mod native;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod native;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
#[path = "other/mod.rs"]
mod native;

pub use glyph::{Category, Glyph, Text};
pub use holder::Holder;
#[cfg(all(feature = "count-allocations", any(target_os = "linux", target_os = "android")))]
#[doc(hidden)]
pub use native::allocations::allocations;
#[cfg(any(target_os = "linux", target_os = "android", windows))]
#[doc(hidden)]
pub use native::standard;
#[cfg(windows)]
pub use native::{console, group};
pub use native::{holders, locale, signals, waiting};
pub use stream_ends::StreamEnds;
