//! Reads ordinary command lines from the flag table alone.
//!
//! To build clap's command costs 0.15 ms of a start that takes GNU find 1.2 ms in all. So clap is
//! asked only where it has an answer of its own: help, refusals, flags that override or exclude one
//! another, commands to run. This reader returns `None` for every line that is not plain, and never
//! refuses a line itself. A test compares both readers on every pair of the table's cases.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Flag, Kind, Options, Origin, Word, table};

/// A flag that was given, and its value if it takes one.
struct Given {
    flag: &'static Flag,
    value: Option<OsString>,
}

/// What a line says, before any option is set.
#[derive(Default)]
struct Line {
    given: Vec<Given>,
    positionals: Vec<OsString>,
}

/// The options with this layer added, or `None` if clap must be asked.
pub(super) fn read(origin: Origin, words: &[OsString], options: &Options) -> Option<Options> {
    let line = Line::split(words)?;
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
    for flag in table() {
        for given in line.given.iter().filter(|given| std::ptr::eq(given.flag, flag)) {
            flag.kind.set(given.value.as_deref(), &mut options)?;
        }
    }
    Some(options)
}

impl Line {
    fn split(words: &[OsString]) -> Option<Line> {
        let mut line = Line::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_encoded_bytes() {
                b"--" => {
                    line.positionals.extend(words.by_ref().cloned());
                }
                [b'-', b'-', ..] => line.long(word.to_str()?, &mut words)?,
                [b'-', _, ..] => line.shorts(word.to_str()?, &mut words)?,
                b"-" => return None,
                _ => line.positionals.push(word.clone()),
            }
        }
        Some(line)
    }

    fn long<'w>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Option<()> {
        let body = word.strip_prefix("--")?;
        let (name, attached) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (body, None),
        };
        let flag = table()
            .find(|flag| !flag.short_only && (flag.name == name || flag.aliases.contains(&name)))?;
        self.add(flag, attached.map(OsString::from), rest)
    }

    fn shorts<'w>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Option<()> {
        let mut letters = word.strip_prefix('-')?.chars();
        while let Some(letter) = letters.next() {
            let flag = table().find(|flag| flag.short == Some(letter))?;
            if flag.kind.takes_value() {
                let attached = letters.as_str();
                let attached = (!attached.is_empty()).then_some(attached);
                if attached.is_some_and(|text| text.starts_with('=')) {
                    return None;
                }
                return self.add(flag, attached.map(OsString::from), rest);
            }
            self.add(flag, None, rest)?;
        }
        Some(())
    }

    fn add<'w>(
        &mut self,
        flag: &'static Flag,
        attached: Option<OsString>,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Option<()> {
        let value = match &flag.kind {
            Kind::Switch(_) | Kind::Repeatable(_) if attached.is_some() => return None,
            Kind::Switch(_) | Kind::Repeatable(_) => None,
            Kind::OptionalChoice { bare, .. } => Some(attached.unwrap_or_else(|| bare.into())),
            Kind::Command { .. } => return None,
            _ if attached.is_some() => attached,
            _ => {
                let next = rest.next()?;
                let dashed = next.as_encoded_bytes().starts_with(b"-");
                (!dashed || flag.hyphens).then(|| Some(next.clone()))?
            }
        };
        // clap has rules of its own for empty values.
        let empty = value.as_deref().is_some_and(OsStr::is_empty);
        (!empty).then(|| self.given.push(Given { flag, value }))
    }

    /// Whether configuration may hold every word of the line.
    fn may_be_configured(&self) -> bool {
        self.positionals.is_empty() && !self.given.iter().any(|given| given.flag.typed_only)
    }

    /// Whether no flag of the line overrides, excludes or requires another one.
    fn is_free_of_relations(&self) -> bool {
        self.given.iter().enumerate().all(|(at, one)| {
            let twice = self.given[..at].iter().any(|other| std::ptr::eq(other.flag, one.flag));
            let mut relations = one.flag.overrides.iter().chain(one.flag.conflicts);
            let related = relations.any(|name| match *name {
                "path" => self.positionals.len() > 1,
                name => self.given.iter().any(|other| other.flag.name == name),
            });
            let exclusive = one.flag.requires.is_some() || related;
            !exclusive && (!twice || one.flag.kind.adds_up())
        })
    }
}

impl Kind {
    fn takes_value(&self) -> bool {
        !matches!(self, Kind::Switch(_) | Kind::Repeatable(_))
    }

    /// Whether a second occurrence adds to the first one instead of replacing it.
    fn adds_up(&self) -> bool {
        matches!(
            self,
            Kind::Repeatable(_) | Kind::Texts { .. } | Kind::Paths { .. } | Kind::Choices { .. }
        )
    }

    fn set(&self, value: Option<&OsStr>, options: &mut Options) -> Option<()> {
        match (self, value) {
            (Kind::Switch(set), None) => set(options, true),
            (Kind::Repeatable(set), None) => set(options),
            (Kind::Text { set, .. } | Kind::Texts { set, .. }, Some(value)) => {
                set(options, value.to_str()?).ok()?;
            }
            (Kind::Path { set, .. } | Kind::Paths { set, .. }, Some(value)) => {
                set(options, Path::new(value));
            }
            (
                Kind::Choice { of, set, .. }
                | Kind::Choices { of, set, .. }
                | Kind::OptionalChoice { of, set, .. },
                Some(value),
            ) => set(options, known(of, value.to_str()?)?),
            _ => return None,
        }
        Some(())
    }
}

fn known(of: &'static [Word], given: &str) -> Option<&'static str> {
    of.iter().find(|word| word.name == given || word.aliases.contains(&given)).map(|word| word.name)
}
