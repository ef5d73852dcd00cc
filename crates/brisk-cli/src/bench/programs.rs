//! Programs measured side by side: interleaved, so that what disturbs the machine disturbs all of
//! them alike. Also, how many system calls each program makes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use brisk_cli_sys::signals;
use brisk_cli_sys::survey::run;

use super::duel::{ROUNDS, contenders, verdict};
use super::machine;
use super::options::{INTERRUPTED, Options};
use super::report::{Line, Usage};
use super::rivals::{Rival, is_installed};
use super::timing::Times;

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

/// Runs each program once, and then as often as the options say, in turns; notes go to `notes`.
///
/// # Errors
/// A run could not be prepared, or the user interrupted.
pub(crate) fn measure(
    programs: &[Rival],
    options: &Options,
    stage: &mut dyn Stage,
    notes: &mut Vec<String>,
) -> Result<Vec<Line>, String> {
    let mut lines: Vec<Line> = programs.iter().map(line).collect();
    let drops = options.drop_caches && machine::drop_caches();
    if !drops {
        notes.push("caches were not dropped: the first runs may be warm".to_owned());
    }
    for turn in 0..=options.runs {
        for (program, line) in programs.iter().zip(&mut lines) {
            let drop = turn == 0 && drops;
            run_once(program, line, stage, drop)?;
        }
    }
    for best in contenders(&lines) {
        let best: Vec<&Rival> = best.into_iter().map(|at| &programs[at]).collect();
        notes.extend(duel(&best, options.runs * stage.rounds(), stage)?);
    }
    if is_installed("strace") {
        notes.push(
            "calls of programs are counted under strace, which makes each slow: brisk then starts more \
             workers than in the runs that are timed, and what threads cost counts as well"
                .to_owned(),
        );
        for (program, line) in programs.iter().zip(&mut lines) {
            stage.set()?;
            line.calls = calls(program);
            go_on()?;
            // The same program left the same without strace, and that was reported.
            let _ = stage.look();
        }
    }
    Ok(lines)
}

/// Prepares and makes one run, unless the program failed before.
fn run_once(
    program: &Rival,
    line: &mut Line,
    stage: &mut dyn Stage,
    drop_caches: bool,
) -> Result<(), String> {
    if line.failure.is_some() {
        return Ok(());
    }
    stage.set()?;
    if drop_caches {
        machine::drop_caches();
    }
    measure_once(program, line);
    go_on()?;
    if let Err(left) = stage.look() {
        line.failure = Some(line.failure.take().unwrap_or(left));
    }
    Ok(())
}

/// brisk, whose line is the first, and the best others in turns.
fn duel(programs: &[&Rival], runs: usize, stage: &mut dyn Stage) -> Result<Option<String>, String> {
    let mut lines: Vec<Line> = programs.iter().map(|program| line(program)).collect();
    // The first run of each is not counted, as everywhere.
    for _ in 0..=runs {
        for (program, line) in programs.iter().zip(&mut lines) {
            run_once(program, line, stage, false)?;
        }
    }
    Ok(verdict(&lines, "program"))
}

/// Fails if the user has interrupted.
pub(crate) fn go_on() -> Result<(), String> {
    if signals::interrupted() { Err(INTERRUPTED.to_owned()) } else { Ok(()) }
}

fn line(program: &Rival) -> Line {
    Line {
        name: program.name.clone(),
        group: program.group,
        times: Times::default(),
        calls: None,
        usage: None,
        failure: None,
    }
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
        Err(error) => line.failure = Some(error.to_string()),
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
    let shown = String::from_utf8_lossy(other);
    Some(format!("{} lists other paths than brisk: {count}, among them '{shown}'", program.name))
}
