//! `--finish`: removes the trees that other processes have left or, with `--list`, shows them.

use std::time::SystemTime;

use brisk::Walk;
use brisk::remove::{Remove, Report};
use brisk::unstable::FileIdentity;
use jiff::Timestamp;

use super::journal::{Journal, LockedRecord};
use super::target::{SetAside, Whereabouts};
use crate::front::confirm;
use crate::front::messages::Caller;
use crate::front::progress::counted;
use crate::rm::flags::{Options, Prompt};
use crate::rm::removal::conclude;
use crate::rm::teller::Teller;
use crate::show::json;
use crate::show::quoting::{in_message, quoted};
use crate::show::safe::path_bytes;
use brisk_filter::zone;

/// Removes, or shows, the trees of all records that no process works on. Returns the exit code.
///
/// # Errors
/// A message: the journal cannot be used.
pub(crate) fn finish(caller: Caller, options: &Options) -> Result<u8, String> {
    brisk_sys::limits::raise_open_files();
    brisk_cli_sys::signals::notice_interrupts();
    let journal = Journal::find()?;
    if options.list {
        let teller = Teller::new(caller, options);
        let lefts = lefts(journal.as_ref(), |message| teller.complain(message))?;
        let line = |left: &Left| if options.json { left.to_json() } else { left.text() };
        teller.print(&lefts.iter().map(|left| line(left) + "\n").collect::<String>());
        return Ok(teller.close());
    }
    if options.prompt == Prompt::Once && !asked_about_trees(caller, journal.as_ref())? {
        return Ok(0);
    }
    // The --background that set the trees aside decided whether to remove write-protected files.
    let prompt = if options.prompt == Prompt::Always { Prompt::Always } else { Prompt::Never };
    let options = &Options { prompt, ..options.clone() };
    let teller = Teller::new(caller, options);
    let report = journal.map(|journal| all(&journal, &teller, options));
    Ok(conclude(options, &teller, &report.unwrap_or_default()))
}

/// -I: one question, if there is anything to remove.
fn asked_about_trees(caller: Caller, journal: Option<&Journal>) -> Result<bool, String> {
    let lefts = lefts(journal, |_| {})?;
    let count = lefts.iter().filter(|left| left.state == WAITING).count();
    let trees = counted(count as u64, "tree", "trees");
    Ok(count == 0 || confirm::ask(caller, &format!("remove {trees} that were set aside?")))
}

/// Works on all records that no other process works on.
pub(super) fn all(journal: &Journal, teller: &Teller<'_>, options: &Options) -> Report {
    if !options.dry_run {
        journal.clear_drafts();
    }
    let records = journal.records().unwrap_or_else(|message| {
        teller.complain(&message);
        Vec::new()
    });
    let mut report = Report::default();
    for name in records {
        if report.stopped {
            break;
        }
        match journal.lock(&name) {
            Ok(Some(record)) => report.add(one(journal, teller, options, &record)),
            // Another process works on the record, or finished it a moment ago.
            Ok(None) => {}
            Err(message) => teller.complain(&message),
        }
    }
    report
}

/// Removes the trees that a record names, and then the record if all of them are gone.
pub(super) fn one(
    journal: &Journal,
    teller: &Teller<'_>,
    options: &Options,
    record: &LockedRecord,
) -> Report {
    let mut report = Report::default();
    let mut gone = true;
    for target in &record.targets {
        match target.look() {
            Whereabouts::There(known) => {
                let removed = removal_of(target, known, options).run(teller);
                gone &= removed.is_complete() && removed.spared == 0;
                report.add(removed);
            }
            Whereabouts::Gone => {}
            Whereabouts::Unreachable(why) => {
                teller.complain(&unreachable(journal, record, target, &why));
                gone = false;
            }
        }
    }
    if gone && !options.dry_run {
        journal.drop_record(record);
    }
    report
}

/// The removal of a tree, if it has this identity.
fn removal_of(target: &SetAside, known: FileIdentity, options: &Options) -> Remove {
    Remove {
        ignore_missing: true,
        cross_mounts: options.cross_mounts,
        preserve: options.preserve,
        dry_run: options.dry_run,
        only: Some(known),
        ..Remove::new(Walk::new(target.path()).threads(options.common.threads))
    }
}

fn unreachable(journal: &Journal, record: &LockedRecord, target: &SetAside, why: &str) -> String {
    let path = quoted(&target.path());
    let parent = quoted(&target.parent);
    let record = quoted(&journal.path(&record.name));
    format!("cannot remove {path}: {parent}: {why}; the record {record} stays")
}

/// The state of a tree that no process is removing.
const WAITING: &str = "waiting";

/// A tree that was set aside.
struct Left {
    since: Timestamp,
    target: SetAside,
    /// `waiting`, `running` or `unreachable`.
    state: &'static str,
    why: Option<String>,
    record: std::path::PathBuf,
}

/// The trees that are left, the oldest first. `complain` is called with the reason for each refused
/// record.
fn lefts(journal: Option<&Journal>, complain: impl Fn(&str)) -> Result<Vec<Left>, String> {
    let mut lefts = Vec::new();
    let Some(journal) = journal else { return Ok(lefts) };
    for name in journal.records()? {
        match journal.glance(&name) {
            Ok(Some((record, is_locked))) => lefts.extend(of_record(journal, record, is_locked)),
            Ok(None) => {}
            Err(message) => complain(&message),
        }
    }
    lefts.sort_unstable_by_key(|left| left.since);
    Ok(lefts)
}

fn of_record(journal: &Journal, record: LockedRecord, is_locked: bool) -> Vec<Left> {
    // A record is written once, right before its trees are renamed.
    let written = record.file.metadata().and_then(|meta| meta.modified()).ok();
    let since = written.and_then(|time| Timestamp::try_from(time).ok()).unwrap_or_default();
    let mut lefts = Vec::new();
    for target in record.targets {
        let (state, why) = match target.look() {
            Whereabouts::Gone => continue,
            Whereabouts::There(_) if is_locked => ("running", None),
            Whereabouts::There(_) => (WAITING, None),
            Whereabouts::Unreachable(why) => ("unreachable", Some(why)),
        };
        lefts.push(Left { since, target, state, why, record: journal.path(&record.name) });
    }
    lefts
}

impl Left {
    fn text(&self) -> String {
        let since = self.since.to_zoned(zone::local()).strftime("%F %T");
        let path = quoted(&self.target.path());
        let mut text = format!("{since} {} {path}", self.state);
        if !self.target.was.is_empty() {
            text += &format!(" (was {})", in_message(&self.target.was));
        }
        if let Some(why) = &self.why {
            text += &format!(": {why}; its record is {}", quoted(&self.record));
        }
        text
    }

    fn to_json(&self) -> String {
        json::of(|object| {
            object.name("path", path_bytes(&self.target.path()));
            object.name("record", path_bytes(&self.record));
            object.time("since", Some(SystemTime::from(self.since).into()));
            object.text("state", Some(self.state));
            object.name("was", &self.target.was);
            object.text("why", self.why.as_deref());
        })
    }
}
