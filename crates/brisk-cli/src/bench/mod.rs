//! `brisk bench`: what is fastest here? The command measures on the user's own tree and file system,
//! or runs the user's own commands. It reports what was measured, on which machine, and how much the
//! times varied.

mod attrs;
mod duel;
mod html;
mod ls;
mod machine;
mod options;
mod programs;
mod progress;
mod report;
mod rivals;
mod rm;
mod run;
mod scratch;
mod times;
mod turns;
mod walk;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use brisk_cli_sys::signals;
use clap::builder::PossibleValue;
use clap::{Arg, ArgMatches, Command, ValueEnum, ValueHint, value_parser};

use self::rivals::Rival;
use crate::front::messages::{Caller, cannot};
use crate::front::standard;
use crate::front::{Examples, help};
use crate::show::quoting::quoted;
use crate::write::file;
use options::Options;

/// Runs of each method. With fewer, the median varies by more than a tenth from one call of the
/// command to the next.
const RUNS: usize = 9;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Attrs,
    Walk,
    Ls,
    Rm,
    Run,
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Kind] {
        &[Kind::Attrs, Kind::Walk, Kind::Ls, Kind::Rm, Kind::Run]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Kind::Attrs => (
                "attrs",
                "Name, type, size and time of a directory's entries, by each way the system has",
            ),
            Kind::Walk => (
                "walk",
                "A whole tree: orders, threads, backends, and other programs that are installed",
            ),
            Kind::Ls => (
                "ls",
                "One directory: names, colours, details, by ls and others that are installed",
            ),
            Kind::Rm => {
                ("rm", "Removing a copy of a tree's shape, by rm and others that are installed")
            }
            Kind::Run => ("run", "Commands of your own, with -- before each"),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let words = std::iter::once(OsString::from("bench")).chain(words.iter().cloned());
    let matches = match command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            return standard::answer(Caller::Brisk, "brisk bench", error);
        }
    };
    let measurement = match measurement(&matches) {
        Ok(measurement) => measurement,
        Err(message) => {
            Caller::Brisk.complain(&message);
            return 2;
        }
    };
    signals::notice_interrupts();
    match measured(&measurement) {
        Ok(fine) => u8::from(!fine),
        Err(message) => {
            Caller::Brisk.complain(&message);
            if signals::interrupted() { signals::exit_code() } else { 1 }
        }
    }
}

/// What the command line asks for.
struct Measurement {
    kind: Kind,
    options: Options,
    /// The commands of `run`.
    commands: Vec<Rival>,
}

/// Reads the command line.
///
/// # Errors
/// An argument cannot be used.
fn measurement(matches: &ArgMatches) -> Result<Measurement, String> {
    let words = matches.get_many::<OsString>("words").unwrap_or_default();
    let words: Vec<OsString> = words.cloned().collect();
    let kind = *matches.get_one::<Kind>("kind").expect("BUG: clap requires KIND");
    let options = given(matches, if kind == Kind::Run { None } else { words.first() });
    if options.scratch.is_some() && kind != Kind::Rm {
        return Err("--scratch is for brisk bench rm alone".to_owned());
    }
    if kind != Kind::Run && words.len() > 1 {
        return Err(format!("one directory is measured, not {} too", quoted(&words[1])));
    }
    let commands = if kind == Kind::Run { run::commands(&words)? } else { Vec::new() };
    Ok(Measurement { kind, options, commands })
}

/// Measures and reports. Returns whether all went well: all methods saw the same, each of the user's
/// own commands succeeded, and the table was printed.
fn measured(Measurement { kind, options, commands }: &Measurement) -> Result<bool, String> {
    let meta = fs::metadata(&options.dir).map_err(|why| cannot("read", &options.dir, &why))?;
    if !meta.is_dir() {
        return Err(format!("{} is not a directory", quoted(&options.dir)));
    }
    let report = match kind {
        Kind::Attrs => attrs::measure(options)?,
        Kind::Walk => walk::measure(options)?,
        Kind::Ls => ls::measure(options)?,
        Kind::Rm => rm::measure(options)?,
        Kind::Run => run::measure(options, commands)?,
    };
    let printed = standard::print(Caller::Brisk, report.text(), 1) == 0;
    if let Some(path) = &options.json {
        write(path, &report.json())?;
    }
    if let Some(path) = &options.html {
        write(path, &html::page(&report))?;
    }
    let failed = *kind == Kind::Run && report.lines.iter().any(|line| line.failure.is_some());
    Ok(printed && report.disagreements.is_empty() && !failed)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    file::write(path, text.as_bytes()).map_err(|error| cannot("write", path, &error))
}

fn given(matches: &ArgMatches, dir: Option<&OsString>) -> Options {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    Options {
        dir: dir.map_or_else(|| PathBuf::from("."), PathBuf::from),
        runs: matches.get_one::<u16>("runs").copied().map_or(RUNS, usize::from),
        drop_caches: !matches.get_flag("keep-caches"),
        scratch: path("scratch"),
        json: path("json"),
        html: path("html"),
    }
}

const LONG_ABOUT: &str = "\
    Measure what is fastest here: brisk and the other programs that are installed, on DIR, or \
    commands of your own. For each of them the report gives the time of the first run (with \
    caches dropped, if this user may do that); the minimum, median and maximum of the other \
    runs; the ratio, which is the median divided by brisk's or, for run, by the first command's; \
    system calls per entry, or of the whole run for run (of other programs only if strace is \
    installed); processor time and peak memory. It also gives the date, the machine, every \
    command line, and the versions of the other programs. All of them take turns, in a different \
    order in each round. attrs stops repeating a way of asking whose runs have taken more than 5 \
    s, and a note says so. On a terminal, standard error shows the progress.\n\nResults that \
    should agree are compared. The exit code is 1 if results differ or a command of your own \
    fails, and 2 if the command line cannot be used.\n\nDIR is only read, whatever is measured. \
    rm removes copies of DIR's shape (the same directories, an empty file for each file, links \
    as links), one for each run. The copies are in a directory of their own beside DIR, which is \
    removed with everything in it when the measurement ends or is interrupted. If there is no \
    room for a copy, nothing is measured.\n\nrun starts each command in the current directory, \
    without a shell and without input, and discards its output. Each command runs once more than \
    --runs says. The first command and the fastest of the others then meet again, and under \
    strace each runs once more.";

const USAGE: &str = "brisk bench [OPTIONS] <attrs|walk|ls|rm> <DIR>\n       \
                     brisk bench [OPTIONS] run -- <CMD>... [-- <CMD>...]...";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("walk --keep-caches --runs 3 .", "Compare brisk and other programs on this tree"),
    ("run --runs 3 -- brisk ls -- ls", "Compare two commands"),
];

/// The command line.
pub(crate) fn command() -> Command {
    let path = |name: &'static str| {
        Arg::new(name).long(name).value_parser(value_parser!(PathBuf)).value_name("FILE")
    };
    let command = Command::new("bench")
        .bin_name("brisk bench")
        .display_name("brisk bench")
        .version(Caller::Brisk.version())
        .about("Measure what is fastest here: brisk, other programs, or commands of your own")
        .long_about(LONG_ABOUT)
        .override_usage(USAGE)
        .arg_required_else_help(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(help::answers())
        .args([
            Arg::new("kind")
                .value_name("KIND")
                .required(true)
                .value_parser(value_parser!(Kind))
                .help("What is measured"),
            Arg::new("words")
                .value_name("DIR")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                .value_hint(ValueHint::DirPath)
                .help("The directory to measure on, which is only read; for run, the commands"),
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help(format!("How often each of them runs, after a first run [default: {RUNS}]")),
            path("json").help("Write every figure to FILE, as JSON"),
            path("html").help("Write the report to FILE, as a page with bar charts"),
            Arg::new("keep-caches")
                .long("keep-caches")
                .action(clap::ArgAction::SetTrue)
                .help("Do not drop the system's caches before first runs (only root can)"),
            path("scratch")
                .value_name("PLACE")
                .value_hint(ValueHint::DirPath)
                .help("Where rm makes its copies, on DIR's file system [default: beside DIR]"),
        ]);
    help::laid_out(command, EXAMPLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
        let words = ["bench", "attrs", "--runs", "3", "--keep-caches", "--json", "j", "."];
        let matches = command().try_get_matches_from(words).expect("understood");
        assert_eq!(matches.get_one("kind"), Some(&Kind::Attrs));
        let options = given(&matches, None);
        assert_eq!((options.runs, options.drop_caches), (3, false));
        assert_eq!(options.json.as_deref(), Some(Path::new("j")));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        assert_eq!(run(&["attrs".into(), "/no/such/directory".into()]), 1);
        assert_eq!(run(&["attrs".into()]), 2);
        assert_eq!(run(&["nothing".into(), ".".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--scratch=/".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--runs=0".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "..".into()]), 2);
        for commands in [&["no-such-program"][..], &[""], &["ls", "--"], &["ls", "--", "--", "ls"]]
        {
            let words = ["run", "--"].iter().chain(commands).map(OsString::from);
            assert_eq!(run(&Vec::from_iter(words)), 2, "{commands:?}");
        }
    }
}
