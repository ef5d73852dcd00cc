//! Shell patterns, matched as fnmatch does it: those of `ls -I` and `--hide`, where a leading dot
//! must be matched by a dot, and those of `du --exclude`.

use std::ffi::OsString;

/// How many bytes the first character of a text takes that is not empty: the locale decides.
pub type Length = fn(&[u8]) -> usize;

/// Patterns of which one must match.
#[derive(Clone, Debug)]
pub struct Patterns {
    patterns: Vec<Vec<u8>>,
    length: Length,
}

impl Patterns {
    /// These patterns, for texts whose characters have these lengths.
    pub fn new(patterns: &[OsString], length: Length) -> Patterns {
        let patterns = patterns.iter().map(|pattern| pattern.as_encoded_bytes().to_vec());
        Patterns { patterns: patterns.collect(), length }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether any of them matches the whole name.
    #[inline]
    pub fn match_name(&self, name: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| {
            let hidden = name.first() == Some(&b'.') && pattern.first() != Some(&b'.');
            !hidden && matches(pattern, name, self.length)
        })
    }

    /// Whether any of them matches the whole path, or the rest of the path behind a slash.
    pub fn match_end(&self, path: &[u8]) -> bool {
        let begins = |at: &usize| *at == 0 || (path[at - 1] == b'/' && path[*at] != b'/');
        let mut ends = (0..path.len()).filter(begins).map(|at| &path[at..]);
        ends.any(|end| self.patterns.iter().any(|pattern| matches(pattern, end, self.length)))
    }
}

/// Matches with one way back: to the last `*`, which then takes one character more.
fn matches<'t>(mut pattern: &'t [u8], mut name: &'t [u8], length: Length) -> bool {
    let mut back = None;
    loop {
        if let [b'*', rest @ ..] = pattern {
            pattern = rest;
            back = Some((rest, name));
        } else if pattern.is_empty() && name.is_empty() {
            return true;
        } else if let Some(rests) = one(pattern, name, length) {
            (pattern, name) = rests;
        } else {
            let Some((star, from)) = back.filter(|(_, from)| !from.is_empty()) else {
                return false;
            };
            pattern = star;
            name = first(from, length).1;
            back = Some((star, name));
        }
    }
}

/// The first character of a text that is not empty, and the rest.
fn first(text: &[u8], length: Length) -> (&[u8], &[u8]) {
    text.split_at(length(text))
}

/// Matches one character. Returns the rest of the pattern and of the name.
fn one<'t>(pattern: &'t [u8], name: &'t [u8], length: Length) -> Option<(&'t [u8], &'t [u8])> {
    let byte = *name.first()?;
    let (character, rest) = first(name, length);
    match pattern {
        [b'?', after @ ..] => Some((after, rest)),
        [b'[', expression @ ..] => match set(expression, character, length) {
            Some((true, after)) => Some((after, rest)),
            Some((false, _)) => None,
            None => (byte == b'[').then_some((expression, &name[1..])),
        },
        [b'\\', wanted, after @ ..] | [wanted, after @ ..] => {
            (*wanted == byte).then_some((after, &name[1..]))
        }
        [] => None,
    }
}

/// Whether a bracket expression, given without its first bracket, matches a character, and what
/// follows the expression; `None` if the expression does not end.
fn set<'p>(expression: &'p [u8], character: &[u8], length: Length) -> Option<(bool, &'p [u8])> {
    let negated = matches!(expression, [b'!' | b'^', ..]);
    let elements = &expression[usize::from(negated)..];
    let mut rest = elements;
    let mut found = false;
    loop {
        if let [b']', after @ ..] = rest
            && rest.len() < elements.len()
        {
            return Some((found != negated, after));
        }
        if let Some(class) = rest.strip_prefix(b"[:")
            && let Some(length) = class.windows(2).position(|pair| pair == b":]")
        {
            found |= in_class(&class[..length], character);
            rest = &class[length + 2..];
            continue;
        }
        let (low, after) = element(rest, length)?;
        rest = after;
        let mut high = low;
        if let [b'-', end, ..] = rest
            && *end != b']'
        {
            (high, rest) = element(&rest[1..], length)?;
        }
        found |= low <= character && character <= high;
    }
}

/// The first character of a bracket expression, and the rest.
fn element(expression: &[u8], length: Length) -> Option<(&[u8], &[u8])> {
    match expression {
        [] => None,
        [b'\\', escaped @ ..] if !escaped.is_empty() => Some(first(escaped, length)),
        _ => Some(first(expression, length)),
    }
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
            ("[[:]", ":", true),
            ("[[:]", "a", false),
            ("[[:]]", "[", false),
            ("[[:x:]", "x", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a\\", "a\\", true),
        ];
        for (pattern, name, expected) in table {
            let found = Patterns::new(&[pattern.into()], |_| 1).match_name(name.as_bytes());
            assert_eq!(found, expected, "{pattern} {name}");
        }
    }
}
