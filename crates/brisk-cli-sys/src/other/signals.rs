//! Signals: on this system they are left alone, and end the program.

use std::io::{self, Read};

/// Changes nothing on this system.
pub fn notice_interrupts() {}

/// Changes nothing on this system, where each signal does so.
pub fn end_at_once() {}

/// Does nothing: signals end the program at once.
#[cfg(unix)]
pub(crate) fn kill_with_program(_group: libc::pid_t) {}

/// Always false on this system.
#[must_use]
pub fn interrupted() -> bool {
    false
}

/// The code that a shell reports for a program that the interrupt key ended.
#[must_use]
pub fn exit_code() -> u8 {
    130
}

/// Ends the program, with the code that a shell reports for SIGPIPE.
#[cfg(unix)]
pub fn end_by_broken_pipe() -> ! {
    std::process::exit(128 + libc::SIGPIPE)
}

/// Does nothing: there are no signals to pass on.
#[cfg(unix)]
pub(crate) fn pass_on_to(_child: libc::pid_t) {}

/// Reads from standard input, and waits until there is something to read.
///
/// # Errors
/// The system's error.
pub fn read_input(buffer: &mut [u8]) -> io::Result<usize> {
    io::stdin().read(buffer)
}
