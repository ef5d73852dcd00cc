//! The flag table of `brisk find`: each flag is one value that holds its names, its help and what
//! it sets. Command line, help, man page and shell completions all come from the table.
//!
//! clap parses. [`Flag::arg`] turns a value of the table into clap's form, and [`Flag::read`] moves
//! what was given into [`Options`]. Options are read in layers (configuration files, environment,
//! command line). A layer touches only the options that it names, so a later layer overrides an
//! earlier one, and conflicts are looked for within one layer alone.
//!
//! Flags that say what is looked for, where, how much of it, and what is done with it are accepted
//! only on the command line ([`Flag::on_the_command_line_alone`]): a file that the user did not
//! think of must not choose what is removed.

mod filtering;
mod ignoring;
mod kind;
mod matching;
mod output;
mod quick;
mod running;
mod walking;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(crate) use ignoring::Ignoring;
pub(crate) use kind::{Kind, Word};
pub(crate) use output::{Output, StatsForm, When};
pub(crate) use running::Running;
pub(crate) use walking::Walking;

use super::Caller;
use crate::common::filter::{Filtering, Matching};

/// Everything the command line, the environment and the configuration say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) matching: Matching,
    pub(crate) ignoring: Ignoring,
    pub(crate) filtering: Filtering,
    pub(crate) walking: Walking,
    pub(crate) output: Output,
    pub(crate) running: Running,
}

/// One flag.
pub(crate) struct Flag {
    /// The long name; for a flag that has only a short one, clap's id.
    name: &'static str,
    short: Option<char>,
    short_only: bool,
    /// Whether the value may begin with a dash.
    hyphens: bool,
    aliases: &'static [&'static str],
    /// The hidden long flag that takes this one back.
    inverse: Option<&'static str>,
    kind: Kind,
    /// One line, for `-h`.
    brief: &'static str,
    /// The full description, for `--help` and the man page.
    doc: &'static str,
    show: Show,
    /// Flags that take this one back if they come later.
    overrides: &'static [&'static str],
    conflicts: &'static [&'static str],
    requires: Option<&'static str>,
    /// Whether the flag is refused in configuration files and the environment.
    typed_only: bool,
}

/// Where options come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The user, or a script, typed them for this call.
    CommandLine,
    /// A file, or a variable of the environment.
    Configuration,
}

/// Where a flag is documented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    /// In `-h` and `--help`.
    Always,
    /// In `--help` only.
    Long,
    /// Nowhere.
    Never,
}

impl Flag {
    const fn new(name: &'static str, kind: Kind, brief: &'static str) -> Flag {
        Flag {
            name,
            short: None,
            short_only: false,
            hyphens: false,
            aliases: &[],
            inverse: None,
            kind,
            brief,
            doc: "",
            show: Show::Always,
            overrides: &[],
            conflicts: &[],
            requires: None,
            typed_only: false,
        }
    }

    const fn short(mut self, short: char) -> Flag {
        self.short = Some(short);
        self
    }

    const fn short_only(mut self, short: char) -> Flag {
        self.short_only = true;
        self.short(short)
    }

    const fn hyphens(mut self) -> Flag {
        self.hyphens = true;
        self
    }

    const fn aliases(mut self, aliases: &'static [&'static str]) -> Flag {
        self.aliases = aliases;
        self
    }

    const fn inverse(mut self, inverse: &'static str) -> Flag {
        self.inverse = Some(inverse);
        self
    }

    const fn doc(mut self, doc: &'static str) -> Flag {
        self.doc = doc;
        self
    }

    const fn only_in_long_help(mut self) -> Flag {
        self.show = Show::Long;
        self
    }

    const fn hidden(mut self) -> Flag {
        self.show = Show::Never;
        self
    }

    const fn overrides(mut self, others: &'static [&'static str]) -> Flag {
        self.overrides = others;
        self
    }

    const fn conflicts(mut self, others: &'static [&'static str]) -> Flag {
        self.conflicts = others;
        self
    }

    const fn requires(mut self, other: &'static str) -> Flag {
        self.requires = Some(other);
        self
    }

    /// For a flag that chooses what is acted on, or that acts: configuration may not hold it.
    const fn on_the_command_line_alone(mut self) -> Flag {
        self.typed_only = true;
        self
    }

    /// The flag as it is typed.
    fn spelling(&self) -> String {
        match self.short {
            Some(short) if self.short_only => format!("-{short}"),
            _ => format!("--{}", self.name),
        }
    }

    /// The flag as clap takes it.
    fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.name)
            .help(self.brief)
            .allow_hyphen_values(self.hyphens)
            .hide(self.show == Show::Never)
            .hide_short_help(self.show != Show::Always)
            .overrides_with_all(self.overrides)
            .conflicts_with_all(self.conflicts);
        if !self.short_only {
            arg = arg.long(self.name).aliases(self.aliases);
        }
        if let Some(short) = self.short {
            arg = arg.short(short);
        }
        if !self.doc.is_empty() {
            arg = arg.long_help(self.doc);
        }
        if let Some(other) = self.requires {
            arg = arg.requires(other);
        }
        self.kind.shape(arg)
    }

    /// The hidden flag that takes this one back, if it has one.
    fn inverse_arg(&self) -> Option<Arg> {
        let name = self.inverse?;
        let arg = Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue);
        Some(arg.overrides_with(self.name))
    }

    /// Moves what was given into `options`. On failure: the refused value, and why.
    fn read(&self, given: &ArgMatches, options: &mut Options) -> Result<(), (String, String)> {
        if let (Some(inverse), Kind::Switch(set)) = (self.inverse, &self.kind)
            && was_given(given, inverse)
        {
            set(options, false);
        }
        if !was_given(given, self.name) {
            return Ok(());
        }
        self.kind.read(given, self.name, options)
    }
}

/// Whether the user gave the flag, so that its value is no default.
fn was_given(given: &ArgMatches, name: &str) -> bool {
    given.value_source(name) == Some(ValueSource::CommandLine)
}

/// Every flag, by subject, in the order of the help.
fn table() -> impl Iterator<Item = &'static Flag> {
    [
        matching::FLAGS,
        ignoring::FLAGS,
        walking::FLAGS,
        filtering::FLAGS,
        output::FLAGS,
        running::FLAGS,
    ]
    .into_iter()
    .flatten()
}

const ABOUT: &str = "Lists a file tree: all of it, or the entries that a pattern and filters keep.";

const LONG_ABOUT: &str = "Lists a file tree: all of it, or the entries that a pattern and filters \
    keep. Hidden files and what .gitignore, .ignore and .fdignore name are left out (-u lists \
    everything). Names are matched without regard to case unless the pattern has an uppercase \
    letter.\n\nThe file system is asked only for what the options need: names and types come with \
    the directory; filters and columns that need more (sizes, times, owners, permissions) cost \
    one statx for each file that the cheaper filters kept. --explain says what will be asked, \
    --stats what was asked.";

/// The command as clap knows it.
pub(crate) fn command(caller: Caller) -> Command {
    let bin = caller.command();
    let name = bin.rsplit(' ').next().unwrap_or(bin);
    let args = table().flat_map(|flag| [Some(flag.arg()), flag.inverse_arg()]).flatten();
    Command::new(name)
        .bin_name(bin)
        .display_name(bin)
        .version(caller.version())
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .max_term_width(98)
        .args_override_self(true)
        .arg(matching::positional())
        .args(args)
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
    match quick::read(origin, words, options) {
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
    for flag in table() {
        if let Err((value, why)) = flag.read(&given, options) {
            return Err(refusal(&mut command, flag, &value, &why));
        }
    }
    Ok(())
}

/// The first word of those that configuration may not hold.
#[cold]
fn typed_only(given: &ArgMatches) -> Option<String> {
    let mut positionals = ["pattern", "path"].into_iter().filter(|name| was_given(given, name));
    if let Some(name) = positionals.next() {
        return Some(format!("a {name}"));
    }
    table().find(|flag| flag.typed_only && was_given(given, flag.name)).map(Flag::spelling)
}

/// The message for a value that clap did not check itself, in clap's words.
#[cold]
fn refusal(command: &mut Command, flag: &Flag, value: &str, why: &str) -> clap::Error {
    let arg = command.get_arguments().find(|arg| arg.get_id() == flag.name);
    let shown = arg.map_or_else(|| flag.name.to_owned(), ToString::to_string);
    let text = format!("invalid value '{value}' for '{shown}': {why}");
    command.error(ErrorKind::ValueValidation, text)
}

#[cfg(test)]
mod tests;
