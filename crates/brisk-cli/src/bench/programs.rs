//! Programs measured side by side: their times and what they used, how many system calls each
//! makes, its version, and whether two list the same.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use brisk_cli_sys::survey::run;

use super::duel::ROUNDS;
use super::machine;
use super::options::Options;
use super::progress::Progress;
use super::report::{Line, Usage};
use super::rivals::Rival;
use super::turns::{self, Contest, go_on};
use crate::front::messages::cause;
use crate::show::quoting::in_message;
use crate::system;

/// What is prepared before, and looked at after, each run; neither is measured.
pub(crate) trait Stage {
    /// Prepares a run.
    ///
    /// # Errors
    /// No further run can be prepared.
    fn set(&mut self) -> Result<(), String>;

    /// Looks at what a run left.
    ///
    /// # Errors
    /// What this program left undone: it is not measured any further.
    fn look(&mut self) -> Result<(), String>;

    /// Rounds of the duel for each run of all programs.
    fn rounds(&self) -> usize {
        1
    }
}

/// The stage of programs that only read: nothing is prepared.
pub(crate) struct Nothing;

impl Stage for Nothing {
    fn rounds(&self) -> usize {
        ROUNDS
    }

    fn set(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn look(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// The programs while they are measured.
struct Programs<'a> {
    programs: &'a [Rival],
    stage: &'a mut dyn Stage,
}

impl Contest for Programs<'_> {
    fn run(&mut self, at: usize, line: &mut Line, drops_caches: bool) -> Result<(), String> {
        self.stage.set()?;
        if drops_caches {
            machine::drop_caches();
        }
        measure_once(&self.programs[at], line);
        if let Err(left) = self.stage.look() {
            line.failure = Some(line.failure.take().unwrap_or(left));
        }
        Ok(())
    }

    fn rounds(&self) -> usize {
        self.stage.rounds()
    }
}

/// Measures each program, and asks for its version; notes go to `notes`.
///
/// # Errors
/// A run could not be prepared, or the user interrupted.
pub(crate) fn measure(
    programs: &[Rival],
    options: &Options,
    stage: &mut dyn Stage,
    notes: &mut Vec<String>,
) -> Result<Vec<Line>, String> {
    let mut lines: Vec<Line> = programs.iter().map(Rival::line).collect();
    turns::measure(&mut Programs { programs, stage }, &mut lines, options, notes)?;
    if system::is_installed("strace") {
        notes.push(
            "system calls are counted under strace, which slows programs down: brisk starts more \
             threads there than in the timed runs, and their calls count too"
                .to_owned(),
        );
        count_calls(programs, &mut lines, stage)?;
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
    stage: &mut dyn Stage,
) -> Result<(), String> {
    let mut progress = Progress::default();
    for (at, (program, line)) in programs.iter().zip(lines).enumerate() {
        progress.show("system calls of program", at + 1, programs.len());
        stage.set()?;
        line.calls = calls(program);
        go_on()?;
        // The same program left the same without strace, and that was reported.
        let _ = stage.look();
    }
    Ok(())
}

fn measure_once(program: &Rival, line: &mut Line) {
    match run(&mut program.command()) {
        Ok(ended) if program.succeeds(ended.status.code()) => {
            line.times.push(ended.wall);
            // The times of the last run; the greatest peak of all runs.
            let peak = line.usage.unwrap_or_default().peak.max(ended.peak);
            line.usage = Some(Usage { user: ended.user, system: ended.system, peak });
        }
        Ok(ended) => line.failure = Some(format!("ended with {}", ended.status)),
        Err(error) => line.failure = Some(format!("cannot be started: {}", cause(&error))),
    }
}

/// The system calls of one run, where strace may trace.
fn calls(program: &Rival) -> Option<u64> {
    let original = program.command();
    // The program's own output would stand among the counts, so the counts go to descriptor 3.
    let shell = "exec strace -f -c -U calls,name -o /dev/fd/3 \"$@\" 3>&1 >/dev/null 2>/dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", shell, "sh"]).arg(original.get_program()).args(original.get_args());
    program.surround(&mut command);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let total = text.lines().find(|line| line.trim_end().ends_with("total"))?;
    total.split_whitespace().next()?.parse().ok()
}

/// How the set that a program lists differs from the expected one.
pub(crate) fn difference(
    program: &Rival,
    dir: &Path,
    expected: &BTreeSet<Vec<u8>>,
) -> Option<String> {
    let set = program.set(dir)?;
    let other = expected.symmetric_difference(&set).next()?;
    let count = expected.symmetric_difference(&set).count();
    let shown = in_message(other);
    Some(format!(
        "{} and brisk do not list the same: {count} paths differ, such as {shown}",
        program.name
    ))
}
