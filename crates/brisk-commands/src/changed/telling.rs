//! What every run tells: its changes, what could not be read, how the trees were scanned.

use std::io::{self, IsTerminal, Write};

use brisk::Flow;
use brisk_state::{ChangeKind, Report, Unusable};

use super::flags::Options;
use super::rescanned::Rescanned;
use crate::front::messages::{Caller, error_text, unnumbered};
use crate::front::progress::counted;
use crate::front::standard;
use crate::show::changes::lines::Form;
use crate::show::fields::limit_told;
use crate::show::quoting::quoted;
use crate::write::out::Out;

/// The exit code where something cannot be read, compared or written, and no command is run.
pub(super) const FAILED: u8 = 2;

/// Says why everything is listed, what could not be read, and what cannot be told on these file
/// systems. Nothing is said about a missing state that this run makes: that is a first run.
pub(super) fn complain_about_errors(options: &Options, report: &Report) {
    let shown = quoted(&options.state);
    match &report.no_state {
        Some(Unusable::Missing) if !options.tells_missing_state() => {}
        Some(Unusable::Missing) => Caller::Brisk.complain(&format!(
            "there is no state {shown} yet: everything counts as new; --save FILE writes one"
        )),
        Some(why) => {
            let why = unnumbered(why);
            Caller::Brisk.complain(&format!("{shown}: {why}; everything counts as new"));
        }
        None => {}
    }
    report
        .complaints(options.runs_command())
        .for_each(|error| Caller::Brisk.complain(&error_text(error)));
    report.caveats.iter().for_each(|caveat| Caller::Brisk.complain(caveat));
}

/// Whether there is something that COMMAND runs on.
///
/// # Errors
/// The message for the user: COMMAND must not run.
pub(super) fn has_work(report: &Report) -> Result<bool, &'static str> {
    if !report.warnings.is_empty() {
        return Err("not running the command: not all ignore rules are known");
    }
    Ok(report.changes.iter().any(|change| change.kind != ChangeKind::Unknown))
}

/// Prints the changes. Returns `Stop` if not all could be written, and standard output's exit code.
pub(super) fn print<W: Write>(
    rescanned: &Rescanned<'_>,
    form: &Form,
    mut out: Out<W>,
) -> (Flow, u8) {
    let is_printed = !rescanned.is_silent_first_run(form);
    let flow = if is_printed { rescanned.write(form, &mut out) } else { Flow::Continue };
    (flow, standard::finish(Caller::Brisk, out.finish(), FAILED))
}

/// On a first run: says how many entries were recorded and, on a terminal, what was left out.
pub(super) fn tell_recorded(options: &Options, report: &Report, rest: &str) {
    let count = report.changes.iter().filter(|change| change.kind == ChangeKind::Added).count();
    let entries = counted(count as u64, "entry", "entries");
    let ignoring = &options.compare.selecting.ignoring;
    let told = ignoring.is_undone_by_unrestricted() && io::stderr().is_terminal();
    let left_out =
        if told { "; hidden and ignored ones are left out: -u includes them" } else { "" };
    Caller::Brisk.complain(&format!("recorded {entries}; {rest}{left_out}"));
}

/// Writes what --explain and --stats ask for. Returns whether that worked.
pub(super) fn statistics(options: &Options, report: &Report) -> bool {
    let first = format!("the state is {}\n", quoted(&options.state));
    let more = report.explained.iter().cloned().chain(limit_told());
    let lines = more.fold(first, |text, line| text + &line + "\n");
    let common = &options.compare.common;
    let explained = !common.explain || standard::eprint(lines);
    standard::eprint_stats(common.stats, &report.stats) && explained
}
