//! Shell patterns, matched as fnmatch does: those of `ls -I` and `--hide`, in which only a dot
//! matches a leading dot, those of `du --exclude`, and those of find's tests.

use std::ffi::OsString;

/// How many bytes the first character of a text takes, which is not empty. The locale decides.
pub type Length = fn(&[u8]) -> usize;

/// How texts are compared.
#[derive(Clone, Copy, Debug)]
struct How {
    length: Length,
    /// Whether case does not count.
    folds: bool,
}

/// Patterns, one of which must match.
#[derive(Clone, Debug)]
pub struct Patterns {
    patterns: Vec<Vec<u8>>,
    how: How,
}

impl Patterns {
    /// These patterns, for texts whose characters have these lengths.
    pub fn new(patterns: &[OsString], length: Length) -> Patterns {
        let patterns = patterns.iter().map(|pattern| pattern.as_encoded_bytes().to_vec());
        Patterns { patterns: patterns.collect(), how: How { length, folds: false } }
    }

    /// The same; if `folds`, case does not count.
    #[must_use]
    pub fn folding(self, folds: bool) -> Patterns {
        Patterns { how: How { folds, ..self.how }, ..self }
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether any of them matches the whole name.
    #[inline]
    pub fn match_name(&self, name: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| {
            let hidden = name.first() == Some(&b'.') && pattern.first() != Some(&b'.');
            !hidden && matches(pattern, name, self.how)
        })
    }

    /// Whether any of them matches the whole text. A dot is like other characters.
    #[inline]
    pub fn match_text(&self, text: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, text, self.how))
    }

    /// Whether any of them matches the whole path, or the rest of the path after a slash.
    pub fn match_end(&self, path: &[u8]) -> bool {
        let begins = |at: &usize| *at == 0 || (path[at - 1] == b'/' && path[*at] != b'/');
        let mut ends = (0..path.len()).filter(begins).map(|at| &path[at..]);
        ends.any(|end| self.patterns.iter().any(|pattern| matches(pattern, end, self.how)))
    }
}

/// Matches with one point to go back to: the last `*`, which then takes one more character.
fn matches<'t>(mut pattern: &'t [u8], mut name: &'t [u8], how: How) -> bool {
    let mut back = None;
    loop {
        if let [b'*', rest @ ..] = pattern {
            if is_ending(rest, how) {
                return name.ends_with(rest);
            }
            pattern = rest;
            back = Some((rest, name));
        } else if pattern.is_empty() && name.is_empty() {
            return true;
        } else if let Some(rests) = one(pattern, name, how) {
            (pattern, name) = rests;
        } else {
            let Some((star, from)) = back.filter(|(_, from)| !from.is_empty()) else {
                return false;
            };
            pattern = star;
            name = first(from, how).1;
            back = Some((star, name));
        }
    }
}

/// Whether the rest of a pattern is plain text that can be compared with the end of a name byte by
/// byte: in no encoding can its first byte be part of a longer character.
fn is_ending(rest: &[u8], how: How) -> bool {
    !how.folds
        && rest.first().is_some_and(|byte| *byte < b'0')
        && !rest.iter().any(|byte| b"*?[\\".contains(byte))
}

/// The first character of a text that is not empty, and the rest.
fn first(text: &[u8], how: How) -> (&[u8], &[u8]) {
    text.split_at((how.length)(text))
}

/// A character as a number; for bytes that are not a character, the first one.
fn code(character: &[u8], how: How) -> u32 {
    let known = str::from_utf8(character).ok().and_then(|text| text.chars().next());
    match known {
        Some(known) if how.folds => known.to_lowercase().next().unwrap_or(known).into(),
        Some(known) => known.into(),
        None => character.first().map_or(0, |byte| u32::from(char::MAX) + u32::from(*byte)),
    }
}

/// Matches one character. Returns the rest of the pattern and of the name.
fn one<'t>(pattern: &'t [u8], name: &'t [u8], how: How) -> Option<(&'t [u8], &'t [u8])> {
    let byte = *name.first()?;
    match pattern {
        [b'?', after @ ..] => Some((after, first(name, how).1)),
        [b'[', expression @ ..] => {
            let (character, rest) = first(name, how);
            match set(expression, character, how) {
                Some((true, after)) => Some((after, rest)),
                Some((false, _)) => None,
                None => (byte == b'[').then_some((expression, &name[1..])),
            }
        }
        [b'\\', escaped @ ..] if !escaped.is_empty() => literal(escaped, name, how),
        [] => None,
        wanted => literal(wanted, name, how),
    }
}

/// Matches a character that means itself.
#[inline]
fn literal<'t>(wanted: &'t [u8], name: &'t [u8], how: How) -> Option<(&'t [u8], &'t [u8])> {
    if !how.folds {
        return (wanted[0] == name[0]).then_some((&wanted[1..], &name[1..]));
    }
    let (wanted, after) = first(wanted, how);
    let (character, rest) = first(name, how);
    (code(wanted, how) == code(character, how)).then_some((after, rest))
}

/// Whether a bracket expression, given without its first bracket, matches a character, and what
/// follows the expression; `None` if the expression does not end.
fn set<'p>(expression: &'p [u8], character: &[u8], how: How) -> Option<(bool, &'p [u8])> {
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
        let (low, after) = element(rest, how)?;
        rest = after;
        let mut high = low;
        if let [b'-', end, ..] = rest
            && *end != b']'
        {
            (high, rest) = element(&rest[1..], how)?;
        }
        found |= (code(low, how)..=code(high, how)).contains(&code(character, how));
    }
}

/// The first character of a bracket expression, and the rest.
fn element(expression: &[u8], how: How) -> Option<(&[u8], &[u8])> {
    match expression {
        [] => None,
        [b'\\', escaped @ ..] if !escaped.is_empty() => Some(first(escaped, how)),
        _ => Some(first(expression, how)),
    }
}

/// Whether a bracket expression of the pattern has what this module does not support: a collating
/// symbol (`[.a.]`) or an equivalence class (`[=a=]`).
pub fn has_collation(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    let mut is_inside = false;
    while let [byte, after @ ..] = rest {
        rest = after;
        match (byte, after) {
            (b'\\', [_, behind @ ..]) => rest = behind,
            (b'[', [b'.' | b'=', ..]) if is_inside => return true,
            (b'[', [b':', ..]) if is_inside => {
                let end = after.windows(2).position(|pair| pair == b":]");
                rest = end.map_or(after, |end| &after[end + 2..]);
            }
            (b'[', _) if !is_inside => {
                is_inside = true;
                let negated = matches!(rest, [b'!' | b'^', ..]);
                rest = &rest[usize::from(negated)..];
                rest = rest.strip_prefix(b"]").unwrap_or(rest);
            }
            (b']', _) => is_inside = false,
            _ => {}
        }
    }
    false
}

fn in_class(class: &[u8], character: &[u8]) -> bool {
    let Some(one) = str::from_utf8(character).ok().and_then(|text| text.chars().next()) else {
        return false;
    };
    let is_seen = !one.is_control() && !one.is_whitespace();
    match class {
        b"alpha" => one.is_alphabetic(),
        b"digit" => one.is_ascii_digit(),
        b"alnum" => one.is_alphanumeric(),
        b"upper" => one.is_uppercase(),
        b"lower" => one.is_lowercase(),
        b"space" => one.is_whitespace(),
        b"blank" => matches!(one, ' ' | '\t'),
        b"punct" => is_seen && !one.is_alphanumeric(),
        b"print" => is_seen || one == ' ',
        b"graph" => is_seen,
        b"cntrl" => one.is_control(),
        b"xdigit" => one.is_ascii_hexdigit(),
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

    #[test]
    fn case_and_leading_dots_may_not_count() {
        let length: Length = |text| {
            let most = (1..=text.len().min(4)).find(|end| str::from_utf8(&text[..*end]).is_ok());
            most.unwrap_or(1)
        };
        for (pattern, name, folded, exact) in [
            ("A*É", ".a", false, false),
            ("a*É", "Axé", true, false),
            ("[a-c]?", "Bé", true, false),
            ("[À-Ü]", "é", true, false),
            ("[[:upper:]]", "é", false, false),
            ("[[:alpha:]]", "é", true, true),
            ("\\A", "a", true, false),
            ("*", ".a", true, true),
        ] {
            let found = |folds| {
                let patterns = Patterns::new(&[pattern.into()], length).folding(folds);
                patterns.match_text(name.as_bytes())
            };
            assert_eq!((found(true), found(false)), (folded, exact), "{pattern} {name}");
        }
    }

    #[test]
    fn collating_symbols_are_found() {
        for (pattern, expected) in [
            ("[[.a.]]", true),
            ("[^][=a=]]", true),
            ("[x[:alpha:][.-.]]", true),
            ("[a][.]rs", false),
            ("\\[[.]x", false),
            ("[[:alpha:]][=]", false),
        ] {
            assert_eq!(has_collation(pattern.as_bytes()), expected, "{pattern}");
        }
    }
}
