//! Programs measured side by side: their times and what they used, how many system calls each
//! makes, its version, and whether two list the same.

use std::time::Duration;

use brisk_cli_sys::survey::{Ended, run};

use super::duel::ROUNDS;
use super::machine;
use super::options::Options;
use super::progress::Progress;
use super::report::{Line, Report};
use super::rivals::Rival;
use super::scratch::Scratch;
use super::turns::{self, Contest, go_on};
use crate::front::messages::cause;
use crate::show::quoting::in_message;
use crate::system;

/// Measures each program, and asks for its version; notes go to `notes`. With `scratch`, each run
/// removes a copy, which is made before the run and looked at after it; neither is measured.
///
/// # Errors
/// A run could not be prepared, or the user interrupted.
pub(crate) fn measure(
    programs: &[Rival],
    options: &Options,
    scratch: Option<&Scratch>,
    notes: &mut Vec<String>,
) -> Result<Vec<Line>, String> {
    let mut lines: Vec<Line> = programs.iter().map(Rival::line).collect();
    let rounds = if scratch.is_some() { 1 } else { ROUNDS };
    let mut run = |at: usize, line: &mut Line, drops_caches| {
        scratch.map_or(Ok(()), Scratch::set)?;
        if drops_caches {
            machine::drop_caches()?;
        }
        measure_once(&programs[at], line);
        if let Err(left) = scratch.map_or(Ok(()), Scratch::look) {
            line.failure = Some(line.failure.take().unwrap_or(left));
        }
        Ok(())
    };
    let contest = Contest { run: &mut run, rounds, patience: Duration::MAX };
    turns::measure(contest, &mut lines, options, notes)?;
    if system::is_installed("strace") {
        notes.push(
            "system calls are counted under strace, which slows programs down: brisk starts more \
             threads there than in the timed runs, and their calls count too"
                .to_owned(),
        );
        count_calls(programs, &mut lines, scratch)?;
    }
    for (program, line) in programs.iter().zip(&mut lines) {
        line.version = program.version().filter(|_| line.failure.is_none());
    }
    Ok(lines)
}

/// Counts the system calls of one run of each program.
fn count_calls(
    programs: &[Rival],
    lines: &mut [Line],
    scratch: Option<&Scratch>,
) -> Result<(), String> {
    let mut progress = Progress::default();
    for (at, (program, line)) in programs.iter().zip(lines).enumerate() {
        progress.show("system calls of program", at + 1, programs.len());
        scratch.map_or(Ok(()), Scratch::set)?;
        line.calls = calls(program);
        go_on()?;
        // The same program left the same without strace, and that was reported.
        let _ = scratch.map_or(Ok(()), Scratch::look);
    }
    Ok(())
}

fn measure_once(program: &Rival, line: &mut Line) {
    match run(&mut program.command()) {
        Ok(ended) if program.succeeds(ended.status.code()) => {
            line.times.push(ended.wall);
            let peak = line.usage.map_or(0, |before| before.peak).max(ended.peak);
            line.usage = Some(Ended { peak, ..ended });
        }
        Ok(ended) => line.failure = Some(format!("ended with {}", ended.status)),
        Err(error) => line.failure = Some(format!("cannot be started: {}", cause(&error))),
    }
}

/// The system calls of one run, where strace may trace.
fn calls(program: &Rival) -> Option<u64> {
    let mut command = program.traced("-c -U calls,name", "");
    program.surround(&mut command);
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let total = text.lines().find(|line| line.trim_end().ends_with("total"))?;
    total.split_whitespace().next()?.parse().ok()
}

/// Measures programs that list a directory, and compares the listing of the first one, which is
/// brisk, with those of the others in its group.
///
/// # Errors
/// As [`measure`].
pub(crate) fn listed(kind: &str, programs: &[Rival], options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let mut notes = Vec::new();
    let lines = measure(programs, options, None, &mut notes)?;
    let (own, others) = programs.split_first().expect("BUG: brisk is one of the programs");
    let expected = own.set(dir).unwrap_or_default();
    let difference = |program: &Rival| {
        let set = program.set(dir)?;
        let mut differing = expected.symmetric_difference(&set);
        let shown = in_message(differing.next()?);
        let count = differing.count() + 1;
        let name = &program.name;
        Some(format!(
            "{name} and brisk do not list the same: {count} paths differ, such as {shown}"
        ))
    };
    let compared = others.iter().filter(|other| other.group == own.group);
    let disagreements = compared.filter_map(difference).collect();
    let entries = Some(expected.len() as u64);
    Ok(Report { disagreements, ..Report::new(kind, dir, entries, lines, notes) })
}

/// `brisk bench run`: commands of the user's choice.
///
/// # Errors
/// The user interrupted.
pub(crate) fn given(options: &Options) -> Result<Report, String> {
    let mut notes = Vec::new();
    let lines = measure(&options.commands, options, None, &mut notes)?;
    Ok(Report::new("run", &options.dir, None, lines, notes))
}
