//! Output lines, gathered and written many at a time.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use brisk::Flow;

use crate::write::stream::{Descriptor, Output, PIECE};

/// The longest that lines wait while a listing streams.
const PATIENCE: Duration = Duration::from_millis(20);

/// What has to be written.
#[derive(Default)]
pub(crate) struct Out<W = Descriptor> {
    pub(crate) bytes: Vec<u8>,
    to: Output<W>,
    /// When lines were last written.
    written: Option<Instant>,
    /// How long writes took since [`Out::take_waited`] was last called.
    waited: Duration,
}

impl<W: Write> Out<W> {
    pub(crate) fn new(to: W) -> Out<W> {
        Out { bytes: Vec::new(), to: Output::new(to), written: None, waited: Duration::ZERO }
    }

    /// When lines were last written.
    pub(crate) fn written(&self) -> Option<Instant> {
        self.written
    }

    /// Says that a group of lines is complete. The lines are written if they are many, or if they
    /// have waited. The first lines appear at once.
    pub(crate) fn end_chunk(&mut self) -> Flow {
        let late = self.written.is_none_or(|written| written.elapsed() >= PATIENCE);
        if late { self.flush() } else { self.end_line() }
    }

    /// Says that some lines of a large group are complete.
    pub(crate) fn end_line(&mut self) -> Flow {
        if self.bytes.len() >= PIECE { self.flush() } else { Flow::Continue }
    }

    /// Writes everything.
    pub(crate) fn flush(&mut self) -> Flow {
        let bytes = std::mem::take(&mut self.bytes);
        let flow = self.write(&bytes);
        self.bytes = bytes;
        self.bytes.clear();
        flow
    }

    /// Writes these lines now, before those that were gathered.
    pub(crate) fn write(&mut self, lines: &[u8]) -> Flow {
        if lines.is_empty() {
            return self.to.write(lines);
        }
        let began = Instant::now();
        let flow = self.to.write(lines);
        let now = Instant::now();
        self.written = Some(now);
        self.waited += now - began;
        flow
    }

    /// How long writes took since the last call.
    pub(crate) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// Why not everything was written. A reader that has gone is no error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let _ = self.flush();
        self.to.finish()
    }
}
