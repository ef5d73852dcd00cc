//! How far a measurement has come: one line on standard error, if that is a terminal.

use std::io::{self, IsTerminal};

use crate::common::standard;

/// The line. It is erased when this is dropped.
#[derive(Default)]
pub(crate) struct Progress {
    is_shown: bool,
}

impl Progress {
    /// Shows what is counted, and how far the count has come. Called between runs, and not in one:
    /// the terminal's own work would be measured.
    pub(crate) fn show(&mut self, what: &str, now: usize, of: usize) {
        if io::stderr().is_terminal() {
            self.is_shown = true;
            standard::tell(format!("\r\x1b[Kbrisk bench: {what} {now} of {of}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            standard::tell("\r\x1b[K");
        }
    }
}
