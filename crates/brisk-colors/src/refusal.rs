//! Why a value of `LS_COLORS` is refused, in GNU's words.

use std::fmt;

use brisk_sys::quoting::quoted;

const MESSAGE: &str = "unparsable value for LS_COLORS environment variable";

/// Why a value of `LS_COLORS` is refused: all colours are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Two letters that are no key, or whose sequence has a broken escape.
    Key([u8; 2]),
    /// Neither `key=sequence` nor `*suffix=sequence`.
    Syntax,
}

impl Refusal {
    fn prefix(&self, quote: impl Fn(&[u8]) -> String) -> Option<String> {
        match self {
            Refusal::Key(key) => Some(format!("unrecognized prefix: {}", quote(key))),
            Refusal::Syntax => None,
        }
    }

    /// GNU ls's messages, one line or two, each without the program's name. `quote` puts a word in
    /// the locale's quotes.
    #[must_use]
    pub fn messages(&self, quote: impl Fn(&[u8]) -> String) -> Vec<String> {
        self.prefix(quote).into_iter().chain([MESSAGE.to_owned()]).collect()
    }
}

/// Both messages on one line.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MESSAGE}; colors are off")?;
        let prefix = self.prefix(|key| quoted(key).to_string());
        prefix.map_or(Ok(()), |prefix| write!(f, " ({prefix})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_quoted() {
        let refusal = Refusal::Key(*b"a\x0b");
        let quote = |text: &[u8]| quoted(text).to_string();
        assert_eq!(refusal.messages(quote), [r"unrecognized prefix: 'a'$'\v'", MESSAGE]);
        assert!(refusal.to_string().ends_with(r" (unrecognized prefix: 'a'$'\v')"));
        assert_eq!(Refusal::Syntax.messages(quote), [MESSAGE]);
    }
}
