//! The flag table of `brisk find`: each flag is one value that holds its names, its help and what
//! it sets. Command line, help, man page and shell completions all come from the table.
//!
//! Options are read in layers (configuration files, environment, command line). A layer touches only
//! the options that it names, so a later layer overrides an earlier one, and conflicts are looked for
//! within one layer alone, except for what --delete cannot obey (`layers`).
//!
//! Patterns, paths, filters, depths, limits on results, lists and actions are accepted only on the
//! command line ([`Flag::on_the_command_line_alone`]): a file that the user did not think of must not
//! choose what is removed. Configured extensions, for instance, would add to those that are typed.
//! Configuration may say what every search includes or leaves out (hidden and ignored entries,
//! `--exclude`), how it walks, how it reads a pattern, and how it shows results.

mod foreign;
mod output;
mod running;
mod walking;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, Command};

pub(crate) use super::options::Options;

use super::options::{Flag, Origin};
use crate::front::getopt::RefuseWord;
use crate::front::messages::Caller;
use crate::front::{self, Examples, FlagTable, Parsed, Refusal, Section, Spec};
use crate::show::quoting::quoted;
use crate::show::safe;

/// Every flag, by subject, in the order of the help.
static TABLE: FlagTable<Options> = FlagTable::new(|| {
    vec![
        Section::new("Pattern", [Flag::matching()]),
        Section::new(
            "Where to look",
            [Flag::hiding(), Flag::ignoring(), Flag::excluding(), Flag::depths(), walking::flags()],
        ),
        Section::new(
            "Filters",
            [Flag::types(), Flag::attributes(), Flag::pruning()].map(not_configurable),
        ),
        Section::new("Results", [output::flags(), running::flags()]),
        Section::new("Help", [Flag::answers()]),
    ]
});

/// These flags, marked as refused in configuration.
fn not_configurable(flags: Vec<Flag>) -> Vec<Flag> {
    flags.into_iter().map(Flag::on_the_command_line_alone).collect()
}

const ABOUT: &str = "List a file tree: all of it, or the entries that match a pattern and filters.";

const LONG_ABOUT: &str = "List a file tree: all of it, or the entries that match a pattern and \
    filters. Hidden files, and files that .gitignore, .ignore or .fdignore exclude, are left out; \
    -u includes everything. Case is ignored unless the pattern contains an uppercase \
    letter.\n\nbrisk requests only the metadata that the options need. Names and types come with \
    the directory. Filters and columns that need more (sizes, times, owners, permissions) cost one \
    statx for each file that passes the cheaper filters. --explain says what will be requested, \
    --stats what was.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-e rs . src", "List the Rust sources in src ('.' is the pattern)"),
    ("-u -l --sort size --max-results 10", "List the ten largest files, hidden ones too"),
    ("--changed-within 1week --json", "Print what was modified in the last week, as JSON"),
    ("-g '*.log' -X wc -c", "Run one command on all results"),
    (
        "-u --order sorted --format '{size} {}' -t f",
        "Print the sizes and paths of all files, in the same order every time",
    ),
];

/// The command as clap knows it.
pub(crate) fn command(caller: Caller) -> Command {
    front::command(caller.called("brisk find"), ABOUT, LONG_ABOUT, EXAMPLES, &TABLE)
        .arg(pattern())
        .arg(walking::positional())
}

/// The pattern's place on the command line.
fn pattern() -> Arg {
    Arg::new("pattern")
        .value_name("pattern")
        .hide_short_help(true)
        .help("What to look for: a regular expression, or with --glob a glob")
        .long_help(
            "What to look for: a regular expression by default, a glob with --glob. Without a \
             pattern everything is listed; a dot matches everything too. With --match every \
             argument is a path. Put '--' in front of a pattern that begins with a dash: brisk find \
             -- -draft",
        )
}

/// fd's message about a refused command line, made by clap, which is fd's parser. If clap accepts
/// the line, the message is `refusal`'s, in clap's form.
#[cold]
pub(super) fn refusal_of_clap(words: &[OsString], refusal: &Refusal) -> String {
    let mut command = command(Caller::Fd).no_binary_name(true);
    // Whatever a word contains, it stays on one line of the message.
    let words = words.iter().map(|word| safe::line(word.as_encoded_bytes()));
    let error = match command.try_get_matches_from_mut(words) {
        Err(error) => error,
        Ok(_) => command.error(ErrorKind::ValueValidation, &refusal.message),
    };
    safe::lines(&error.to_string())
}

/// Reads one layer of words into `options`.
///
/// # Errors
/// The words are refused.
pub(crate) fn read_layer(
    caller: Caller,
    origin: Origin,
    words: &[OsString],
    options: &mut Options,
) -> Result<(), Refusal> {
    let refuse_word: RefuseWord = if caller == Caller::Fd { |_, _| None } else { foreign::refusal };
    let line = Parsed::split(&TABLE, words, refuse_word)?;
    let has_match = line.flags().any(|flag| flag.name == "match");
    let (pattern, paths) = match &line.operands[..] {
        [pattern, paths @ ..] if !has_match => (Some(pattern), paths),
        paths => (None, paths),
    };
    if origin == Origin::Configuration {
        let operand = pattern.map(|_| "a pattern".to_owned());
        let flag = || line.flags().find(|flag| flag.typed_only).map(Spec::spelling);
        if let Some(word) = operand.or_else(flag) {
            return Err(format!("{word} is accepted only on the command line").into());
        }
    }
    let operands: &[_] = if paths.is_empty() { &[] } else { &[("path", "[path]...")] };
    line.check(operands)?;
    if let Some(pattern) = pattern {
        let not_text = || Refusal::hinted(format!("the pattern {} is not UTF-8", quoted(pattern)));
        pattern.to_str().ok_or_else(not_text)?.clone_into(&mut options.selecting.matching.pattern);
    }
    if !paths.is_empty() {
        options.paths = paths.iter().map(PathBuf::from).collect();
    }
    line.set(&TABLE, options)
}

#[cfg(test)]
mod tests;
