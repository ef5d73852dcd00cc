//! Standard output and standard error without the standard library: every byte is written, or the
//! error is kept.
//!
//! The print macros panic where writing fails, and [`std::io::stdout`] returns a stream that
//! pretends to write everything to a closed descriptor: `clippy.toml` and `lib.rs` forbid both.

use std::io::{self, IsTerminal, Write};

use crate::system;

/// The bytes from which on lines are written. A write costs about a microsecond and a pipe holds 64 KiB: larger
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
