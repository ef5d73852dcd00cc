//! Command lines as getopt_long reads them: letters in clusters, long names abbreviated, options
//! and operands mixed. The error messages are those of getopt.

use std::ffi::{OsStr, OsString};

use brisk_sys::quoting::quoted;

use super::flag::{Flag, Refusal, Table, Takes, flags};
use super::suggest::nearest;
use crate::show::quoting::as_argument;
use crate::show::safe::os_str;

/// Whether options are looked for after the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mixing {
    /// Everywhere, up to `--`.
    Free,
    /// Up to the first operand, as POSIX requires.
    OperandsLast,
}

impl Mixing {
    /// What the value of `POSIXLY_CORRECT` means.
    pub(crate) fn new(posixly_correct: Option<OsString>) -> Mixing {
        posixly_correct.map_or(Mixing::Free, |_| Mixing::OperandsLast)
    }
}

/// How long names are matched.
#[derive(Clone, Copy)]
pub(crate) enum Names {
    /// In full.
    Exact,
    /// By their beginnings. This is GNU's order of the names that one may mean; names that are not
    /// in it come first, in the table's order.
    Abbreviated(&'static str),
}

/// A part of a command line.
pub(crate) enum Given<'w, O: 'static> {
    Flag {
        flag: &'static Flag<O>,
        value: Option<&'w OsStr>,
        by_letter: bool,
    },
    /// The inverse of a switch.
    Inverse(fn(&mut O, bool)),
    Operand(&'w OsStr),
}

/// The parts of a command line, in order.
pub(crate) struct Split<'w, O: 'static> {
    table: Table<O>,
    names: Names,
    mixing: Mixing,
    words: std::slice::Iter<'w, OsString>,
    /// The letters of the current word that are not read yet.
    cluster: &'w [u8],
    operands_only: bool,
    /// Letters that are not read.
    without: &'static str,
}

impl<'w, O> Split<'w, O> {
    pub(crate) fn new(
        table: Table<O>,
        names: Names,
        mixing: Mixing,
        words: &'w [OsString],
    ) -> Self {
        Split {
            table,
            names,
            mixing,
            words: words.iter(),
            cluster: &[],
            operands_only: false,
            without: "",
        }
    }

    /// The same, but these letters are not read.
    pub(crate) fn without(self, letters: &'static str) -> Self {
        Split { without: letters, ..self }
    }

    fn long(&mut self, body: &'w [u8]) -> Result<Given<'w, O>, Refusal> {
        let at = body.iter().position(|byte| *byte == b'=');
        if let Some(set) = self.inverse(body) {
            return Ok(Given::Inverse(set));
        }
        let flag = self.named(&body[..at.unwrap_or(body.len())], body)?;
        let attached = at.map(|at| os_str(&body[at + 1..]));
        let name = flag.name;
        if flag.takes.value().is_none() {
            let unwanted = || format!("option '--{name}' doesn't allow an argument");
            let given = Given::Flag { flag, value: None, by_letter: false };
            return attached.map_or(Ok(given), |_| Err(Refusal::option(unwanted())));
        }
        let next = || self.words.next().map(OsString::as_os_str);
        let value = attached.or(flag.bare.map(OsStr::new)).or_else(next);
        let missing = || Refusal::option(format!("option '--{name}' requires an argument"));
        Ok(Given::Flag { flag, value: Some(value.ok_or_else(missing)?), by_letter: false })
    }

    /// The switch that a long name takes back.
    fn inverse(&self, name: &[u8]) -> Option<fn(&mut O, bool)> {
        let is = |flag: &&Flag<O>| flag.inverse.is_some_and(|other| other.as_bytes() == name);
        match flags(self.table).find(is)?.takes {
            Takes::Switch(set) => Some(set),
            _ => None,
        }
    }

    /// The flag that a long name spells. GNU's names are looked up first, so that brisk's make none
    /// of GNU's abbreviations ambiguous.
    fn named(&self, name: &[u8], body: &[u8]) -> Result<&'static Flag<O>, Refusal> {
        let word = [b"--", body].concat();
        let shown = quoted(&word);
        let longs = || flags(self.table).filter(|flag| !flag.short_only);
        let is = |word: &&str| word.as_bytes() == name;
        if let Some(flag) = longs().find(|flag| is(&flag.name) || flag.aliases.iter().any(is)) {
            return Ok(flag);
        }
        let unknown = || Refusal {
            near: nearest(&String::from_utf8_lossy(name), longs().map(|flag| flag.name)),
            ..Refusal::option(format!("unrecognized option {shown}"))
        };
        let Names::Abbreviated(order) = self.names else { return Err(unknown()) };
        for own in [false, true] {
            let begins =
                |flag: &&'static Flag<O>| flag.own == own && flag.name.as_bytes().starts_with(name);
            let mut found: Vec<_> = longs().filter(begins).collect();
            found.sort_by_key(|flag| order.split(' ').position(|name| name == flag.name));
            match &found[..] {
                [] => {}
                [flag] if flag.whole => {
                    let message = format!("you may not abbreviate the --{} option", flag.name);
                    return Err(Refusal::value(message));
                }
                [flag] => return Ok(flag),
                several => {
                    let names: String =
                        several.iter().map(|flag| format!(" '--{}'", flag.name)).collect();
                    return Err(Refusal::option(format!(
                        "option {shown} is ambiguous; possibilities:{names}"
                    )));
                }
            }
        }
        Err(unknown())
    }

    fn short(&mut self, letter: u8) -> Result<Given<'w, O>, Refusal> {
        let shown = quoted(std::slice::from_ref(&letter));
        let is_read = !self.without.as_bytes().contains(&letter);
        let mut known = flags(self.table).filter(|_| is_read);
        let flag = known.find(|flag| flag.letters.as_bytes().contains(&letter));
        let invalid = || Refusal::option(format!("invalid option -- {shown}"));
        let flag = flag.ok_or_else(invalid)?;
        // A letter takes no optional value.
        let mut value = flag.bare.map(OsStr::new);
        if value.is_none() && flag.takes.value().is_some() {
            value = match std::mem::take(&mut self.cluster) {
                [] => self.words.next().map(OsString::as_os_str),
                attached => Some(os_str(attached)),
            };
            let missing = || format!("option requires an argument -- {shown}");
            value.ok_or_else(|| Refusal::option(missing()))?;
        }
        Ok(Given::Flag { flag, value, by_letter: true })
    }
}

impl<'w, O> Iterator for Split<'w, O> {
    type Item = Result<Given<'w, O>, Refusal>;

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
                self.cluster = cluster;
                return self.next();
            }
            _ => self.operands_only = self.mixing == Mixing::OperandsLast,
        }
        Some(Ok(Given::Operand(word)))
    }
}

/// The command line of a command that reads its words as GNU's does.
pub(crate) struct Getopt<O: 'static> {
    pub(crate) table: Table<O>,
    pub(crate) names: Names,
    pub(crate) operand: fn(&mut O, OsString),
    /// Letters of the table that are not read.
    pub(crate) without: &'static str,
}

impl<O> Getopt<O> {
    /// Reads words into `options`, up to the first that asks for help or the version.
    ///
    /// # Errors
    /// The refusal of the first word that is not understood.
    pub(crate) fn read(
        &self,
        words: &[OsString],
        mixing: Mixing,
        options: &mut O,
    ) -> Result<(), Refusal> {
        let split = Split::new(self.table, self.names, mixing, words).without(self.without);
        for given in split {
            match given? {
                Given::Operand(word) => (self.operand)(options, word.to_owned()),
                Given::Flag { flag: Flag { takes: Takes::Answer(set), .. }, by_letter, .. } => {
                    set(options, by_letter);
                    break;
                }
                Given::Flag { flag, value, .. } => self.set(flag, value, options)?,
                Given::Inverse(set) => set(options, false),
            }
        }
        Ok(())
    }

    fn set(
        &self,
        flag: &'static Flag<O>,
        value: Option<&OsStr>,
        options: &mut O,
    ) -> Result<(), Refusal> {
        let option = flag.spelling();
        let set = flag.takes.set(value, options, |words, given| {
            words.get(given).ok_or_else(|| Refusal {
                message: words.refusal(&option, given),
                hint: true,
                code: 1,
                near: None,
            })
        });
        match (set, &flag.takes) {
            (Err(_), Takes::Number(..) | Takes::Workers(..)) => {
                let shown = as_argument(value.unwrap_or_default().as_encoded_bytes());
                let option = as_argument(option.as_bytes());
                Err(Refusal::value(format!("invalid argument {shown} for {option}")))
            }
            (set, _) => set,
        }
    }
}
