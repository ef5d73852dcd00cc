//! The flag table of `brisk ls`: each flag is one value that holds its names, its help and what it
//! sets. [`GETOPT`] reads the command line from this table alone, in getopt's manner and words.
//! Help, man page and completions come from the table through clap, which is not built otherwise.

mod beyond;
mod details;
mod names;
mod selection;
mod shape;
mod sorting;

use clap::{Arg, ArgAction, Command};

pub(crate) use super::given::{Dereference, Format, Given, Hidden, Sort};
pub(crate) use crate::front::Refusal;
pub(crate) use names::{style_of, word_of};
pub(crate) use shape::decode_width;

use crate::front::getopt::Getopt;
use crate::front::messages::Caller;
use crate::front::{self, Examples, FlagTable, Section};

/// Reads command lines as GNU ls does.
pub(crate) static GETOPT: Getopt<Given> = Getopt {
    // By subject, in the order of the help.
    table: FlagTable::new(|| {
        vec![
            Section::new("Which entries", [selection::flags()]),
            Section::new("Layout", [shape::flags()]),
            Section::new("Order", [sorting::flags()]),
            Section::new("Columns", [details::flags()]),
            Section::new("Names", [names::flags()]),
            Section::new("Beyond GNU ls", [beyond::flags()]),
        ]
    }),
    order: "all escape directory dired full-time group-directories-first human-readable inode \
         kibibytes numeric-uid-gid no-group hide-control-chars reverse size width almost-all \
         ignore-backups classify file-type si dereference-command-line \
         dereference-command-line-symlink-to-dir hide ignore indicator-style dereference literal \
         quote-name quoting-style recursive format show-control-chars sort tabsize time time-style \
         zero color hyperlink block-size context author help version",
    operand: |given, path| given.paths.push(path),
    added: "jV",
};

const ABOUT: &str = "List directories, with every option of GNU ls.";

const LONG_ABOUT: &str = "List directories, with every option of GNU ls (9.1) and with its output, \
    byte for byte. Without a path the current directory is listed. Names that begin with a dot are \
    left out.\n\nbrisk requests exactly the fields that the columns, the order and the active \
    LS_COLORS need, and keeps many requests in flight if the storage is slow to answer. --explain \
    says what a listing costs here, and which LS_COLORS would make it free.\n\nNames are sorted as \
    the locale collates them (LC_ALL, LC_COLLATE, LANG), by bytes in the C locale. Later options \
    override earlier ones; long names may be abbreviated. Called through a link named ls, brisk is \
    ls: with its messages, and without configuration.\n\nExit codes, as GNU's: 0; 1 if a directory \
    below a path cannot be read; 2 if a path cannot be found, or an option cannot be used.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-la", "List all entries of the current directory with details"),
    ("--tree --max-depth 2", "Show the tree, two levels deep"),
    ("--json -l src", "Print all columns as JSON, one object per line"),
    ("--explain --color .", "Say which colours cost system calls here"),
];

/// The command as clap knows it, for help and man page.
pub(crate) fn command(caller: Caller) -> Command {
    let called = caller.called("brisk ls");
    let command = front::command(called, ABOUT, LONG_ABOUT, EXAMPLES, &GETOPT.table);
    GETOPT.known(caller, command).arg(
        Arg::new("path")
            .value_name("path")
            .action(ArgAction::Append)
            .help("What to list (default: the current directory)"),
    )
}

/// For completions, an option that may be given again, as all may, except that words replace one
/// another.
pub(crate) fn again(arg: Arg) -> Arg {
    match arg.get_action() {
        ArgAction::SetTrue => arg.action(ArgAction::Count),
        ArgAction::Set if arg.get_possible_values().is_empty() => arg.action(ArgAction::Append),
        _ => arg,
    }
}

#[cfg(test)]
mod tests;
