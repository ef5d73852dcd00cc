//! Signals: this system's are left alone, and end the program.

use std::io::{self, Read};

/// Changes nothing on this system.
pub fn notice_interrupts() {}

/// Never, on this system.
#[must_use]
pub fn interrupted() -> bool {
    false
}

/// What a shell reports for a program that the interrupt key ended.
#[must_use]
pub fn exit_code() -> u8 {
    130
}

/// Nothing is to be passed on.
#[cfg(unix)]
pub(crate) fn pass_on_to(_child: libc::pid_t) {}

/// Reads what there is of standard input, waiting for it.
///
/// # Errors
/// What the operating system says.
pub fn read_input(buffer: &mut [u8]) -> io::Result<usize> {
    io::stdin().read(buffer)
}
