//! Limits on open files: Windows's own limit is far above what a walk needs.

use windows_sys::Win32::Foundation::ERROR_TOO_MANY_OPEN_FILES;

/// How many files this program may have open: 16,384. The system's own limit is millions, and with
/// this number no directory waits for a handle. Makes no system call.
#[must_use]
pub fn open_files() -> u64 {
    16_384
}

/// Does nothing on Windows.
pub fn raise_open_files() {}

/// Does nothing on Windows.
pub fn reserve_descriptors(_count: u64) {}

/// Whether an error says that the process, or the system, can open no more files.
#[must_use]
pub fn is_out_of_descriptors(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_TOO_MANY_OPEN_FILES.cast_signed())
}
