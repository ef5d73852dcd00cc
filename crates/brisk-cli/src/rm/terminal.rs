//! What the user sees of a removal: messages, the names that go, questions, progress.

use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use brisk::remove::{Failure, Observer, Progress, Question};
use brisk::{FileType, Flow};
use brisk_cli_sys::signals::{interrupted, read_input};

use super::options::{Options, Prompt};
use super::talk::failure;
use crate::common::messages::Caller;
use crate::common::options::When;
use crate::common::out::Out;
use crate::common::progress::{Display, a_second, grouped};
use crate::common::quoting::in_message;
use crate::common::standard;

/// The most names that a dry run shows.
const FIRST_NAMES: usize = 10;

/// Follows a removal for the user.
pub(super) struct Terminal {
    caller: Caller,
    prompt: Prompt,
    /// Whether to ask about write-protected files: a user can answer, and permissions apply to this
    /// user.
    protects: bool,
    verbose: bool,
    dry_run: bool,
    /// How many more names a dry run shows.
    names_left: AtomicUsize,
    /// Collected lines for standard output. The removal goes on if writing fails;
    /// [`Terminal::close`] reports the failure.
    lines: Mutex<Out>,
    display: Option<Display>,
}

impl Terminal {
    pub(super) fn new(caller: Caller, options: &Options) -> Terminal {
        let input = || options.presume_terminal || io::stdin().is_terminal();
        let shows_names = options.dry_run && !options.verbose && !options.json;
        Terminal {
            caller,
            prompt: options.prompt,
            protects: options.prompt == Prompt::IfProtected && input() && !is_root(),
            verbose: options.verbose,
            dry_run: options.dry_run,
            names_left: AtomicUsize::new(if shows_names { FIRST_NAMES } else { 0 }),
            lines: Mutex::default(),
            display: display(caller, options),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Out> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints the collected lines and `text`. The progress is no longer shown.
    pub(super) fn print(&self, text: &str) {
        if let Some(display) = &self.display {
            display.close();
        }
        let mut lines = self.lines();
        lines.bytes.extend_from_slice(text.as_bytes());
        let _ = lines.flush();
    }

    /// Ends the output: nothing is left to print or to show. Returns `false` if not everything was
    /// printed; a message has then said so.
    pub(super) fn close(&self) -> bool {
        self.print("");
        standard::finish(self.caller, self.lines().finish(), 1) == 0
    }

    pub(super) fn complain(&self, message: &str) {
        match &self.display {
            Some(display) => display.beside(|| self.caller.complain(message)),
            None => self.caller.complain(message),
        }
    }

    /// Asks on standard error and reads from standard input, as GNU rm does.
    fn yes(&self, question: &str) -> bool {
        let _ = self.lines().flush();
        ask(self.caller, question)
    }
}

/// Whether the answer to a question begins with a y. No answer means no, and so does a signal that
/// ends the program.
pub(super) fn ask(caller: Caller, question: &str) -> bool {
    if interrupted() {
        return false;
    }
    let _ = io::stderr().write_all(format!("{}{question} ", caller.prefix()).as_bytes());
    let answer = INPUT.lock().unwrap_or_else(PoisonError::into_inner).line();
    if interrupted() {
        // The next message must not stand on the question's line.
        let _ = io::stderr().write_all(b"\n");
        return false;
    }
    matches!(answer, Some(b'y' | b'Y'))
}

/// Answers that were read and not used yet.
static INPUT: Mutex<Input> = Mutex::new(Input { bytes: [0; ANSWERS], next: 0, end: 0 });

/// Bytes of answers that are read at once.
const ANSWERS: usize = 4 << 10;

/// Standard input, line by line. It is not std's, because a signal must end the wait for an answer.
struct Input {
    bytes: [u8; ANSWERS],
    next: usize,
    end: usize,
}

impl Input {
    /// The first byte of the next line, if the line has one.
    fn line(&mut self) -> Option<u8> {
        let mut first = None;
        loop {
            if self.next == self.end {
                self.next = 0;
                self.end = read_input(&mut self.bytes).unwrap_or(0);
            }
            let Some(&byte) = self.bytes[..self.end].get(self.next) else { return first };
            self.next += 1;
            if byte == b'\n' {
                return first;
            }
            first = first.or(Some(byte));
        }
    }
}

fn display(caller: Caller, options: &Options) -> Option<Display> {
    let asks = options.prompt == Prompt::Always;
    let auto = || io::stderr().is_terminal() && !options.verbose && !asks;
    let shown = options.progress.is_on(auto);
    shown.then(|| Display::new(caller, options.progress == When::Always))
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

impl Observer for Terminal {
    fn wants_removed(&self) -> bool {
        self.verbose || self.names_left.load(Ordering::Relaxed) > 0
    }

    fn removed(&self, path: &[u8], file_type: FileType) {
        if !self.verbose {
            let left = |left: usize| left.checked_sub(1);
            let order = Ordering::Relaxed;
            if self.names_left.fetch_update(order, order, left).is_err() {
                return;
            }
        }
        let directory = if file_type.is_dir() { "directory " } else { "" };
        let did = if self.dry_run { "would remove" } else { "removed" };
        let mut lines = self.lines();
        // Writing to memory cannot fail.
        let _ = writeln!(lines.bytes, "{did} {directory}{}", in_message(path));
        let _ = lines.end_line();
    }

    fn failed(&self, what: &Failure) {
        for line in failure(what) {
            self.complain(&line);
        }
    }

    fn asks(&self) -> bool {
        self.prompt == Prompt::Always || self.protects
    }

    fn ask(&self, question: &Question<'_>) -> io::Result<bool> {
        let is_link = question.file_type() == FileType::Symlink;
        // A link's own permissions mean nothing.
        let protected = !is_link && !is_root() && !question.may_write()?;
        if !protected && self.prompt != Prompt::Always {
            return Ok(true);
        }
        let name = in_message(question.path());
        let guard = if protected { "write-protected " } else { "" };
        let text = if question.is_about_entering() {
            format!("descend into {guard}directory {name}?")
        } else {
            format!("remove {guard}{} {name}?", kind(question))
        };
        Ok(self.yes(&text))
    }

    fn pause(&self, so_far: &Progress) -> Flow {
        if self.verbose {
            let _ = self.lines().flush();
        }
        if let Some(display) = &self.display {
            let gone = so_far.files + so_far.directories;
            display.show(|time| {
                let rate = grouped(a_second(gone, time));
                format!("{} entries removed, {rate} a second", grouped(gone))
            });
        }
        if interrupted() { Flow::Stop } else { Flow::Continue }
    }

    fn is_stopped(&self) -> bool {
        interrupted()
    }
}

/// What a file is, in GNU's words.
fn kind(question: &Question<'_>) -> &'static str {
    let size = question.meta().and_then(brisk::Meta::size);
    match question.file_type() {
        FileType::File if size == Some(0) => "regular empty file",
        FileType::File => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "fifo",
        FileType::Socket => "socket",
        FileType::BlockDevice => "block special file",
        FileType::CharDevice => "character special file",
        _ => "weird file",
    }
}
