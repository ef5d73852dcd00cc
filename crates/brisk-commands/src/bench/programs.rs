//! `brisk bench walk`, `ls` and `rm`: brisk and other programs that do the same, where they are
//! installed. Each run is a process of its own, whose output is discarded.

use std::path::Path;
use std::process::{Command, Stdio};

use brisk_cli_sys::survey::child::{Ended, run};

use super::options::Options;
use super::report::{Line, Report};
use super::rivals::KnownRival;
use super::scratch::{Scratch, Shape};
use super::{machine, turns};
use crate::front::messages::cause;
use crate::system;

/// Measures programs that list a tree.
///
/// # Errors
/// As [`listed`].
pub(crate) fn walk(options: &Options) -> Result<Report, String> {
    listed("walk", options)
}

/// Measures programs that list one directory.
///
/// # Errors
/// As [`listed`].
pub(crate) fn ls(options: &Options) -> Result<Report, String> {
    let mut report = listed("ls", options)?;
    if std::env::var_os("LS_COLORS").is_none() {
        report.notes.push("LS_COLORS is not set: each program uses its own colours".to_owned());
    }
    Ok(report)
}

/// Measures programs that remove a tree. Each run removes a fresh copy of the tree's shape, and is
/// looked at afterwards; neither is measured.
///
/// # Errors
/// A copy cannot be made, or the user interrupted.
pub(crate) fn rm(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let shape = match options.files.first() {
        Some(entries) => Shape::of_packages(entries.get()),
        None => Shape::of(dir)?,
    };
    let unread = shape.unread;
    let scratch = Scratch::new(dir, options.scratch.as_deref(), shape)?;
    let mut programs = Programs::installed("rm", scratch.place(), Path::new("tree"))?;
    let machine = machine::facts(scratch.place());
    programs.measure(options, Some(&scratch))?;
    programs.notes.push(
        "each run removes a fresh copy of the tree with empty files: contents would take longer"
            .to_owned(),
    );
    if unread > 0 {
        let what = "directories could not be read, and the copy lacks their contents";
        programs.notes.push(format!("{unread} {what}"));
    }
    Ok(Report { machine, ..programs.report("rm", scratch.entries(), options) })
}

/// Measures programs that list a directory, and compares how much brisk, the first of them, and the
/// others of its group list.
///
/// # Errors
/// A program cannot be found or the user interrupted.
fn listed(kind: &str, options: &Options) -> Result<Report, String> {
    let mut programs = Programs::installed(kind, Path::new("."), &options.dir)?;
    programs.measure(options, None)?;
    let entries = programs.count(0).unwrap_or_default();
    let difference = |at: usize| {
        let count = programs.count(at).filter(|count| *count != entries)?;
        let name = &programs.methods[at].name;
        Some(format!("{name} lists {count} entries, and brisk {entries}"))
    };
    let disagreements = (1..programs.known.len()).filter_map(difference).collect();
    Ok(Report { disagreements, ..programs.report(kind, entries, options) })
}

/// Programs that are measured side by side.
struct Programs<'a> {
    known: Vec<KnownRival>,
    methods: Vec<Line>,
    notes: Vec<String>,
    /// Where they are started.
    place: &'a Path,
}

impl<'a> Programs<'a> {
    /// brisk and those that are installed, on a directory.
    ///
    /// # Errors
    /// This program's file cannot be found.
    fn installed(kind: &str, place: &'a Path, dir: &Path) -> Result<Programs<'a>, String> {
        let brisk = std::env::current_exe()
            .map_err(|error| format!("cannot find this program: {}", cause(&error)))?;
        let is_installed =
            |known: &KnownRival| known.is_own() || system::is_installed(&known.words[0]);
        let known = KnownRival::all(kind).into_iter();
        let (known, missing): (Vec<KnownRival>, Vec<KnownRival>) = known.partition(is_installed);
        let mut missing: Vec<&str> = missing.iter().map(|known| &*known.words[0]).collect();
        missing.sort_unstable();
        missing.dedup();
        let missing = missing.join(", ");
        let note = format!("programs that are not on PATH: {missing}");
        let notes = if missing.is_empty() { Vec::new() } else { vec![note] };
        let method = |known: &KnownRival| known.method(&brisk, dir);
        let methods = known.iter().map(method).collect();
        Ok(Programs { known, methods, notes, place })
    }

    /// Runs them in turns.
    ///
    /// # Errors
    /// A run could not be prepared, or the user interrupted.
    fn measure(&mut self, options: &Options, scratch: Option<&Scratch>) -> Result<(), String> {
        let place = self.place;
        let notes = turns::measure(&mut self.methods, options, |_, method| {
            scratch.map_or(Ok(()), Scratch::set)?;
            turns::cool(method, options)?;
            measure_once(method, place);
            if let Err(left) = scratch.map_or(Ok(()), Scratch::look) {
                method.failure.get_or_insert(left);
            }
            Ok(())
        })?;
        self.notes.extend(notes);
        Ok(())
    }

    /// How many entries a program lists; `None` where that is not compared.
    fn count(&self, at: usize) -> Option<u64> {
        let more = self.known[at].lists?;
        let output = command(&self.methods[at], self.place).stdout(Stdio::piped()).output().ok()?;
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count() as u64;
        Some(lines.saturating_sub(more))
    }

    fn report(self, kind: &str, entries: u64, options: &Options) -> Report {
        let report = turns::report(kind, &options.dir, entries, self.methods, options);
        Report { notes: self.notes, ..report }
    }
}

/// A program's command, ready to run; its output goes nowhere.
fn command(method: &Line, place: &Path) -> Command {
    let mut command = Command::new(&method.command[0]);
    command.args(&method.command[1..]).current_dir(place);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn measure_once(method: &mut Line, place: &Path) {
    // robocopy's exit codes are sets of bits; 8 or more means that something failed.
    let most = if method.command[0] == "robocopy" { 7 } else { 0 };
    let succeeds = |code: Option<i32>| code.is_some_and(|code| (0..=most).contains(&code));
    match run(&mut command(method, place)) {
        Ok(ended) if succeeds(ended.status.code()) => {
            method.runs.push(ended.wall);
            let peak = method.usage.map_or(0, |before| before.peak).max(ended.peak);
            method.usage = Some(Ended { peak, ..ended });
        }
        Ok(ended) => method.failure = Some(format!("ended with {}", ended.status)),
        Err(error) => method.failure = Some(format!("cannot be started: {}", cause(&error))),
    }
}
