//! `brisk changed`: what changed since the last run. This file leads from the command line to an
//! exit code: it reads the options, rescans, and prints the changes or runs a command on them.

mod accept;
mod command;
pub(crate) mod compare;
mod depfile;
mod files;
pub(crate) mod flags;
pub(crate) mod made_with;
mod passing;
mod rescanned;
mod state_path;
mod telling;
mod watch;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use brisk::{FileType, Flow};
use brisk_cli_sys::signals;
use brisk_state::{Change, Report, Rescan, State, Unusable};
use brisk_sys::limits;

use crate::front::config::backend;
use crate::front::messages::{Caller, cannot};
use crate::front::{Refusal, paints, standard};
use crate::show::changes::lines::Form;
use crate::show::quoting::{quoted, retypable};
use crate::show::template::{Placeholders, Template};
use crate::system;
use crate::write::out::{Out, output_is_terminal};
use accept::Acceptance;
use command::FAILED_WITH_COMMAND;
use compare::CompareOptions;
use files::Files;
use flags::Options;
use passing::Passing;
use rescanned::Rescanned;
use telling::{FAILED, complain_about_errors, has_work, print, statistics, tell_recorded};
use watch::Watch;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let runs = flags::has_command(words);
    let with_code = |why| if runs { Refusal { code: FAILED_WITH_COMMAND, ..why } } else { why };
    let read = flags::read(words).map_err(with_code);
    standard::run(Caller::Brisk, "brisk changed", read, flags::command, |mut options| {
        let chosen = state_path::choose(&mut options);
        let chosen = chosen.map_err(|why| Refusal::from(why + &meant_as_command(&options)));
        chosen.and_then(|()| changed(&options)).map_err(with_code)
    })
}

fn changed(options: &Options) -> Result<u8, Refusal> {
    let files = Files::new(options)?;
    let form = form(options)?;
    let mut complain = complain_once();
    let with_our_filters = rescan_with(options, &files, &mut complain)?;
    let _lock = lock(options, &files)?;
    if !options.runs_command() {
        // Each directory that is being read is an open file. A command would inherit the limit.
        limits::raise_open_files();
    }
    let old = State::load(&files.state);
    // If the state was made with other filters (only in a dry run): rescan with the state's, and
    // keep the changes that pass ours.
    let options_of_state = made_with::other_options(options, &old)?;
    let (passing, mut rescan) = match &options_of_state {
        Some(of_state) => {
            let passing = Passing::find(options, with_our_filters)?;
            (Some(passing), rescan_with(of_state, &files, &mut complain)?)
        }
        None => (None, with_our_filters),
    };
    rescan.old = old;
    if options.watching.is_on {
        return Watch::new(options, &files, &form, rescan)?.run();
    }
    let rescanned = options.compare.run_showing_progress(rescan);
    let mut report = rescanned.map_err(|why| why + &meant_as_command(options))?;
    passing.inspect(|passing| passing.retain(&mut report));
    complain_about_errors(options, &report);
    let rescanned = Rescanned::new(options, &files, &report, &[]);
    let code = if !options.runs_command() {
        list(&rescanned, &form)?
    } else if has_work(&report).map_err(str::to_owned)? {
        execute(&rescanned)?
    } else {
        Acceptance::prepare(&rescanned)?.accept()?
    };
    let is_reported = statistics(options, &report);
    let failed = if options.runs_command() { FAILED_WITH_COMMAND } else { FAILED };
    let command_failed = options.runs_command() && code != 0;
    let is_complete = report.errors.is_empty() && is_reported;
    Ok(if command_failed || is_complete { code } else { failed })
}

/// Prints messages, each once: two rescans with different filters may read the same ignore file.
fn complain_once() -> impl FnMut(&str) {
    let mut printed = HashSet::new();
    move |message| {
        if printed.insert(message.to_owned()) {
            Caller::Brisk.complain(message);
        }
    }
}

/// How changes become lines.
///
/// # Errors
/// The message for the user: the template cannot be understood.
fn form(options: &Options) -> Result<Form, String> {
    let CompareOptions { json, print0, .. } = options.compare;
    let Some(text) = &options.format else {
        return Ok(Form::of(json, print0, || paints(options.compare.color)));
    };
    Ok(Form::Template {
        template: Template::parse(text, Placeholders::Changes)?,
        end: if print0 { 0 } else { b'\n' },
        backend: backend(),
        for_terminal: output_is_terminal(),
    })
}

fn rescan_with(
    options: &Options,
    files: &Files,
    complain: &mut dyn FnMut(&str),
) -> Result<Rescan, String> {
    let compare = &options.compare;
    Ok(Rescan {
        omitted: files.all(),
        ctime: !options.no_ctime,
        content: compare.content || options.stamp.is_some(),
        shortcuts: !options.no_shortcuts,
        renames: !compare.no_renames,
        accepts_other_volumes: options.accepts_other_volumes,
        made_with: made_with::text(&options.filter_words),
        ..compare.rescan(&options.paths, options.runs_command(), complain)?
    })
}

/// Locks the state if this run has a command, a stamp or a depfile, so that two such runs do not
/// interleave. A run that only lists takes no lock.
fn lock(options: &Options, files: &Files) -> Result<Option<File>, String> {
    let needs_lock = options.runs_command() || files.stamp.is_some() || files.depfile.is_some();
    if !needs_lock {
        return Ok(None);
    }
    let locked =
        |wait| system::lock(&files.lock, wait).map_err(|error| cannot("lock", &files.lock, &error));
    if let Some(lock) = locked(false)? {
        return Ok(Some(lock));
    }
    let shown = quoted(&options.state);
    if options.no_wait {
        return Err(format!("another brisk uses the state {shown}"));
    }
    Caller::Brisk.complain(&format!("waiting for another brisk, which uses the state {shown}"));
    locked(true)
}

/// Prints the changes and, once they are printed, accepts the state where that is wanted.
fn list(rescanned: &Rescanned<'_>, form: &Form) -> Result<u8, Refusal> {
    let (flow, code) = print(rescanned, form, <Out>::default());
    // What no reader has seen stays unaccepted.
    let accept_code = match flow {
        Flow::Continue => Acceptance::prepare(rescanned)?.accept()?,
        Flow::Stop => 0,
    };
    if rescanned.is_silent_first_run(form) && accept_code == 0 {
        tell_recorded(rescanned.options, rescanned.report, "the next run shows what changed");
    }
    if matches!(rescanned.report.no_state, Some(Unusable::Missing))
        && let Some(path) = recorded_program(rescanned.report)
    {
        let path = quoted(path);
        Caller::Brisk.complain(&format!("{path} was recorded, not run: a command comes after --"));
    }
    let found = rescanned.options.compare.exit_code && !rescanned.report.changes.is_empty();
    Ok(code.max(accept_code).max(u8::from(found)))
}

/// What to write for a command that was named as if it were a directory: `brisk changed . date`.
#[cold]
fn meant_as_command(options: &Options) -> String {
    let is_program = |path: &PathBuf| {
        let is_missing_name = path.components().count() == 1 && path.symlink_metadata().is_err();
        is_missing_name && path.to_str().is_some_and(system::is_installed)
    };
    let Some(at) = options.paths.iter().position(is_program).filter(|_| !options.runs_command())
    else {
        return String::new();
    };
    let words = |paths: &[PathBuf]| -> String {
        paths.iter().map(|path| format!(" {}", retypable(path))).collect()
    };
    let (dirs, command) = options.paths.split_at(at);
    format!("; a command comes after --: brisk changed{} --{}", words(dirs), words(command))
}

/// A program that was named as if it were a directory. Asks the system only about files.
fn recorded_program(report: &Report) -> Option<&PathBuf> {
    let is_root = |change: &&Change| change.place.path.is_empty();
    let is_file = |change: &&Change| change.file_type == FileType::File;
    let files = report.changes.iter().filter(is_root).filter(is_file);
    files.map(|change| &report.roots[change.place.root]).find(|path| system::may_execute(path))
}

/// Runs COMMAND, and accepts the state if it succeeds; returns the exit code.
fn execute(rescanned: &Rescanned<'_>) -> Result<u8, Refusal> {
    let acceptance = Acceptance::prepare(rescanned)?;
    let code = match command::run(rescanned) {
        Ok(code) => code,
        Err(why) => {
            Caller::Brisk.complain(&why.message);
            return Ok(why.code);
        }
    };
    // If interrupted, `accept` accepts nothing, and returns the exit code for that.
    if code == 0 || signals::interrupted() { Ok(acceptance.accept()?) } else { Ok(code) }
}
