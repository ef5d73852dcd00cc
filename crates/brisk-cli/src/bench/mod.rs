//! `brisk bench`: which way of asking is fastest here? Measures on the user's own tree and file system, and
//! says what was measured, on which machine, and how much it varied.

mod attrs;
mod html;
mod machine;
mod report;
mod rivals;
mod timing;
mod walk;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::messages::Caller;

/// What all measurements share.
pub(crate) struct Options {
    pub(crate) dir: PathBuf,
    /// How often each method runs, after a first run of its own.
    pub(crate) runs: usize,
    /// Caches are dropped before first runs, where the system allows it.
    pub(crate) drop_caches: bool,
    json: Option<PathBuf>,
    html: Option<PathBuf>,
}

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let words = std::iter::once(OsString::from("brisk bench")).chain(words.iter().cloned());
    let matches = match command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            // A closed pipe is all that can go wrong here.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let Some((what, matches)) = matches.subcommand() else { return 2 };
    let done = measured(what, &options(matches));
    match done {
        Ok(agreed) => u8::from(!agreed),
        Err(message) => {
            Caller::Brisk.complain(&message);
            1
        }
    }
}

/// Measures and reports; whether all methods saw the same.
fn measured(what: &str, options: &Options) -> Result<bool, String> {
    if !options.dir.is_dir() {
        return Err(format!("'{}' is not a directory", options.dir.display()));
    }
    let report = match what {
        "attrs" => attrs::measure(options)?,
        _ => walk::measure(options)?,
    };
    print!("{}", report.text());
    if let Some(path) = &options.json {
        write(path, &report.json())?;
    }
    if let Some(path) = &options.html {
        write(path, &html::page(&report))?;
    }
    Ok(report.disagreements.is_empty())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write '{}': {error}", path.display()))
}

fn options(matches: &ArgMatches) -> Options {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    Options {
        dir: path("dir").unwrap_or_else(|| PathBuf::from(".")),
        runs: matches.get_one::<u16>("runs").copied().map_or(5, usize::from).max(1),
        drop_caches: !matches.get_flag("keep-caches"),
        json: path("json"),
        html: path("html"),
    }
}

/// The command line.
fn command() -> Command {
    let kind = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args([
            Arg::new("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The directory to measure on; it is only read"),
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .value_parser(value_parser!(u16))
                .help("How often each method runs, after a first run [default: 5]"),
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write every figure to FILE"),
            Arg::new("html")
                .long("html")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write the report to FILE, one page with bar charts"),
            Arg::new("keep-caches")
                .long("keep-caches")
                .action(clap::ArgAction::SetTrue)
                .help("Do not drop the system's caches before first runs (root alone could)"),
        ])
    };
    Command::new("brisk bench")
        .about("Which way of asking is fastest here?")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(kind(
            "attrs",
            "Name, type, size and time of a directory's entries, by each way the system has",
        ))
        .subcommand(kind(
            "walk",
            "A whole tree: orders, threads, backends, and other programs that are installed",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
        let words = ["brisk bench", "attrs", "--runs", "3", "--keep-caches", "--json", "j", "."];
        let matches = command().try_get_matches_from(words).expect("understood");
        let (what, matches) = matches.subcommand().expect("a kind");
        let options = options(matches);
        assert_eq!((what, options.runs, options.drop_caches), ("attrs", 3, false));
        assert_eq!(options.json.as_deref(), Some(Path::new("j")));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        assert_eq!(run(&["attrs".into(), "/no/such/directory".into()]), 1);
        assert_eq!(run(&["attrs".into()]), 2);
    }
}
