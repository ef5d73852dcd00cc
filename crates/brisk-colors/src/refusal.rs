//! Why a value of `LS_COLORS` is refused, in GNU's words.

use std::fmt;

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

    /// GNU ls's messages, one line or two, each without the program's name. `quotes` are the
    /// locale's quotes around a word: `'` and `'`, or `‘` and `’`.
    #[must_use]
    pub fn messages(&self, quotes: [&str; 2]) -> Vec<String> {
        let mut messages = Vec::new();
        if let Some(key) = self.key() {
            let [open, close] = quotes;
            let key = key.map(|byte| spelled(byte, close)).concat();
            messages.push(format!("unrecognized prefix: {open}{key}{close}"));
        }
        messages.push(MESSAGE.to_owned());
        messages
    }
}

/// A byte between quotes, in C's spelling.
fn spelled(byte: u8, close: &str) -> String {
    match byte {
        b'\'' if close == "'" => "\\'".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        0x07..=0x0d => format!("\\{}", char::from(b"abtnvfr"[usize::from(byte - 7)])),
        _ => format!("\\{byte:03o}"),
    }
}

/// Both messages on one line.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MESSAGE}; colors are off")?;
        match self.key() {
            Some(key) => write!(f, " (unrecognized prefix: '{}')", key.escape_ascii()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_spelled_between_the_locale_s_quotes() {
        let refusal = Refusal(Malformed::Key(*b"'\x0b"));
        assert_eq!(refusal.messages(["'", "'"])[0], r"unrecognized prefix: '\'\v'");
        assert_eq!(refusal.messages(["‘", "’"])[0], r"unrecognized prefix: ‘'\v’");
        assert_eq!(Refusal(Malformed::Syntax).messages(["'", "'"]), [MESSAGE]);
    }
}
