//! What every command shares: flags, help, refusals, configuration before its work; messages and
//! progress during it; how it ends ([`standard`]).
//!
//! One value holds a flag's names, its value, its help and what it sets ([`Flag`]).
//! [`command`] turns a flag table into clap's form, from which help, man pages and completions are
//! generated. Command lines are read without clap, except to word fd's refusals: [`getopt::Split`]
//! splits all but those of the link `find`.

mod common;
pub(crate) mod config;
pub(crate) mod confirm;
mod flag;
pub(crate) mod getopt;
pub(crate) mod help;
pub(crate) mod here;
mod line;
pub(crate) mod list;
pub(crate) mod messages;
pub(crate) mod parts;
pub(crate) mod progress;
mod refusal;
mod spec;
pub(crate) mod standard;
pub(crate) mod suggest;
pub(crate) mod texts;
pub(crate) mod time_style;
mod values;
mod words;

use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{Arg, Command, value_parser};

pub(crate) use common::{Answer, CommonOptions, HasCommon};
#[cfg(test)]
pub(crate) use flag::Specs;
pub(crate) use flag::{Flag, FlagTable, Section};
pub(crate) use help::Examples;
pub(crate) use line::Parsed;
pub use refusal::Refusal;
pub(crate) use refusal::exclude;
pub(crate) use spec::Spec;
pub(crate) use values::{StatsForm, When, duration, older_than, paints, paints_on};
pub(crate) use words::{Words, valid};

/// A command as clap knows it, without its operands. `bin`: how the command is called, in examples.
/// `brief` is one line.
pub(crate) fn command<O: Default>(
    bin: &'static str,
    brief: &'static str,
    long: impl Into<StyledStr>,
    examples: Examples,
    table: &'static FlagTable<O>,
) -> Command {
    let command = Command::new(bin.rsplit(' ').next().unwrap_or(bin))
        .bin_name(bin)
        .display_name(bin)
        .version(env!("CARGO_PKG_VERSION"))
        .about(brief)
        .long_about(long.into())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(table.iter().flat_map(Section::args));
    help::laid_out(command, examples)
}

/// Paths that a command takes, any number of them.
pub(crate) fn paths(name: &'static str, help: &'static str) -> Arg {
    let arg = Arg::new("path").value_name(name).help(help);
    arg.num_args(0..).value_parser(value_parser!(PathBuf))
}
