//! Where results go: standard output, and the files of `-fprint` and its kin. A file that is named
//! twice, by whatever names, is one stream, and is emptied once.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use brisk::Flow;
use brisk_cli_sys::signals;

use crate::front::messages::cause;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::write::out::{Descriptor, Out, output_is_terminal};

/// The streams, the first of which is standard output.
pub(super) struct Outputs(Vec<Stream>);

struct Stream {
    out: Out<Box<dyn Write + Send>>,
    name: OsString,
    identity: Option<(u64, u64)>,
    /// Lines are written at once.
    is_terminal: bool,
}

impl Default for Outputs {
    fn default() -> Outputs {
        Outputs(vec![Stream {
            out: Out::new(Box::new(Descriptor::default())),
            name: "standard output".into(),
            // Asked for once there is another stream.
            identity: None,
            is_terminal: output_is_terminal(),
        }])
    }
}

impl Outputs {
    /// The number of a file's stream. The file is created or emptied, unless it is open already.
    ///
    /// # Errors
    /// The message about a file that cannot be opened.
    pub(super) fn open(&mut self, file: &OsStr) -> Result<usize, String> {
        self.0[0].identity = identity("/dev/stdout");
        let known = identity(file);
        let same = |stream: &Stream| known.is_some() && stream.identity == known;
        if let Some(at) = self.0.iter().position(same) {
            return Ok(at);
        }
        let opened = File::create(file).map_err(|error| failed(file, &error))?;
        let is_terminal = opened.is_terminal();
        let out = Out::new(Box::new(opened) as _);
        self.0.push(Stream { out, name: file.into(), identity: identity(file), is_terminal });
        Ok(self.0.len() - 1)
    }

    pub(super) fn is_terminal(&self, stream: usize) -> bool {
        self.0[stream].is_terminal
    }

    /// The lines that a stream has not written.
    pub(super) fn lines(&mut self, stream: usize) -> &mut Vec<u8> {
        &mut self.0[stream].out.bytes
    }

    /// Says that lines are complete: they are written once they are many, or have waited.
    pub(super) fn end_lines(&mut self) -> Flow {
        self.each(
            |stream| {
                if stream.is_terminal { stream.out.flush() } else { stream.out.end_group() }
            },
        )
    }

    /// Writes everything.
    pub(super) fn flush(&mut self) -> Flow {
        self.each(|stream| stream.out.flush())
    }

    /// How long writes took since this was last asked.
    pub(super) fn take_waited(&mut self) -> Duration {
        self.0.iter_mut().map(|stream| stream.out.take_waited()).sum()
    }

    /// Goes on until the reader of standard output has gone: other files may still be written.
    fn each(&mut self, write: impl Fn(&mut Stream) -> Flow) -> Flow {
        for stream in &mut self.0 {
            let _ = write(stream);
        }
        if self.0[0].out.lost_its_reader() { Flow::Stop } else { Flow::Continue }
    }

    /// Writes the rest. Returns messages about what was not written. If the reader of standard
    /// output has gone, this ends the program, as a signal does.
    pub(super) fn finish(&mut self) -> Vec<String> {
        let _ = self.flush();
        if self.0[0].out.lost_its_reader() {
            signals::end_by_broken_pipe();
        }
        let mut messages = Vec::new();
        for (at, stream) in self.0.iter_mut().enumerate() {
            let Err(error) = stream.out.finish() else { continue };
            messages.push(failed(&stream.name, &error));
            if at == 0 {
                // GNU find closes standard output last, and says so once more.
                let is_bad = error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error());
                let why = if is_bad { format!(": {}", cause(&error)) } else { String::new() };
                messages.push(format!("write error{why}"));
            }
        }
        messages
    }
}

/// What failed, and why.
pub(super) fn failed(name: &OsStr, error: &io::Error) -> String {
    format!("{}: {}", as_argument(path_bytes(name)), cause(error))
}

/// The device and the inode of a file.
pub(super) fn identity(path: impl AsRef<Path>) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}
