//! Messages on standard error: how they begin, and that each is whole and safe to show.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::sync::OnceLock;

use brisk_filter::Dialect;
use brisk_sys::quoting::line;

use crate::show::quoting::{in_message, quote_like_gnu};
use crate::show::safe;
use crate::show::safe::path_bytes;
use crate::write::out;

/// The program's name as the user typed it, which commands of GNU's names repeat as GNU's do: `/bin/ls: …`.
static TYPED: OnceLock<String> = OnceLock::new();

/// Takes note of how the program was called, by the name of one of GNU's. From then on messages
/// quote as GNU's do.
pub(crate) fn typed_as(name: &OsStr) {
    let _ = TYPED.set(line(path_bytes(name)));
    quote_like_gnu();
}

/// The name under which the program was called. It decides how messages begin and which program's
/// habits apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// As `brisk`.
    Brisk,
    /// Through a link named `fd`.
    Fd,
    /// Through a link named `find`.
    Find,
    /// Through a link named `ls`.
    Ls,
    /// Through a link named `rm`.
    Rm,
    /// Through a link named `cp`.
    Cp,
    /// Through a link named `du`.
    Du,
    /// Through a link named `chmod`.
    Chmod,
    /// Through a link named `chown`.
    Chown,
    /// Through a link named `chgrp`.
    Chgrp,
}

impl Caller {
    /// How the command is called, in examples: `otherwise` under the name `brisk`.
    pub(crate) fn called(self, otherwise: &'static str) -> &'static str {
        match self {
            Caller::Brisk => otherwise,
            Caller::Fd => "fd",
            Caller::Find => "find",
            Caller::Ls => "ls",
            Caller::Rm => "rm",
            Caller::Cp => "cp",
            Caller::Du => "du",
            Caller::Chmod => "chmod",
            Caller::Chown => "chown",
            Caller::Chgrp => "chgrp",
        }
    }

    /// Whose words filters are in.
    pub(crate) fn dialect(self) -> Dialect {
        if self == Caller::Fd { Dialect::Fd } else { Dialect::Brisk }
    }

    /// The beginning of messages.
    pub(crate) fn prefix(self) -> String {
        match self {
            Caller::Fd => "[fd error]: ".to_owned(),
            _ => format!("{}: ", self.as_typed("brisk")),
        }
    }

    /// How the command was called, as messages begin and hints repeat it.
    pub(crate) fn as_typed(self, otherwise: &'static str) -> &'static str {
        let called = self.called(otherwise);
        match self {
            Caller::Brisk | Caller::Fd => called,
            _ => TYPED.get().map_or(called, String::as_str),
        }
    }

    /// The text after the name in the answer to `--version`.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Caller::Brisk | Caller::Rm => env!("CARGO_PKG_VERSION"),
            Caller::Find => {
                concat!("(brisk ", env!("CARGO_PKG_VERSION"), ", as GNU findutils) 4.9.0")
            }
            Caller::Fd => concat!("10.5.0 (brisk ", env!("CARGO_PKG_VERSION"), ")"),
            Caller::Cp
            | Caller::Du
            | Caller::Ls
            | Caller::Chmod
            | Caller::Chown
            | Caller::Chgrp => {
                concat!("(brisk ", env!("CARGO_PKG_VERSION"), ", as GNU coreutils) 9.1")
            }
        }
    }

    /// Writes a message of one line or several to standard error, in one piece. If that fails there
    /// is no other place to report it.
    #[cold]
    pub fn complain(self, message: &str) {
        let text = self.prefix() + &safe::lines(message) + "\n";
        let _ = out::write_error(text.as_bytes());
    }
}

/// What could not be done with a file, and why: `cannot access 'x': Permission denied`.
pub(crate) fn failure(what: &str, path: &[u8], error: &io::Error) -> String {
    format!("{what} {}: {}", in_message(path), cause(error))
}

/// Why the root stays: two messages, a line each.
pub(crate) fn at_root(path: &[u8]) -> String {
    let path = in_message(path);
    let also = if path == "'/'" { "" } else { " (same as '/')" };
    format!(
        "it is dangerous to operate recursively on {path}{also}\n\
         use --no-preserve-root to override this failsafe"
    )
}

/// Why a mount point stays.
pub(crate) fn mounted(path: &[u8]) -> String {
    format!("skipping {}, since it's a mount point", in_message(path))
}

/// What brisk cannot do with a file, and why.
pub fn cannot<P: AsRef<OsStr> + ?Sized>(verb: &str, path: &P, error: &io::Error) -> String {
    failure(&format!("cannot {verb}"), path_bytes(path), error)
}

/// The text about an error of a walk.
pub fn error_text(error: &brisk::Error) -> String {
    failure(error.operation().phrase(), path_bytes(error.path()), error.io())
}

/// The system's message in C's words, without the number that Rust appends.
pub fn cause(error: &io::Error) -> String {
    use io::ErrorKind::{
        AlreadyExists, DirectoryNotEmpty, InvalidFilename, IsADirectory, NotADirectory, NotFound,
    };
    // Errors of std's and brisk's own, for which the system was not asked: an empty path.
    let own = match error.kind() {
        _ if error.raw_os_error().is_some() || error.get_ref().is_some() => None,
        NotFound => Some("No such file or directory"),
        AlreadyExists => Some("File exists"),
        NotADirectory => Some("Not a directory"),
        IsADirectory => Some("Is a directory"),
        DirectoryNotEmpty => Some("Directory not empty"),
        InvalidFilename => Some("File name too long"),
        _ => None,
    };
    own.map_or_else(|| unnumbered(error), str::to_owned)
}

/// The text of an error, without the system's number that Rust appends.
pub fn unnumbered(error: &dyn Display) -> String {
    let mut text = error.to_string();
    if text.ends_with(')')
        && let Some(at) = text.rfind(" (os error ")
    {
        text.truncate(at);
    }
    text
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn errors_are_said_without_numbers() {
        let denied = || io::Error::from_raw_os_error(13);
        assert_eq!(cause(&denied()), "Permission denied");
        assert_eq!(cause(&io::ErrorKind::NotADirectory.into()), "Not a directory");
        assert_eq!(cause(&io::Error::other(denied())), "Permission denied");
        assert_eq!(cause(&io::Error::new(io::ErrorKind::NotFound, "why")), "why");
        let path = "a (os error 1)".into();
        let error = brisk::Error::new(brisk::Operation::Open, path, 0, denied());
        assert_eq!(unnumbered(&error), "cannot open directory 'a (os error 1)': Permission denied");
        assert_eq!(unnumbered(&"'a (os error 1)'"), "'a (os error 1)'");
    }
}
