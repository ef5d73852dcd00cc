//! Words that an option accepts, in any unambiguous abbreviation.

use std::ffi::OsStr;

use super::Refusal;
use crate::common::quoting;

/// The words, grouped by meaning; the first of each group is its name.
pub(crate) struct Words {
    pub(crate) groups: &'static [&'static [&'static str]],
    /// Words that are understood but not listed: newer releases of GNU ls have them.
    pub(crate) newer: &'static [&'static [&'static str]],
}

/// The result of looking a word up.
enum Match {
    Name(&'static str),
    Ambiguous,
    None,
}

impl Words {
    /// The words of these groups.
    pub(crate) const fn new(groups: &'static [&'static [&'static str]]) -> Words {
        Words { groups, newer: &[] }
    }

    fn find(&self, given: &[u8]) -> Match {
        let mut found = Match::None;
        for group in self.groups.iter().chain(self.newer) {
            for word in *group {
                if word.as_bytes() == given {
                    return Match::Name(group[0]);
                }
                if word.as_bytes().starts_with(given) {
                    found = match found {
                        Match::None => Match::Name(group[0]),
                        Match::Name(name) if name == group[0] => Match::Name(name),
                        Match::Name(_) | Match::Ambiguous => Match::Ambiguous,
                    };
                }
            }
        }
        found
    }

    /// The name of the word that `given` spells or abbreviates.
    pub(crate) fn get(&self, given: &OsStr) -> Option<&'static str> {
        match self.find(given.as_encoded_bytes()) {
            Match::Name(name) => Some(name),
            Match::Ambiguous | Match::None => None,
        }
    }

    /// The same as [`get`](Words::get); a refusal names `option`.
    ///
    /// # Errors
    /// The word is not known, or its abbreviation is ambiguous.
    pub(crate) fn read(&self, option: &str, given: &OsStr) -> Result<&'static str, Refusal> {
        self.get(given).ok_or_else(|| self.refusal(option, given))
    }

    /// The refusal of `given`, with the list of valid words.
    #[cold]
    fn refusal(&self, option: &str, given: &OsStr) -> Refusal {
        let lines = self.groups.iter().map(|group| format!("'{}'", group.join("', '")));
        let message = format!("{}\n{}", self.complaint(option, given), valid(lines));
        Refusal { message, hint: true, code: 1 }
    }

    /// The first line of a refusal.
    pub(crate) fn complaint(&self, option: &str, given: &OsStr) -> String {
        let kind = match self.find(given.as_encoded_bytes()) {
            Match::Ambiguous => "ambiguous",
            Match::Name(_) | Match::None => "invalid",
        };
        format!("{kind} argument {} for '{option}'", quoting::in_message(given.as_encoded_bytes()))
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
        let refusal = COLORS.read("--color", OsStr::new("x")).unwrap_err();
        assert_eq!(
            refusal.message,
            "invalid argument 'x' for '--color'\nValid arguments are:\n  - 'always', 'yes'\n  \
             - 'never', 'no', 'none'\n  - 'auto'"
        );
        assert_eq!((refusal.code, refusal.hint), (1, true));
        let refusal = COLORS.read("--color", OsStr::new("")).unwrap_err();
        assert!(refusal.message.starts_with("ambiguous argument '' for '--color'\n"));
    }
}
