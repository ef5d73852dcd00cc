//! Lists in files: [`List`], the names that `--files0-from` reads, one after the other.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use brisk_cli_sys::signals::{interrupted, read_input};

use crate::front::Refusal;
use crate::front::messages::cause;
use crate::show::quoting::{as_argument, in_message, leading};
use crate::show::safe::os_str;

/// Bytes of the longest name, which bounds memory where the file is not a list: more than any system
/// takes.
const MAX_NAME: u64 = 1 << 20;

/// Names, each ended by NUL.
pub(crate) struct List<C> {
    /// The reason to refuse a last name without its NUL; `None` accepts it.
    refusal: Option<&'static str>,
    complain: C,
    /// The file as messages name it.
    shown: String,
    /// `None` at the end, or after a failure.
    input: Option<BufReader<Box<dyn Read>>>,
    /// How many names were read.
    count: u64,
    is_fine: bool,
}

impl<C: FnMut(&str)> List<C> {
    /// Opens the list. If that fails, there is a message, and the list is empty. `refusal`: the
    /// reason to refuse a last name without its NUL.
    pub(crate) fn open(from: &OsStr, refusal: Option<&'static str>, complain: C) -> List<C> {
        let name = from.as_encoded_bytes();
        List::named(from, [&leading(name), &in_message(name)], refusal, complain)
    }

    /// The same, with the file's name as messages show it, in front and after a verb.
    pub(crate) fn named(
        from: &OsStr,
        [shown, object]: [&str; 2],
        refusal: Option<&'static str>,
        complain: C,
    ) -> List<C> {
        let shown = shown.to_owned();
        let mut list = List { refusal, complain, shown, input: None, count: 0, is_fine: true };
        match open(from) {
            Ok(input) => list.input = Some(BufReader::new(input)),
            Err(error) => {
                list.refuse(&format!("cannot open {object} for reading: {}", cause(&error)));
            }
        }
        list
    }

    /// Whether all of the list was read, and every name in it could be used.
    pub(crate) fn is_fine(&self) -> bool {
        self.is_fine
    }

    fn refuse(&mut self, message: &str) {
        (self.complain)(message);
        self.is_fine = false;
    }

    /// The next name, which may be empty; `None` at the end, of which there is a message if it is
    /// not a proper one.
    fn read(&mut self) -> Option<Vec<u8>> {
        let input = self.input.as_mut()?;
        let mut name = Vec::new();
        let read = input.take(MAX_NAME).read_until(0, &mut name);
        self.count += 1;
        if name.pop_if(|last| *last == 0).is_some() {
            return Some(name);
        }
        self.input = None;
        let shown = &self.shown;
        let number = self.count;
        match (read, self.refusal) {
            _ if interrupted() => {}
            (Err(error), _) => self.refuse(&format!("{shown}: read error: {}", cause(&error))),
            (Ok(0), _) => {}
            (Ok(_), None) => return Some(name),
            (Ok(_), Some(why)) => self.refuse(&format!("{shown}:{number}: {why}")),
        }
        None
    }
}

impl<C: FnMut(&str)> Iterator for List<C> {
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

/// The refusal of a file that is named beside a list.
pub(crate) fn extra_operand(file: &OsStr) -> Refusal {
    let shown = as_argument(file.as_encoded_bytes());
    let why = "file operands cannot be combined with --files0-from";
    Refusal::hinted(format!("extra operand {shown}\n{why}"))
}

/// All of a file; `-` is standard input.
///
/// # Errors
/// The file cannot be opened or read.
pub(crate) fn read(from: &OsStr) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open(from)?.read_to_end(&mut text)?;
    Ok(text)
}

fn open(from: &OsStr) -> io::Result<Box<dyn Read>> {
    Ok(if from == "-" { Box::new(Input) } else { Box::new(File::open(from)?) })
}

/// Standard input; a signal ends the wait for it.
pub(crate) struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A reader of lines would try again after an interrupt.
        read_input(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => io::Error::other(error),
            _ => error,
        })
    }
}
