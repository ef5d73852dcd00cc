//! One compiled pattern. Where a pattern allows any character (`.`, `[^x]`, `\W`), it also allows
//! any byte of a name that is not UTF-8.

use std::borrow::Cow;

use brisk_sys::slashed::characters;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;

/// One pattern, compiled.
#[derive(Debug)]
pub struct Matcher {
    regex: Regex,
    /// Whether the pattern may allow any character, and does not match bytes (`(?-u)`).
    of_characters: bool,
}

impl Matcher {
    /// Compiles a regular expression.
    ///
    /// # Errors
    /// The parser's message, of several lines.
    pub fn new(source: &str, insensitive: bool) -> Result<Matcher, String> {
        let regex = builder(source, insensitive).build().map_err(|error| {
            // The message quotes the pattern on one line, so newlines in it are shown as `\n`.
            let shown = builder(&source.replace('\n', r"\n"), insensitive).build();
            shown.err().unwrap_or(error).to_string()
        })?;
        // Only `.`, a class or an escape can match a byte that belongs to no character. Most
        // patterns have none of these, and are not parsed here.
        let is_open = source.contains(['.', '[', '\\']) && !source.starts_with("(?-u)");
        let parsed = is_open.then(|| ParserBuilder::new().utf8(false).build().parse(source).ok());
        let of_characters = parsed.flatten().is_some_and(|hir| hir.properties().is_utf8());
        Ok(Matcher { regex, of_characters })
    }

    #[inline]
    pub fn is_match(&self, subject: &[u8]) -> bool {
        self.regex.is_match(subject)
            || (self.of_characters && !subject.is_ascii() && self.is_match_of_bytes(subject))
    }

    /// Whether a name that is not UTF-8 matches once each byte that belongs to no character is
    /// replaced by a character.
    #[cold]
    fn is_match_of_bytes(&self, subject: &[u8]) -> bool {
        matches!(characters(subject), Cow::Owned(text) if self.regex.is_match(text.as_bytes()))
    }
}

fn builder(source: &str, insensitive: bool) -> RegexBuilder {
    let mut builder = RegexBuilder::new(source);
    // A name may hold newlines, and '.' matches any character of a name.
    builder.case_insensitive(insensitive).dot_matches_new_line(true);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_classes_allow_bytes_that_are_no_character() {
        // Pattern, name, whether they match.
        let table: &[(&str, &[u8], bool)] = &[
            (".", b"\xff", true),
            ("^.$", b"\xff", true),
            ("^.$", "é".as_bytes(), true),
            ("^..$", "é".as_bytes(), false),
            ("^..$", b"\xff\xfe", true),
            ("^...$", b"\xff\xc3\xa9a", true),
            ("^a.*b$", b"a\xff\n\xc3b", true),
            ("^[^x]$", b"\xff", true),
            ("^[^x]+$", b"\xffx", false),
            (r"^\W$", b"\xff", true),
            (r"^\w$", b"\xff", false),
            (r"^\w.$", b"\xc3\xa9\xff", true),
            (r"^\D\S\P{L}$", b"\xff\xff\xff", true),
            ("^[a-z]+$", b"a\xff", false),
            (r"^[^\x00-\x7f]$", b"\xff", true),
            ("(?-u)^\\xff.$", b"\xff\xfe", true),
            ("^(?-u:\\xff).$", b"\xff\xfe", false),
            ("^(a|.b){2}$", b"a\xffb", true),
            ("^É.$", b"\xc3\xa9\xff", true),
            ("x", b"\xff", false),
            ("^(?-i:B).$", b"b\xff", false),
        ];
        for (source, name, expected) in table {
            let matcher = Matcher::new(source, true).unwrap();
            assert_eq!(matcher.is_match(name), *expected, "{source} {name:?}");
        }
    }

    #[test]
    fn patterns_of_bytes_are_left_alone() {
        for (source, name, expected) in
            [("(?-u)^.$", b"\xff", true), ("(?-u)^.{4}$", b"\xff", false)]
        {
            assert_eq!(Matcher::new(source, false).unwrap().is_match(name), expected, "{source}");
        }
    }
}
