//! Splits command lines into flags and operands, mixed in any order, with letters in clusters: as
//! getopt_long does, with getopt's messages and, under GNU's names, abbreviations ([`Style::Gnu`]),
//! or with names in full, and brisk's own message about a missing value ([`Style::Brisk`]).

use std::ffi::{OsStr, OsString};

use brisk_sys::quoting::quoted;
use clap::{Arg, Command};

use super::flag::{FlagTable, Said, Specs, flag_of};
use super::messages::Caller;
use super::refusal::Refusal;
use super::spec::{Spec, Takes};
use super::suggest::nearest;
use super::texts;
use super::words::Words;
use crate::show::safe::os_str;

/// Looks at a word with one dash before its letters are read, and at the words that follow. `Some`
/// is the reason to refuse the word.
pub(crate) type RefuseWord = fn(&OsStr, &[OsString]) -> Option<String>;

/// How words are read.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    /// As a command that is none of GNU's: full names; a value that is a word of its own begins
    /// with no dash, unless the flag says so; `-x=value` is read as `--xxx=value` is.
    Brisk(RefuseWord),
    /// As GNU's commands, also under brisk's own name (`brisk rm`): a value that is a word of its own
    /// may begin with a dash.
    Gnu {
        /// GNU's long names, in the order in which GNU lists what an abbreviation may mean; empty
        /// under brisk's own name, where names are spelled in full.
        order: &'static str,
        /// Letters of the table that are unknown here.
        without: &'static str,
    },
}

/// A part of a command line.
pub(crate) enum LinePart<'w> {
    Flag(&'static Spec, Said<'w>),
    Operand(&'w OsStr),
}

/// The parts of a command line, in order.
pub(crate) struct Split<'w> {
    table: &'static dyn Specs,
    style: Style,
    /// Whether the first operand ends the options, as POSIX requires.
    operands_last: bool,
    words: std::slice::Iter<'w, OsString>,
    /// The word whose letters are being read.
    word: &'w OsStr,
    /// The letters of this word that have not been read yet.
    cluster: &'w [u8],
    operands_only: bool,
}

impl<'w> Split<'w> {
    /// The variable POSIXLY_CORRECT counts for GNU's commands.
    pub(crate) fn new(table: &'static dyn Specs, style: Style, words: &'w [OsString]) -> Self {
        let is_gnu = matches!(style, Style::Gnu { .. });
        Split {
            table,
            style,
            operands_last: is_gnu && std::env::var_os("POSIXLY_CORRECT").is_some(),
            words: words.iter(),
            word: OsStr::new(""),
            cluster: &[],
            operands_only: false,
        }
    }

    fn long(&mut self, body: &'w [u8]) -> Result<LinePart<'w>, Refusal> {
        let at = body.iter().position(|byte| *byte == b'=');
        if let Some(flag) = self.inverse(body) {
            return Ok(LinePart::Flag(flag, Said::Off));
        }
        let flag = self.named(&body[..at.unwrap_or(body.len())], body)?;
        let attached = at.map(|at| os_str(&body[at + 1..]));
        let name = flag.name;
        if flag.value.is_none() {
            if attached.is_none() {
                return Ok(LinePart::Flag(flag, Said::On { by_letter: false }));
            }
            return Err(Refusal::hinted(format!("option '--{name}' doesn't allow an argument")));
        }
        let missing = || format!("option '--{name}' requires an argument");
        self.with_value(flag, attached, missing)
    }

    /// A flag that takes a value: the one that is attached, or what follows.
    fn with_value(
        &mut self,
        flag: &'static Spec,
        attached: Option<&'w OsStr>,
        missing: impl Fn() -> String,
    ) -> Result<LinePart<'w>, Refusal> {
        let next = self.words.as_slice().first().map(OsString::as_os_str);
        let is_brisk = matches!(self.style, Style::Brisk(_));
        let none = || Refusal::hinted(if is_brisk { flag.without_value(next) } else { missing() });
        if matches!(flag.takes, Takes::Command) {
            let words = attached.map_or_else(|| self.command(), |word| vec![word]);
            let said = Some(words).filter(|words| !words.is_empty()).map(Said::Command);
            return Ok(LinePart::Flag(flag, said.ok_or_else(none)?));
        }
        let value = match (attached, flag.bare) {
            (Some(value), _) => Some(value),
            (None, Some("")) => self.next_value(flag).or(Some(OsStr::new(""))),
            (None, Some(bare)) => Some(OsStr::new(bare)),
            (None, None) => self.next_value(flag),
        };
        Ok(LinePart::Flag(flag, Said::Value(value.ok_or_else(none)?)))
    }

    /// The next word, if it is a flag's value.
    fn next_value(&mut self, flag: &Spec) -> Option<&'w OsStr> {
        let word = self.words.as_slice().first()?;
        let is_dashed = matches!(word.as_encoded_bytes(), [b'-', _, ..]);
        let may_be_dashed =
            flag.hyphens || matches!(self.style, Style::Gnu { .. }) && flag.bare.is_none();
        if is_dashed && !may_be_dashed {
            return None;
        }
        self.words.next().map(OsString::as_os_str)
    }

    /// The words up to `;` or the end.
    fn command(&mut self) -> Vec<&'w OsStr> {
        let words = self.words.by_ref().map(OsString::as_os_str);
        words.take_while(|word| *word != ";").collect()
    }

    /// The switch that a long name takes back.
    fn inverse(&self, name: &[u8]) -> Option<&'static Spec> {
        let is = |flag: &&Spec| flag.inverse.is_some_and(|other| other.as_bytes() == name);
        self.table.specs().find(is)
    }

    /// The flag that a long name spells. Of GNU's names an abbreviation is enough, under the name of
    /// GNU's command.
    fn named(&self, name: &[u8], body: &[u8]) -> Result<&'static Spec, Refusal> {
        let word = [b"--", body].concat();
        let shown = quoted(&word);
        let longs = || self.table.specs().filter(|flag| !flag.is_letter());
        let is = |word: &str| word.as_bytes() == name;
        let is_it = |flag: &&Spec| is(flag.name) || flag.aliases.split_ascii_whitespace().any(is);
        if let Some(flag) = longs().find(is_it) {
            return Ok(flag);
        }
        let order = match self.style {
            Style::Gnu { order, .. } => order,
            Style::Brisk(_) => "",
        };
        let begins = |long: &str| long.as_bytes().starts_with(name);
        let meant = order.split(' ').filter(|long| begins(long));
        let found: Vec<_> = meant.filter_map(|it| longs().find(|flag| flag.name == it)).collect();
        match &found[..] {
            [] => {}
            [flag] if flag.whole => {
                let message = format!("you may not abbreviate the --{} option", flag.name);
                return Err(Refusal::usage(message));
            }
            [flag] => return Ok(flag),
            several => {
                let names: String =
                    several.iter().map(|flag| format!(" '--{}'", flag.name)).collect();
                return Err(Refusal::hinted(format!(
                    "option {shown} is ambiguous; possibilities:{names}"
                )));
            }
        }
        let unknown = format!("unrecognized option {shown}");
        let text = String::from_utf8_lossy(name);
        if let Some(hint) = other_command(&text).filter(|_| order.is_empty()) {
            return Err(Refusal::hinted(format!("{unknown}: {hint}")));
        }
        let full: Vec<_> = longs().filter(|flag| begins(flag.name)).map(Spec::spelling).collect();
        if order.is_empty() && !name.is_empty() && !full.is_empty() {
            let full = full.join(", ");
            return Err(Refusal::hinted(format!("{unknown}: names are written in full: {full}")));
        }
        let near = nearest(&text, longs().map(|flag| flag.name));
        Err(Refusal { near, ..Refusal::hinted(unknown) })
    }

    fn short(&mut self, letter: u8) -> Result<LinePart<'w>, Refusal> {
        let shown = quoted(std::slice::from_ref(&letter));
        let flag = self.table.specs().find(|flag| flag.letters.as_bytes().contains(&letter));
        let is_known = match self.style {
            Style::Brisk(_) => true,
            Style::Gnu { without, .. } => !without.as_bytes().contains(&letter),
        };
        let invalid = || {
            let text = char::from(letter).to_string();
            let near = nearest(&text, self.table.specs().map(|flag| flag.name));
            Refusal { near, ..Refusal::hinted(format!("invalid option -- {shown}")) }
        };
        let flag = flag.filter(|_| is_known).ok_or_else(invalid)?;
        if matches!(flag.takes, Takes::Dashed) {
            self.cluster = &[];
            return Ok(LinePart::Flag(flag, Said::Value(self.word)));
        }
        if flag.value.is_none() {
            return Ok(LinePart::Flag(flag, Said::On { by_letter: true }));
        }
        // A letter takes no optional value.
        if let Some(bare) = flag.bare {
            return Ok(LinePart::Flag(flag, Said::Value(OsStr::new(bare))));
        }
        let attached = match std::mem::take(&mut self.cluster) {
            [] => None,
            [b'=', value @ ..] if matches!(self.style, Style::Brisk(_)) => Some(os_str(value)),
            attached => Some(os_str(attached)),
        };
        let missing = || format!("option requires an argument -- {shown}");
        self.with_value(flag, attached, missing)
    }
}

impl<'w> Iterator for Split<'w> {
    type Item = Result<LinePart<'w>, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if let [letter, rest @ ..] = self.cluster {
            self.cluster = rest;
            return Some(self.short(*letter));
        }
        let word = self.words.next()?;
        match word.as_encoded_bytes() {
            _ if self.operands_only => {}
            b"--" => {
                self.operands_only = true;
                return self.next();
            }
            [b'-', b'-', body @ ..] => return Some(self.long(body)),
            [b'-', cluster @ ..] if !cluster.is_empty() => {
                if let Style::Brisk(refuse_word) = self.style
                    && let Some(why) = refuse_word(word, self.words.as_slice())
                {
                    return Some(Err(Refusal::usage(why)));
                }
                self.word = word;
                self.cluster = cluster;
                return self.next();
            }
            _ => self.operands_only = self.operands_last,
        }
        Some(Ok(LinePart::Operand(word)))
    }
}

/// The command line of a command that reads its words as GNU's does.
pub(crate) struct Getopt<O: 'static> {
    pub(crate) table: FlagTable<O>,
    /// As in [`Style::Gnu`].
    pub(crate) order: &'static str,
    pub(crate) operand: fn(&mut O, OsString),
    /// Letters that GNU's command does not have. Under that command's name they are unknown.
    pub(crate) added: &'static str,
}

impl<O> Getopt<O> {
    /// The command's help for this caller: without the letters that it does not know.
    pub(crate) fn known(&self, caller: Caller, command: Command) -> Command {
        let without = self.without(caller);
        let is_unknown = |arg: &Arg| arg.get_short().is_some_and(|it| without.contains(it));
        command.mut_args(|arg| if is_unknown(&arg) { arg.short(None) } else { arg })
    }

    /// Letters of the table that are unknown to this caller.
    fn without(&self, caller: Caller) -> &'static str {
        if caller == Caller::Brisk { "" } else { self.added }
    }

    /// Reads words into `options`, up to the first that asks for help or the version.
    ///
    /// # Errors
    /// The refusal of the first word that is not understood.
    pub(crate) fn read(
        &'static self,
        caller: Caller,
        words: &[OsString],
        options: &mut O,
    ) -> Result<(), Refusal> {
        let order = if caller == Caller::Brisk { "" } else { self.order };
        let style = Style::Gnu { order, without: self.without(caller) };
        for given in Split::new(&self.table, style, words) {
            match given? {
                LinePart::Operand(word) => (self.operand)(options, word.to_owned()),
                LinePart::Flag(spec, said) => {
                    self.set(spec, &said, caller, options)?;
                    if matches!(spec.takes, Takes::Answer) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn set(
        &'static self,
        spec: &Spec,
        said: &Said<'_>,
        caller: Caller,
        options: &mut O,
    ) -> Result<(), Refusal> {
        let word = |words: &Words, given: &OsStr| {
            // GNU ls exits with 1 for a word that an option does not know, with 2 for other refusals.
            let code = if caller == Caller::Brisk { 2 } else { 1 };
            let refused = || Refusal {
                message: words.refusal(&spec.spelling(), given),
                code,
                ..Refusal::hinted("")
            };
            words.get(given).ok_or_else(refused)
        };
        let set = flag_of(&self.table, spec).set(said, options, &word);
        match said {
            Said::Value(value) if !spec.needs.is_empty() => {
                set.map_err(|why| spec.refused(value, &why))
            }
            _ => set,
        }
    }
}

/// Which command does what this unknown option asks for.
fn other_command(name: &str) -> Option<&'static str> {
    match name {
        "csv" => Some(texts::CSV),
        "or" | "not" => Some(texts::OR),
        _ if name.contains("atime") || name.contains("access") => Some(texts::ATIME),
        _ => None,
    }
}
