//! Limits on open files: Windows has none that a walk comes near.

/// How many files this program may have open. The system's own limit is millions; this many keep no
/// directory waiting.
#[must_use]
pub fn open_files() -> u64 {
    16_384
}

/// There is no limit to raise.
pub fn raise_open_files() {}

/// There is no descriptor table to grow.
pub fn reserve_descriptors(_count: u64) {}
