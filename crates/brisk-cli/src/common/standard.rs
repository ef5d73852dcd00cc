//! Standard output and standard error: everything is written, and this is what follows when it
//! cannot be:
//!
//! | standard output            | message  | exit code                   |
//! |----------------------------|----------|-----------------------------|
//! | its reader has left        | none     | as if all had been written  |
//! | a full disk, or it is shut | one line | 1; 2 for `ls`, as for GNU's |
//!
//! The same holds for text that an option sends to standard error (`--stats`, `--explain`), except
//! for the message. A message that cannot be written is lost; the exit code says the same.
//!
//! The print macros panic in these cases, and [`std::io::stdout`] returns a stream that pretends to
//! write everything to a closed descriptor: `clippy.toml` and `main.rs` forbid both.

use std::io::{self, IsTerminal, Write};

use brisk::Flow;

use crate::common::messages::{Caller, cause};
use crate::system;

/// The most bytes of one write. A write costs about a microsecond and a pipe holds 64 KiB: larger
/// pieces gain nothing.
pub(crate) const PIECE: usize = 64 * 1024;

/// Standard output, without a buffer.
#[derive(Debug, Default)]
pub(crate) struct Descriptor {
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
fn forgive_leaving(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Prints all of `text`, or a message with the reason. Returns the exit code: 0 or `failure`.
pub(crate) fn print(caller: Caller, text: impl AsRef<[u8]>, failure: u8) -> u8 {
    let mut output = Output::<Descriptor>::default();
    let _ = output.write(text.as_ref());
    finish(caller, &mut output, failure)
}

/// Prints clap's answer: help or a version, or a refusal on standard error. Returns the exit code.
pub(crate) fn answer(caller: Caller, answer: &clap::Error) -> u8 {
    let text = answer.render().to_string();
    if !answer.use_stderr() {
        return print(caller, text, 1);
    }
    // The exit code says so too.
    let _ = write_error(text.as_bytes());
    2
}

/// Ends the output, with a message if it is incomplete. Returns the exit code: 0 or `failure`.
pub(crate) fn finish<W: Write>(caller: Caller, output: &mut Output<W>, failure: u8) -> u8 {
    match output.finish() {
        Ok(()) => 0,
        Err(error) => {
            caller.complain(&lost(caller, &error));
            failure
        }
    }
}

/// The message about lost output: in GNU's or fd's words under their names.
#[cold]
pub(crate) fn lost(caller: Caller, error: &io::Error) -> String {
    let what = match caller {
        Caller::Brisk => "cannot write to standard output",
        Caller::Fd => "Could not write to output",
        Caller::Ls | Caller::Rm => "write error",
    };
    format!("{what}: {}", cause(error))
}

/// Writes what an option asks for to standard error. Returns whether that worked, or the reader has
/// gone.
pub(crate) fn tell(text: impl AsRef<[u8]>) -> bool {
    write_error(text.as_ref()).or_else(forgive_leaving).is_ok()
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

    #[test]
    fn each_name_has_its_words() {
        let full = || io::Error::other("No space left on device");
        assert!(lost(Caller::Brisk, &full()).starts_with("cannot write to standard output: No "));
        assert!(lost(Caller::Fd, &full()).starts_with("Could not write to output: No "));
        assert!(lost(Caller::Rm, &full()).starts_with("write error: No "));
        assert!(!lost(Caller::Ls, &io::Error::from_raw_os_error(28)).contains("os error"));
    }
}
