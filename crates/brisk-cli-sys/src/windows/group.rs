//! [`ProcessGroup`]: a program that runs beside this one, and can be stopped.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// On Windows a program is not asked to end: every name that other systems know means the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopSignal;

impl StopSignal {
    /// The signal of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<StopSignal> {
        let name = name.to_ascii_uppercase();
        let short = name.strip_prefix("SIG").unwrap_or(&name);
        matches!(short, "HUP" | "INT" | "KILL" | "QUIT" | "TERM").then_some(StopSignal)
    }
}

/// A program.
#[derive(Debug)]
pub struct ProcessGroup(Child);

impl ProcessGroup {
    /// Starts a program.
    ///
    /// # Errors
    /// The program could not be started.
    pub fn start(command: &mut Command) -> io::Result<ProcessGroup> {
        command.spawn().map(ProcessGroup)
    }

    /// How the program has ended, if it has.
    ///
    /// # Errors
    /// The system's error.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// What is signalled once the program has ended.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedHandle<'_>> {
        Some(self.0.as_handle())
    }

    /// Ends the program, but not what it has started. Returns when it has ended.
    pub fn stop(mut self, _signal: StopSignal, _patience: Duration) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
