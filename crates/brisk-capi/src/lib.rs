//! libbrisk: brisk for C and C++. Everything that walks, counts, copies or removes is in the engine. What is
//! here checks a caller's arguments, calls the engine, and writes what it returns into structures of
//! C.
//!
//! ```text
//!   given     arguments: strings, lists of them, structures that begin with their size
//!   border    stops panics, hands errors over, calls the caller's functions
//!   options   what a walk visits, and what its filter lets through
//!               walk    the caller pulls entries into its array
//!               visit   the caller's functions get chunks as they are read
//!   remove, copy, changed, usage
//! ```
//! cbindgen makes `include/brisk.h` of these files; their comments are its comments.

mod border;
mod cancel;
mod changed;
pub mod constants;
mod copy;
mod entry;
mod error;
mod given;
mod options;
mod remove;
mod usage;
mod visit;
mod walk;
mod watch;

use std::ffi::{CStr, c_char};

/// With a NUL at its end.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The version of the library, such as "0.1.0".
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_version() -> *const c_char {
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or_default().as_ptr()
}
