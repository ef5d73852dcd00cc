//! Programs that are run to their end, perhaps in a directory of which only the handle is known.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

/// Runs a program to its end. With a directory, the program starts there: the child enters the
/// directory by its handle (fchdir), so that no other process can redirect it.
///
/// The standard library starts children by posix_spawn, and by fork where something is to be done
/// in the child. Only the second way runs a file without `#!` by the shell, as execvp does, so that
/// such a file is tried once more.
///
/// # Errors
/// The program could not be started, or the directory not entered.
pub fn run(mut command: Command, directory: Option<BorrowedFd<'_>>) -> io::Result<ExitStatus> {
    if directory.is_none() {
        match command.status() {
            Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {}
            ended => return ended,
        }
    }
    let directory = directory.map(|directory| directory.as_raw_fd());
    let enter = move || {
        let Some(directory) = directory else { return Ok(()) };
        // SAFETY: the child has a copy of the descriptor, which the caller has open until this
        // function returns, and the command does not outlive the function.
        let directory = unsafe { BorrowedFd::borrow_raw(directory) };
        Ok(rustix::process::fchdir(directory)?)
    };
    // SAFETY: between fork and exec the child makes one system call, and allocates nothing.
    unsafe { command.pre_exec(enter) };
    command.status()
}
