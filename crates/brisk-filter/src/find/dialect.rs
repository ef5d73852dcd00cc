//! The regular expressions of `find -regex`: POSIX's and GNU's dialects, translated for the regex
//! crate. What that crate cannot express is refused.
//!
//! A dialect is a set of glibc's syntax bits (`regex.h`), and the parser follows glibc's in which
//! characters are operators, where an operator is an ordinary character, and what is an error. Two
//! things are left to the matcher: a path has to match as a whole, and `^` and `$` also match at
//! newlines.

use std::fmt::Write;

use super::syntaxes::{
    BACKSLASH_ESCAPE_IN_LISTS, BK_PLUS_QM, CHAR_CLASSES, CONTEXT_INDEP_ANCHORS, CONTEXT_INDEP_OPS,
    CONTEXT_INVALID_DUP, CONTEXT_INVALID_OPS, DOT_NEWLINE, INTERVALS, INVALID_INTERVAL_ORD,
    LIMITED_OPS, NEWLINE_ALT, NO_BK_BRACES, NO_BK_PARENS, NO_BK_REFS, NO_BK_VBAR, NO_EMPTY_RANGES,
    NO_GNU_OPS, RegexType, UNMATCHED_RIGHT_PAREN_ORD,
};

impl RegexType {
    /// The same expression in the syntax of the crates regex and, if it has back references,
    /// fancy-regex, with [`(?m)`](regex) for its anchors. `of_bytes`: a character is a byte.
    ///
    /// # Errors
    /// What is wrong with it, or what cannot be expressed.
    pub fn translate(self, text: &str, of_bytes: bool) -> Result<Translation, &'static str> {
        let bits = self.bits;
        let out = Translation::default();
        let [open, groups, completed] = [0; 3];
        let mut parser = Parser { bits, text, of_bytes, at: 0, out, open, groups, completed };
        parser.alternatives()?;
        match parser.at == text.len() {
            true => Ok(parser.out),
            false => Err("Unmatched ) or \\)"),
        }
    }
}

/// A translated expression.
#[derive(Default)]
pub struct Translation {
    pub regex: String,
    pub has_references: bool,
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
    BackReference(char),
}

struct Parser<'t> {
    bits: u32,
    text: &'t str,
    of_bytes: bool,
    /// The place that is read next.
    at: usize,
    out: Translation,
    /// How many groups are open.
    open: u32,
    /// How many groups have begun.
    groups: u32,
    /// A bit for each group that has ended.
    completed: u32,
}

impl Parser<'_> {
    fn has(&self, bits: u32) -> bool {
        self.bits & bits != 0
    }

    /// The token at a place, and its length. `begins`: a group or an alternative begins there.
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
            '1'..='9' if !self.has(NO_BK_REFS) => Token::BackReference(second),
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
            self.out.regex.push('|');
        }
    }

    /// One expression with its repetitions. `false` if there is none: an alternative, the group's end
    /// or the end of the text.
    fn expression(&mut self, begins: bool) -> Result<bool, &'static str> {
        let (token, length) = self.token_at(self.at, begins)?;
        let from = self.out.regex.len();
        match token {
            Token::End | Token::Alternative => return Ok(false),
            Token::Close if self.open > 0 => return Ok(false),
            Token::Close if !self.has(UNMATCHED_RIGHT_PAREN_ORD) => {
                return Err("Unmatched ) or \\)");
            }
            Token::BackReference(group) => self.reference(group, length)?,
            Token::Anchor(anchor) => {
                self.take(anchor, length);
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
            // A repetition of nothing is an ordinary character.
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
        self.out.regex.push_str(translation);
    }

    fn literal(&mut self, c: char) {
        self.out.regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// What a group has matched.
    fn reference(&mut self, group: char, length: usize) -> Result<(), &'static str> {
        let group = group.to_digit(10).unwrap_or_default();
        if self.completed & 1 << group == 0 {
            return Err("Invalid back reference");
        }
        self.out.has_references = true;
        self.take(&format!("(?:\\{group})"), length);
        Ok(())
    }

    fn group(&mut self, length: usize) -> Result<(), &'static str> {
        self.at += length;
        self.open += 1;
        self.groups += 1;
        let number = self.groups;
        self.out.regex.push('(');
        self.alternatives()?;
        let (token, length) = self.token_at(self.at, false)?;
        if token != Token::Close {
            return Err("Unmatched ( or \\(");
        }
        self.open -= 1;
        self.completed |= 1_u32.checked_shl(number).unwrap_or(0);
        self.take(")", length);
        Ok(())
    }

    /// The repetitions of what was written since a place.
    fn repetitions(&mut self, mut from: usize) -> Result<(), &'static str> {
        loop {
            let (token, length) = self.token_at(self.at, false)?;
            let times = match token {
                Token::Repeat(sign) => Some((sign.to_string(), length)),
                Token::OpenInterval => self.interval(length)?,
                _ => return Ok(()),
            };
            // Text that looks like an interval and is not one stays text.
            let Some((times, length)) = times else {
                self.at += length;
                from = self.out.regex.len();
                self.literal('{');
                continue;
            };
            self.at += length;
            self.out.regex.insert_str(from, "(?:");
            let _ = write!(self.out.regex, "){times}");
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
            return invalid("Unmatched \\{");
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
        let text = self.text;
        let mut rest = text[self.at + 1..].chars().peekable();
        let mut members = String::new();
        let negated = rest.next_if_eq(&'^').is_some();
        rest.peek().ok_or("Invalid regular expression")?;
        let mut first = true;
        loop {
            let c = *rest.peek().ok_or(UNMATCHED)?;
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
        let out = &mut self.out.regex;
        match (negated, members.is_empty()) {
            (false, false) => out.extend(["[", &members, "]"]),
            (true, false) => out.extend(["[^", &members, "]"]),
            // It has only empty ranges.
            (false, true) => out.push_str(r"[^\s\S]"),
            (true, true) => out.push_str(r"(?s:.)"),
        }
        Ok(())
    }

    /// A member of a bracket expression: a character, or a class of them.
    fn member(
        &self,
        rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    ) -> Result<(char, Option<String>), &'static str> {
        let c = rest.next().ok_or(UNMATCHED)?;
        if c == '\\' && self.has(BACKSLASH_ESCAPE_IN_LISTS) {
            return Ok((rest.next().ok_or(UNMATCHED)?, None));
        }
        let kind = match rest.peek() {
            Some(kind @ ('.' | '=')) if c == '[' => *kind,
            Some(':') if c == '[' && self.has(CHAR_CLASSES) => ':',
            _ => return Ok((c, None)),
        };
        rest.next();
        let mut name = String::new();
        while !name.ends_with(&format!("{kind}]")) {
            name.push(rest.next().ok_or(UNMATCHED)?);
        }
        name.truncate(name.len() - 2);
        let mut chars = name.chars();
        match (kind, chars.next(), chars.next()) {
            (':', ..) if self.of_bytes => class(&name).map(|_| ('\0', Some(format!("[:{name}:]")))),
            (':', ..) => class(&name).map(|class| ('\0', Some(class))),
            (_, Some(only), None) => Ok((only, None)),
            _ => Err("Invalid collation character"),
        }
    }
}

const UNMATCHED: &str = "Unmatched [, [^, [:, [., or [=";
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
