//! Standard output: lines gathered and written many at a time.

use std::io;
#[cfg(not(unix))]
use std::io::Write;
use std::time::{Duration, Instant};

use brisk::Flow;

use crate::system::widen_output;

/// A write costs about a microsecond and a pipe holds 64 KiB: larger pieces gain nothing.
const PIECE: usize = 64 * 1024;

/// Lines wait no longer than this while a listing streams.
const PATIENCE: Duration = Duration::from_millis(20);

/// What is to be written, and to where.
pub(crate) struct Out {
    pub(crate) bytes: Vec<u8>,
    /// When something was written last, or the first line was begun.
    written: Option<Instant>,
    broken: Option<io::Error>,
    /// How long writes took since last asked.
    waited: Duration,
    /// A pipe was given more room.
    is_wide: bool,
}

impl Out {
    pub(crate) fn new() -> Out {
        Out {
            bytes: Vec::new(),
            written: None,
            broken: None,
            waited: Duration::ZERO,
            is_wide: false,
        }
    }

    /// A group of lines is complete: written if there are many, or if they have waited.
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

    /// Some lines of a large group are complete.
    pub(crate) fn end_line(&mut self) -> Flow {
        if self.bytes.len() >= PIECE { self.flush() } else { Flow::Continue }
    }

    /// Writes everything.
    pub(crate) fn flush(&mut self) -> Flow {
        if self.broken.is_some() {
            return Flow::Stop;
        }
        // Much is likely to follow a whole piece.
        if self.bytes.len() >= PIECE && !std::mem::replace(&mut self.is_wide, true) {
            widen_output();
        }
        let began = Instant::now();
        // Not through io::Stdout: its line buffer would copy everything once more.
        let result = write_all(&self.bytes);
        self.bytes.clear();
        let now = Instant::now();
        self.written = Some(now);
        self.waited += now - began;
        match result {
            Ok(()) => Flow::Continue,
            Err(error) => {
                self.broken = Some(error);
                Flow::Stop
            }
        }
    }

    /// How long writes took since this was last asked.
    pub(crate) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Why standard output did not take everything. That its reader has left is no error.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let _ = self.flush();
        match self.broken {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(unix)]
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
