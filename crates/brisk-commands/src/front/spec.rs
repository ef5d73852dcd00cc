//! What a flag is called, takes and says, whatever it sets; and the same as clap takes it.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, value_parser};

use super::refusal::Refusal;
use super::texts;
use super::words::Words;
use crate::show::quoting::{quoted, retypable};

/// The kind of value that a flag takes.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    Nothing,
    /// No value. The command prints help or its version instead of doing its work.
    Answer,
    Text,
    Path,
    Number,
    /// A number that is not 0.
    Positive,
    /// A text that the command may refuse.
    Parsed,
    /// One of several words.
    Word(Words),
    /// All words up to `;` or the end. Each occurrence adds a command.
    Command,
    /// The whole word that has a letter of the flag.
    Dashed,
}

/// Where a flag is documented.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// In `-h` and `--help`.
    Always,
    /// In `--help` only.
    Long,
    /// Nowhere.
    Never,
}

/// The name of a flag, or of its value.
pub(super) type Name = &'static str;

/// A flag, without what it sets.
pub(crate) struct Spec {
    /// The long name, or the letter of a flag that has no long name.
    pub(crate) name: &'static str,
    pub(crate) letters: &'static str,
    pub(crate) aliases: &'static str,
    /// The hidden long flag that takes this one back.
    pub(crate) inverse: Option<&'static str>,
    /// The name of the value, if the flag takes one.
    pub(crate) value: Option<Name>,
    pub(crate) takes: Takes,
    /// The value of a flag that is given without one. Other values are attached with `=`; if this
    /// default is empty, the next word may be the value too.
    pub(crate) bare: Option<&'static str>,
    /// What a valid value looks like; shown when a value is refused. If empty, the refusal's own
    /// reason is shown.
    pub(super) needs: &'static str,
    /// Whether the value may begin with a dash.
    pub(crate) hyphens: bool,
    /// Whether a second occurrence adds to the first one instead of replacing it.
    pub(crate) adds_up: bool,
    /// Why the flag is refused if it is given twice, with what is meant.
    pub(crate) once: Option<&'static str>,
    /// One line, for `-h`.
    pub(crate) brief: &'static str,
    /// The full description, for `--help` and the man page.
    pub(super) doc: &'static str,
    pub(super) show: Show,
    /// Flags of which, together with this one, only the last one given counts.
    pub(crate) overrides: &'static str,
    pub(crate) conflicts: &'static str,
    pub(crate) requires: Option<&'static str>,
    /// Whether the flag is refused in configuration files and the environment.
    pub(crate) typed_only: bool,
    /// Whether the long name may not be abbreviated.
    pub(crate) whole: bool,
}

impl Spec {
    /// `names`: a long name, a letter, or both: `R, recursive`.
    pub(super) fn new(names: Name, value: Option<Name>, takes: Takes) -> Self {
        let (letters, name) = match names.as_bytes() {
            [_] => (names, names),
            [_, b',', b' ', ..] => (&names[..1], &names[3..]),
            _ => ("", names),
        };
        Spec {
            name,
            letters,
            aliases: "",
            inverse: None,
            bare: None,
            needs: match takes {
                Takes::Number => texts::NUMBER,
                Takes::Positive => texts::POSITIVE,
                _ => "",
            },
            value,
            takes,
            hyphens: false,
            adds_up: false,
            once: None,
            brief: "",
            doc: "",
            show: Show::Always,
            overrides: "",
            conflicts: "",
            requires: None,
            typed_only: false,
            whole: false,
        }
    }

    /// Whether the flag has no long name.
    pub(crate) fn is_letter(&self) -> bool {
        self.name.len() == 1
    }

    /// The flag as it is typed.
    pub(crate) fn spelling(&self) -> String {
        if self.is_letter() { format!("-{}", self.name) } else { format!("--{}", self.name) }
    }

    /// The flag with its value, as usages show it.
    pub(crate) fn usage(&self) -> String {
        match (self.value, self.takes) {
            (Some(value), Takes::Command) => format!("{} <{value}>...", self.spelling()),
            (Some(value), _) => format!("{} <{value}>", self.spelling()),
            (None, _) => self.spelling(),
        }
    }

    /// The refusal of a value, for this reason.
    #[cold]
    pub(super) fn refused(&self, value: &OsStr, why: &Refusal) -> Refusal {
        let why = match (self.needs, self.takes) {
            ("", Takes::Word(words)) => {
                format!(" [possible values: {}]", words.names().collect::<Vec<_>>().join(", "))
            }
            ("", _) => format!(": {}", why.message),
            (needs, _) => format!(": {needs}"),
        };
        let flag = self.spelling();
        Refusal::hinted(format!("invalid value {} for '{flag}'{why}", quoted(value)))
    }

    /// The refusal of a flag without its value, before the word that comes next.
    #[cold]
    pub(super) fn without_value(&self, next: Option<&OsStr>) -> String {
        let usage = self.usage();
        let none = Refusal::usage("");
        match next.filter(|word| word.as_encoded_bytes().starts_with(b"-")) {
            Some(word) if !self.needs.is_empty() => self.refused(word, &none).message,
            Some(word) => format!(
                "'{usage}' lacks its value; one that begins with a dash is written {}={}",
                self.spelling(),
                retypable(word)
            ),
            None => format!("'{usage}' lacks its value"),
        }
    }

    /// The flag as clap takes it.
    pub(super) fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.name)
            .help(self.brief)
            .allow_hyphen_values(self.hyphens)
            .hide(self.show == Show::Never)
            .hide_short_help(self.show != Show::Always)
            .overrides_with_all(self.overrides.split_ascii_whitespace())
            .conflicts_with_all(self.conflicts.split_ascii_whitespace())
            .action(self.action());
        if !self.is_letter() {
            arg = arg.long(self.name).aliases(self.aliases.split_ascii_whitespace());
        }
        let mut letters = self.letters.chars();
        if let Some(first) = letters.next() {
            arg = arg.short(first).visible_short_aliases(letters.collect::<Vec<_>>());
        }
        if let Some(text) = self.long_help() {
            arg = arg.long_help(text);
        }
        if let Some(other) = self.requires {
            arg = arg.requires(other);
        }
        if let Some(bare) = self.bare {
            let equals = !bare.is_empty();
            arg = arg.num_args(0..=1).require_equals(equals).default_missing_value(bare);
        }
        match self.value {
            Some(value) => self.with_value(arg.value_name(value)),
            None => arg,
        }
    }

    /// The full description, with the flag's inverse and other names; `None` if that is no more
    /// than the line of `-h`.
    fn long_help(&self) -> Option<String> {
        let undone = self.inverse.map(|inverse| format!(" --{inverse} undoes this option."));
        let aliases = self.aliases.split_ascii_whitespace();
        let aliases: Vec<_> = aliases.map(|alias| format!("--{alias}")).collect();
        let mut text = self.doc.to_owned();
        if text.is_empty() && (undone.is_some() || !aliases.is_empty()) {
            text = format!("{}.", self.brief);
        }
        text += &undone.unwrap_or_default();
        if !aliases.is_empty() {
            text += &format!("\n\nAliases: {}", aliases.join(", "));
        }
        Some(text).filter(|text| !text.is_empty())
    }

    fn action(&self) -> ArgAction {
        match self.takes {
            Takes::Answer if self.name == "help" => ArgAction::Help,
            Takes::Answer => ArgAction::Version,
            Takes::Command => ArgAction::Append,
            _ => match (self.value, self.adds_up) {
                (None, false) => ArgAction::SetTrue,
                (None, true) => ArgAction::Count,
                (Some(_), false) => ArgAction::Set,
                (Some(_), true) => ArgAction::Append,
            },
        }
    }

    fn with_value(&self, arg: Arg) -> Arg {
        match self.takes {
            Takes::Path => arg.value_parser(value_parser!(PathBuf)),
            Takes::Number => arg.value_parser(value_parser!(usize)),
            Takes::Positive => arg.value_parser(value_parser!(NonZeroUsize)),
            Takes::Word(words) => {
                let parser: Vec<PossibleValue> = words.listed().collect();
                // If there are many words, the flag's help describes them instead.
                let is_told = self.adds_up || parser.len() > 8;
                arg.value_parser(parser).hide_possible_values(is_told)
            }
            Takes::Command => arg.num_args(1..).allow_hyphen_values(true).value_terminator(";"),
            _ => arg,
        }
    }

    /// The hidden flag that takes this one back, if it has one.
    pub(super) fn inverse_arg(&self) -> Option<Arg> {
        let name = self.inverse?;
        let arg = Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue);
        Some(arg.overrides_with(self.name))
    }
}

/// May refuse a value.
type RefuseValue = Arc<dyn Fn(&OsStr) -> Result<(), Refusal> + Send + Sync>;

/// The option, with the values that are not refused.
pub(super) fn checked(arg: Arg, refuse: RefuseValue) -> Arg {
    arg.value_parser(move |text: &str| {
        let refused = |why: Refusal| {
            // Only fd's refusals come from clap.
            why.message + if why.has_hint { ". See 'fd --help'." } else { "" }
        };
        refuse(text.as_ref()).map_err(refused).map(|()| text.to_owned())
    })
}
