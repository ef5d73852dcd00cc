//! Shell patterns, matched as fnmatch does it: those of `ls -I` and `--hide`, where a leading dot
//! must be matched by a dot, and those of `du --exclude`.

use std::ffi::OsString;

use crate::show::text::{self, Charset};

/// Patterns of which one must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns(Vec<Vec<u8>>);

impl Patterns {
    pub(crate) fn new(patterns: &[OsString]) -> Patterns {
        Patterns(patterns.iter().map(|pattern| pattern.as_encoded_bytes().to_vec()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any of them matches the whole name.
    #[inline]
    pub(crate) fn match_name(&self, name: &[u8]) -> bool {
        !self.is_empty() && self.match_some(name)
    }

    fn match_some(&self, name: &[u8]) -> bool {
        let charset = Charset::current();
        self.0.iter().any(|pattern| {
            let hidden = name.first() == Some(&b'.') && pattern.first() != Some(&b'.');
            !hidden && matches(pattern, name, charset)
        })
    }
}

impl Patterns {
    /// Whether any of them matches the whole path, or the rest of the path behind a slash.
    pub(crate) fn match_end(&self, path: &[u8]) -> bool {
        let charset = Charset::current();
        let begins = |at: &usize| *at == 0 || (path[at - 1] == b'/' && path[*at] != b'/');
        let mut ends = (0..path.len()).filter(begins).map(|at| &path[at..]);
        ends.any(|end| self.0.iter().any(|pattern| matches(pattern, end, charset)))
    }
}

/// Matches with one way back: to the last `*`, which then takes one character more.
fn matches(pattern: &[u8], name: &[u8], charset: Charset) -> bool {
    let mut at = 0;
    let mut on = 0;
    let mut back: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            back = Some((at, on));
            continue;
        }
        if on == name.len() && at == pattern.len() {
            return true;
        }
        let step = if on < name.len() { one(&pattern[at..], &name[on..], charset) } else { None };
        if let Some((used, eaten)) = step {
            at += used;
            on += eaten;
            continue;
        }
        match back {
            Some((star, from)) if from < name.len() => {
                on = from + text::first_piece(&name[from..], charset).length;
                at = star;
                back = Some((star, on));
            }
            _ => return false,
        }
    }
}

/// Matches one character. Returns how much of the pattern and of the name this took.
fn one(pattern: &[u8], name: &[u8], charset: Charset) -> Option<(usize, usize)> {
    let length = text::first_piece(name, charset).length;
    match pattern.first()? {
        b'?' => Some((1, length)),
        b'[' => match set(pattern, &name[..length], charset) {
            Some((used, true)) => Some((used, length)),
            Some((_, false)) => None,
            None => (name[0] == b'[').then_some((1, 1)),
        },
        b'\\' if pattern.len() > 1 => (pattern[1] == name[0]).then_some((2, 1)),
        byte => (*byte == name[0]).then_some((1, 1)),
    }
}

/// Whether a bracket expression matches a character, and the length of the expression; `None` if
/// the expression does not end.
fn set(pattern: &[u8], character: &[u8], charset: Charset) -> Option<(usize, bool)> {
    let mut at = 1;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let first = at;
    let mut found = false;
    loop {
        if *pattern.get(at)? == b']' && at > first {
            return Some((at + 1, found != negated));
        }
        if pattern[at..].starts_with(b"[:")
            && let Some(length) = pattern[at..].windows(2).position(|pair| pair == b":]")
        {
            found |= in_class(&pattern[at + 2..at + length], character);
            at += length + 2;
            continue;
        }
        let low = element(pattern, &mut at, charset)?;
        let is_range = pattern.get(at) == Some(&b'-') && *pattern.get(at + 1)? != b']';
        if is_range {
            at += 1;
            let high = element(pattern, &mut at, charset)?;
            found |= low <= character && character <= high;
        } else {
            found |= low == character;
        }
    }
}

/// Takes one character of a bracket expression, and moves on.
fn element<'p>(pattern: &'p [u8], at: &mut usize, charset: Charset) -> Option<&'p [u8]> {
    if *pattern.get(*at)? == b'\\' && pattern.len() > *at + 1 {
        *at += 1;
    }
    let length = text::first_piece(&pattern[*at..], charset).length;
    *at += length;
    Some(&pattern[*at - length..*at])
}

fn in_class(class: &[u8], character: &[u8]) -> bool {
    let [byte] = character else { return false };
    match class {
        b"alpha" => byte.is_ascii_alphabetic(),
        b"digit" => byte.is_ascii_digit(),
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"upper" => byte.is_ascii_uppercase(),
        b"lower" => byte.is_ascii_lowercase(),
        b"space" => byte.is_ascii_whitespace() || *byte == 11,
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"punct" => byte.is_ascii_punctuation(),
        b"print" => matches!(byte, b' '..=b'~'),
        b"graph" => byte.is_ascii_graphic(),
        b"cntrl" => byte.is_ascii_control(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        let table = [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("*.o", "a.o", true),
            ("*.o", "a.oo", false),
            ("a*b*c", "aXbYbZc", true),
            ("a?c", "abc", true),
            ("?", "", false),
            ("", "", true),
            ("[ab]", "b", true),
            ("[!ab]", "b", false),
            ("[^ab]", "c", true),
            ("[a-c]x", "bx", true),
            ("[]a]", "]", true),
            ("[[:digit:]]*", "1x", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a\\", "a\\", true),
        ];
        for (pattern, name, expected) in table {
            let found = Patterns::new(&[pattern.into()]).match_name(name.as_bytes());
            assert_eq!(found, expected, "{pattern} {name}");
        }
    }
}
