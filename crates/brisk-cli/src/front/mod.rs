//! What stands before every command: flags, help, refusals, messages, configuration, progress.
//!
//! One value holds a flag's names, its value, its help and what it sets ([`Flag`]).
//! [`command`] turns a flag table into clap's form, from which help, man pages and completions are
//! generated. `brisk find` also lets clap parse command lines whose flags exclude or override each
//! other. All other command lines are split by [`getopt::Split`], without clap.

pub(crate) mod config;
mod flag;
pub(crate) mod getopt;
pub(crate) mod groups;
pub(crate) mod help;
pub(crate) mod list;
pub(crate) mod messages;
pub(crate) mod progress;
pub(crate) mod standard;
pub(crate) mod suggest;
pub(crate) mod tables;
pub(crate) mod texts;
pub(crate) mod time_style;
mod values;
mod words;

use clap::Command;

pub use flag::Refusal;
pub(crate) use flag::{Flag, Section, Table, Takes, flags};
pub(crate) use help::Examples;
pub(crate) use values::{Answer, StatsForm, When, older_than};
pub(crate) use words::{Words, valid};

/// What a command says about itself.
pub(crate) struct About {
    /// How the command is called, in examples.
    pub(crate) bin: &'static str,
    pub(crate) version: &'static str,
    /// One line.
    pub(crate) brief: &'static str,
    pub(crate) long: &'static str,
    pub(crate) examples: Examples,
}

/// A command as clap knows it, without its operands.
pub(crate) fn command<O>(about: &About, table: Table<O>) -> Command {
    let name = about.bin.rsplit(' ').next().unwrap_or(about.bin);
    let answers = flags(table).any(|flag| matches!(flag.takes, Takes::Answer(_)));
    let args = table.iter().flat_map(Section::args);
    let command = Command::new(name)
        .bin_name(about.bin)
        .display_name(about.bin)
        .version(about.version)
        .about(about.brief)
        .long_about(about.long)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(args)
        .args(help::answers().into_iter().filter(|_| !answers));
    help::laid_out(command, about.examples)
}
