//! The flag table of `brisk find`: each flag is one value that holds its names, its help and what
//! it sets. Command line, help, man page and shell completions all come from the table.
//!
//! clap parses what the quick reader leaves. Options are read in layers (configuration files, environment,
//! command line). A layer touches only the options that it names, so a later layer overrides an
//! earlier one, and conflicts are looked for within one layer alone.
//!
//! Flags that say what is looked for, where, how much of it, and what is done with it are accepted
//! only on the command line ([`Flag::on_the_command_line_alone`]): a file that the user did not
//! think of must not choose what is removed.

pub(crate) mod foreign;
mod matching;
mod output;
mod quick;
mod running;
#[cfg(test)]
mod shared;
mod walking;

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

pub(crate) use super::options::Options;

use super::options::{Flag, Origin};
use crate::filter::flags::Flags;
use crate::front::messages::Caller;
use crate::front::{self, About, Examples, Refusal, Section, Table, Takes, flags};
use crate::show::quoting::quoted;

/// Every flag, by subject, in the order of the help.
static TABLE: Table<Options> = &[
    Section::new("Pattern", Flags::<Options>::MATCHING),
    Section::new("Where to look", Flags::<Options>::HIDING),
    Section::new("Where to look", Flags::<Options>::IGNORING),
    Section::new("Where to look", Flags::<Options>::EXCLUDING),
    Section::new("Where to look", walking::FLAGS),
    Section::new("Filters", Flags::<Options>::FILTERING),
    Section::new("Results", output::FLAGS),
    Section::new("Results", running::FLAGS),
];

/// Whether the user gave the flag, so that its value is no default.
fn was_given(given: &ArgMatches, name: &str) -> bool {
    given.value_source(name) == Some(ValueSource::CommandLine)
}

const ABOUT: &str = "List a file tree: all of it, or the entries that match a pattern and filters.";

const LONG_ABOUT: &str = "List a file tree: all of it, or the entries that match a pattern and \
    filters. Hidden files, and files that .gitignore, .ignore or .fdignore exclude, are left out; \
    -u lists everything. Case is ignored unless the pattern contains an uppercase letter.\n\nThe \
    file system is asked only for what the options need. Names and types come with the directory. \
    Filters and columns that need more (sizes, times, owners, permissions) cost one statx for each \
    file that passes the cheaper filters. --explain says what will be asked, --stats what was \
    asked.";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("-e rs", "List the Rust sources below the current directory"),
    ("-u -S +10M -l", "List files of 10 MB or more, hidden ones too"),
    ("--changed-within 1week --json", "Print what was modified in the last week, as JSON"),
    ("-g '*.log' -X wc -c", "Run one command on all results"),
    (
        "-u --order sorted --format '{size} {}' -t f",
        "Print the sizes and paths of all files, in the same order every time",
    ),
];

/// The command as clap knows it.
pub(crate) fn command(caller: Caller) -> Command {
    let about = About {
        bin: caller.command(),
        version: caller.version(),
        brief: ABOUT,
        long: LONG_ABOUT,
        examples: EXAMPLES,
    };
    front::command(&about, TABLE)
        .args_override_self(true)
        .arg(matching::positional())
        .arg(walking::positional())
}

/// Reads one layer of words into `options`.
///
/// # Errors
/// clap refuses the words, or displays help or the version; or configuration holds a word that it
/// may not hold.
pub(crate) fn read_layer(
    caller: Caller,
    origin: Origin,
    words: &[OsString],
    options: &mut Options,
) -> Result<(), clap::Error> {
    match quick::read(TABLE, origin, words, options) {
        Some(read) => *options = read,
        None => read_with_clap(caller, origin, words, options)?,
    }
    Ok(())
}

fn read_with_clap(
    caller: Caller,
    origin: Origin,
    words: &[OsString],
    options: &mut Options,
) -> Result<(), clap::Error> {
    let mut command = command(caller);
    let bin = OsString::from(caller.command());
    let given = command.try_get_matches_from_mut(std::iter::once(&bin).chain(words))?;
    if origin == Origin::Configuration
        && let Some(word) = typed_only(&given)
    {
        let why = format!("{word} is accepted only on the command line");
        return Err(command.error(ErrorKind::ArgumentConflict, why));
    }
    matching::read_positional(&given, options);
    walking::read_positional(&given, options);
    for flag in flags(TABLE) {
        if let Err((value, why)) = read_flag(flag, &given, options) {
            return Err(refusal((caller, &command), flag, value, &why));
        }
    }
    Ok(())
}

/// Moves what was given into `options`. On failure: the refused value, and why.
fn read_flag<'g>(
    flag: &Flag,
    given: &'g ArgMatches,
    options: &mut Options,
) -> Result<(), (&'g OsStr, Refusal)> {
    if let (Some(inverse), Takes::Switch(set)) = (flag.inverse, &flag.takes)
        && was_given(given, inverse)
    {
        set(options, false);
    }
    if !was_given(given, flag.name) {
        return Ok(());
    }
    if let Takes::Command(_, set) = flag.takes {
        let groups = given.get_occurrences::<String>(flag.name).into_iter().flatten();
        set(options, groups.map(|group| group.cloned().collect()).collect());
        return Ok(());
    }
    let mut set = |value| flag.takes.set(value, options, quick::spelled);
    if flag.takes.value().is_none() {
        return set(None).map_err(|why| (OsStr::new(""), why));
    }
    let mut values = given.get_raw(flag.name).into_iter().flatten();
    values.try_for_each(|value| set(Some(value)).map_err(|why| (value, why)))
}

/// The first word of those that configuration may not hold.
#[cold]
fn typed_only(given: &ArgMatches) -> Option<String> {
    let mut positionals = ["pattern", "path"].into_iter().filter(|name| was_given(given, name));
    if let Some(name) = positionals.next() {
        return Some(format!("a {name}"));
    }
    flags(TABLE).find(|flag| flag.typed_only && was_given(given, flag.name)).map(Flag::spelling)
}

/// The message for a value that clap did not check itself, in clap's words.
#[cold]
fn refusal(
    (caller, command): (Caller, &Command),
    flag: &Flag,
    value: &OsStr,
    why: &Refusal,
) -> clap::Error {
    let arg = command.get_arguments().find(|arg| arg.get_id() == flag.name);
    let shown = arg.map_or_else(|| flag.name.to_owned(), ToString::to_string);
    let hint = if why.hint && caller == Caller::Fd { ". See 'fd --help'." } else { "" };
    let text = format!(
        "invalid value {} for '{shown}': {}{hint}\n\nFor more information, try '--help'.\n",
        quoted(value),
        why.message
    );
    clap::Error::raw(ErrorKind::ValueValidation, text)
}

/// The message for flags that are misused, in clap's form.
#[cold]
pub(super) fn misuse(caller: Caller, why: String) -> clap::Error {
    command(caller).error(ErrorKind::ValueValidation, why)
}

#[cfg(test)]
mod tests;
