//! [`Parsed`]: the command line of a command of brisk's own, whose flags may override, exclude and
//! require one another. It is read from the flag table: clap, which takes 0.15 ms to build, only makes
//! help, man pages, completions and fd's refusals.

use std::ffi::{OsStr, OsString};

use super::flag::{FlagTable, Said, Specs, flag_of};
use super::getopt::{LinePart, RefuseWord, Split, Style};
use super::refusal::Refusal;
use super::spec::{Spec, Takes};
use super::words::Words;

/// What a line says, before any option is set.
pub(crate) struct Parsed<'w> {
    table: &'static dyn Specs,
    /// Flags in order, without those that a later one overrides.
    given: Vec<(&'static Spec, Said<'w>)>,
    pub(crate) operands: Vec<&'w OsStr>,
    /// The flag that asks for help or the version.
    answer: Option<(&'static Spec, Said<'w>)>,
}

/// Whether a name is among those that a flag lists.
fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|listed| listed == name)
}

/// The name by which other flags know it.
fn name((flag, said): &(&'static Spec, Said<'_>)) -> &'static str {
    match said {
        Said::Off => flag.inverse.unwrap_or(flag.name),
        _ => flag.name,
    }
}

impl<'w> Parsed<'w> {
    /// Reads words into `options`.
    ///
    /// # Errors
    /// As [`split`](Parsed::split), [`check`](Parsed::check) and [`set`](Parsed::set).
    pub(crate) fn read<O>(
        table: &'static FlagTable<O>,
        operand: fn(&mut O, OsString),
        words: &'w [OsString],
        options: &mut O,
    ) -> Result<Parsed<'w>, Refusal> {
        let line = Parsed::split(table, words, |_, _| None)?;
        line.check(&[])?;
        line.operands.iter().for_each(|word| operand(options, (*word).to_owned()));
        line.set(table, options)?;
        Ok(line)
    }

    /// Splits words, up to the first that asks for help or the version.
    ///
    /// # Errors
    /// An unknown flag, a word that `refuse_word` refuses, or a flag without its value.
    pub(crate) fn split(
        table: &'static dyn Specs,
        words: &'w [OsString],
        refuse_word: RefuseWord,
    ) -> Result<Parsed<'w>, Refusal> {
        let mut line = Parsed { table, given: Vec::new(), operands: Vec::new(), answer: None };
        for given in Split::new(table, Style::Brisk(refuse_word), words) {
            match given? {
                LinePart::Operand(word) => line.operands.push(word),
                LinePart::Flag(flag, said) if matches!(flag.takes, Takes::Answer) => {
                    line.answer = Some((flag, said));
                    break;
                }
                LinePart::Flag(flag, said) => {
                    let is_again = line.flags().any(|given| std::ptr::eq(given, flag));
                    if let Some(instead) = flag.once.filter(|_| is_again) {
                        let why = format!("'{}' was given twice: {instead}", flag.spelling());
                        return Err(Refusal::hinted(why));
                    }
                    line.add(flag, said);
                }
            }
        }
        Ok(line)
    }

    /// Adds a flag, and removes the flags that it overrides.
    fn add(&mut self, flag: &'static Spec, said: Said<'w>) {
        let new = (flag, said);
        let is_off = matches!(new.1, Said::Off);
        self.given.retain(|old| {
            let is_same = std::ptr::eq(old.0, flag);
            let overridden = !is_off && lists(flag.overrides, name(old));
            let overrides = !matches!(old.1, Said::Off) && lists(old.0.overrides, name(&new));
            !(overridden || overrides || is_same && !(flag.adds_up && name(old) == name(&new)))
        });
        self.given.push(new);
    }

    /// The flags that were given.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &'static Spec> {
        self.given.iter().chain(&self.answer).map(|(flag, _)| *flag)
    }

    /// What was given, in the table's order.
    fn in_order(&self) -> impl Iterator<Item = &(&'static Spec, Said<'w>)> {
        let is_of = |flag: &'static Spec| move |given: &&(&_, _)| std::ptr::eq(given.0, flag);
        // A line without flags needs no table.
        let table = (!self.given.is_empty()).then_some(self.table);
        table
            .into_iter()
            .flat_map(Specs::specs)
            .flat_map(move |flag| self.given.iter().filter(is_of(flag)))
    }

    /// The wanted flags of this line, as words again.
    pub(crate) fn words(&self, is_wanted: impl Fn(&Spec) -> bool) -> Vec<OsString> {
        let wanted = self.in_order().filter(|(flag, _)| is_wanted(flag));
        let word = |given: &(&'static Spec, Said<'w>)| {
            let mut word = OsString::from(format!("--{}", name(given)));
            if let Said::Value(value) = given.1 {
                word.push("=");
                word.push(value);
            }
            word
        };
        wanted.map(word).collect()
    }

    /// Checks that no flag excludes another, or lacks one that it requires. `operands` are the names
    /// of those that were given, as flags know them, each with how usages show it.
    ///
    /// # Errors
    /// Two flags exclude each other, or one lacks another.
    pub(crate) fn check(&self, operands: &[(&str, &str)]) -> Result<(), Refusal> {
        let on = || self.given.iter().filter(|(_, said)| !matches!(said, Said::Off));
        for (one, _) in on() {
            let operand = operands.iter().find(|(name, _)| lists(one.conflicts, name));
            let excludes =
                |other: &Spec| lists(one.conflicts, other.name) || lists(other.conflicts, one.name);
            let flag =
                || on().find(|(other, _)| excludes(other)).map(|(other, _)| other.spelling());
            if let Some(other) = operand.map(|(_, shown)| (*shown).to_owned()).or_else(flag) {
                let why = format!("'{}' cannot be used with '{other}'", one.spelling());
                return Err(Refusal::hinted(why));
            }
            let Some(needed) = one.requires else { continue };
            if !on().any(|(other, _)| other.name == needed) {
                let needed = self.table.specs().find(|flag| flag.name == needed);
                let needed = needed.expect("BUG: a flag requires one that there is not");
                let why = format!("'{}' requires '{}'", one.spelling(), needed.spelling());
                return Err(Refusal::hinted(why));
            }
        }
        Ok(())
    }

    /// Sets what the flags mean, in the table's order; or only the help or version that the line
    /// asks for.
    ///
    /// # Errors
    /// A value is refused.
    pub(crate) fn set<O>(
        &self,
        table: &'static FlagTable<O>,
        options: &mut O,
    ) -> Result<(), Refusal> {
        if let Some((flag, said)) = &self.answer {
            return flag_of(table, flag).set(said, options, &exact);
        }
        for (flag, said) in self.in_order() {
            flag_of(table, flag).set(said, options, &exact).map_err(|why| match said {
                Said::Value(value) => flag.refused(value, &why),
                _ => why,
            })?;
        }
        Ok(())
    }
}

/// The name of a word; abbreviations are refused.
fn exact(words: &Words, given: &OsStr) -> Result<&'static str, Refusal> {
    words.exact(given).ok_or_else(|| Refusal::usage("no such word"))
}
