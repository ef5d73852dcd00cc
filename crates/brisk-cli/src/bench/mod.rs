//! `brisk bench`: which way of asking is fastest here? The command measures on the user's own tree
//! and file system, and reports what was measured, on which machine, and how much the times varied.

mod attrs;
mod duel;
mod html;
mod ls;
mod machine;
mod options;
mod programs;
mod report;
mod rivals;
mod rm;
mod scratch;
mod timing;
mod walk;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use brisk_cli_sys::signals;
use clap::builder::PossibleValue;
use clap::{Arg, ArgMatches, Command, ValueEnum, ValueHint, value_parser};

use crate::common::messages::{Caller, cause};
use crate::common::standard;
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
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Kind] {
        &[Kind::Attrs, Kind::Walk, Kind::Ls, Kind::Rm]
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
            return standard::answer(Caller::Brisk, &error);
        }
    };
    let Some(kind) = matches.get_one::<Kind>("kind").copied() else { return 2 };
    let options = given(&matches);
    if options.scratch.is_some() && kind != Kind::Rm {
        Caller::Brisk.complain("--scratch is for brisk bench rm alone");
        return 2;
    }
    signals::notice_interrupts();
    match measured(kind, &options) {
        Ok(fine) => u8::from(!fine),
        Err(message) => {
            Caller::Brisk.complain(&message);
            if signals::interrupted() { signals::exit_code() } else { 1 }
        }
    }
}

/// Measures and reports. Returns whether all methods saw the same and the table was printed.
fn measured(kind: Kind, options: &Options) -> Result<bool, String> {
    if !options.dir.is_dir() {
        return Err(format!("'{}' is not a directory", options.dir.display()));
    }
    let report = match kind {
        Kind::Attrs => attrs::measure(options)?,
        Kind::Walk => walk::measure(options)?,
        Kind::Ls => ls::measure(options)?,
        Kind::Rm => rm::measure(options)?,
    };
    let printed = standard::print(Caller::Brisk, report.text(), 1) == 0;
    if let Some(path) = &options.json {
        write(path, &report.json())?;
    }
    if let Some(path) = &options.html {
        write(path, &html::page(&report))?;
    }
    Ok(printed && report.disagreements.is_empty())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text)
        .map_err(|error| format!("cannot write '{}': {}", path.display(), cause(&error)))
}

fn given(matches: &ArgMatches) -> Options {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    Options {
        dir: path("dir").unwrap_or_else(|| PathBuf::from(".")),
        runs: matches.get_one::<u16>("runs").copied().map_or(RUNS, usize::from).max(1),
        drop_caches: !matches.get_flag("keep-caches"),
        scratch: path("scratch"),
        json: path("json"),
        html: path("html"),
    }
}

const LONG_ABOUT: &str = "Which way of asking is fastest here? Measures on DIR, with the programs \
    that are installed, and prints for each way: the time of the first run (caches dropped, if \
    this user may), the median of the others, their spread (the middle half, as a share of the \
    median), how many times faster than the slowest, system calls for each entry (of programs \
    only if strace is installed), processor time and peak memory. Runs of all ways are \
    interleaved, by attrs in another order each time; a way of asking that takes more than 5 s in \
    all runs no more often than it must, and a note says so. Results that should agree are \
    compared: the exit code is 1 if any do not.\n\nDIR is only read, by every kind. rm removes a \
    copy of DIR's shape (the same directories, an empty file for each file, links as links), \
    which is made anew for each run. The copies lie in a directory of their own beside DIR, which \
    is removed with everything in it when the measurement ends or is interrupted. The measurement \
    is refused where there is no room for a copy.";

/// The command line.
pub(crate) fn command() -> Command {
    let path = |name: &'static str| {
        Arg::new(name).long(name).value_parser(value_parser!(PathBuf)).value_name("FILE")
    };
    Command::new("bench")
        .bin_name("brisk bench")
        .display_name("brisk bench")
        .version(Caller::Brisk.version())
        .about("Which way of asking is fastest here?")
        .long_about(LONG_ABOUT)
        .max_term_width(98)
        .arg_required_else_help(true)
        .args([
            Arg::new("kind")
                .value_name("KIND")
                .required(true)
                .value_parser(value_parser!(Kind))
                .help("What is measured"),
            Arg::new("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The directory to measure on; it is only read"),
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .value_parser(value_parser!(u16))
                .help(format!("How often each method runs, after a first run [default: {RUNS}]")),
            path("json").help("Write every figure to FILE"),
            path("html").help("Write the report to FILE, one page with bar charts"),
            Arg::new("keep-caches")
                .long("keep-caches")
                .action(clap::ArgAction::SetTrue)
                .help("Do not drop the system's caches before first runs (root alone could)"),
            path("scratch")
                .value_name("PLACE")
                .value_hint(ValueHint::DirPath)
                .help("Where rm makes its copies, on DIR's file system [default: beside DIR]"),
        ])
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
        let options = given(&matches);
        assert_eq!((options.runs, options.drop_caches), (3, false));
        assert_eq!(options.json.as_deref(), Some(Path::new("j")));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        assert_eq!(run(&["attrs".into(), "/no/such/directory".into()]), 1);
        assert_eq!(run(&["attrs".into()]), 2);
        assert_eq!(run(&["nothing".into(), ".".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--scratch=/".into()]), 2);
    }
}
