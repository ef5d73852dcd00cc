//! One flag: what it is called, takes and says ([`Spec`]), and what it sets.
//!
//! To read command lines and to make help the former is enough, so that this code is compiled once,
//! and not for each command.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use clap::Arg;

use super::refusal::Refusal;
use super::spec::{Name, Show, Spec, Takes, checked};
use super::words::Words;
use crate::show::quoting::quoted;

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
        let shown = self.flags.iter().filter(|flag| !flag.spec.name.starts_with('-'));
        let args = shown.flat_map(|flag| [Some(flag.arg()), flag.spec.inverse_arg()]).flatten();
        args.map(|arg| arg.help_heading(self.heading))
    }
}

/// Every flag of a table.
pub(crate) fn flags<O>(table: &'static FlagTable<O>) -> impl Iterator<Item = &'static Flag<O>> {
    table.iter().flat_map(|section| &section.flags)
}

/// A table's flags, whatever they set.
pub(crate) trait Specs {
    fn specs(&'static self) -> Box<dyn Iterator<Item = &'static Spec>>;
}

impl<O> Specs for FlagTable<O> {
    fn specs(&'static self) -> Box<dyn Iterator<Item = &'static Spec>> {
        Box::new(flags(self).map(|flag| &flag.spec))
    }
}

/// The flag of a table that has this specification.
pub(super) fn flag_of<O>(table: &'static FlagTable<O>, spec: &Spec) -> &'static Flag<O> {
    let found = flags(table).find(|flag| std::ptr::eq(&flag.spec, spec));
    found.expect("BUG: the flag is in another table")
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

/// The function that receives a flag's value.
enum Set<O: 'static> {
    Nothing(fn(&mut O)),
    /// The flag sets true, its inverse false.
    Switch(fn(&mut O, bool)),
    /// The function is told whether the flag was given by its letter.
    Answer(fn(&mut O, bool)),
    Text(fn(&mut O, String)),
    /// A text of any bytes.
    Bytes(fn(&mut O, OsString)),
    Path(fn(&mut O, PathBuf)),
    Number(fn(&mut O, usize)),
    Positive(fn(&mut O, NonZeroUsize)),
    /// The function may refuse the text.
    Parsed(Parse<O>),
    /// The function receives the word's name.
    Word(Words, fn(&mut O, &str)),
    Command(fn(&mut O, Vec<String>)),
}

/// Sets what a value means, or refuses the value.
type Parse<O> = fn(&mut O, &OsStr) -> Result<(), Refusal>;

/// Finds the name of a word, or refuses the word.
pub(super) type FindWord<'a> = &'a dyn Fn(&Words, &OsStr) -> Result<&'static str, Refusal>;

/// One flag of a command that sets `O`.
pub(crate) struct Flag<O: 'static> {
    pub(crate) spec: Spec,
    set: Set<O>,
}

impl<O> Flag<O> {
    fn of(names: Name, value: Option<Name>, takes: Takes, set: Set<O>) -> Self {
        Flag { spec: Spec::new(names, value, takes), set }
    }

    /// A flag without a value.
    pub(crate) fn on(names: Name, set: fn(&mut O)) -> Self {
        Flag::of(names, None, Takes::Nothing, Set::Nothing(set))
    }

    /// A flag that prints help or the version. `set` is told whether it was given by its letter.
    pub(super) fn answer(name: Name, set: fn(&mut O, bool)) -> Self {
        Flag::of(name, None, Takes::Answer, Set::Answer(set))
    }

    /// A flag without a value that its inverse takes back.
    pub(crate) fn switch(names: Name, set: fn(&mut O, bool)) -> Self {
        Flag::of(names, None, Takes::Nothing, Set::Switch(set))
    }

    /// A flag with a text.
    pub(crate) fn text(names: Name, value: Name, set: fn(&mut O, String)) -> Self {
        Flag::of(names, Some(value), Takes::Text, Set::Text(set))
    }

    /// A flag with a text that may have any bytes.
    pub(crate) fn bytes(names: Name, value: Name, set: fn(&mut O, OsString)) -> Self {
        Flag::of(names, Some(value), Takes::Text, Set::Bytes(set))
    }

    /// A flag with a path.
    pub(crate) fn path(names: Name, value: Name, set: fn(&mut O, PathBuf)) -> Self {
        Flag::of(names, Some(value), Takes::Path, Set::Path(set))
    }

    /// A flag with a number.
    pub(crate) fn number(names: Name, value: Name, set: fn(&mut O, usize)) -> Self {
        Flag::of(names, Some(value), Takes::Number, Set::Number(set))
    }

    /// A flag with a number that is not 0.
    pub(crate) fn positive(names: Name, value: Name, set: fn(&mut O, NonZeroUsize)) -> Self {
        Flag::of(names, Some(value), Takes::Positive, Set::Positive(set))
    }

    /// A flag with a text that `set` may refuse.
    pub(crate) fn parsed(names: Name, value: Name, set: Parse<O>) -> Self {
        Flag::of(names, Some(value), Takes::Parsed, Set::Parsed(set))
    }

    /// A flag with one of several words.
    pub(crate) fn word(names: Name, value: Name, words: Words, set: fn(&mut O, &str)) -> Self {
        Flag::of(names, Some(value), Takes::Word(words), Set::Word(words, set))
    }

    /// A flag with a command.
    pub(crate) fn command(names: Name, value: Name, set: fn(&mut O, Vec<String>)) -> Self {
        Flag::of(names, Some(value), Takes::Command, Set::Command(set))
    }

    /// An operand that begins with a dash, such as chmod's `-rwx`. It is recognised by one of these
    /// letters, which options may precede. The help does not show the flag.
    pub(crate) fn dashed(letters: &'static str, set: fn(&mut O, OsString)) -> Self {
        Flag::of("-", None, Takes::Dashed, Set::Bytes(set)).short(letters)
    }

    /// What the help says in one line.
    pub(crate) fn brief(mut self, brief: &'static str) -> Self {
        self.spec.brief = brief;
        self
    }

    /// The same, for a flag that the summary of `-h` leaves out.
    pub(crate) fn rare(self, brief: &'static str) -> Self {
        self.brief(brief).only_in_long_help()
    }

    /// Its letters, if its names did not give one.
    pub(crate) fn short(mut self, letters: &'static str) -> Self {
        self.spec.letters = letters;
        self
    }

    pub(crate) fn aliases(mut self, aliases: &'static str) -> Self {
        self.spec.aliases = aliases;
        self
    }

    pub(crate) fn inverse(mut self, inverse: &'static str) -> Self {
        self.spec.inverse = Some(inverse);
        self
    }

    pub(crate) fn bare(mut self, value: &'static str) -> Self {
        self.spec.bare = Some(value);
        self
    }

    pub(crate) fn needs(mut self, what: &'static str) -> Self {
        self.spec.needs = what;
        self
    }

    pub(crate) fn hyphens(mut self) -> Self {
        self.spec.hyphens = true;
        self
    }

    pub(crate) fn adds_up(mut self) -> Self {
        self.spec.adds_up = true;
        self
    }

    pub(crate) fn once(mut self, instead: &'static str) -> Self {
        self.spec.once = Some(instead);
        self
    }

    pub(crate) fn doc(mut self, doc: &'static str) -> Self {
        self.spec.doc = doc;
        self
    }

    pub(crate) fn only_in_long_help(mut self) -> Self {
        self.spec.show = Show::Long;
        self
    }

    pub(crate) fn hidden(mut self) -> Self {
        self.spec.show = Show::Never;
        self
    }

    pub(crate) fn overrides(mut self, others: &'static str) -> Self {
        self.spec.overrides = others;
        self
    }

    pub(crate) fn conflicts(mut self, others: &'static str) -> Self {
        self.spec.conflicts = others;
        self
    }

    pub(crate) fn requires(mut self, other: &'static str) -> Self {
        self.spec.requires = Some(other);
        self
    }

    /// For a flag that says what is looked for or done with it: configuration may not hold it.
    pub(crate) fn on_the_command_line_alone(mut self) -> Self {
        self.spec.typed_only = true;
        self
    }

    pub(crate) fn whole(mut self) -> Self {
        self.spec.whole = true;
        self
    }

    /// Sets what was said of the flag. `word` finds a word's name.
    ///
    /// # Errors
    /// The value is refused.
    pub(super) fn set(
        &self,
        said: &Said<'_>,
        options: &mut O,
        word: FindWord<'_>,
    ) -> Result<(), Refusal> {
        let words = match said {
            Said::On { .. } | Said::Off => &[],
            Said::Value(value) => std::slice::from_ref(value),
            Said::Command(words) => &words[..],
        };
        let value = words.first().copied().unwrap_or_default();
        let text = || value.to_str().ok_or_else(|| Refusal::usage("not UTF-8"));
        match self.set {
            Set::Nothing(set) => set(options),
            Set::Switch(set) => set(options, !matches!(said, Said::Off)),
            Set::Answer(set) => set(options, matches!(said, Said::On { by_letter: true })),
            Set::Text(set) => set(options, text()?.to_owned()),
            Set::Bytes(set) => set(options, value.to_owned()),
            Set::Path(set) => set(options, value.into()),
            Set::Number(set) => set(options, text()?.parse()?),
            Set::Positive(set) => set(options, text()?.parse()?),
            Set::Parsed(set) => set(options, value)?,
            Set::Word(words, set) => set(options, word(&words, value)?),
            Set::Command(set) => {
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

impl<O: Default> Flag<O> {
    /// The flag as clap takes it.
    fn arg(&self) -> Arg {
        match self.set {
            Set::Parsed(set) => {
                checked(self.spec.arg(), Arc::new(move |text| set(&mut O::default(), text)))
            }
            _ => self.spec.arg(),
        }
    }
}
