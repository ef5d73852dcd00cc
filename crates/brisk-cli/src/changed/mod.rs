//! `brisk changed`: what changed since the last run. This file leads from the command line to an
//! exit code: it reads the options, rescans, and prints the changes or runs a command on them.

mod about;
mod accept;
mod command;
pub(crate) mod comparing;
mod depfile;
mod files;
pub(crate) mod flags;
mod outcome;
mod passing;
mod place;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use brisk::{Error, Flow};
use brisk_cli_sys::signals;
use brisk_state::{Kind, Report, Rescan, State, Unusable};
use brisk_sys::limits;

use crate::front::Refusal;
use crate::front::config::backend;
use crate::front::messages::{Caller, cannot, told, unnumbered};
use crate::front::progress::counted;
use crate::front::standard;
use crate::show::changes::lines::Form;
use crate::show::changes::roots::{self, Labels};
use crate::show::fields::limit_told;
use crate::show::quoting::quoted;
use crate::show::template::{Dialect, Template};
use crate::system;
use crate::write::out::Out;
use crate::write::out::output_is_terminal;
use accept::Acceptance;
use command::TROUBLE;
use comparing::Comparing;
use files::Files;
use flags::Options;
use outcome::Outcome;
use passing::Passing;

const CALLER: Caller = Caller::Brisk;

/// The exit code where something cannot be read, compared or written, and no command is run.
const UNKNOWN: u8 = 2;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let code = || if flags::has_command(words) { TROUBLE } else { UNKNOWN };
    let read = flags::read(words).map_err(|why| Refusal { code: code(), ..why });
    standard::run(CALLER, "brisk changed", read, flags::command, |mut options| {
        let chosen = place::choose(&mut options).map_err(Refusal::from);
        let done = chosen.and_then(|()| changed(&options));
        done.map_err(|why| Refusal { code: trouble(&options, why.code), ..why })
    })
}

/// The exit code of brisk's own errors: `code`, if no command is to run.
fn trouble(options: &Options, code: u8) -> u8 {
    if options.command.is_empty() { code } else { TROUBLE }
}

fn changed(options: &Options) -> Result<u8, Refusal> {
    let files = Files::new(options)?;
    let form = form(options)?;
    let ours = rescan(options, &files)?;
    let _lock = lock(options, &files)?;
    if options.command.is_empty() {
        // Each directory that is being read is an open file. A command would inherit the limit.
        limits::raise_open_files();
    }
    let since = State::load(&files.state);
    // If the state was made with other filters (only in a dry run): rescan with the state's, and keep
    // the changes that pass ours.
    let of_state = about::other(options, &since)?;
    let (passing, mut rescan) = match &of_state {
        Some(of_state) => (Some(Passing::find(options, ours)?), rescan(of_state, &files)?),
        None => (None, ours),
    };
    rescan.since = since;
    let mut report = options.comparing.look(rescan)?;
    passing.inspect(|passing| passing.retain(&mut report));
    tell(options, &report);
    let roots = Labels::new(&report.roots, &options.paths);
    let outcome = Outcome { options, files, report, roots };
    let report = &outcome.report;
    let code = if options.command.is_empty() {
        list(&outcome, &form)?
    } else if !report.warnings.is_empty() {
        return Err("not running the command: not all ignore rules are known".to_owned().into());
    } else if report.changes.iter().any(|change| change.kind != Kind::Unknown) {
        execute(&outcome)?
    } else {
        Acceptance::prepare(&outcome)?.accept()?
    };
    let unknown = !report.errors.is_empty()
        || report.changes.iter().any(|change| change.kind == Kind::Unknown);
    let told = statistics(options, report);
    let is_own = code == 0 || options.command.is_empty();
    Ok(if is_own && (unknown || !told) { trouble(options, UNKNOWN) } else { code })
}

/// How changes become lines.
///
/// # Errors
/// The message for the user: the template cannot be understood.
fn form(options: &Options) -> Result<Form, String> {
    let Comparing { json, print0, .. } = options.comparing;
    let Some(text) = &options.format else { return Ok(Form::of(json, print0)) };
    Ok(Form::Template {
        template: Template::parse(text, Dialect::Changes)?,
        end: if print0 { 0 } else { b'\n' },
        backend: backend(),
        for_terminal: output_is_terminal(),
    })
}

fn rescan(options: &Options, files: &Files) -> Result<Rescan, String> {
    let named = roots::named(&options.paths);
    let about = about::text(&options.words);
    let comparing = &options.comparing;
    Ok(Rescan {
        without: files.all(),
        ctime: !options.no_ctime,
        content: comparing.content || options.stamp.is_some(),
        shortcuts: !options.no_shortcuts,
        renames: !comparing.no_renames,
        accepts_new_mounts: options.full,
        ..comparing.rescan(&named, about, !options.command.is_empty())?
    })
}

/// Locks the state, so that one run at a time has a command, or writes a stamp or a depfile. These
/// files belong together.
fn lock(options: &Options, files: &Files) -> Result<Option<File>, String> {
    let is_alone = options.command.is_empty() && files.stamp.is_none() && files.depfile.is_none();
    if is_alone {
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
    CALLER.complain(&format!("waiting for another brisk, which uses the state {shown}"));
    locked(true)
}

/// Says why everything is listed, and what could not be read. A first run is no surprise.
fn tell(options: &Options, report: &Report) {
    match &report.full {
        None | Some(Unusable::Missing) => {}
        Some(why) => {
            let shown = quoted(&options.state);
            let why = unnumbered(why);
            CALLER.complain(&format!("{shown}: {why}; everything counts as new"));
        }
    }
    // A malformed line in an ignore file concerns its author, until a command is to run.
    let acts = !options.command.is_empty();
    let is_told = |error: &&Error| acts || !error.is_malformed_rule();
    for error in report.errors.iter().chain(report.warnings.iter().filter(is_told)) {
        CALLER.complain(&told(error));
    }
}

/// Prints the changes and, once they are printed, accepts the state where that is wanted.
fn list(outcome: &Outcome<'_>, form: &Form) -> Result<u8, Refusal> {
    let mut out = <Out>::default();
    // A list of everything would tell the user nothing: this run is there for the next one.
    let only_records = outcome.options.keeps_state
        && matches!(outcome.report.full, Some(Unusable::Missing))
        && matches!(form, Form::Git);
    let flow = if only_records { Flow::Continue } else { outcome.write(form, &mut out) };
    let code = standard::finish(CALLER, out.finish(), UNKNOWN);
    // What no reader has seen stays unaccepted.
    let accepted = match flow {
        Flow::Continue => Acceptance::prepare(outcome)?.accept()?,
        Flow::Stop => 0,
    };
    if only_records && accepted == 0 {
        let changes = &outcome.report.changes;
        let count = changes.iter().filter(|change| change.kind == Kind::Added).count();
        let entries = counted(count as u64, "entry", "entries");
        CALLER.complain(&format!("recorded {entries}; the next run shows what changed"));
    }
    let runs = |path: &&PathBuf| path.is_file() && system::may_execute(path);
    if matches!(outcome.report.full, Some(Unusable::Missing))
        && let Some(path) = outcome.options.paths.iter().find(runs)
    {
        let path = quoted(path);
        CALLER.complain(&format!("{path} was recorded, not run: a command comes after --"));
    }
    let found = outcome.options.comparing.exit_code && !outcome.report.changes.is_empty();
    Ok(code.max(accepted).max(u8::from(found)))
}

/// Runs COMMAND, and accepts the state if it succeeds; returns the exit code.
fn execute(outcome: &Outcome<'_>) -> Result<u8, Refusal> {
    let acceptance = Acceptance::prepare(outcome)?;
    let code = match command::run(outcome) {
        Ok(code) => code,
        Err(why) => {
            CALLER.complain(&why.message);
            return Ok(why.code.max(TROUBLE));
        }
    };
    if code == 0 || signals::interrupted() { Ok(acceptance.accept()?) } else { Ok(code) }
}

/// Writes what --explain and --stats ask for. Returns whether that worked.
fn statistics(options: &Options, report: &Report) -> bool {
    let place = format!("the state is {}\n", quoted(&options.state));
    let more = report.explained.iter().cloned().chain(limit_told());
    let lines = more.fold(place, |text, line| text + &line + "\n");
    let run = &options.comparing.run;
    let explained = !run.explain || standard::tell(lines);
    standard::tell_stats(run.stats, &report.stats) && explained
}
