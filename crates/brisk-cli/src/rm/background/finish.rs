//! `--finish`: removes the trees that other processes have left or, with `--list`, shows them.

use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use brisk::remove::{Observer, Remove, Report};
use jiff::Timestamp;

use super::journal::{Glance, Journal, Record};
use super::target::{State, Target};
use crate::front::messages::Caller;
use crate::front::standard;
use crate::rm::options::{Options, Prompt};
use crate::rm::removal::conclude;
use crate::rm::terminal::{Terminal, ask};
use crate::show::json;
use crate::show::quoting::in_message;
use crate::show::time::zone;

/// A watch that also receives messages that concern no entry of a tree.
pub(super) trait Tell: Observer {
    /// Prints a message on a line of its own.
    fn tell(&self, message: &str);
}

impl Tell for Terminal {
    fn tell(&self, message: &str) {
        self.complain(message);
    }
}

/// Removes, or shows, the trees of all records that no process works on. Returns the exit code.
pub(crate) fn finish(caller: Caller, options: &Options) -> u8 {
    brisk_sys::limits::raise_open_files();
    brisk_cli_sys::signals::notice_interrupts();
    match finish_or_list(caller, options) {
        Ok(code) => code,
        Err(message) => {
            caller.complain(&message);
            1
        }
    }
}

fn finish_or_list(caller: Caller, options: &Options) -> Result<u8, String> {
    let journal = Journal::find()?;
    if options.list {
        let (lefts, refused) = journal.as_ref().map(lefts).transpose()?.unwrap_or_default();
        for message in &refused {
            caller.complain(message);
        }
        let printed = standard::print(caller, list(options, &lefts), 1);
        return Ok(printed.max(u8::from(!refused.is_empty())));
    }
    if options.prompt_once && !asked_once(caller, journal.as_ref())? {
        return Ok(0);
    }
    // The --background that set the trees aside decided whether to remove write-protected files.
    let prompt = if options.prompt == Prompt::Always { Prompt::Always } else { Prompt::Never };
    let options = &Options { prompt, ..options.clone() };
    let terminal = Terminal::new(caller, options);
    let (mut report, mut fine) = (Report::default(), true);
    if let Some(journal) = &journal {
        let mut finishing = Finishing::new(journal, &terminal, options);
        finishing.all();
        (report, fine) = (finishing.report, finishing.fine);
    }
    Ok(conclude(caller, options, &terminal, &report).max(u8::from(!fine)))
}

/// -I: one question, if there is anything to remove.
fn asked_once(caller: Caller, journal: Option<&Journal>) -> Result<bool, String> {
    let (lefts, _) = journal.map(lefts).transpose()?.unwrap_or_default();
    let count = lefts.iter().filter(|left| left.state == WAITING).count();
    let trees = if count == 1 { "tree" } else { "trees" };
    Ok(count == 0 || ask(caller, &format!("remove {count} {trees} that were set aside?")))
}

/// Records that this process works on, and the result so far.
pub(super) struct Finishing<'a, W> {
    journal: &'a Journal,
    watch: &'a W,
    options: &'a Options,
    report: Report,
    /// Whether no record was refused and no tree was out of reach. Failed removals are in the
    /// report.
    fine: bool,
}

impl<'a, W: Tell> Finishing<'a, W> {
    pub(super) fn new(journal: &'a Journal, watch: &'a W, options: &'a Options) -> Self {
        Finishing { journal, watch, options, report: Report::default(), fine: true }
    }

    /// Whether nothing is left that should have gone.
    pub(super) fn is_fine(&self) -> bool {
        self.fine && self.report.is_complete()
    }

    /// Reports why a tree or a record stays.
    pub(super) fn refuse(&mut self, message: &str) {
        self.watch.tell(message);
        self.fine = false;
    }

    /// Works on all records that no other process works on.
    pub(super) fn all(&mut self) {
        if !self.options.dry_run {
            self.journal.clear_drafts();
        }
        let records = match self.journal.records() {
            Ok(records) => records,
            Err(message) => return self.refuse(&message),
        };
        for name in records {
            if self.report.stopped {
                break;
            }
            match self.journal.lock(&name) {
                Ok(Some(record)) => self.one(&record),
                // Another process works on the record, or finished it a moment ago.
                Ok(None) => {}
                Err(message) => self.refuse(&message),
            }
        }
    }

    /// Removes the trees that a record names, and then the record if all of them are gone.
    pub(super) fn one(&mut self, record: &Record) {
        let mut gone = true;
        for target in record.targets() {
            gone &= self.target(record, target);
        }
        if gone && !self.options.dry_run {
            self.journal.drop_record(record);
        }
    }

    /// Removes one tree. Returns whether all of it is gone.
    fn target(&mut self, record: &Record, target: &Target) -> bool {
        let known = match target.look() {
            State::There(known) => known,
            State::Gone => return true,
            State::Unreachable(why) => {
                self.refuse(&unreachable(self.journal, record, target, &why));
                return false;
            }
        };
        let options = self.options;
        let report = Remove::new(target.path())
            .only(known)
            .ignore_missing(true)
            .cross_mounts(options.cross_mounts && !options.one_file_system)
            .preserve(options.preserve)
            .dry_run(options.dry_run)
            .threads(options.run.threads)
            .run_with(self.watch);
        let gone = report.is_complete() && report.spared == 0;
        self.report.add(report);
        gone
    }
}

fn unreachable(journal: &Journal, record: &Record, target: &Target, why: &str) -> String {
    let path = |path: &std::path::Path| in_message(path.as_os_str().as_bytes());
    format!(
        "cannot remove {}: {}: {why}; the record {} stays",
        path(&target.path()),
        path(&target.parent),
        path(&journal.path(record.name()))
    )
}

/// The state of a tree that no process is removing.
const WAITING: &str = "waiting";

/// A tree that was set aside.
struct Left {
    since: Timestamp,
    target: Target,
    /// `waiting`, `running` or `unreachable`.
    state: &'static str,
    why: Option<String>,
    record: std::path::PathBuf,
}

/// The trees that are left, the oldest first, and why records were refused.
fn lefts(journal: &Journal) -> Result<(Vec<Left>, Vec<String>), String> {
    let (mut lefts, mut refused) = (Vec::new(), Vec::new());
    for name in journal.records()? {
        match journal.glance(&name) {
            Ok(Some(glance)) => lefts.extend(of_record(journal, &name, glance)),
            Ok(None) => {}
            Err(message) => refused.push(message),
        }
    }
    lefts.sort_unstable_by_key(|left| left.since);
    Ok((lefts, refused))
}

fn of_record(journal: &Journal, name: &str, glance: Glance) -> Vec<Left> {
    // A record is written once, right before its trees are renamed.
    let written = glance.file.metadata().and_then(|meta| meta.modified()).ok();
    let since = written.and_then(|time| Timestamp::try_from(time).ok()).unwrap_or_default();
    let mut lefts = Vec::new();
    for target in glance.targets {
        let (state, why) = match target.look() {
            State::Gone => continue,
            State::There(_) if glance.is_locked => ("running", None),
            State::There(_) => (WAITING, None),
            State::Unreachable(why) => ("unreachable", Some(why)),
        };
        lefts.push(Left { since, target, state, why, record: journal.path(name) });
    }
    lefts
}

/// The trees that are left, one on each line.
fn list(options: &Options, lefts: &[Left]) -> String {
    let line = |left: &Left| if options.json { left.to_json() } else { left.text() };
    lefts.iter().map(|left| line(left) + "\n").collect()
}

impl Left {
    fn text(&self) -> String {
        let since = self.since.to_zoned(zone::local()).strftime("%F %T");
        let path = in_message(self.target.path().as_os_str().as_bytes());
        let mut text = format!("{since} {} {path}", self.state);
        if !self.target.was.is_empty() {
            text += &format!(" (was {})", in_message(&self.target.was));
        }
        if let Some(why) = &self.why {
            let record = in_message(self.record.as_os_str().as_bytes());
            text += &format!(": {why}; its record is {record}");
        }
        text
    }

    fn to_json(&self) -> String {
        json::of(|object| {
            object.name("path", self.target.path().as_os_str().as_bytes());
            object.name("record", self.record.as_os_str().as_bytes());
            object.time("since", Some(SystemTime::from(self.since).into()));
            object.text("state", Some(self.state));
            object.name("was", &self.target.was);
            object.text("why", self.why.as_deref());
        })
    }
}
