//! How far a measurement has come, if standard error is a terminal.

use std::io::{self, IsTerminal};

use crate::front::progress::{ProgressLine, grouped};

/// The progress of a measurement.
#[derive(Default)]
pub(crate) struct Progress {
    line: ProgressLine,
}

impl Progress {
    /// Shows what is counted, and how far the count has come. Called between runs, and not in one:
    /// the terminal's own work would be measured.
    pub(crate) fn show(&mut self, what: &str, now: usize, of: usize) {
        if io::stderr().is_terminal() {
            self.line.show(&format!("brisk bench: {what} {now} of {of}"));
        }
    }

    /// Shows how far a count has come whose end is not known.
    pub(crate) fn count(&mut self, what: &str, now: u64) {
        if io::stderr().is_terminal() {
            self.line.show(&format!("brisk bench: {} {what}", grouped(now)));
        }
    }
}
