//! What all commands share: messages, output, text and JSON, configuration, progress, names of
//! owners, times, sizes and filters.

pub(crate) mod changes;
pub(crate) mod config;
pub(crate) mod fields;
pub(crate) mod file;
pub(crate) mod filter;
pub(crate) mod fnmatch;
pub(crate) mod hyperlink;
pub(crate) mod json;
pub(crate) mod list;
pub(crate) mod messages;
pub(crate) mod mode;
pub(crate) mod mounts;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod options;
pub(crate) mod out;
pub(crate) mod progress;
pub(crate) mod quoting;
pub(crate) mod room;
pub(crate) mod safe;
pub(crate) mod size;
pub(crate) mod standard;
pub(crate) mod stream;
pub(crate) mod tables;
pub(crate) mod template;
pub(crate) mod text;
pub(crate) mod time;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever became of a worker that held the lock before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `BRISK_BACKEND=portable` selects the standard library's reader, for comparison.
pub fn backend() -> brisk::Backend {
    match std::env::var_os("BRISK_BACKEND") {
        Some(name) if name == "portable" => brisk::Backend::Portable,
        _ => brisk::Backend::Native,
    }
}
