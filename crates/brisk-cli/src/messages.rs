//! Messages on standard error: how they begin, and that they are whole and safe to show.

use std::io::{self, IsTerminal, Write};

use crate::safe;

/// Under which name the program was called: how messages begin and which habits it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// As `brisk`.
    Brisk,
    /// Through a link named `fd`.
    Fd,
    /// Through a link named `ls`.
    Ls,
    /// Through a link named `rm`.
    Rm,
}

impl Caller {
    /// What messages begin with.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Caller::Brisk => "brisk: ",
            Caller::Fd => "[fd error]: ",
            Caller::Ls => "ls: ",
            Caller::Rm => "rm: ",
        }
    }

    /// How the command is called, in examples.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Caller::Brisk | Caller::Ls | Caller::Rm => "brisk find",
            Caller::Fd => "fd",
        }
    }

    /// How `rm` is called, in examples.
    pub(crate) fn rm_command(self) -> &'static str {
        match self {
            Caller::Rm => "rm",
            _ => "brisk rm",
        }
    }

    /// How `ls` is called, in examples.
    pub(crate) fn ls_command(self) -> &'static str {
        match self {
            Caller::Ls => "ls",
            _ => "brisk ls",
        }
    }

    /// What follows the name in the answer to `--version`.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Caller::Brisk | Caller::Rm => env!("CARGO_PKG_VERSION"),
            Caller::Fd => concat!("10.5.0 (brisk ", env!("CARGO_PKG_VERSION"), ")"),
            Caller::Ls => concat!("(brisk ", env!("CARGO_PKG_VERSION"), ", as GNU coreutils) 9.1"),
        }
    }

    /// Writes a message to standard error, in one piece. There is nobody to tell if that fails.
    #[cold]
    pub(crate) fn complain(self, message: &str) {
        let mut line = String::from(self.prefix());
        if io::stderr().is_terminal() {
            safe::append_str(message, &mut line);
        } else {
            line.push_str(message);
        }
        line.push('\n');
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
