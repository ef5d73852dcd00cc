//! The regular expressions of `find -regex`: POSIX's and GNU's dialects, translated for the regex
//! crate. What that cannot express is refused.
//!
//! A dialect is a set of glibc's syntax bits (`regex.h`), and the parser follows glibc's: which
//! characters are operators, where an operator is a character, and what is an error. Two things are
//! left to the matcher: a path has to match as a whole, and `^` and `$` also match at newlines.

use std::fmt::Write;

/// What a dialect allows, in glibc's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegexType {
    name: &'static str,
    bits: u32,
}

const BACKSLASH_ESCAPE_IN_LISTS: u32 = 1;
const BK_PLUS_QM: u32 = 1 << 1;
const CHAR_CLASSES: u32 = 1 << 2;
const CONTEXT_INDEP_ANCHORS: u32 = 1 << 3;
const CONTEXT_INDEP_OPS: u32 = 1 << 4;
const CONTEXT_INVALID_OPS: u32 = 1 << 5;
const DOT_NEWLINE: u32 = 1 << 6;
const INTERVALS: u32 = 1 << 7;
const LIMITED_OPS: u32 = 1 << 8;
const NEWLINE_ALT: u32 = 1 << 9;
const NO_BK_BRACES: u32 = 1 << 10;
const NO_BK_PARENS: u32 = 1 << 11;
const NO_BK_REFS: u32 = 1 << 12;
const NO_BK_VBAR: u32 = 1 << 13;
const NO_EMPTY_RANGES: u32 = 1 << 14;
const UNMATCHED_RIGHT_PAREN_ORD: u32 = 1 << 15;
const NO_GNU_OPS: u32 = 1 << 16;
const INVALID_INTERVAL_ORD: u32 = 1 << 17;
const CONTEXT_INVALID_DUP: u32 = 1 << 18;

const COMMON: u32 = CHAR_CLASSES | DOT_NEWLINE | INTERVALS | NO_EMPTY_RANGES;
const BASIC: u32 = COMMON | BK_PLUS_QM | CONTEXT_INVALID_DUP;
const EXTENDED: u32 = COMMON
    | CONTEXT_INDEP_ANCHORS
    | CONTEXT_INDEP_OPS
    | NO_BK_BRACES
    | NO_BK_PARENS
    | NO_BK_VBAR
    | CONTEXT_INVALID_OPS
    | UNMATCHED_RIGHT_PAREN_ORD;
const EGREP: u32 = (EXTENDED | INVALID_INTERVAL_ORD | NEWLINE_ALT) & !CONTEXT_INVALID_OPS;
const AWK: u32 = BACKSLASH_ESCAPE_IN_LISTS
    | NO_BK_PARENS
    | NO_BK_REFS
    | NO_BK_VBAR
    | NO_EMPTY_RANGES
    | DOT_NEWLINE
    | CONTEXT_INDEP_ANCHORS
    | CHAR_CLASSES
    | UNMATCHED_RIGHT_PAREN_ORD
    | NO_GNU_OPS;
const GNU_AWK: u32 = (EXTENDED | BACKSLASH_ESCAPE_IN_LISTS | INVALID_INTERVAL_ORD)
    & !(CONTEXT_INDEP_OPS | CONTEXT_INVALID_OPS);
const POSIX_AWK: u32 = EXTENDED | BACKSLASH_ESCAPE_IN_LISTS | NO_GNU_OPS | INVALID_INTERVAL_ORD;

const DIALECTS: [RegexType; 13] = [
    RegexType { name: "findutils-default", bits: DOT_NEWLINE },
    RegexType { name: "ed", bits: BASIC },
    RegexType { name: "emacs", bits: 0 },
    RegexType { name: "gnu-awk", bits: GNU_AWK },
    RegexType { name: "grep", bits: (BASIC | NEWLINE_ALT) & !CONTEXT_INVALID_DUP },
    RegexType { name: "posix-awk", bits: POSIX_AWK },
    RegexType { name: "awk", bits: AWK },
    RegexType { name: "posix-basic", bits: BASIC },
    RegexType { name: "posix-egrep", bits: EGREP },
    RegexType { name: "egrep", bits: EGREP },
    RegexType { name: "posix-extended", bits: EXTENDED },
    RegexType { name: "posix-minimal-basic", bits: COMMON | LIMITED_OPS },
    RegexType { name: "sed", bits: BASIC },
];

impl RegexType {
    /// The dialect of this name, as `-regextype` takes it.
    pub fn named(name: &str) -> Option<RegexType> {
        DIALECTS.into_iter().find(|dialect| dialect.name == name)
    }

    /// The same expression in the syntax of the regex crate, with [`(?m)`](regex) for its anchors.
    ///
    /// # Errors
    /// What is wrong with it, or cannot be expressed.
    pub fn translate(self, text: &str) -> Result<String, &'static str> {
        let mut parser = Parser { bits: self.bits, text, at: 0, out: String::new(), open: 0 };
        parser.alternatives()?;
        match parser.at == text.len() {
            true => Ok(parser.out),
            false => Err("Unmatched ) or \\)"),
        }
    }
}

impl Default for RegexType {
    /// That of emacs, whatever the name `findutils-default` says: no dot matches a newline.
    fn default() -> RegexType {
        RegexType { name: "emacs", bits: 0 }
    }
}

/// What stands at a place of the expression.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    End,
    Char(char),
    /// A translation that no repetition may follow.
    Anchor(&'static str),
    /// A class of characters, such as `\w`.
    Class(&'static str),
    Any,
    Bracket,
    Alternative,
    Open,
    Close,
    Repeat(char),
    OpenInterval,
    CloseInterval,
    BackReference,
}

struct Parser<'t> {
    bits: u32,
    text: &'t str,
    /// The place that is read next.
    at: usize,
    out: String,
    /// How many groups are open.
    open: u32,
}

impl Parser<'_> {
    fn has(&self, bits: u32) -> bool {
        self.bits & bits != 0
    }

    /// The token at a place, and its length. `begins`: a group or an alternative begins here.
    fn token_at(&self, at: usize, begins: bool) -> Result<(Token, usize), &'static str> {
        let mut rest = self.text[at..].chars();
        let Some(first) = rest.next() else { return Ok((Token::End, 0)) };
        if first == '\\' {
            let second = rest.next().ok_or("Trailing backslash")?;
            return Ok((self.escaped(second), 1 + second.len_utf8()));
        }
        let limited = self.has(LIMITED_OPS);
        let token = match first {
            '\n' if self.has(NEWLINE_ALT) => Token::Alternative,
            '|' if !limited && self.has(NO_BK_VBAR) => Token::Alternative,
            '*' => Token::Repeat('*'),
            '+' | '?' if !limited && !self.has(BK_PLUS_QM) => Token::Repeat(first),
            '{' if self.has(INTERVALS) && self.has(NO_BK_BRACES) => Token::OpenInterval,
            '}' if self.has(INTERVALS) && self.has(NO_BK_BRACES) => Token::CloseInterval,
            '(' if self.has(NO_BK_PARENS) => Token::Open,
            ')' if self.has(NO_BK_PARENS) => Token::Close,
            '[' => Token::Bracket,
            '.' => Token::Any,
            '^' if begins || self.has(CONTEXT_INDEP_ANCHORS) => Token::Anchor("^"),
            '$' if self.ends_at(at + 1)? => Token::Anchor("$"),
            other => Token::Char(other),
        };
        Ok((token, first.len_utf8()))
    }

    /// Whether a `$` before this place is an anchor.
    fn ends_at(&self, at: usize) -> Result<bool, &'static str> {
        let is_end = |token| matches!(token, Token::End | Token::Alternative | Token::Close);
        Ok(self.has(CONTEXT_INDEP_ANCHORS) || is_end(self.token_at(at, false)?.0))
    }

    fn escaped(&self, second: char) -> Token {
        let limited = self.has(LIMITED_OPS);
        let gnu = !self.has(NO_GNU_OPS);
        match second {
            '|' if !limited && !self.has(NO_BK_VBAR) => Token::Alternative,
            '1'..='9' if !self.has(NO_BK_REFS) => Token::BackReference,
            '<' if gnu => Token::Anchor(r"\b{start}"),
            '>' if gnu => Token::Anchor(r"\b{end}"),
            'b' if gnu => Token::Anchor(r"\b"),
            'B' if gnu => Token::Anchor(r"\B"),
            '`' if gnu => Token::Anchor(r"\A"),
            '\'' if gnu => Token::Anchor(r"\z"),
            'w' if gnu => Token::Class(r"[\w]"),
            'W' if gnu => Token::Class(r"[^\w]"),
            's' if gnu => Token::Class(r"[\s]"),
            'S' if gnu => Token::Class(r"[^\s]"),
            '(' if !self.has(NO_BK_PARENS) => Token::Open,
            ')' if !self.has(NO_BK_PARENS) => Token::Close,
            '+' | '?' if !limited && self.has(BK_PLUS_QM) => Token::Repeat(second),
            '{' if self.has(INTERVALS) && !self.has(NO_BK_BRACES) => Token::OpenInterval,
            '}' if self.has(INTERVALS) && !self.has(NO_BK_BRACES) => Token::CloseInterval,
            other => Token::Char(other),
        }
    }

    /// Expressions with alternatives between them, up to the end of the group.
    fn alternatives(&mut self) -> Result<(), &'static str> {
        loop {
            let mut begins = true;
            while self.expression(begins)? {
                begins = false;
            }
            let (token, length) = self.token_at(self.at, false)?;
            if token != Token::Alternative {
                return Ok(());
            }
            self.at += length;
            self.out.push('|');
        }
    }

    /// One expression with its repetitions. `false` if there is none: an alternative, the group's end
    /// or the end of the text.
    fn expression(&mut self, begins: bool) -> Result<bool, &'static str> {
        let (token, length) = self.token_at(self.at, begins)?;
        let from = self.out.len();
        match token {
            Token::End | Token::Alternative => return Ok(false),
            Token::Close if self.open > 0 => return Ok(false),
            Token::Close if !self.has(UNMATCHED_RIGHT_PAREN_ORD) => {
                return Err("Unmatched ) or \\)");
            }
            Token::BackReference => return Err("a back reference cannot be translated"),
            Token::Anchor(anchor) => {
                self.at += length;
                self.out.push_str(anchor);
                return Ok(true);
            }
            Token::Open => self.group(length)?,
            Token::Bracket => self.bracket()?,
            Token::OpenInterval if self.has(CONTEXT_INVALID_DUP) => return Err(BAD_REPEAT),
            Token::Repeat(_) | Token::OpenInterval
                if self.has(CONTEXT_INVALID_OPS) && !self.has(CONTEXT_INVALID_DUP) =>
            {
                return Err(BAD_REPEAT);
            }
            Token::Repeat(_) | Token::OpenInterval if self.has(CONTEXT_INDEP_OPS) => {
                self.at += length;
                return self.expression(false);
            }
            Token::Class(class) => self.take(class, length),
            Token::Any => {
                let any = if self.has(DOT_NEWLINE) { "(?s:.)" } else { "." };
                self.take(any, length);
            }
            // An operator where there is nothing to repeat is a character.
            Token::Repeat(_)
            | Token::OpenInterval
            | Token::CloseInterval
            | Token::Close
            | Token::Char(_) => {
                let last = self.text[self.at..self.at + length].chars().next_back();
                self.at += length;
                self.literal(last.unwrap_or_default());
            }
        }
        self.repetitions(from)?;
        Ok(true)
    }

    fn take(&mut self, translation: &str, length: usize) {
        self.at += length;
        self.out.push_str(translation);
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn group(&mut self, length: usize) -> Result<(), &'static str> {
        self.at += length;
        self.open += 1;
        self.out.push_str("(?:");
        self.alternatives()?;
        let (token, length) = self.token_at(self.at, false)?;
        if token != Token::Close {
            return Err("Unmatched ( or \\(");
        }
        self.open -= 1;
        self.take(")", length);
        Ok(())
    }

    /// The repetitions of what was written from a place on.
    fn repetitions(&mut self, mut from: usize) -> Result<(), &'static str> {
        loop {
            let (token, length) = self.token_at(self.at, false)?;
            let times = match token {
                Token::Repeat(sign) => Some((sign.to_string(), length)),
                Token::OpenInterval => self.interval(length)?,
                _ => return Ok(()),
            };
            // What looks like an interval and is none is text.
            let Some((times, length)) = times else {
                self.at += length;
                from = self.out.len();
                self.literal('{');
                continue;
            };
            self.at += length;
            self.out.insert_str(from, "(?:");
            let _ = write!(self.out, "){times}");
            let next = self.token_at(self.at, false)?.0;
            let repeats = matches!(next, Token::Repeat('*') | Token::OpenInterval);
            if self.has(CONTEXT_INVALID_DUP) && repeats {
                return Err(BAD_REPEAT);
            }
        }
    }

    /// `{2}`, `{2,}`, `{,3}` or `{2,3}` in the regex crate's syntax, and its length here.
    fn interval(&self, open: usize) -> Result<Option<(String, usize)>, &'static str> {
        let invalid = |why| if self.has(INVALID_INTERVAL_ORD) { Ok(None) } else { Err(why) };
        let from = self.at + open;
        let close = if self.has(NO_BK_BRACES) { "}" } else { "\\}" };
        let Some(end) = self.text[from..].find(close) else {
            return invalid("Unmatched { or \\{");
        };
        let text = &self.text[from..from + end];
        let (low, high) = text.split_once(',').unwrap_or((text, text));
        let number = |digits: &str| match digits {
            "" => Some(None),
            _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Some),
            _ => None,
        };
        let (Some(low), Some(high)) = (number(low), number(high)) else {
            return invalid("Invalid content of \\{\\}");
        };
        let (low, high): (u32, Option<u32>) = match (low, high) {
            (None, None) if !text.contains(',') => return invalid("Invalid content of \\{\\}"),
            (low, high) => (low.unwrap_or(0), high),
        };
        if high.is_some_and(|high| high < low) {
            return Err("Invalid content of \\{\\}");
        }
        if high.unwrap_or(low) > 0x7fff {
            return Err("Regular expression too big");
        }
        let high = high.map_or(String::new(), |high| high.to_string());
        Ok(Some((format!("{{{low},{high}}}"), open + end + close.len())))
    }

    /// A bracket expression.
    fn bracket(&mut self) -> Result<(), &'static str> {
        let unmatched = "Unmatched [, [^, [:, [., or [=";
        let text = self.text;
        let mut rest = text[self.at + 1..].chars().peekable();
        let mut members = String::new();
        let negated = rest.next_if_eq(&'^').is_some();
        let mut first = true;
        loop {
            let c = *rest.peek().ok_or(unmatched)?;
            if c == ']' && !first {
                rest.next();
                break;
            }
            first = false;
            let (member, class) = self.member(&mut rest)?;
            if let Some(class) = class {
                members.push_str(&class);
                continue;
            }
            let mut ahead = rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']');
            if !is_range {
                push_member(&mut members, member);
                continue;
            }
            rest.next();
            let (end, class) = self.member(&mut rest)?;
            if class.is_some() || end < member && self.has(NO_EMPTY_RANGES) {
                return Err("Invalid range end");
            }
            if member <= end {
                push_member(&mut members, member);
                members.push('-');
                push_member(&mut members, end);
            }
        }
        self.at = text.len() - rest.map(char::len_utf8).sum::<usize>();
        match (negated, members.is_empty()) {
            (false, false) => drop(write!(self.out, "[{members}]")),
            (true, false) => drop(write!(self.out, "[^{members}]")),
            // Empty ranges alone.
            (false, true) => self.out.push_str(r"[^\s\S]"),
            (true, true) => self.out.push_str(r"(?s:.)"),
        }
        Ok(())
    }

    /// A member of a bracket expression: a character, or a class of them.
    fn member(
        &self,
        rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    ) -> Result<(char, Option<String>), &'static str> {
        let unmatched = "Unmatched [, [^, [:, [., or [=";
        let c = rest.next().ok_or(unmatched)?;
        if c == '\\' && self.has(BACKSLASH_ESCAPE_IN_LISTS) {
            return Ok((rest.next().ok_or(unmatched)?, None));
        }
        let kind = match rest.peek() {
            Some(kind @ ('.' | '=')) if c == '[' => *kind,
            Some(':') if c == '[' && self.has(CHAR_CLASSES) => ':',
            _ => return Ok((c, None)),
        };
        rest.next();
        let mut name = String::new();
        while !name.ends_with(&format!("{kind}]")) {
            name.push(rest.next().ok_or(unmatched)?);
        }
        name.truncate(name.len() - 2);
        let mut chars = name.chars();
        match (kind, chars.next(), chars.next()) {
            (':', ..) => class(&name).map(|class| ('\0', Some(class))),
            (_, Some(only), None) => Ok((only, None)),
            _ => Err("Invalid collation character"),
        }
    }
}

const BAD_REPEAT: &str = "Invalid preceding regular expression";

fn class(name: &str) -> Result<String, &'static str> {
    Ok(match name {
        "alpha" => r"\p{Alphabetic}",
        "digit" => "0-9",
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "upper" => r"\p{Uppercase}",
        "lower" => r"\p{Lowercase}",
        "space" => r"\s",
        "blank" => r"\t\p{Zs}",
        "punct" => r"[\p{P}\p{S}]",
        "cntrl" => r"\p{Cc}",
        "print" => r"[^\p{C}]",
        "graph" => r"[^\p{C}\s]",
        "xdigit" => "0-9A-Fa-f",
        _ => return Err("Invalid character class name"),
    }
    .to_owned())
}

fn push_member(out: &mut String, member: char) {
    out.push_str(&regex::escape(member.encode_utf8(&mut [0; 4])));
}
