//! What the user sees of a removal: messages, the names that go, questions, progress.

use std::io::{self, IsTerminal, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use brisk::FileType;
use brisk::remove::{Failure, Observer, Question, Report, Why};
use brisk_cli_sys::signals::interrupted;

use super::flags::{Options, Prompt};
use super::talk::{by_whom, failure, is_in_use, operand};
use crate::front::messages::Caller;
use crate::front::progress::{Messenger, a_second, counted, grouped};
use crate::front::{confirm, standard};
use crate::show::json;
use crate::show::quoting::in_message;
use crate::write::out::{Out, PIECE};
use brisk_filter::zone;
use brisk_sys::threads::lock;

/// Follows a removal for the user.
pub(super) struct Teller<'o> {
    pub(super) caller: Caller,
    options: &'o Options,
    /// Whether to ask about write-protected files: a user can answer, and permissions apply to this
    /// user.
    protects: bool,
    /// Collected lines for standard output. The removal goes on if writing fails;
    /// [`Teller::close`] reports the failure.
    lines: Mutex<Out>,
    /// With `--wait`: the failures of this try. Their messages wait for what another try says.
    held: Mutex<Vec<HeldMessage>>,
    /// The user was asked in this try.
    asked: AtomicBool,
    messenger: Messenger,
}

/// A failure whose message waits.
pub(super) struct HeldMessage {
    pub(super) path: PathBuf,
    pub(super) is_in_use: bool,
    message: String,
}

impl<'o> Teller<'o> {
    pub(super) fn new(caller: Caller, options: &'o Options) -> Teller<'o> {
        let can_answer = || options.presume_terminal || io::stdin().is_terminal();
        let input = || !options.reads_input() && can_answer();
        let may_protect = matches!(options.prompt, Prompt::IfProtected | Prompt::Once);
        let is_quiet = !options.verbose && options.prompt != Prompt::Always;
        Teller {
            caller,
            options,
            protects: may_protect && input() && !is_root(),
            lines: Mutex::default(),
            held: Mutex::default(),
            asked: AtomicBool::new(false),
            messenger: Messenger::if_free(caller, options.common.progress, || is_quiet),
        }
    }

    /// Prints the collected lines and `text`, so that they come before the next message on standard
    /// error. Removes the progress.
    pub(super) fn print(&self, text: &str) {
        self.messenger.print_between(|| {
            let mut lines = lock(&self.lines);
            lines.bytes.extend_from_slice(text.as_bytes());
            let _ = lines.flush();
        });
    }

    /// Prints the collected lines.
    pub(super) fn flush(&self) {
        self.print("");
    }

    /// Ends the output: nothing is left to print or to show. Returns the exit code: 1 if there was
    /// a message.
    pub(super) fn close(&self) -> u8 {
        self.flush();
        standard::finish(self.caller, lock(&self.lines).finish(), 1).max(self.code())
    }

    /// The exit code after the messages so far.
    pub(super) fn code(&self) -> u8 {
        u8::from(self.messenger.has_failed())
    }

    /// Says that something failed. In a detached process, whose standard error is the log, with the
    /// time.
    pub(super) fn complain(&self, message: &str) {
        if self.options.finish_record.is_none() {
            return self.messenger.complain(message);
        }
        let now = zone::now().strftime("%F %T");
        let line = format!("{now} {}{message}\n", self.caller.prefix());
        // If that write fails, there is no other place to report it.
        self.messenger.fail(|| _ = io::stderr().write_all(line.as_bytes()));
    }

    /// The failures of a try, whose messages wait. If the user was asked, none counts as in use:
    /// another try would ask again, and what stays may do so because the answer was no.
    pub(super) fn take_failed(&self) -> Vec<HeldMessage> {
        let mut failed = std::mem::take(&mut *lock(&self.held));
        let asked = self.asked.swap(false, Ordering::Relaxed);
        failed.iter_mut().for_each(|it| it.is_in_use &= !asked);
        failed
    }

    /// Prints the message of a failure; for a file in use, with the process that uses it.
    pub(super) fn complain_of(&self, failed: &HeldMessage) {
        if self.options.verbose || self.options.dry_run {
            self.flush();
        }
        let users = if failed.is_in_use { by_whom(&failed.path) } else { String::new() };
        let message = format!("{}{users}", failed.message);
        message.lines().for_each(|line| self.complain(line));
    }

    /// That -r removes directories, if that is why it failed. Not under GNU's name.
    fn hint(&self, failed: &Failure) -> &'static str {
        let is_refused = matches!(
            failed.why(),
            Why::System(error) if error.kind() == io::ErrorKind::IsADirectory
        );
        if self.caller != Caller::Brisk || !is_refused || self.options.recurses() {
            return "";
        }
        // A link with a slash behind it is refused with -r too.
        let path = failed.path().components().as_path();
        let is_dir = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_dir { "; -r removes it, and all in it" } else { "" }
    }

    /// A line was added. Many lines are printed at once.
    fn end_line(&self, lines: MutexGuard<'_, Out>) {
        if lines.bytes.len() >= PIECE {
            drop(lines);
            self.flush();
        }
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

impl Observer for Teller<'_> {
    fn wants_removed(&self) -> bool {
        self.options.verbose
    }

    fn removed(&self, path: &[u8], file_type: FileType) {
        let mut lines = lock(&self.lines);
        if self.options.json {
            json::line(&mut lines.bytes, |object| {
                object.name("path", path);
                object.text("type", file_type.word());
            });
        } else {
            let directory = if file_type.is_dir() { "directory " } else { "" };
            let did = if self.options.dry_run { "would remove" } else { "removed" };
            // Writing to memory cannot fail.
            let _ = writeln!(lines.bytes, "{did} {directory}{}", in_message(path));
        }
        self.end_line(lines);
    }

    fn looked_at(&self, path: &[u8], below: &Report) {
        if self.options.json {
            return;
        }
        let mut lines = lock(&self.lines);
        let _ = writeln!(lines.bytes, "{}", operand(path, below));
        self.end_line(lines);
    }

    fn failed(&self, what: &Failure) {
        let waits = self.options.wait.is_some();
        let failed = HeldMessage {
            path: what.path().to_owned(),
            is_in_use: waits && is_in_use(what),
            message: failure(what) + self.hint(what),
        };
        if waits {
            lock(&self.held).push(failed);
        } else {
            self.complain_of(&failed);
        }
    }

    fn asks(&self) -> bool {
        self.options.prompt == Prompt::Always || self.protects
    }

    fn ask(&self, question: &Question<'_>) -> io::Result<bool> {
        let is_link = question.file_type() == FileType::Symlink;
        // A link's own permissions mean nothing.
        let protected = !is_link && !is_root() && !question.may_write()?;
        if !protected && self.options.prompt != Prompt::Always {
            return Ok(true);
        }
        if question.is_about_entering() && !self.options.recurses() {
            // A yes would not remove it, and the answer belongs to the next file.
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let name = in_message(question.path());
        let guard = if protected { "write-protected " } else { "" };
        let text = if question.is_about_entering() {
            format!("descend into {guard}directory {name}?")
        } else {
            format!("remove {guard}{} {name}?", kind(question))
        };
        self.flush();
        self.asked.store(true, Ordering::Relaxed);
        Ok(confirm::ask(self.caller, &text))
    }

    fn progressed(&self, so_far: &Report) {
        if self.options.verbose && !lock(&self.lines).bytes.is_empty() {
            self.flush();
        }
        let gone = so_far.files + so_far.directories;
        self.messenger.show(|time| {
            let rate = grouped(a_second(gone, time));
            let did = if self.options.dry_run { "would be removed" } else { "removed" };
            format!("{} {did}, {rate} a second", counted(gone, "entry", "entries"))
        });
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
