//! The value that a flag takes, how clap parses it, and where it goes.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::Options;

/// The value that a flag takes, and where it goes.
pub(crate) enum Kind {
    /// No value. The flag sets true, its inverse false.
    Switch(fn(&mut Options, bool)),
    /// No value; the flag may be given several times.
    Repeatable(fn(&mut Options)),
    /// A text. The function's error is the message that refuses it.
    Text { value: &'static str, set: fn(&mut Options, &str) -> Result<(), String> },
    /// Like `Text`; each occurrence adds to the earlier ones.
    Texts { value: &'static str, set: fn(&mut Options, &str) -> Result<(), String> },
    /// A path of any bytes.
    Path { value: &'static str, set: fn(&mut Options, &Path) },
    /// Like `Path`; each occurrence adds to the earlier ones.
    Paths { value: &'static str, set: fn(&mut Options, &Path) },
    /// One of several words.
    Choice { value: &'static str, of: &'static [Word], set: fn(&mut Options, &str) },
    /// One of several words; each occurrence adds to the earlier ones.
    Choices { value: &'static str, of: &'static [Word], set: fn(&mut Options, &str) },
    /// One of several words behind `=`, or no word, which means `bare`. Where `bare` is empty, the
    /// word may also be the next argument, because no other argument is expected after such a flag.
    OptionalChoice {
        value: &'static str,
        bare: &'static str,
        of: &'static [Word],
        set: fn(&mut Options, &str),
    },
    /// All words up to `;` or the end; each occurrence adds a command.
    Command { value: &'static str, set: fn(&mut Options, Vec<Vec<String>>) },
}

/// A word that a `Choice` accepts.
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) doc: &'static str,
}

impl Kind {
    /// Gives a clap argument the action and parser of this kind.
    pub(super) fn shape(&self, arg: Arg) -> Arg {
        match self {
            Kind::Switch(_) => arg.action(ArgAction::SetTrue),
            Kind::Repeatable(_) => arg.action(ArgAction::Count),
            Kind::Text { value, .. } => arg.value_name(value),
            Kind::Texts { value, .. } => arg.value_name(value).action(ArgAction::Append),
            Kind::Path { value, .. } => arg.value_name(value).value_parser(value_parser!(PathBuf)),
            Kind::Paths { value, .. } => {
                arg.value_name(value).value_parser(value_parser!(PathBuf)).action(ArgAction::Append)
            }
            Kind::Choice { value, of, .. } => arg.value_name(value).value_parser(words(of)),
            Kind::Choices { value, of, .. } => arg
                .value_name(value)
                .value_parser(words(of))
                .hide_possible_values(true)
                .action(ArgAction::Append),
            Kind::OptionalChoice { value, bare, of, .. } => arg
                .value_name(value)
                .value_parser(words(of))
                .num_args(0..=1)
                .require_equals(!bare.is_empty())
                .default_missing_value(bare),
            Kind::Command { value, .. } => arg
                .value_name(value)
                .num_args(1..)
                .allow_hyphen_values(true)
                .value_terminator(";")
                .action(ArgAction::Append),
        }
    }

    /// Moves the values that were given for the flag `name` into `options`. On failure: the refused
    /// value, and why.
    pub(super) fn read(
        &self,
        given: &ArgMatches,
        name: &str,
        options: &mut Options,
    ) -> Result<(), (String, String)> {
        match self {
            Kind::Switch(set) => set(options, true),
            Kind::Repeatable(set) => set(options),
            Kind::Text { set, .. } | Kind::Texts { set, .. } => {
                for value in given.get_many::<String>(name).into_iter().flatten() {
                    set(options, value).map_err(|why| (value.clone(), why))?;
                }
            }
            Kind::Path { set, .. } | Kind::Paths { set, .. } => {
                let paths = given.get_many::<PathBuf>(name).into_iter().flatten();
                paths.for_each(|path| set(options, path));
            }
            Kind::Choice { of, set, .. }
            | Kind::Choices { of, set, .. }
            | Kind::OptionalChoice { of, set, .. } => {
                for value in given.get_many::<String>(name).into_iter().flatten() {
                    set(options, canonical(of, value));
                }
            }
            Kind::Command { set, .. } => {
                let groups = given.get_occurrences::<String>(name).into_iter().flatten();
                set(options, groups.map(|group| group.cloned().collect()).collect());
            }
        }
        Ok(())
    }
}

fn words(of: &'static [Word]) -> clap::builder::PossibleValuesParser {
    let value = |word: &Word| PossibleValue::new(word.name).aliases(word.aliases).help(word.doc);
    of.iter().map(value).collect::<Vec<_>>().into()
}

/// The name of the word that `given` spells; `given` may be an alias.
fn canonical(of: &'static [Word], given: &str) -> &'static str {
    of.iter()
        .find(|word| word.name == given || word.aliases.contains(&given))
        .map_or("", |word| word.name)
}
