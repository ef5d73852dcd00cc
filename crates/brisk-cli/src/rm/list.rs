//! [`List`]: the names that `--files0-from` reads, one after the other, as the removal asks for them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use brisk_cli_sys::signals::{interrupted, read_input};

use super::terminal::Terminal;
use crate::common::messages::cause;
use crate::common::quoting::{in_message, leading};
use crate::common::safe::os_str;

/// Bytes of the longest name, which bounds memory where the file is no list: more than any system
/// takes.
const MOST_NAME: u64 = 1 << 20;

/// Names, each ended by NUL.
pub(super) struct List<'a> {
    terminal: &'a Terminal,
    /// The file as messages name it.
    shown: String,
    /// `None` at the end, or after a failure.
    input: Option<Box<dyn BufRead>>,
    /// How many names were read.
    count: u64,
    is_fine: bool,
}

impl<'a> List<'a> {
    /// Opens the list. If that fails, there is a message, and the list is empty.
    pub(super) fn open(from: &Path, terminal: &'a Terminal) -> List<'a> {
        let name = from.as_os_str().as_encoded_bytes();
        let shown = leading(name);
        let mut list = List { terminal, shown, input: None, count: 0, is_fine: true };
        if name == b"-" {
            list.input = Some(Box::new(BufReader::new(Input)));
            return list;
        }
        match File::open(from) {
            Ok(file) => list.input = Some(Box::new(BufReader::new(file))),
            Err(error) => {
                let (shown, cause) = (in_message(name), cause(&error));
                list.refuse(&format!("cannot open {shown} for reading: {cause}"));
            }
        }
        list
    }

    /// Whether all of the list was read, and every name in it could be used.
    pub(super) fn is_fine(&self) -> bool {
        self.is_fine
    }

    fn refuse(&mut self, message: &str) {
        self.terminal.complain(message);
        self.is_fine = false;
    }

    /// The next name, which may be empty; `None` at the end, of which there is a message if it is
    /// not a proper one.
    fn read(&mut self) -> Option<Vec<u8>> {
        let input = self.input.as_mut()?;
        let mut name = Vec::new();
        let read = input.take(MOST_NAME).read_until(0, &mut name);
        if name.pop_if(|last| *last == 0).is_some() {
            self.count += 1;
            return Some(name);
        }
        self.input = None;
        let shown = &self.shown;
        match read {
            _ if interrupted() => {}
            Err(error) => self.refuse(&format!("{shown}: read error: {}", cause(&error))),
            Ok(0) => {}
            // What wrote the list may have been stopped within a path.
            Ok(_) => {
                let number = self.count + 1;
                self.refuse(&format!("{shown}:{number}: no NUL behind the name: not removing it"));
            }
        }
        None
    }
}

impl Iterator for List<'_> {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        loop {
            let name = self.read()?;
            if !name.is_empty() {
                return Some(os_str(&name).into());
            }
            self.refuse(&format!("{}:{}: invalid zero-length file name", self.shown, self.count));
        }
    }
}

/// Standard input; a signal ends the wait for it.
struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A reader of lines would try again after an interrupt.
        read_input(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => io::Error::other(error),
            _ => error,
        })
    }
}
