//! One flag: its names, the value that it takes, its help, and what it sets.

use std::ffi::{OsStr, OsString};
use std::num::{NonZeroUsize, ParseIntError};
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, value_parser};

use super::texts;
use super::words::Words;
use crate::front::messages::Caller;
use crate::show::quoting::{quoted, retypable};

/// The flags of a command that sets `O`, by subject, in the order of the help. A table is made when
/// its first flag is looked up: as constants, the tables of all commands would be relocated, page
/// by page, at every start.
pub(crate) type FlagTable<O> = LazyLock<Vec<Section<O>>>;

/// The flags under one heading of the help.
pub(crate) struct Section<O: 'static> {
    heading: &'static str,
    flags: Vec<Flag<O>>,
}

impl<O> Section<O> {
    pub fn new(heading: &'static str, groups: impl IntoIterator<Item = Vec<Flag<O>>>) -> Self {
        Section { heading, flags: groups.into_iter().flatten().collect() }
    }
}

impl<O: Default> Section<O> {
    /// The flags as clap takes them. Those whose names begin with a dash are left out: only programs
    /// give them.
    pub(super) fn args(&self) -> impl Iterator<Item = Arg> {
        let shown = self.flags.iter().filter(|flag| !flag.name.starts_with('-'));
        let args = shown.flat_map(|flag| [Some(flag.arg()), flag.inverse_arg()]).flatten();
        args.map(|arg| arg.help_heading(self.heading))
    }
}

/// Every flag of a table.
pub(crate) fn flags<O>(table: &'static FlagTable<O>) -> impl Iterator<Item = &'static Flag<O>> {
    table.iter().flat_map(|section| &section.flags)
}

/// Why a command ends without its work: the command line is refused, or the work failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) message: String,
    /// Whether the message sends the user to `--help`.
    pub(crate) has_hint: bool,
    /// The exit code.
    pub(crate) code: u8,
    /// The flag whose name is most like the one that was typed.
    pub(crate) near: Option<&'static str>,
}

impl Refusal {
    /// A usage error, with the code 2.
    pub fn usage(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), has_hint: false, code: 2, near: None }
    }

    /// Something failed, with the code 1.
    pub fn failure(message: impl Into<String>) -> Refusal {
        Refusal { code: 1, ..Refusal::usage(message) }
    }

    /// A usage error, with a hint at `--help`.
    pub fn hinted(message: impl Into<String>) -> Refusal {
        Refusal { has_hint: true, ..Refusal::usage(message) }
    }

    /// The suggestion for a misspelt option, under brisk's own name. GNU's programs do not ask.
    pub(crate) fn did_you_mean(&self, caller: Caller) -> Option<String> {
        let near = self.near.filter(|_| caller == Caller::Brisk)?;
        Some(format!("Did you mean --{near}?"))
    }
}

/// Refuses a flag that is given together with one of `others`.
pub(crate) fn exclude((is_on, flag): (bool, &str), others: &[(bool, &str)]) -> Result<(), Refusal> {
    match others.iter().find(|(given, _)| is_on && *given) {
        Some((_, name)) => Err(Refusal::hinted(format!("{flag} cannot be used with {name}"))),
        None => Ok(()),
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::usage(why)
    }
}

impl From<ParseIntError> for Refusal {
    fn from(why: ParseIntError) -> Refusal {
        Refusal::usage(why.to_string())
    }
}

/// What a command line says of a flag.
pub(crate) enum Said<'w> {
    /// The flag, without a value.
    On {
        by_letter: bool,
    },
    /// The flag's inverse.
    Off,
    Value(&'w OsStr),
    /// The words of a command.
    Command(Vec<&'w OsStr>),
}

/// The kind of value that a flag takes, and the function that receives it.
pub(crate) enum Takes<O: 'static> {
    Nothing(fn(&mut O)),
    /// No value. The flag sets true, its inverse false.
    Switch(fn(&mut O, bool)),
    /// No value. The command prints help or its version instead of doing its work. The function is
    /// told whether the flag was given by its letter.
    Answer(fn(&mut O, bool)),
    Text(fn(&mut O, String)),
    /// A text of any bytes.
    Bytes(fn(&mut O, OsString)),
    Path(fn(&mut O, PathBuf)),
    Number(fn(&mut O, usize)),
    /// A number that is not 0.
    Positive(fn(&mut O, NonZeroUsize)),
    /// A text that the function may refuse.
    Parsed(Parse<O>),
    /// One of several words. The function receives the word's name.
    Word(Words, fn(&mut O, &str)),
    /// All words up to `;` or the end. Each occurrence adds a command.
    Command(fn(&mut O, Vec<String>)),
    /// The whole word that has a letter of the flag.
    Dashed(fn(&mut O, OsString)),
}

impl<O> Takes<O> {
    /// Sets what was said of the flag. `word` looks a word up.
    ///
    /// # Errors
    /// The value is refused.
    pub(crate) fn set(
        &self,
        said: &Said<'_>,
        options: &mut O,
        word: impl FnOnce(&Words, &OsStr) -> Result<&'static str, Refusal>,
    ) -> Result<(), Refusal> {
        let words = match said {
            Said::On { .. } | Said::Off => &[],
            Said::Value(value) => std::slice::from_ref(value),
            Said::Command(words) => &words[..],
        };
        let value = words.first().copied().unwrap_or_default();
        let text = || value.to_str().ok_or_else(|| Refusal::usage("not UTF-8"));
        match self {
            Takes::Nothing(set) => set(options),
            Takes::Switch(set) => set(options, !matches!(said, Said::Off)),
            Takes::Answer(set) => set(options, matches!(said, Said::On { by_letter: true })),
            Takes::Text(set) => set(options, text()?.to_owned()),
            Takes::Bytes(set) | Takes::Dashed(set) => set(options, value.to_owned()),
            Takes::Path(set) => set(options, value.into()),
            Takes::Number(set) => set(options, text()?.parse()?),
            Takes::Positive(set) => set(options, text()?.parse()?),
            Takes::Parsed(set) => set(options, value)?,
            Takes::Word(words, set) => set(options, word(words, value)?),
            Takes::Command(set) => {
                let not_text =
                    |word: &OsStr| Refusal::usage(format!("{}: not UTF-8", quoted(word)));
                let text =
                    |word: &&OsStr| word.to_str().map(str::to_owned).ok_or_else(|| not_text(word));
                set(options, words.iter().map(text).collect::<Result<_, _>>()?);
            }
        }
        Ok(())
    }
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

/// The name of a flag, or of its value.
type Name = &'static str;

/// Sets what a value means, or refuses the value.
type Parse<O> = fn(&mut O, &OsStr) -> Result<(), Refusal>;

/// One flag of a command that sets `O`.
pub(crate) struct Flag<O: 'static> {
    /// The long name, or the letter of a flag that has no long name.
    pub(crate) name: &'static str,
    pub(crate) letters: &'static str,
    pub(crate) aliases: &'static str,
    /// The hidden long flag that takes this one back.
    pub(crate) inverse: Option<&'static str>,
    /// The name of the value, if the flag takes one.
    pub(crate) value: Option<Name>,
    pub(crate) takes: Takes<O>,
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
    doc: &'static str,
    show: Show,
    /// Flags of which, together with this one, only the last one given counts.
    pub(crate) overrides: &'static str,
    pub(crate) conflicts: &'static str,
    pub(crate) requires: Option<&'static str>,
    /// Whether the flag is refused in configuration files and the environment.
    pub(crate) typed_only: bool,
    /// Whether the long name may not be abbreviated.
    pub(crate) whole: bool,
}

impl<O> Flag<O> {
    /// `names`: a long name, a letter, or both: `R, recursive`.
    pub(super) fn of(names: Name, value: Option<Name>, takes: Takes<O>) -> Self {
        let (letters, name) = match names.as_bytes() {
            [_] => (names, names),
            [_, b',', b' ', ..] => (&names[..1], &names[3..]),
            _ => ("", names),
        };
        Flag {
            name,
            letters,
            aliases: "",
            inverse: None,
            bare: None,
            needs: match takes {
                Takes::Number(..) => texts::NUMBER,
                Takes::Positive(..) => texts::POSITIVE,
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

    /// A flag without a value.
    pub(crate) fn on(names: Name, set: fn(&mut O)) -> Self {
        Flag::of(names, None, Takes::Nothing(set))
    }

    /// A flag without a value that its inverse takes back.
    pub(crate) fn switch(names: Name, set: fn(&mut O, bool)) -> Self {
        Flag::of(names, None, Takes::Switch(set))
    }

    /// A flag with a text.
    pub(crate) fn text(names: Name, value: Name, set: fn(&mut O, String)) -> Self {
        Flag::of(names, Some(value), Takes::Text(set))
    }

    /// A flag with a text that may have any bytes.
    pub(crate) fn bytes(names: Name, value: Name, set: fn(&mut O, OsString)) -> Self {
        Flag::of(names, Some(value), Takes::Bytes(set))
    }

    /// A flag with a path.
    pub(crate) fn path(names: Name, value: Name, set: fn(&mut O, PathBuf)) -> Self {
        Flag::of(names, Some(value), Takes::Path(set))
    }

    /// A flag with a number.
    pub(crate) fn number(names: Name, value: Name, set: fn(&mut O, usize)) -> Self {
        Flag::of(names, Some(value), Takes::Number(set))
    }

    /// A flag with a number that is not 0.
    pub(crate) fn positive(names: Name, value: Name, set: fn(&mut O, NonZeroUsize)) -> Self {
        Flag::of(names, Some(value), Takes::Positive(set))
    }

    /// A flag with a text that `set` may refuse.
    pub(crate) fn parsed(names: Name, value: Name, set: Parse<O>) -> Self {
        Flag::of(names, Some(value), Takes::Parsed(set))
    }

    /// A flag with one of several words.
    pub(crate) fn word(names: Name, value: Name, words: Words, set: fn(&mut O, &str)) -> Self {
        Flag::of(names, Some(value), Takes::Word(words, set))
    }

    /// A flag with a command.
    pub(crate) fn command(names: Name, value: Name, set: fn(&mut O, Vec<String>)) -> Self {
        Flag::of(names, Some(value), Takes::Command(set))
    }

    /// An operand that begins with a dash, such as chmod's `-rwx`. It is recognised by one of these
    /// letters, which options may precede. The help does not show the flag.
    pub(crate) fn dashed(letters: &'static str, set: fn(&mut O, OsString)) -> Self {
        Flag::of("-", None, Takes::Dashed(set)).short(letters)
    }

    /// What the help says in one line.
    pub(crate) fn brief(self, brief: &'static str) -> Self {
        Flag { brief, ..self }
    }

    /// The same, for a flag that the summary of `-h` leaves out.
    pub(crate) fn rare(self, brief: &'static str) -> Self {
        self.brief(brief).only_in_long_help()
    }

    /// Its letters, if its names did not give one.
    pub(crate) fn short(self, letters: &'static str) -> Self {
        Flag { letters, ..self }
    }

    pub(crate) fn aliases(self, aliases: &'static str) -> Self {
        Flag { aliases, ..self }
    }

    pub(crate) fn inverse(self, inverse: &'static str) -> Self {
        Flag { inverse: Some(inverse), ..self }
    }

    pub(crate) fn bare(self, value: &'static str) -> Self {
        Flag { bare: Some(value), ..self }
    }

    pub(crate) fn needs(self, what: &'static str) -> Self {
        Flag { needs: what, ..self }
    }

    pub(crate) fn hyphens(self) -> Self {
        Flag { hyphens: true, ..self }
    }

    pub(crate) fn adds_up(self) -> Self {
        Flag { adds_up: true, ..self }
    }

    pub(crate) fn once(self, instead: &'static str) -> Self {
        Flag { once: Some(instead), ..self }
    }

    pub(crate) fn doc(self, doc: &'static str) -> Self {
        Flag { doc, ..self }
    }

    pub(crate) fn only_in_long_help(self) -> Self {
        Flag { show: Show::Long, ..self }
    }

    pub(crate) fn hidden(self) -> Self {
        Flag { show: Show::Never, ..self }
    }

    pub(crate) fn overrides(self, others: &'static str) -> Self {
        Flag { overrides: others, ..self }
    }

    pub(crate) fn conflicts(self, others: &'static str) -> Self {
        Flag { conflicts: others, ..self }
    }

    pub(crate) fn requires(self, other: &'static str) -> Self {
        Flag { requires: Some(other), ..self }
    }

    /// For a flag that says what is looked for or done with it: configuration may not hold it.
    pub(crate) fn on_the_command_line_alone(self) -> Self {
        Flag { typed_only: true, ..self }
    }

    pub(crate) fn whole(self) -> Self {
        Flag { whole: true, ..self }
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
        match (self.value, &self.takes) {
            (Some(value), Takes::Command(..)) => format!("{} <{value}>...", self.spelling()),
            (Some(value), _) => format!("{} <{value}>", self.spelling()),
            (None, _) => self.spelling(),
        }
    }

    /// The refusal of a value, for this reason.
    #[cold]
    pub(super) fn refused(&self, value: &OsStr, why: &Refusal) -> Refusal {
        let why = match (self.needs, &self.takes) {
            ("", Takes::Word(words, _)) => {
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
}

impl<O: Default> Flag<O> {
    /// The flag as clap takes it.
    pub(crate) fn arg(&self) -> Arg {
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
        match &self.takes {
            Takes::Answer(_) if self.name == "help" => ArgAction::Help,
            Takes::Answer(_) => ArgAction::Version,
            Takes::Command(..) => ArgAction::Append,
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
            Takes::Path(_) => arg.value_parser(value_parser!(PathBuf)),
            Takes::Number(_) => arg.value_parser(value_parser!(usize)),
            Takes::Positive(_) => arg.value_parser(value_parser!(NonZeroUsize)),
            Takes::Parsed(set) => arg.value_parser(move |text: &str| {
                let refused = |why: Refusal| {
                    // Only fd's refusals come from clap.
                    why.message + if why.has_hint { ". See 'fd --help'." } else { "" }
                };
                set(&mut O::default(), text.as_ref()).map_err(refused).map(|()| text.to_owned())
            }),
            Takes::Word(words, _) => {
                let parser: Vec<PossibleValue> = words.listed().collect();
                // If there are many words, the flag's help describes them instead.
                let is_told = self.adds_up || parser.len() > 8;
                arg.value_parser(parser).hide_possible_values(is_told)
            }
            Takes::Command(..) => arg.num_args(1..).allow_hyphen_values(true).value_terminator(";"),
            _ => arg,
        }
    }

    /// The hidden flag that takes this one back, if it has one.
    pub(crate) fn inverse_arg(&self) -> Option<Arg> {
        let name = self.inverse?;
        let arg = Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue);
        Some(arg.overrides_with(self.name))
    }
}
