//! Output lines, gathered and written many at a time. Standard output and standard error without the
//! standard library: every byte is written, or the error is kept.
//!
//! The print macros panic where writing fails, and [`std::io::stdout`] returns a stream that
//! pretends to write everything to a closed descriptor: `clippy.toml` and `lib.rs` forbid both.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use brisk::Flow;

use crate::system;

/// The longest that lines wait while a listing streams.
const LISTING_WAIT: Duration = Duration::from_millis(20);

/// What has to be written. After a write that fails, the first such error is kept, and nothing more
/// is written.
#[derive(Debug, Default)]
pub(crate) struct Out<W = Descriptor> {
    pub(crate) bytes: Vec<u8>,
    to: W,
    broken: Option<io::Error>,
    /// When lines were last written.
    pub(crate) last_write: Option<Instant>,
    /// How long writes took since [`Out::take_waited`] was last called.
    waited: Duration,
}

impl<W: Write> Out<W> {
    pub(crate) fn new(to: W) -> Out<W> {
        Out { bytes: Vec::new(), to, broken: None, last_write: None, waited: Duration::ZERO }
    }

    /// Says that a group of lines is complete. The lines are written if they are many, or if they
    /// have waited. The first lines appear at once.
    pub(crate) fn end_group(&mut self) -> Flow {
        let late = self.last_write.is_none_or(|last| last.elapsed() >= LISTING_WAIT);
        if late { self.flush() } else { self.write_if_full() }
    }

    /// Writes if there are many lines, each complete.
    pub(crate) fn write_if_full(&mut self) -> Flow {
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

    /// Writes these lines now, before those that were gathered. `Stop`: this or an earlier write
    /// failed.
    pub(crate) fn write(&mut self, lines: &[u8]) -> Flow {
        if self.broken.is_none() && !lines.is_empty() {
            let began = Instant::now();
            self.broken = self.to.write_all(lines).and_then(|()| self.to.flush()).err();
            let now = Instant::now();
            self.last_write = Some(now);
            self.waited += now - began;
        }
        if self.broken.is_some() { Flow::Stop } else { Flow::Continue }
    }

    /// Whether a write failed because the reader has gone.
    #[cfg(unix)]
    pub(crate) fn lost_its_reader(&self) -> bool {
        self.broken.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// How long writes took since the last call.
    pub(crate) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// Why not everything was written. A reader that has gone is not an error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let _ = self.flush();
        self.broken.take().map_or(Ok(()), forgive_broken_pipe)
    }
}

/// Buffered lines are written once they take this many bytes. A write costs about a microsecond, so
/// larger pieces gain nothing. A pipe holds 64 KiB, and is widened so that several pieces fit.
pub(crate) const PIECE: usize = 64 * 1024;

/// Standard output, without a buffer.
#[derive(Debug, Default)]
pub struct Descriptor {
    /// Whether the pipe was given more room.
    is_wide: bool,
}

impl Write for Descriptor {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // After a whole piece, much more is likely to follow.
        if bytes.len() >= PIECE && !std::mem::replace(&mut self.is_wide, true) {
            system::widen_output();
        }
        system::write_output(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard error, without a buffer.
struct ErrorDescriptor;

impl Write for ErrorDescriptor {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        system::write_error(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A reader that has gone has read enough.
pub(crate) fn forgive_broken_pipe(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Writes all of `bytes` to standard error, in one piece unless the system takes less.
pub(crate) fn write_error(bytes: &[u8]) -> io::Result<()> {
    // The lock keeps lines of several threads whole.
    let _lock = io::stderr().lock();
    ErrorDescriptor.write_all(bytes)
}

/// Whether standard output is a terminal.
#[expect(clippy::disallowed_methods, reason = "nothing is written")]
pub fn output_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard output is a regular file, which is not on a screen. System calls: one fstat.
#[cfg(unix)]
pub(crate) fn output_is_file() -> bool {
    use rustix::fs::{FileType, fstat};

    fstat(rustix::stdio::stdout())
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
}

#[cfg(not(unix))]
pub(crate) fn output_is_file() -> bool {
    false
}

/// The columns and lines of the terminal that is standard output. System calls: one ioctl.
#[cfg(unix)]
pub(crate) fn terminal_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    Some((size.ws_col.into(), size.ws_row.into()))
}

#[cfg(not(unix))]
pub(crate) fn terminal_size() -> Option<(usize, usize)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for this many bytes.
    struct Disk {
        room: usize,
        then: io::ErrorKind,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room);
            self.room -= taken;
            if taken == 0 { Err(self.then.into()) } else { Ok(taken) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_first_failure_is_kept() {
        let mut out = Out::new(Disk { room: 4, then: io::ErrorKind::StorageFull });
        assert_eq!(out.write(b"abc"), Flow::Continue);
        assert_eq!(out.write(b"de"), Flow::Stop);
        out.to.room = 100;
        assert_eq!(out.write(b"f"), Flow::Stop, "there would be a hole before it");
        assert_eq!(out.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_reader_that_left_is_no_error() {
        let mut out = Out::new(Disk { room: 0, then: io::ErrorKind::BrokenPipe });
        assert_eq!(out.write(b"a"), Flow::Stop);
        assert!(out.finish().is_ok());
    }
}
