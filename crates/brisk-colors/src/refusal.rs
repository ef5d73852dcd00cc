//! Why a value of `LS_COLORS` is refused, in GNU's words.

use std::fmt;

use brisk_sys::quoting::quoted;

use crate::parse::Malformed;

const MESSAGE: &str = "unparsable value for LS_COLORS environment variable";

/// A value of `LS_COLORS` that was refused: all colours are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(Malformed);

impl Refusal {
    pub(super) fn new(malformed: Malformed) -> Refusal {
        Refusal(malformed)
    }

    /// The two letters that are no key, or whose sequence is broken.
    #[must_use]
    pub fn key(&self) -> Option<[u8; 2]> {
        match self.0 {
            Malformed::Key(key) => Some(key),
            Malformed::Syntax => None,
        }
    }

    /// GNU ls's messages, one line or two, each without the program's name. `quote` puts a word in
    /// the locale's quotes.
    #[must_use]
    pub fn messages(&self, quote: impl Fn(&[u8]) -> String) -> Vec<String> {
        let key = self.key().map(|key| format!("unrecognized prefix: {}", quote(&key)));
        key.into_iter().chain([MESSAGE.to_owned()]).collect()
    }
}

/// Both messages on one line.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MESSAGE}; colors are off")?;
        match self.key() {
            Some(key) => write!(f, " (unrecognized prefix: {})", quoted(&key)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_quoted() {
        let refusal = Refusal(Malformed::Key(*b"a\x0b"));
        let quote = |text: &[u8]| quoted(text).to_string();
        assert_eq!(refusal.messages(quote), [r"unrecognized prefix: 'a'$'\v'", MESSAGE]);
        assert!(refusal.to_string().ends_with(r" (unrecognized prefix: 'a'$'\v')"));
        assert_eq!(Refusal(Malformed::Syntax).messages(quote), [MESSAGE]);
    }
}
