//! Standard output: lines gathered and written many at a time.

use std::time::{Duration, Instant};

use brisk::Flow;

use super::plan::SERIOUS;
use crate::common::messages::Caller;
use crate::common::standard::{self, Output, PIECE};

/// The longest that lines wait while a listing streams.
const PATIENCE: Duration = Duration::from_millis(20);

/// What has to be written.
#[derive(Default)]
pub(crate) struct Out {
    pub(crate) bytes: Vec<u8>,
    to: Output,
    /// When lines were last written, or when the first line was begun.
    written: Option<Instant>,
    /// How long writes took since [`Out::take_waited`] was last called.
    waited: Duration,
}

impl Out {
    /// Says that a group of lines is complete. The lines are written if they are many, or if they
    /// have waited.
    pub(crate) fn end_chunk(&mut self) -> Flow {
        if self.bytes.len() >= PIECE {
            return self.flush();
        }
        let late = match self.written {
            // The first lines appear at once.
            None => true,
            Some(written) => written.elapsed() >= PATIENCE,
        };
        if late && !self.bytes.is_empty() { self.flush() } else { Flow::Continue }
    }

    /// Says that some lines of a large group are complete.
    pub(crate) fn end_line(&mut self) -> Flow {
        if self.bytes.len() >= PIECE { self.flush() } else { Flow::Continue }
    }

    /// Writes everything.
    pub(crate) fn flush(&mut self) -> Flow {
        let began = Instant::now();
        let flow = self.to.write(&self.bytes);
        self.bytes.clear();
        let now = Instant::now();
        self.written = Some(now);
        self.waited += now - began;
        flow
    }

    /// How long writes took since the last call.
    pub(crate) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Writes the rest. Prints why, if not everything was written. Returns the exit code.
    pub(crate) fn finish(mut self, caller: Caller) -> u8 {
        let _ = self.flush();
        standard::finish(caller, &mut self.to, SERIOUS)
    }
}
