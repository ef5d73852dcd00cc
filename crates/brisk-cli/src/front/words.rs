//! The words that a flag accepts as its value; getopt also accepts any unambiguous abbreviation.

use std::ffi::OsStr;

use clap::builder::PossibleValue;

use crate::show::quoting::as_argument;

/// The words, grouped by meaning; the first of each group is its name.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub(crate) groups: &'static [&'static [&'static str]],
    /// What each group means, for the help; empty: nothing is said.
    docs: &'static [&'static str],
    /// Groups that are understood but not listed: newer releases of GNU's commands have them.
    newer: &'static [&'static [&'static str]],
}

/// The result of looking an abbreviation up.
enum Match {
    Name(&'static str),
    Ambiguous,
    None,
}

impl Words {
    pub(crate) const fn new(groups: &'static [&'static [&'static str]]) -> Words {
        Words { groups, docs: &[], newer: &[] }
    }

    pub(crate) const fn docs(mut self, docs: &'static [&'static str]) -> Words {
        self.docs = docs;
        self
    }

    pub(crate) const fn newer(mut self, groups: &'static [&'static [&'static str]]) -> Words {
        self.newer = groups;
        self
    }

    /// The words as clap takes them.
    pub(super) fn listed(&self) -> impl Iterator<Item = PossibleValue> {
        self.groups.iter().enumerate().map(|(at, group)| {
            let value = PossibleValue::new(group[0]).aliases(group[1..].iter().copied());
            match self.docs.get(at) {
                Some(doc) => value.help(doc),
                None => value,
            }
        })
    }

    /// The name of the word that `given` spells in full.
    pub(crate) fn exact(&self, given: &OsStr) -> Option<&'static str> {
        let mut groups = self.groups.iter().chain(self.newer);
        groups.find(|group| group.iter().any(|word| *word == given)).map(|group| group[0])
    }

    fn find(&self, given: &OsStr) -> Match {
        if let Some(name) = self.exact(given) {
            return Match::Name(name);
        }
        let begins = |word: &&str| word.as_bytes().starts_with(given.as_encoded_bytes());
        let groups = self.groups.iter().chain(self.newer);
        let mut found = groups.filter(|group| group.iter().any(begins));
        match (found.next(), found.next()) {
            (Some(group), None) => Match::Name(group[0]),
            (Some(_), Some(_)) => Match::Ambiguous,
            (None, _) => Match::None,
        }
    }

    /// The name of the word that `given` spells or abbreviates.
    pub(crate) fn get(&self, given: &OsStr) -> Option<&'static str> {
        match self.find(given) {
            Match::Name(name) => Some(name),
            Match::Ambiguous | Match::None => None,
        }
    }

    /// The refusal of `given`, with the list of valid words.
    #[cold]
    pub(super) fn refusal(&self, option: &str, given: &OsStr) -> String {
        let list = |group: &&[&str]| {
            group.iter().map(|word| as_argument(word.as_bytes())).collect::<Vec<_>>().join(", ")
        };
        format!("{}\n{}", self.complaint(option, given), valid(self.groups.iter().map(list)))
    }

    /// The first line of a refusal.
    pub(crate) fn complaint(&self, option: &str, given: &OsStr) -> String {
        let kind = match self.find(given) {
            Match::Ambiguous => "ambiguous",
            Match::Name(_) | Match::None => "invalid",
        };
        let given = as_argument(given.as_encoded_bytes());
        format!("{kind} argument {given} for {}", as_argument(option.as_bytes()))
    }
}

/// The list of valid words.
pub(crate) fn valid(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.map(|line| format!("  - {line}")).collect();
    format!("Valid arguments are:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: Words = Words::new(&[&["always", "yes"], &["never", "no", "none"], &["auto"]]);

    #[test]
    fn words_may_be_abbreviated() {
        let get = |word: &str| COLORS.get(OsStr::new(word));
        assert_eq!(get("yes"), Some("always"));
        assert_eq!(get("al"), Some("always"));
        assert_eq!(get("n"), Some("never"));
        assert_eq!(get("a"), None);
        assert_eq!(get(""), None);
        assert_eq!(get("x"), None);
    }

    #[test]
    fn a_refusal_lists_what_would_be_right() {
        let refusal = |word: &str| COLORS.refusal("--color", OsStr::new(word));
        assert_eq!(
            refusal("x"),
            "invalid argument 'x' for '--color'\nValid arguments are:\n  - 'always', 'yes'\n  \
             - 'never', 'no', 'none'\n  - 'auto'"
        );
        assert!(refusal("").starts_with("ambiguous argument '' for '--color'\n"));
    }
}
