//! The flag table of `brisk ls`: each flag is one value that holds its names, its help and what it
//! sets. [`parse`] reads the command line from this table alone, in getopt's manner and words.
//! Help, man page and completions come from the table through clap, which is not built otherwise.
//!
//! A flag sets a part of [`Given`]: what the user said. As in GNU ls, mostly the last word counts.
//! `settings.rs` says what the words mean together, and with the environment.

mod beyond;
mod details;
mod names;
mod parse;
mod selection;
mod shape;
mod sorting;
pub(crate) mod words;

use std::ffi::{OsStr, OsString};

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

pub(crate) use beyond::{Beyond, StatsForm};
pub(crate) use details::Details;
pub(crate) use names::{Indicator, Naming, When, style_of};
pub(crate) use parse::{Mixing, parse};
pub(crate) use selection::{Dereference, Hidden, Selection};
pub(crate) use shape::{Format, Shape, decode_width};
pub(crate) use sorting::{Sort, Sorting};
pub(crate) use words::Words;

use crate::common::messages::Caller;

/// Everything that the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) selection: Selection,
    pub(crate) shape: Shape,
    pub(crate) sorting: Sorting,
    pub(crate) details: Details,
    pub(crate) naming: Naming,
    pub(crate) beyond: Beyond,
    pub(crate) paths: Vec<OsString>,
    /// Whether standard output is a terminal; set before the words are read.
    pub(crate) on_terminal: bool,
    /// The first of `--help` and `--version`, if either was given.
    pub(crate) answer: Option<Answer>,
}

/// What the command prints instead of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Help,
    Version,
}

/// Why a command line is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    /// Whether the message sends the user to `--help`.
    pub(crate) hint: bool,
    pub(crate) code: u8,
}

impl Refusal {
    /// A value that GNU ls refuses by itself.
    pub(crate) fn value(message: String) -> Refusal {
        Refusal { message, hint: false, code: 2 }
    }

    /// An option that getopt refuses.
    pub(crate) fn option(message: String) -> Refusal {
        Refusal { message, hint: true, code: 2 }
    }
}

/// Sets what a flag with a value means.
type Set = fn(&mut Given, &OsStr) -> Result<(), Refusal>;

/// What follows a flag.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing(fn(&mut Given)),
    /// A value, with its name in the help.
    Value(&'static str, Set),
    /// One of several words.
    Word(&'static str, &'static Words, Set),
    /// One of several words behind `=`, or nothing, which reads as the first of them.
    OptionalWord(&'static str, &'static Words, Set),
}

/// One flag.
pub(crate) struct Flag {
    short: Option<char>,
    long: Option<&'static str>,
    takes: Takes,
    /// One line, for `-h`.
    brief: &'static str,
    /// The full description, for `--help` and the man page.
    doc: &'static str,
    /// Whether GNU ls does not have the flag: abbreviations of GNU's long names then do not match
    /// it.
    own: bool,
}

impl Flag {
    const fn new(long: &'static str, takes: Takes, brief: &'static str) -> Flag {
        Flag { short: None, long: Some(long), takes, brief, doc: "", own: false }
    }

    const fn letter(short: char, takes: Takes, brief: &'static str) -> Flag {
        Flag { short: Some(short), long: None, takes, brief, doc: "", own: false }
    }

    const fn short(mut self, short: char) -> Flag {
        self.short = Some(short);
        self
    }

    const fn doc(mut self, doc: &'static str) -> Flag {
        self.doc = doc;
        self
    }

    const fn own(mut self) -> Flag {
        self.own = true;
        self
    }

    /// The flag as clap takes it.
    fn arg(&self) -> Arg {
        // A flag without a long name has its help text as its id.
        let id = self.long.unwrap_or(self.brief);
        let mut arg = Arg::new(id).help(self.brief);
        if let Some(long) = self.long {
            arg = arg.long(long);
        }
        if let Some(short) = self.short {
            arg = arg.short(short);
        }
        if !self.doc.is_empty() {
            arg = arg.long_help(self.doc);
        }
        match self.takes {
            Takes::Nothing(_) => arg.action(ArgAction::Count),
            Takes::Value(value, _) => arg.value_name(value).action(ArgAction::Append),
            Takes::Word(value, of, _) => arg.value_name(value).value_parser(possible(of)),
            Takes::OptionalWord(value, of, _) => {
                let arg = arg.value_name(value).value_parser(possible(of));
                arg.num_args(0..=1).require_equals(true)
            }
        }
    }
}

fn possible(of: &'static Words) -> clap::builder::PossibleValuesParser {
    let values = of
        .groups
        .iter()
        .map(|group| PossibleValue::new(group[0]).aliases(group[1..].iter().copied()));
    values.collect::<Vec<_>>().into()
}

/// Every flag, by subject, in the order of the help.
pub(crate) fn table() -> impl Iterator<Item = &'static Flag> {
    [selection::FLAGS, shape::FLAGS, sorting::FLAGS, details::FLAGS, names::FLAGS, beyond::FLAGS]
        .into_iter()
        .flatten()
}

const ABOUT: &str = "Lists directories, with every option of GNU ls.";

const LONG_ABOUT: &str = "Lists directories, with every option of GNU ls (9.1) but --dired, and \
    its output byte for byte. Without a path the current directory is listed; names that begin \
    with a dot are left out.\n\nThe file system is asked for exactly the fields that the columns, \
    the order and the active LS_COLORS need, and many requests are in flight where the storage \
    makes each one wait. --explain says what a listing costs here, and which LS_COLORS would make \
    it free.\n\nNames are sorted as the locale collates them (LC_ALL, LC_COLLATE, LANG), by bytes \
    in the C locale. Later options override earlier ones; long names may be abbreviated. Called \
    through a link named ls, brisk is ls: with its messages, and without configuration.\n\nExit \
    codes: 0; 1 for minor trouble (a subdirectory that cannot be read); 2 for serious trouble (a \
    path that cannot be found, an option that is not known).";

/// The command as clap knows it, for help, man page and completions.
pub(crate) fn command(caller: Caller) -> Command {
    let bin = caller.ls_command();
    let name = bin.rsplit(' ').next().unwrap_or(bin);
    let help = Arg::new("help").long("help").action(ArgAction::Help).help("Show this and exit");
    let version = Arg::new("version")
        .long("version")
        .action(ArgAction::Version)
        .help("Show the version and exit");
    Command::new(name)
        .bin_name(bin)
        .display_name(bin)
        .version(caller.version())
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .max_term_width(98)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(table().map(Flag::arg))
        .args([help, version])
        .arg(
            Arg::new("path")
                .value_name("path")
                .action(ArgAction::Append)
                .help("What to list (default: the current directory)"),
        )
}

#[cfg(test)]
mod tests;
