//! Signals: this system's are left alone.

/// Changes nothing on this system.
pub fn notice_interrupts() {}

/// Never, on this system.
#[must_use]
pub fn interrupted() -> bool {
    false
}
