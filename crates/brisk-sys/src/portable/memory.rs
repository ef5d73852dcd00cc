//! Memory: `std` does not report it.

/// Always `None`. Makes no system call.
#[must_use]
pub fn available() -> Option<u64> {
    None
}

/// Always `None`. Makes no system call.
#[must_use]
pub fn dirty() -> Option<u64> {
    None
}

/// Always `true`. Makes no system call.
#[must_use]
pub fn has_room(_bytes: usize) -> bool {
    true
}

/// Does nothing.
pub fn give_back() {}
