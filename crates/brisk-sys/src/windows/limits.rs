//! Limits on open files: Windows's own limit is far above what a walk needs.

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
