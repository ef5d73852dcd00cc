//! [`CopyTeller`]: what the user sees of a copy: messages, the names that are copied, questions,
//! progress.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::{Mutex, MutexGuard};

use brisk::FileType;
use brisk::copy::{Backup, Begun, NotCopied, Observer, Overwrite, Report};
use brisk_cli_sys::signals::interrupted;

use super::options::Options;
use super::talk;
use crate::front::messages::Caller;
use crate::front::progress::{Messenger, a_second, counted};
use crate::front::{confirm, standard};
use crate::show::json;
use crate::show::quoting::in_message;
use crate::show::size::Scale;
use crate::write::out::Out;
use brisk_sys::threads::lock;

/// Follows a copy for the user.
pub(super) struct CopyTeller<'o> {
    caller: Caller,
    options: &'o Options,
    /// Lines for standard output. If writing fails, [`CopyTeller::close`] reports it.
    lines: Mutex<Out>,
    messenger: Messenger,
}

impl<'o> CopyTeller<'o> {
    pub fn new(caller: Caller, options: &'o Options) -> CopyTeller<'o> {
        let is_quiet = !options.verbose && !options.asks;
        let messenger = Messenger::if_free(caller, options.common.progress, || is_quiet);
        CopyTeller { caller, options, lines: Mutex::default(), messenger }
    }

    /// Prints the collected lines and then `text`, so that both come before the next message.
    /// Removes the progress line.
    pub fn print(&self, text: &str) {
        self.messenger.print_between(|| {
            let mut lines = lock(&self.lines);
            lines.bytes.extend_from_slice(text.as_bytes());
            let _ = lines.flush();
        });
    }

    /// Ends the output. Returns the exit code: 1 if something failed.
    pub fn close(&self) -> u8 {
        self.print("");
        let code = standard::finish(self.caller, lock(&self.lines).finish(), 1);
        code.max(u8::from(self.messenger.has_failed()))
    }

    /// Prints a message about a failure.
    pub fn complain(&self, message: &str) {
        if self.options.verbose {
            self.print("");
        }
        self.messenger.complain(message);
    }

    /// Writes a line about an entry.
    pub fn line(&self, write: impl FnOnce(&mut MutexGuard<'_, Out>)) {
        let mut lines = lock(&self.lines);
        write(&mut lines);
        let _ = lines.write_if_full();
    }
}

impl Observer for CopyTeller<'_> {
    fn wants_begun(&self) -> bool {
        self.options.verbose
    }

    fn begun(&self, begun: &Begun<'_>) {
        let [source, destination] = [begun.paths.source(), begun.paths.destination()];
        self.line(|lines| {
            if self.options.json {
                return json::line(&mut lines.bytes, |object| {
                    object.name("source", source);
                    object.name("path", destination);
                    object.text("type", begun.file_type.word());
                });
            }
            let would = if self.options.copy.dry_run { "would copy " } else { "" };
            let backup = begun.backup.map(|backup| format!(" (backup: {})", in_message(backup)));
            let [from, to] = [source, destination].map(in_message);
            let backup = backup.unwrap_or_default();
            // Writing to memory cannot fail.
            let _ = writeln!(lines.bytes, "{would}{from} -> {to}{backup}");
        });
    }

    fn removed(&self, destination: &[u8], file_type: FileType) {
        self.line(|lines| {
            if self.options.json {
                return json::line(&mut lines.bytes, |object| {
                    object.name("path", destination);
                    object.text("type", file_type.word());
                    object.plain("removed", true);
                });
            }
            let did = if self.options.copy.dry_run { "would remove" } else { "removed" };
            let _ = writeln!(lines.bytes, "{did} {}", in_message(destination));
        });
    }

    fn failed(&self, failure: &NotCopied) {
        let message = talk::message(failure, self.options);
        if failure.step.is_warning() {
            self.print("");
            return self.caller.complain(&message);
        }
        self.complain(&message);
    }

    fn asks(&self) -> bool {
        self.options.asks
    }

    fn ask(&self, question: &Overwrite<'_>) -> io::Result<bool> {
        self.print("");
        Ok(confirm::ask(self.caller, &talk::question(question, self.options)))
    }

    fn backup_name(&self, backup: &Backup<'_>) -> io::Result<Option<OsString>> {
        let suffix = self.options.suffix.as_deref();
        let name =
            |control: super::backup::Control| control.name(backup.paths.destination(), suffix);
        self.options.backup.map(name).transpose()
    }

    fn progressed(&self, so_far: &Report) {
        if self.options.verbose && !lock(&self.lines).bytes.is_empty() {
            self.print("");
        }
        self.messenger.show(|time| {
            let [size, rate] =
                [so_far.bytes, a_second(so_far.bytes, time)].map(|bytes| Scale::BINARY.text(bytes));
            let did = if self.options.copy.dry_run { "would be copied" } else { "copied" };
            let files = counted(so_far.files, "file", "files");
            let left = match so_far.left {
                0 => String::new(),
                bytes => format!("; {} left of large files", Scale::BINARY.text(bytes)),
            };
            format!("{files}, {size} {did}, {rate} a second{left}")
        });
    }

    fn is_stopped(&self) -> bool {
        interrupted()
    }
}
