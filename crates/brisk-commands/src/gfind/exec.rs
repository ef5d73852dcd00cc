//! The actions -exec, -execdir, -ok and -okdir. A [`Program`] is one of them: what it runs, and the
//! arguments that wait for the next run.
//!
//! | | with `;` | with `{} +` |
//! |---|---|---|
//! | a run is for | one entry | as many as the system takes; with -execdir, of one directory |
//! | `{}` stands | anywhere in the words | at their end |
//! | if the program fails | the action is false | the action is true, and the exit code 1 |
//!
//! A program that cannot be started has failed. Where GNU find gives up (no process can be made, or
//! no program can start in a directory), it ends at once with the exit code 1:
//! [`Children::is_over`]. An -execdir program starts in the directory that listed the entry, and
//! enters it by the handle; only the directory of a starting point is opened by its path.

use std::env;
use std::ffi::{CStr, OsStr, OsString};
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use brisk::Entry;
use brisk_cli_sys::children::Launch;
use brisk_sys::limits::is_out_of_descriptors;
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::outputs::{Outputs, failed};
use crate::front::confirm;
use crate::front::messages::{Caller, cause};
use crate::show::quoting::as_argument;
use crate::show::safe;
use crate::system::arguments::{Room, cost};
use crate::write::out;

/// The most bytes of one run's arguments: those of GNU find.
const BATCH: usize = 128 << 10;

/// One action, and the arguments that wait for its next run.
pub(super) struct Program {
    /// The program and its words; with `+`, without the last `{}`.
    words: Vec<OsString>,
    is_batch: bool,
    pub(super) in_directory: bool,
    asks: bool,
    /// What the words leave of the system's room for arguments.
    room: Room,
    /// The waiting arguments, each with a NUL behind it.
    waiting: Vec<u8>,
    /// How much room these leave.
    left: usize,
    /// How many bytes may wait, however much room there is.
    most: usize,
    /// Depth and directory of the entries whose names wait.
    source: (usize, u64),
    /// Where they run; `None` for find's own directory.
    place: Option<OwnedFd>,
}

/// What the programs share with whatever is printed.
#[derive(Default)]
pub(super) struct Children {
    /// Written before each program that starts, and each question. What cannot be written is told
    /// at the end.
    pub(super) outputs: Outputs,
    /// Whether the exit code is 1.
    pub(super) failed: bool,
    /// Whether find ends at once. What waits is not run then.
    pub(super) is_over: bool,
    /// How long programs took since this was last asked.
    pub(super) waited: Duration,
}

impl Children {
    /// Whether the program succeeded. If not, there may be a message.
    fn outcome(&mut self, program: &OsStr, ended: io::Result<ExitStatus>) -> bool {
        let shown = || as_argument(program.as_bytes());
        match ended {
            Ok(status) => {
                if let Some(signal) = status.signal() {
                    Caller::Find.complain(&format!("{} terminated by signal {signal}", shown()));
                }
                status.success()
            }
            Err(error) if cannot_fork(&error) => {
                self.end(&format!("cannot fork: {}", cause(&error)))
            }
            Err(error) => {
                Caller::Find.complain(&failed(program, &error));
                false
            }
        }
    }

    /// Ends find; the value is that of an action that fails.
    #[cold]
    fn end(&mut self, message: &str) -> bool {
        Caller::Find.complain(message);
        self.failed = true;
        self.is_over = true;
        false
    }
}

impl Program {
    /// The action with these words, without the last `{}` of `+`; `asks` means -ok and -okdir.
    ///
    /// # Errors
    /// That of [`check_path`].
    pub(super) fn new(
        words: &[OsString],
        is_batch: bool,
        in_directory: bool,
        asks: bool,
    ) -> Result<Program, String> {
        if in_directory {
            check_path(if asks { "-okdir" } else { "-execdir" })?;
        }
        let fixed: usize = words.iter().map(|word| cost(word)).sum();
        let granted = Room::granted();
        let room = Room { total: granted.total.saturating_sub(fixed), ..granted };
        let bytes: usize = words.iter().map(|word| word.len() + 1).sum();
        Ok(Program {
            words: words.to_vec(),
            is_batch,
            in_directory,
            asks,
            room,
            waiting: Vec::new(),
            left: room.total,
            most: BATCH.saturating_sub(bytes),
            source: (0, 0),
            place: None,
        })
    }

    /// Evaluates the action.
    pub(super) fn act(&mut self, entry: &Entry<'_>, children: &mut Children) -> bool {
        if self.is_batch {
            self.add(entry, children);
            return !children.is_over;
        }
        if self.asks {
            let _ = children.outputs.flush();
            if !self.is_wanted(entry) {
                return false;
            }
        }
        self.run_once(entry, children)
    }

    /// Says at which depth the walk is. GNU find runs what waits for -execdir when the depth
    /// changes, and before each starting point.
    pub(super) fn reached(&mut self, depth: usize, children: &mut Children) {
        if self.in_directory && (depth == 0 || depth != self.source.0) {
            self.finish(children);
        }
    }

    /// Whether entries below a starting point wait for a program that runs in their directory.
    pub(super) fn waits_below(&self) -> bool {
        self.in_directory && self.source.0 > 0
    }

    /// Runs the program on what waits for it.
    pub(super) fn finish(&mut self, children: &mut Children) {
        self.run_waiting(children);
        self.place = None;
    }

    /// Asks whether the program is to run. Names are written unchanged, as GNU find writes them; on
    /// a terminal, control characters are spelled out.
    fn is_wanted(&self, entry: &Entry<'_>) -> bool {
        let mut question = [b"< ", self.words[0].as_bytes(), b" ... "].concat();
        entry.path_into(&mut question);
        question.extend_from_slice(b" > ? ");
        if io::stderr().is_terminal() {
            let whole = std::mem::take(&mut question);
            safe::append_name(&whole, &mut question);
        }
        let _ = out::write_error(&question);
        confirm::is_yes()
    }

    fn run_once(&self, entry: &Entry<'_>, children: &mut Children) -> bool {
        let mut argument = Vec::new();
        append_argument(entry, self.in_directory, &mut argument);
        let mut words = Vec::new();
        for word in &self.words {
            let from = words.len();
            fill(word, &argument, &mut words);
            if words.len() - from > self.room.longest {
                return children.end("command too long");
            }
            words.push(0);
        }
        let Some(place) = self.place_of(entry, children) else { return false };
        let _ = children.outputs.flush();
        let ended = self.run(&words, place.as_ref(), children);
        children.outcome(program_of(&words), ended)
    }

    /// Adds an entry to what waits; runs first what waits if there is no room for both.
    fn add(&mut self, entry: &Entry<'_>, children: &mut Children) {
        let source = (entry.depth(), entry.directory().id());
        if self.in_directory && (source.0 == 0 || source != self.source) {
            self.finish(children);
        }
        if self.waiting.is_empty() {
            let Some(place) = self.place_of(entry, children) else { return };
            self.place = place;
            self.source = source;
        }
        let in_directory = self.in_directory;
        let add = |waiting: &mut Vec<u8>| {
            append_argument(entry, in_directory, waiting);
            waiting.push(0);
        };
        self.add_all(add, children);
    }

    /// Adds the arguments that `add` appends, each with a NUL behind it: runs what waits whenever
    /// there is no room for the next one.
    pub(super) fn add_all(&mut self, add: impl FnOnce(&mut Vec<u8>), children: &mut Children) {
        let mut from = self.waiting.len();
        add(&mut self.waiting);
        while let Ok(argument) = CStr::from_bytes_until_nul(&self.waiting[from..]) {
            let length = argument.count_bytes() + 1;
            let needed = length + size_of::<usize>();
            if (needed > self.left || from + length > self.most) && from > 0 {
                let rest = self.waiting.split_off(from);
                self.run_waiting(children);
                self.waiting = rest;
                from = 0;
            }
            self.left = self.left.saturating_sub(needed);
            from += length;
        }
    }

    /// Whether it runs with `+`, in find's own directory.
    pub(super) fn gathers_paths(&self) -> bool {
        self.is_batch && !self.in_directory
    }

    fn run_waiting(&mut self, children: &mut Children) {
        let waiting = std::mem::take(&mut self.waiting);
        self.left = self.room.total;
        if !waiting.is_empty() && !children.is_over {
            let _ = children.outputs.flush();
            self.run_on(&waiting, children);
        }
    }

    /// Runs the program on arguments, each with a NUL behind it. If the system refuses them as too
    /// many, the program runs on each half.
    fn run_on(&self, arguments: &[u8], children: &mut Children) {
        let mut words = Vec::with_capacity(BATCH);
        for word in &self.words {
            words.extend_from_slice(word.as_bytes());
            words.push(0);
        }
        words.extend_from_slice(arguments);
        let ended = self.run(&words, self.place.as_ref(), children);
        if let Err(error) = &ended
            && error.kind() == io::ErrorKind::ArgumentListTooLong
            && let Some(middle) = middle(arguments.strip_suffix(b"\0").unwrap_or(arguments))
        {
            let (first, second) = arguments.split_at(middle + 1);
            self.run_on(first, children);
            if !children.is_over {
                self.run_on(second, children);
            }
        } else {
            children.failed |= !children.outcome(program_of(&words), ended);
        }
    }

    /// Runs a program to its end: words with a NUL behind each.
    fn run(
        &self,
        words: &[u8],
        place: Option<&OwnedFd>,
        children: &mut Children,
    ) -> io::Result<ExitStatus> {
        let began = Instant::now();
        let directory = place.map(OwnedFd::as_fd);
        let ended = Launch { has_empty_input: self.asks, directory }.run(words);
        children.waited += began.elapsed();
        ended
    }

    /// Where the program starts for this entry: `Some(None)` for find's own directory, `None` if no
    /// program can start there, of which there is a message. As in GNU find, that includes a
    /// directory that cannot be read. System calls with -execdir: one openat.
    fn place_of(&self, entry: &Entry<'_>, children: &mut Children) -> Option<Option<OwnedFd>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match entry.depth() {
            _ if !self.in_directory => return Some(None),
            0 => match split(entry.name()).0 {
                b"." => return Some(None),
                parent => openat(CWD, parent, flags, Mode::empty()).map_err(io::Error::from),
            },
            _ => entry.at().and_then(|at| Ok(openat(at.as_fd(), ".", flags, Mode::empty())?)),
        };
        let refused = |error: &io::Error| {
            let name = as_argument(entry.name());
            let what = "Failed to save working directory in order to run a command on";
            children.end(&format!("{what} {name}: {}", cause(error)));
        };
        opened.inspect_err(refused).ok().map(Some)
    }
}

/// Appends what `{}` stands for.
fn append_argument(entry: &Entry<'_>, in_directory: bool, out: &mut Vec<u8>) {
    if !in_directory {
        return entry.path_into(out);
    }
    let name = if entry.depth() == 0 { split(entry.name()).1 } else { entry.name() };
    if !name.starts_with(b"/") {
        out.extend_from_slice(b"./");
    }
    out.extend_from_slice(name);
}

/// The directory of a starting point, and the name in it, with one of the slashes behind it.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let Some(last) = path.iter().rposition(|byte| *byte != b'/') else { return (b"/", b"/") };
    let slash = path[..last].iter().rposition(|byte| *byte == b'/');
    let from = slash.map_or(0, |slash| slash + 1);
    let parent = if from == 0 { b"." } else { &path[..from] };
    (parent, &path[from..path.len().min(last + 2)])
}

/// Where the middle one of the zero bytes is.
fn middle(bytes: &[u8]) -> Option<usize> {
    let zeros = (0..bytes.len()).filter(|at| bytes[*at] == 0);
    zeros.clone().nth(zeros.count() / 2)
}

/// Appends a word with the argument in the place of each `{}`.
fn fill(word: &OsStr, argument: &[u8], out: &mut Vec<u8>) {
    let mut rest = word.as_bytes();
    while let Some(at) = rest.windows(2).position(|pair| pair == b"{}") {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(argument);
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}

/// The program that these words start, which have a NUL behind each.
fn program_of(words: &[u8]) -> &OsStr {
    OsStr::from_bytes(words.split(|byte| *byte == 0).next().unwrap_or_default())
}

/// Whether no process could be made, whatever it was to run.
fn cannot_fork(error: &io::Error) -> bool {
    let kind = error.kind();
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
        || is_out_of_descriptors(error)
}

/// Refuses -execdir and -okdir if PATH leads to programs in the directories that find visits.
///
/// # Errors
/// GNU find's message.
pub(super) fn check_path(action: &str) -> Result<(), String> {
    let path = env::var_os("PATH").unwrap_or_else(|| "/".into());
    let is_relative = |part: &&[u8]| !part.starts_with(b"/");
    match path.as_bytes().split(|byte| *byte == b':').find(is_relative) {
        None => Ok(()),
        Some(b"" | b".") => Err(format!(
            "The current directory is included in the PATH environment variable, which is insecure \
             in combination with the {action} action of find.  Please remove the current directory \
             from your $PATH (that is, remove \".\", doubled colons, or leading or trailing colons)"
        )),
        Some(part) => Err(format!(
            "The relative path {} is included in the PATH environment variable, which is insecure \
             in combination with the {action} action of find.  Please remove that entry from $PATH",
            as_argument(part)
        )),
    }
}

#[cfg(test)]
mod tests;
