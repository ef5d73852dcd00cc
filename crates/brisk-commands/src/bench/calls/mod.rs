//! `brisk bench calls`: what a program asks file systems, read from strace's output: calls by kind and
//! by entry, what they cost where each is a request, and which of them were avoidable.

mod findings;
mod strace;
mod trace;

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use brisk_cli_sys::survey::child::{Ended, run};
use brisk_sys::threads;

use super::machine;
use super::options::Options;
use super::report::{Figure, Line, Report};
use super::turns::go_on;
use crate::front::messages::cause;
use crate::front::progress::{ProgressLine, grouped};
use crate::show::quoting::{leading, quoted, retypable};
use crate::system;
use trace::{TRACED, Trace};

/// Has strace trace `$0`, which is [`TRACED`], and write to this process's pipe by its place in /proc:
/// neither the program nor a child of it gets a descriptor of the pipe, which must be standard output.
/// The program's own output is discarded. -I2: a signal to this program ends strace and the traced
/// program. Without `abbrev`, strace writes only how many entries a listing has.
const STRACE: &str = "for pipe in /proc/$PPID/fd/*; do [ \"$pipe\" -ef /proc/self/fd/1 ] && break; done; \
    exec strace -f -o \"$pipe\" -q -y -xx -T -I2 -e signal=none -e \"$0\" \
    -e 'abbrev=!?getdents,?getdents64' -- \"$@\" >/dev/null 2>/dev/null";

/// What a call costs in the column `at 1 ms`.
const REQUEST: Duration = Duration::from_millis(1);

/// How many of the entries with the most calls are shown.
const BUSIEST: usize = 8;

const LEGEND: &str = "Calls that name an entry, list a directory, or ask about or change what is \
    open. `failed` had an error as their answer, `took` is their time under strace in milliseconds, \
    and `at 1 ms` what they cost in milliseconds where each is a request of 1 ms, made after the one \
    before.";

/// Whether there is a command that can be run.
///
/// # Errors
/// There is none, or no program of its name.
pub(crate) fn check(command: &[OsString]) -> Result<(), String> {
    let Some(program) = command.first().filter(|program| !program.is_empty()) else {
        return Err("there is no command: brisk bench calls -- CMD …".to_owned());
    };
    let has_place = Path::new(program).components().count() > 1;
    if !has_place && !system::is_installed(&program.to_string_lossy()) {
        return Err(format!("cannot run {}: there is no such program", quoted(program)));
    }
    Ok(())
}

/// Runs the program once under strace, and counts its calls.
///
/// # Errors
/// There is no strace, it may not trace, the program cannot be started, or the user interrupted.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    if !system::is_installed("strace") {
        return Err("brisk bench calls needs strace (Linux), which is not on PATH".into());
    }
    let name = options.command.iter().map(retypable).collect::<Vec<_>>().join(" ");
    let traced = traced(&options.command);
    let (ended, trace) = traced.map_err(|error| format!("cannot trace: {}", cause(&error)))?;
    go_on()?;
    if !trace.has_begun {
        return Err(why_not(&name));
    }
    let mut notes = vec![whole_cost(&trace)];
    notes.extend(trace.findings.sentences());
    if !ended.status.success() {
        notes.push(format!("{name} ended with {}", ended.status));
    }
    Ok(Report {
        title: format!("brisk bench calls -- {name}"),
        machine: machine::facts(&options.dir),
        legend: LEGEND.to_owned(),
        lines: lines(&trace),
        notes,
        ..Report::default()
    })
}

/// Runs the program under strace, whose trace is read while it comes: it can be long. The program's
/// own output goes nowhere.
fn traced(program: &[OsString]) -> io::Result<(Ended, Trace)> {
    let (reader, writer) = io::pipe()?;
    let start = system::current_directory()?;
    let start = start.strip_suffix(b"/").unwrap_or(&start).to_vec();
    let mut command = Command::new("sh");
    command.args(["-c", STRACE, TRACED]).args(program);
    command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
    let read = || {
        let mut progress = ProgressLine::default();
        Trace::read(BufReader::new(reader), start, |lines| {
            progress.show(&format!("brisk bench: {} lines of strace", grouped(lines)));
        })
    };
    thread::scope(|scope| {
        let builder = threads::one_of(1).ok_or(io::ErrorKind::OutOfMemory)?;
        let reading = builder.spawn_scoped(scope, read)?;
        let ended = run(&mut command);
        // Drops this process's end of the pipe, so that the reader finds the end of the trace.
        drop(command);
        Ok((ended?, reading.join().expect("BUG: reading a trace does not panic")?))
    })
}

/// Why the program did not begin: strace may not trace here, or there is no such program.
fn why_not(program: &str) -> String {
    let trial = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let told = trial.map(|output| output.stderr).unwrap_or_default();
    match told.split(|byte| *byte == b'\n').next().filter(|line| !line.is_empty()) {
        Some(line) => format!("strace may not trace here: {}", leading(line)),
        None => format!("cannot run {program} under strace"),
    }
}

/// So many requests, one after another.
fn cost(calls: u64) -> Duration {
    REQUEST * u32::try_from(calls).unwrap_or(u32::MAX)
}

/// All calls, and the longest chain of them.
fn whole_cost(trace: &Trace) -> String {
    let told = |calls| (grouped(calls), format!("{:.2} s", cost(calls).as_secs_f64()));
    let (calls, seconds) = told(trace.calls());
    let (chain, of_chain) = told(trace.chain());
    let entries = grouped(trace.entries.len() as u64);
    format!(
        "{calls} calls about {entries} entries ({seconds} at 1 ms a request); the longest chain of \
         calls, one after another, has {chain} ({of_chain})"
    )
}

/// A line for each kind of call, and one for each of the entries with the most calls.
fn lines(trace: &Trace) -> Vec<Line> {
    let mut kinds: Vec<_> = trace.kinds.iter().collect();
    kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.calls));
    let kinds = kinds.into_iter().map(|(name, kind)| {
        let more = [
            Figure::count("entries", kind.entries.len() as u64),
            Figure::count("failed", kind.failed),
            Figure::time("took", Some(kind.took)),
        ];
        line("Calls by kind", name.clone(), kind.calls, &more)
    });
    let busiest = trace
        .busiest(BUSIEST)
        .into_iter()
        .map(|(path, calls)| line("The entries with the most calls", leading(path), calls, &[]));
    kinds.chain(busiest).collect()
}

fn line(group: &str, name: String, calls: u64, more: &[Figure]) -> Line {
    let cost = Figure::time("at 1 ms", Some(cost(calls)));
    let figures = [&[Figure::count("calls", calls)], more, &[cost]].concat();
    Line { name, group: group.to_owned(), figures, ..Line::default() }
}
