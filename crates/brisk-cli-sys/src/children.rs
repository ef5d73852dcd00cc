//! Programs that are run to their end, perhaps in a directory of which only the handle is known.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};

#[cfg(target_os = "linux")]
use crate::native::spawned;

/// How a program starts.
#[derive(Clone, Copy, Default)]
pub struct Launch<'d> {
    /// Whether its standard input is empty. Otherwise it has this process's.
    pub has_empty_input: bool,
    /// The directory it starts in; `None` for this process's. The child enters it by its handle
    /// (fchdir), so that no other process can redirect it.
    pub directory: Option<BorrowedFd<'d>>,
}

impl Launch<'_> {
    /// Runs a program to its end. `words` are its name and its arguments, each with a NUL behind
    /// it. The name is looked for in PATH as execvp does.
    ///
    /// On Linux, children start by posix_spawn, which takes the words where they are. They start by
    /// fork if they have an empty input or a directory to enter; if the file is a script without
    /// `#!`, which only a forked child has run by the shell, as execvp does; and if posix_spawn does
    /// not report that a program could not be started.
    ///
    /// # Errors
    /// The program could not be started, or the directory not entered.
    pub fn run(self, words: &[u8]) -> io::Result<ExitStatus> {
        #[cfg(target_os = "linux")]
        if !self.has_empty_input && self.directory.is_none() && spawned::reports_errors() {
            match spawned::run(each(words)) {
                Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {}
                ended => return ended,
            }
        }
        self.run_forked(words)
    }

    fn run_forked(self, words: &[u8]) -> io::Result<ExitStatus> {
        let mut words = each(words).map(|word| OsStr::from_bytes(word.to_bytes()));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        if self.has_empty_input {
            command.stdin(Stdio::null());
        }
        let directory = self.directory.map(|directory| directory.as_raw_fd());
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
}

/// The words, which have a NUL behind each.
fn each(words: &[u8]) -> impl Iterator<Item = &CStr> {
    words.split_inclusive(|byte| *byte == 0).map_while(|word| CStr::from_bytes_with_nul(word).ok())
}
