//! Standard output and standard error without the standard library: every byte is written, or the
//! error is kept.
//!
//! The print macros panic where writing fails, and [`std::io::stdout`] returns a stream that
//! pretends to write everything to a closed descriptor: `clippy.toml` and `main.rs` forbid both.

use std::io::{self, IsTerminal, Write};

use brisk::Flow;

use crate::system;

/// The most bytes of one write. A write costs about a microsecond and a pipe holds 64 KiB: larger
/// pieces gain nothing.
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

/// A stream that is written to until a write fails. What comes later is dropped.
#[derive(Debug, Default)]
pub(crate) struct Output<W = Descriptor> {
    to: W,
    broken: Option<io::Error>,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(to: W) -> Output<W> {
        Output { to, broken: None }
    }

    /// Writes all of `bytes`. `Stop`: this or an earlier write failed.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Flow {
        if self.broken.is_some() {
            return Flow::Stop;
        }
        match self.to.write_all(bytes).and_then(|()| self.to.flush()) {
            Ok(()) => Flow::Continue,
            Err(error) => {
                self.broken = Some(error);
                Flow::Stop
            }
        }
    }

    /// Says that nothing more will be written.
    ///
    /// # Errors
    /// Why not everything was written. A reader that has gone is no error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.broken.take().map_or(Ok(()), forgive_leaving)
    }
}

/// A reader that has gone has read enough.
pub(crate) fn forgive_leaving(error: io::Error) -> io::Result<()> {
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
pub(crate) fn output_is_terminal() -> bool {
    io::stdout().is_terminal()
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
        let mut output = Output::new(Disk { room: 4, then: io::ErrorKind::StorageFull });
        assert_eq!(output.write(b"abc"), Flow::Continue);
        assert_eq!(output.write(b"de"), Flow::Stop);
        output.to.room = 100;
        assert_eq!(output.write(b"f"), Flow::Stop, "there would be a hole before it");
        assert_eq!(output.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_reader_that_left_is_no_error() {
        let mut output = Output::new(Disk { room: 0, then: io::ErrorKind::BrokenPipe });
        assert_eq!(output.write(b"a"), Flow::Stop);
        assert!(output.finish().is_ok());
    }
}
