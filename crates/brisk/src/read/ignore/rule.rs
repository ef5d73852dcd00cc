//! A line of `.gitignore`, rewritten as a glob of globset that matches what git matches.
//!
//! Git's patterns have no braces. In a class, a backslash escapes, a range that runs backwards is
//! only its first character, and a dash after a range is a dash. Of a pattern with `//` in it, with
//! a class that does not end, or with an unknown `[:name:]`, git says that it matches nothing. The
//! globs read all of these in another way.

use std::str::Chars;

/// The rule in the globs' syntax; `None` if it matches nothing. With `ignore_case`, the globs are
/// to be compiled without regard to case.
pub(super) fn rewritten(line: &str, ignore_case: bool) -> Option<String> {
    let line = without_trailing_spaces(line);
    let (mark, pattern) = line.strip_prefix('!').map_or(("", line), |pattern| ("!", pattern));
    let (pattern, end) = pattern.strip_suffix('/').map_or((pattern, ""), |pattern| (pattern, "/"));
    let looks_at_path = pattern.contains('/');
    let mut rest = pattern.strip_prefix('/').unwrap_or(pattern).chars();
    let mut glob = String::new();
    while let Some(c) = rest.next() {
        let begins = glob.is_empty() || glob.ends_with('/');
        let is_escaped = c == '\\';
        match if is_escaped { rest.next()? } else { c } {
            '/' if begins => return None,
            // Git compares it with the lowercase form of a name's letter.
            c if is_escaped && ignore_case && c.is_ascii_uppercase() => return None,
            '/' => glob.push('/'),
            '?' if !is_escaped => glob.push('?'),
            '*' if !is_escaped => glob.push_str(stars(&mut rest, looks_at_path && begins)),
            '[' if !is_escaped => glob.push_str(&class_of_git(&mut rest, ignore_case, true)?),
            c => push_literal(&mut glob, c),
        }
    }
    if glob.is_empty() || glob.ends_with('/') {
        return None;
    }
    // A path of one name is told from a name by the slash before it.
    let root = if looks_at_path && !glob.contains('/') { "/" } else { "" };
    Some([mark, root, &glob, end].concat())
}

/// A space counts at a line's end if a backslash is before it.
pub(super) fn without_trailing_spaces(line: &str) -> &str {
    let cut = line.trim_end_matches(' ');
    let backslashes = cut.bytes().rev().take_while(|&byte| byte == b'\\').count();
    let escaped = backslashes % 2;
    line.get(..cut.len() + escaped).unwrap_or(cut)
}

/// What asterisks stand for after a first one: two or more that are a whole name in a path cross
/// directories.
fn stars(rest: &mut Chars<'_>, begins: bool) -> &'static str {
    let all = rest.as_str();
    let after = all.trim_start_matches('*');
    *rest = after.chars();
    let is_whole =
        begins && after.len() < all.len() && (after.is_empty() || after.starts_with('/'));
    if is_whole { "**" } else { "*" }
}

fn push_literal(glob: &mut String, c: char) {
    if matches!(c, '\\' | '*' | '?' | '[' | ']' | '{' | '}' | '!' | '#' | ' ') {
        glob.push('\\');
    }
    glob.push(c);
}

/// Reads a class up to its `]`. `None` if it does not end, has an unknown name in it or, unless
/// `backwards` is set, a range that runs backwards.
pub(crate) fn class_of_git(
    rest: &mut Chars<'_>,
    ignore_case: bool,
    backwards: bool,
) -> Option<String> {
    let negated = rest.as_str().starts_with(['!', '^']);
    if negated {
        rest.next();
    }
    let mut set = Set { ascii: [false; 128], others: String::new(), ignore_case };
    // The character that a dash would make the first of a range.
    let mut before = None;
    let mut next = rest.next()?;
    loop {
        before = match (next, before) {
            ('\\', _) => set.add(rest.next()?),
            ('-', Some(first)) if !rest.as_str().starts_with(']') => {
                let last = rest.next().filter(|&last| last != '\\').or_else(|| rest.next())?;
                if last < first && !backwards {
                    return None;
                }
                set.add_range(first, last)
            }
            ('[', _) if name_of_class(rest.as_str()).is_some() => {
                let name = name_of_class(rest.as_str())?;
                *rest = rest.as_str()[":".len() + name.len() + ":]".len()..].chars();
                set.add_ascii(named_class(name)?)
            }
            (c, _) => set.add(c),
        };
        next = rest.next()?;
        if next == ']' {
            return Some(set.glob(negated));
        }
    }
}

/// The name in `:name:]`.
fn name_of_class(rest: &str) -> Option<&str> {
    rest.strip_prefix(':')?.split_once(']')?.0.strip_suffix(':')
}

/// Which characters one of git's classes holds. All of them are ASCII.
fn named_class(name: &str) -> Option<fn(&u8) -> bool> {
    Some(match name {
        "alnum" => u8::is_ascii_alphanumeric,
        "alpha" => u8::is_ascii_alphabetic,
        "blank" => |byte| matches!(byte, b' ' | b'\t'),
        "cntrl" => u8::is_ascii_control,
        "digit" => u8::is_ascii_digit,
        "graph" => u8::is_ascii_graphic,
        "lower" => u8::is_ascii_lowercase,
        "print" => |byte| matches!(byte, b' '..=b'~'),
        "punct" => u8::is_ascii_punctuation,
        "space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        "upper" => u8::is_ascii_uppercase,
        "xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// The characters of a class. Each method that adds some returns the one that a dash would make
/// the first of a range.
struct Set {
    ascii: [bool; 128],
    /// The others, as the globs write them.
    others: String,
    ignore_case: bool,
}

impl Set {
    /// Where case does not count, an uppercase letter stands for nothing, as after a backslash.
    fn add(&mut self, c: char) -> Option<char> {
        match self.ascii.get_mut(c as usize) {
            Some(holds) => *holds |= !(self.ignore_case && c.is_ascii_uppercase()),
            None => self.others.push(c),
        }
        Some(c)
    }

    /// Adds a range whose first character was added before.
    fn add_range(&mut self, first: char, last: char) -> Option<char> {
        if first < last && !last.is_ascii() {
            self.others.extend([first.max('\x7f'), '-', last]);
        }
        self.add_ascii(|&byte| (first..=last).contains(&char::from(byte)))
    }

    fn add_ascii(&mut self, holds: impl Fn(&u8) -> bool) -> Option<char> {
        for (held, byte) in self.ascii.iter_mut().zip(0..) {
            *held |= holds(&byte);
        }
        None
    }

    /// The class in the globs' syntax, in which a `]` stands first and a dash last. A NUL, which no
    /// name has, keeps a `!` from the first place. A `/` would make the rule look at paths.
    fn glob(mut self, negated: bool) -> String {
        let [bracket, dash, _] =
            [']', '-', '/'].map(|c| std::mem::take(&mut self.ascii[c as usize]));
        let mut glob = String::from(if negated { "[!" } else { "[" });
        glob.push(if bracket { ']' } else { '\0' });
        let mut at = 0;
        for run in self.ascii.chunk_by(|a, b| a == b) {
            let [first, last] = [at, at + run.len() - 1].map(|index| char::from(index as u8));
            at += run.len();
            if run[0] {
                glob.extend([first, '-', last]);
            }
        }
        glob += &self.others;
        glob.push_str(if dash { "-]" } else { "]" });
        glob
    }
}
