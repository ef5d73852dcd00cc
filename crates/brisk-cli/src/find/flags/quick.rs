//! Reads ordinary command lines from the flag table alone.
//!
//! To build clap's command costs 0.15 ms of a start that takes GNU find 1.2 ms in all. So clap is
//! asked only where it has an answer of its own: help, refusals, flags that override or exclude one
//! another, commands to run. This reader returns `None` for every line that is not plain, and never
//! refuses a line itself. A test compares both readers on every pair of the table's cases.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::find::options::{Flag, Options, Origin};
use crate::front::getopt::{Given, Mixing, Names, Split};
use crate::front::{Refusal, Table, Words, flags};

/// What a line says, before any option is set.
#[derive(Default)]
struct Line<'w> {
    given: Vec<(&'static Flag, Option<&'w OsStr>)>,
    positionals: Vec<&'w OsStr>,
}

/// The options with this layer added, or `None` if clap must be asked.
pub(super) fn read(
    table: Table<Options>,
    origin: Origin,
    words: &[OsString],
    options: &Options,
) -> Option<Options> {
    let line = Line::split(table, words)?;
    line.is_free_of_relations().then_some(())?;
    (origin == Origin::CommandLine || line.may_be_configured()).then_some(())?;
    let mut options = options.clone();
    if let Some((pattern, paths)) = line.positionals.split_first() {
        pattern.to_str()?.clone_into(&mut options.matching.pattern);
        if !paths.is_empty() {
            options.walking.paths = paths.iter().map(PathBuf::from).collect();
        }
    }
    // In the table's order, as with clap.
    for flag in flags(table) {
        for (_, value) in line.given.iter().filter(|(given, _)| std::ptr::eq(*given, flag)) {
            flag.takes.set(*value, &mut options, spelled).ok()?;
        }
    }
    Some(options)
}

/// The name of a word; abbreviations are refused.
pub(super) fn spelled(words: &Words, given: &OsStr) -> Result<&'static str, Refusal> {
    words.exact(given).ok_or_else(|| Refusal::value("no such word"))
}

impl<'w> Line<'w> {
    fn split(table: Table<Options>, words: &'w [OsString]) -> Option<Line<'w>> {
        let mut line = Line::default();
        for given in Split::new(table, Names::Exact, Mixing::Free, words) {
            match given.ok()? {
                Given::Operand(word) => line.positionals.push(word),
                Given::Inverse(_) => return None,
                Given::Flag { flag, value, .. } => {
                    let first = value.map(|value| value.as_encoded_bytes().first().copied());
                    // clap has rules of its own for these values.
                    let odd = match first {
                        Some(Some(b'-')) => !flag.hyphens,
                        Some(first) => matches!(first, None | Some(b'=')),
                        None => false,
                    };
                    (!odd).then(|| line.given.push((flag, value)))?;
                }
            }
        }
        (!line.positionals.contains(&OsStr::new("-"))).then_some(line)
    }

    /// Whether configuration may hold every word of the line.
    fn may_be_configured(&self) -> bool {
        self.positionals.is_empty() && !self.given.iter().any(|(flag, _)| flag.typed_only)
    }

    /// Whether no flag of the line overrides, excludes or requires another one.
    fn is_free_of_relations(&self) -> bool {
        self.given.iter().enumerate().all(|(at, (one, _))| {
            let twice = self.given[..at].iter().any(|(other, _)| std::ptr::eq(*other, *one));
            let mut relations = one.overrides.iter().chain(one.conflicts);
            let related = relations.any(|name| match *name {
                "path" => self.positionals.len() > 1,
                name => self.given.iter().any(|(other, _)| other.name == name),
            });
            let exclusive = one.requires.is_some() || related;
            !exclusive && (!twice || one.adds_up)
        })
    }
}
