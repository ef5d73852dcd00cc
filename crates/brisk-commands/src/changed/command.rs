//! COMMAND: its arguments, its environment and its standard input, and how it ended.

use std::ffi::{OsStr, OsString};
use std::io::{self, Seek, Write};
use std::process::{Command, Stdio};

use brisk_cli_sys::survey::child;
use brisk_state::{ChangeKind, Report};
use brisk_sys::output::{Readers, Temporary};
use brisk_sys::whole::create_unnamed;

use super::files::Files;
use super::flags::PATHS;
use super::rescanned::Rescanned;
use crate::front::Refusal;
use crate::front::messages::cannot;
use crate::show::changes::lines::Form;
use crate::show::changes::roots::DisplayedPaths;
use crate::show::safe::os_str;
use crate::system;
use crate::system::arguments::{Room, cost};
use crate::write::out::Out;

/// The exit code of brisk's own errors where there is a command.
pub(super) const FAILED_WITH_COMMAND: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
pub(super) const NOT_FOUND: u8 = 127;

/// Names the file with the changes as JSON lines.
const BRISK_CHANGED: &str = "BRISK_CHANGED";
/// Is 1 if there is no usable state, so that every entry is a change.
const BRISK_FULL: &str = "BRISK_FULL";

/// COMMAND, ready to be started on the changes. What it reads is there until this is dropped.
pub(super) struct Prepared {
    pub(super) command: Command,
    /// The file that `BRISK_CHANGED` names.
    _list: Temporary,
    /// How many paths COMMAND was given.
    count: usize,
}

impl Prepared {
    /// Why COMMAND could not be started.
    #[cold]
    pub(super) fn not_started(&self, error: &io::Error) -> Refusal {
        let code = match error.kind() {
            io::ErrorKind::ArgumentListTooLong => return too_many(self.count),
            io::ErrorKind::NotFound => NOT_FOUND,
            _ => NOT_EXECUTABLE,
        };
        Refusal { code, ..Refusal::usage(cannot("run", self.command.get_program(), error)) }
    }
}

/// Runs COMMAND on the changes; returns its exit code.
///
/// # Errors
/// COMMAND could not be started. The exit code is 125, 126 or 127.
pub(super) fn run(rescanned: &Rescanned<'_>) -> Result<u8, Refusal> {
    let mut prepared = prepare(rescanned)?;
    match child::run(&mut prepared.command) {
        Ok(ended) => Ok(system::ended(ended.status)),
        Err(error) => Err(prepared.not_started(&error)),
    }
}

/// Writes what COMMAND reads.
///
/// # Errors
/// That failed, or the paths do not fit on a command line. The exit code is 125.
pub(super) fn prepare(rescanned: &Rescanned<'_>) -> Result<Prepared, Refusal> {
    let Rescanned { options, files, report, displayed, .. } = rescanned;
    let present = present(report, displayed);
    let arguments = arguments(&options.command, &present);
    let mut command = Command::new(&arguments[0]);
    let list = Temporary::beside(&files.state, Readers::Owner);
    let list = list.map_err(|error| failed(cannot("write beside", &files.state, &error)))?;
    command.args(&arguments[1..]).env(BRISK_CHANGED, list.path()).env_remove(BRISK_FULL);
    if report.no_state.is_some() {
        command.env(BRISK_FULL, "1");
    }
    let added = [BRISK_CHANGED.as_ref(), list.path().as_os_str(), BRISK_FULL.as_ref()];
    if !fits(arguments.iter().map(OsString::as_os_str).chain(added)) {
        return Err(too_many(present.len()));
    }
    let mut lines = Out::new(list.file());
    let _ = rescanned.write(&Form::Json, &mut lines);
    lines.finish().map_err(|error| failed(cannot("write", list.path(), &error)))?;
    if options.stdin0 {
        command.stdin(input(files, &present).map_err(failed)?);
    } else if options.watching.is_on {
        // A group in the background may not read the terminal.
        command.stdin(Stdio::null());
    }
    Ok(Prepared { command, _list: list, count: present.len() })
}

/// The paths of what is there and changed.
fn present(report: &Report, displayed: &DisplayedPaths) -> Vec<Vec<u8>> {
    use ChangeKind::{Added, Modified, Renamed, TypeChanged};
    let is_there = |kind| matches!(kind, Added | Modified | TypeChanged | Renamed);
    let changes = report.changes.iter().filter(|change| is_there(change.kind));
    changes.map(|change| displayed.path(&change.place)).collect()
}

/// The words of COMMAND, with the paths in place of `{}`.
fn arguments(command: &[OsString], present: &[Vec<u8>]) -> Vec<OsString> {
    let mut arguments = Vec::with_capacity(command.len() + present.len());
    for word in command {
        if word == PATHS {
            arguments.extend(present.iter().map(|path| os_str(path).to_owned()));
        } else {
            arguments.push(word.clone());
        }
    }
    arguments
}

/// Whether the system takes these words as the arguments and the environment of a program.
fn fits<'w>(words: impl Iterator<Item = &'w OsStr>) -> bool {
    let room = Room::granted();
    let mut total = 0;
    for word in words {
        total += cost(word);
        if word.len() > room.longest || total > room.total {
            return false;
        }
    }
    true
}

fn failed(message: String) -> Refusal {
    Refusal { code: FAILED_WITH_COMMAND, ..Refusal::usage(message) }
}

#[cold]
fn too_many(count: usize) -> Refusal {
    failed(format!(
        "{count} paths are too many for one command line. Nothing was run. With --stdin0 the \
         command reads them from its standard input (as 'xargs -0' does), and {BRISK_CHANGED} \
         names a file that lists them"
    ))
}

/// The paths, each with a null byte behind it, as a file without a name.
fn input(files: &Files, present: &[Vec<u8>]) -> Result<Stdio, String> {
    let mut text = Vec::new();
    for path in present {
        text.extend_from_slice(path);
        text.push(0);
    }
    let dir = files.state.parent().unwrap_or(&files.state);
    let written = create_unnamed(dir).and_then(|mut file| {
        file.write_all(&text)?;
        file.rewind()?;
        Ok(Stdio::from(file))
    });
    written.map_err(|error| cannot("write beside", &files.state, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_two_braces_becomes_the_paths() {
        let command = ["cc", "{}", "-o{}", "--"].map(OsString::from);
        let paths = [b"a b".to_vec(), b"./-x".to_vec()];
        assert_eq!(arguments(&command, &paths), ["cc", "a b", "./-x", "-o{}", "--"]);
        assert_eq!(arguments(&command, &[]), ["cc", "-o{}", "--"]);
    }

    #[test]
    #[cfg(unix)]
    fn what_the_system_does_not_take_does_not_fit() {
        let word = "x".repeat(60);
        assert!(fits(std::iter::repeat_n(word.as_ref(), 1000)));
        assert!(!fits(std::iter::repeat_n(word.as_ref(), 117_600)));
        assert!(!fits([OsStr::new(&"x".repeat(1 << 20))].into_iter()));
    }
}
