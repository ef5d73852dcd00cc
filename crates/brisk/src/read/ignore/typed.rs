//! Globs as users type them: `?` and `[…]` stand for characters, a backslash in a class escapes, and
//! `{,x}` has an empty alternative. Rules of ignore files are not read here: git compares bytes.
//!
//! globset compares bytes. So a glob with `?` or `[…]` is compiled twice: with `*` in their places
//! for the set, which rules out most names, and as a [`Regex`], which decides.

use std::fmt;
use std::path::is_separator;

use brisk_sys::slashed::characters;
use globset::{ErrorKind, Glob, GlobBuilder};
use regex::{Regex, RegexBuilder};

use super::rule::class_of_git;

/// The regular expression that matches what a glob that users type does.
///
/// # Errors
/// The text is not a glob.
pub fn regex_of_glob(glob: &str) -> Result<String, GlobError> {
    let (text, wide) = read(glob, !is_separator('\\'));
    let regex = compile(&text, !is_separator('\\'))?.regex().to_owned();
    // A pattern that means the same for bytes is matched faster so.
    Ok(if wide.is_none() && glob.is_ascii() { regex } else { of_characters(&regex) })
}

/// A glob for a set, and what decides about a path that this glob matches.
pub(crate) fn build(glob: &str, escapes: bool) -> Result<(Glob, Option<Regex>), GlobError> {
    let (text, wide) = read(glob, escapes);
    let exact = compile(&text, escapes)?;
    let Some(wide) = wide else { return Ok((exact, None)) };
    let regex = RegexBuilder::new(&of_characters(exact.regex())).dot_matches_new_line(true).build();
    let regex =
        regex.map_err(|why| GlobError::new(Some(glob), &ErrorKind::Regex(why.to_string())))?;
    Ok((compile(&wide, escapes)?, Some(regex)))
}

/// Whether a regular expression, if there is one, allows a path. A byte that is part of no character
/// counts as one.
pub(crate) fn allows(regex: Option<&Regex>, path: &[u8]) -> bool {
    regex.is_none_or(|regex| {
        let text = characters(path);
        let slashed = is_separator('\\').then(|| text.replace('\\', "/"));
        regex.is_match(slashed.as_deref().unwrap_or(&text))
    })
}

fn compile(text: &str, escapes: bool) -> Result<Glob, GlobError> {
    let mut builder = GlobBuilder::new(text);
    builder.literal_separator(true).backslash_escape(escapes).empty_alternates(true);
    Ok(builder.build()?)
}

/// A glob in globset's syntax; and the same with `*` for each `?` and each class, if it has any.
fn read(glob: &str, escapes: bool) -> (String, Option<String>) {
    let mut text = String::new();
    let mut wide = String::new();
    let mut is_wide = false;
    let mut rest = glob.chars();
    while let Some(c) = rest.next() {
        let mut after = rest.clone();
        let class = if c == '[' { class_of_git(&mut after, false, false) } else { None };
        if let Some(class) = &class {
            rest = after;
            text += class;
        } else {
            text.push(c);
        }
        let is_open = class.is_some() || c == '?';
        is_wide |= is_open;
        wide.push(if is_open { '*' } else { c });
        let escaped = if c == '\\' && escapes { rest.next() } else { None };
        text.extend(escaped);
        wide.extend(escaped);
    }
    (text, is_wide.then_some(wide))
}

/// globset's regular expression for characters instead of bytes: each character that is not ASCII
/// is written there as its bytes, `\xc3\xa9`.
fn of_characters(regex: &str) -> String {
    let mut text = Vec::new();
    // A backslash of the glob is two here, so that what begins with one is an escape.
    for (at, part) in regex.trim_start_matches("(?-u)").split(r"\\").enumerate() {
        text.extend_from_slice(if at == 0 { b"" } else { br"\\" });
        for (at, piece) in part.split(r"\x").enumerate() {
            let (digits, rest) = piece.split_at(if at == 0 { 0 } else { 2 });
            text.extend(u8::from_str_radix(digits, 16));
            text.extend_from_slice(rest.as_bytes());
        }
    }
    String::from_utf8(text).expect("BUG: globset writes whole characters")
}

/// What is not a valid glob.
#[derive(Debug)]
pub struct GlobError {
    glob: Option<String>,
    kind: ErrorKind,
}

impl GlobError {
    pub(crate) fn new(glob: Option<&str>, kind: &ErrorKind) -> GlobError {
        GlobError { glob: glob.map(str::to_owned), kind: kind.clone() }
    }

    /// The error of the line that the glob was made of.
    pub(super) fn of(self, line: &str) -> GlobError {
        GlobError { glob: Some(line.to_owned()), ..self }
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.glob {
            Some(glob) => write!(f, "error parsing glob '{glob}': {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for GlobError {}

impl From<globset::Error> for GlobError {
    fn from(error: globset::Error) -> GlobError {
        GlobError::new(error.glob(), error.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_characters() {
        // (glob, name, whether they match)
        let table: &[(&str, &[u8], bool)] = &[
            ("?", "é".as_bytes(), true),
            ("??", "é".as_bytes(), false),
            ("?", b"\xff", true),
            ("??", b"\xff\xfe", true),
            ("?", b"\xff\xfe", false),
            ("??", b"\xff\xc3\xa9", true),
            ("???", b"\xff\xc3\xa9", false),
            ("[!x]", "é".as_bytes(), true),
            ("[!x]", b"\xff", true),
            ("[é]*", "éa".as_bytes(), true),
            ("[é]*", "àa".as_bytes(), false),
            ("[à-ü]", "é".as_bytes(), true),
            ("[à-ü]", b"\xc3", false),
            ("[é]", b"\xc3", false),
            (r"[a\-z]", b"a", true),
            (r"[a\-z]", b"-", true),
            (r"[a\-z]", b"z", true),
            (r"[a\-z]", b"m", false),
            (r"[a\-z]", b"\\", false),
            (r"[\]]", b"]", true),
            (r"[\\]", b"\\", true),
            ("[]a]", b"]", true),
            ("[[:digit:]]", b"7", true),
            ("[[:digit:]]", b"d", false),
            (r"\?", b"?", true),
            (r"\?", b"a", false),
            (r"\[a]", b"[a]", true),
            (r"\[a]?", "[a]é".as_bytes(), true),
            ("{a?,b}", "aé".as_bytes(), true),
            ("{[{,]x,b}", b",x", true),
            ("test{,2}", b"test", true),
            ("test{,2}", b"test2", true),
            ("a?", b"a/", false),
            ("[!x]", b"/", false),
            ("**/?", "a/é".as_bytes(), true),
            ("?*/b", b"a/c/b", false),
            ("?*/b", b"a/b", true),
            ("?.é", b"\n.\xc3\xa9", true),
            ("*é", "aé".as_bytes(), true),
        ];
        // On Windows names are WTF-8, and a backslash separates.
        let is_name =
            |name: &&[u8]| cfg!(unix) || str::from_utf8(name).is_ok() && !name.contains(&b'\\');
        for (glob, name, expected) in table.iter().filter(|(_, name, _)| is_name(name)) {
            let (wide, exact) = build(glob, true).expect(glob);
            let path = brisk_sys::paths::bytes_to_path(name);
            let found = wide.compile_matcher().is_match(path) && allows(exact.as_ref(), name);
            assert_eq!(found, *expected, "{glob} {name:?}");
        }
    }

    #[test]
    fn only_what_needs_a_second_look_has_it() {
        for glob in ["*.rs", "a", "{a,b}*", r"\?", r"\[a]", "é*"] {
            assert!(build(glob, true).expect(glob).1.is_none(), "{glob}");
        }
        assert!(regex_of_glob("*.rs").expect("a glob").starts_with("(?-u)"));
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        for glob in ["[a", "[z-a]", r"[z-a\-]", "{a", "[!"] {
            assert!(build(glob, true).is_err(), "{glob}");
        }
    }
}
