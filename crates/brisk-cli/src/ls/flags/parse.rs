//! Command lines as getopt_long reads them: letters in clusters, long names abbreviated, options
//! and paths mixed. Refusals are in getopt's words.

use std::ffi::{OsStr, OsString};

use super::{Answer, Flag, Given, Refusal, Takes, table};
use crate::common::safe::os_str;

/// Whether options are looked for after the first path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mixing {
    /// Everywhere, up to `--`.
    Free,
    /// Up to the first path, as POSIX requires (`POSIXLY_CORRECT`).
    PathsLast,
}

/// Reads words into `given`; a word overrides what `given` holds.
///
/// # Errors
/// The refusal of the first word that is not understood.
pub(crate) fn parse(words: &[OsString], mixing: Mixing, given: &mut Given) -> Result<(), Refusal> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_encoded_bytes() {
            b"--" => given.paths.extend(words.by_ref().cloned()),
            [b'-', b'-', body @ ..] => long(body, &mut words, given)?,
            [b'-', letters @ ..] if !letters.is_empty() => short(letters, &mut words, given)?,
            _ => {
                given.paths.push(word.clone());
                if mixing == Mixing::PathsLast {
                    given.paths.extend(words.by_ref().cloned());
                }
            }
        }
        if given.answer.is_some() {
            break;
        }
    }
    Ok(())
}

/// A long option: a flag of the table, or help or the version.
enum Long {
    Flag(&'static Flag),
    Answer(&'static str, Answer),
}

impl Long {
    fn name(&self) -> &'static str {
        match self {
            Long::Flag(flag) => flag.long.unwrap_or_default(),
            Long::Answer(name, _) => name,
        }
    }
}

/// All long options: GNU's, or those that only brisk has.
fn longs(own: bool) -> impl Iterator<Item = Long> {
    let answers = [("help", Answer::Help), ("version", Answer::Version)];
    let answers = answers.into_iter().filter(move |_| !own);
    table()
        .filter(move |flag| flag.own == own && flag.long.is_some())
        .map(Long::Flag)
        .chain(answers.map(|(name, answer)| Long::Answer(name, answer)))
}

/// The order in which GNU ls lists the options that an abbreviation may mean.
const ORDER: &[&str] = &[
    "all",
    "escape",
    "directory",
    "dired",
    "full-time",
    "group-directories-first",
    "human-readable",
    "inode",
    "kibibytes",
    "numeric-uid-gid",
    "no-group",
    "hide-control-chars",
    "reverse",
    "size",
    "width",
    "almost-all",
    "ignore-backups",
    "classify",
    "file-type",
    "si",
    "dereference-command-line",
    "dereference-command-line-symlink-to-dir",
    "hide",
    "ignore",
    "indicator-style",
    "dereference",
    "literal",
    "quote-name",
    "quoting-style",
    "recursive",
    "format",
    "show-control-chars",
    "sort",
    "tabsize",
    "time",
    "time-style",
    "zero",
    "color",
    "hyperlink",
    "block-size",
    "context",
    "author",
    "help",
    "version",
];

/// The options whose names begin with `name`; the exact one alone, if there is one.
fn matching(name: &[u8], own: bool) -> Vec<Long> {
    let mut found = Vec::new();
    for long in longs(own) {
        if long.name().as_bytes() == name {
            return vec![long];
        }
        if long.name().as_bytes().starts_with(name) {
            found.push(long);
        }
    }
    found.sort_by_key(|long| ORDER.iter().position(|name| *name == long.name()));
    found
}

fn long<'w>(
    body: &[u8],
    rest: &mut impl Iterator<Item = &'w OsString>,
    given: &mut Given,
) -> Result<(), Refusal> {
    let at = body.iter().position(|byte| *byte == b'=');
    let (name, attached) = match at {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let mut found = matching(name, false);
    if found.is_empty() {
        found = matching(name, true);
    }
    let shown = String::from_utf8_lossy(body);
    match &found[..] {
        [] => Err(Refusal::option(format!("unrecognized option '--{shown}'"))),
        [Long::Answer(name, _)] if attached.is_some() => unwanted(name),
        [Long::Answer(_, answer)] => {
            given.answer = Some(*answer);
            Ok(())
        }
        [Long::Flag(flag)] => take_long(flag, attached, rest, given),
        several => {
            let names = several.iter().map(|long| format!("'--{}'", long.name()));
            let names: Vec<String> = names.collect();
            let names = names.join(" ");
            let message = format!("option '--{shown}' is ambiguous; possibilities: {names}");
            Err(Refusal::option(message))
        }
    }
}

fn unwanted(name: &str) -> Result<(), Refusal> {
    Err(Refusal::option(format!("option '--{name}' doesn't allow an argument")))
}

fn take_long<'w>(
    flag: &'static Flag,
    attached: Option<&[u8]>,
    rest: &mut impl Iterator<Item = &'w OsString>,
    given: &mut Given,
) -> Result<(), Refusal> {
    let name = flag.long.unwrap_or_default();
    match (flag.takes, attached) {
        (Takes::Nothing(_), Some(_)) => unwanted(name),
        (Takes::Nothing(set), None) => {
            set(given);
            Ok(())
        }
        (Takes::OptionalWord(_, of, set), None) => set(given, OsStr::new(of.groups[0][0])),
        (
            Takes::Value(_, set) | Takes::Word(_, _, set) | Takes::OptionalWord(_, _, set),
            Some(value),
        ) => set(given, os_str(value)),
        (Takes::Value(_, set) | Takes::Word(_, _, set), None) => match rest.next() {
            Some(value) => set(given, value),
            None => Err(Refusal::option(format!("option '--{name}' requires an argument"))),
        },
    }
}

fn short<'w>(
    letters: &[u8],
    rest: &mut impl Iterator<Item = &'w OsString>,
    given: &mut Given,
) -> Result<(), Refusal> {
    for (at, letter) in letters.iter().enumerate() {
        let flag = table().find(|flag| flag.short.is_some_and(|c| c == char::from(*letter)));
        let Some(flag) = flag else {
            let shown = String::from_utf8_lossy(&letters[at..=at]).into_owned();
            return Err(Refusal::option(format!("invalid option -- '{shown}'")));
        };
        match flag.takes {
            Takes::Nothing(set) => set(given),
            // A letter takes no optional value.
            Takes::OptionalWord(_, of, set) => set(given, OsStr::new(of.groups[0][0]))?,
            Takes::Value(_, set) | Takes::Word(_, _, set) => {
                let attached = &letters[at + 1..];
                if !attached.is_empty() {
                    return set(given, os_str(attached));
                }
                let Some(value) = rest.next() else {
                    let letter = char::from(*letter);
                    let message = format!("option requires an argument -- '{letter}'");
                    return Err(Refusal::option(message));
                };
                return set(given, value);
            }
        }
    }
    Ok(())
}
