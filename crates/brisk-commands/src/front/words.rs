//! The words that a flag accepts as its value; getopt also accepts any unambiguous abbreviation.

use std::ffi::OsStr;

use clap::builder::PossibleValue;

use crate::show::quoting::as_argument;

/// The words, grouped by meaning: `always yes | never no none`. The first of a group is its name.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    groups: &'static str,
    /// What each group means, for the help, in the same order; nothing may be said.
    docs: &'static str,
    /// A group that is understood but not listed: newer releases of GNU's commands have it.
    newer: &'static str,
}

fn name(group: &'static str) -> &'static str {
    group.split(' ').next().unwrap_or_default()
}

impl Words {
    pub(crate) const fn new(groups: &'static str) -> Words {
        Words { groups, docs: "", newer: "" }
    }

    pub(crate) const fn docs(self, docs: &'static str) -> Words {
        Words { docs, ..self }
    }

    pub(crate) const fn newer(self, group: &'static str) -> Words {
        Words { newer: group, ..self }
    }

    fn groups(&self) -> impl Iterator<Item = &'static str> {
        self.groups.split(" | ")
    }

    fn with_newer(&self) -> impl Iterator<Item = &'static str> {
        self.groups().chain(Some(self.newer).filter(|newer| !newer.is_empty()))
    }

    /// The names of the groups that are listed.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.groups().map(name)
    }

    /// The words as clap takes them.
    pub(super) fn listed(&self) -> impl Iterator<Item = PossibleValue> {
        let docs = self.docs.split(" | ").chain(std::iter::repeat(""));
        self.groups().zip(docs).map(|(group, doc)| {
            let value = PossibleValue::new(name(group)).aliases(group.split(' ').skip(1));
            if doc.is_empty() { value } else { value.help(doc) }
        })
    }

    /// The name of the word that `given` spells in full.
    pub(crate) fn exact(&self, given: &OsStr) -> Option<&'static str> {
        self.with_newer().find(|group| group.split(' ').any(|word| word == given)).map(name)
    }

    /// The name of the word that `given` spells or abbreviates.
    ///
    /// # Errors
    /// What is wrong with it.
    fn find(&self, given: &OsStr) -> Result<&'static str, &'static str> {
        if let Some(name) = self.exact(given) {
            return Ok(name);
        }
        let begins = |word: &str| word.as_bytes().starts_with(given.as_encoded_bytes());
        let mut found = self.with_newer().filter(|group| group.split(' ').any(begins));
        match (found.next(), found.next()) {
            (Some(group), None) => Ok(name(group)),
            (Some(_), Some(_)) => Err("ambiguous"),
            (None, _) => Err("invalid"),
        }
    }

    /// The name of the word that `given` spells or abbreviates.
    pub(crate) fn get(&self, given: &OsStr) -> Option<&'static str> {
        self.find(given).ok()
    }

    /// The refusal of `given`, with the list of valid words.
    #[cold]
    pub(crate) fn refusal(&self, option: &str, given: &OsStr) -> String {
        let list = |group: &str| {
            let words = group.split(' ').map(|word| as_argument(word.as_bytes()));
            words.collect::<Vec<_>>().join(", ")
        };
        format!("{}\n{}", self.complaint(option, given), valid(self.groups().map(list)))
    }

    /// The first line of a refusal.
    pub(crate) fn complaint(&self, option: &str, given: &OsStr) -> String {
        let kind = self.find(given).err().unwrap_or("invalid");
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

    const COLORS: Words = Words::new("always yes | never no none | auto");

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
