//! The tests of find(1), as `--where` takes them: the words of a line become one expression. GNU
//! find 4.9 says what a word means and which operators bind tighter.
//!
//! ```text
//!   any:     all  -o all …
//!   all:     term [-a] term …
//!   term:    ! term  |  ( any )  |  test
//! ```
//!
//! What cannot mean here exactly what it means there is refused, with its place in the line.

mod ages;
mod dialect;
mod numbers;
mod owners;
mod primaries;
#[cfg(test)]
mod tests;
mod words;

use std::fmt::Display;
use std::path::Path;

use brisk::filter::Expr;
use brisk::{Fields, Meta};
use jiff::Zoned;

use crate::fnmatch::Length;
use dialect::RegexType;
pub use primaries::is_test;
use words::Word;

/// What an expression refers to.
pub struct Context<'c> {
    /// When the search began, in the user's time zone.
    pub now: Zoned,
    /// How long characters are.
    pub length: Length,
    /// At which depth results begin. As in find(1), nothing is tested above it, and nothing pruned.
    pub min_depth: usize,
    /// The metadata of a file that a test names, or why there is none.
    pub stat: &'c dyn Fn(&Path, Fields) -> Result<Meta, String>,
}

/// Why a line is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where: 1 is the line's first character.
    pub at: usize,
    /// What is wrong there.
    pub why: String,
}

/// The most parentheses that may be open at once, because each takes space on the stack.
const MAX_OPEN: usize = 100;

/// Reads an expression.
///
/// # Errors
/// A word that is no test, what a test needs and does not get, or operators without operands.
pub fn parse(line: &str, context: &Context<'_>) -> Result<Expr, Mistake> {
    let unclosed = |at| Mistake { at: at + 1, why: "a quote is not closed".to_owned() };
    let words = words::split(line).map_err(unclosed)?;
    let dialect = RegexType::default();
    let mut parser = Parser { words, at: 0, open: 0, context, dialect, from_midnight: false };
    let expr = parser.any()?;
    match parser.words.get(parser.at) {
        None => Ok(expr),
        Some(_) => Err(parser.mistake(parser.at, "there are too many ')'")),
    }
}

struct Parser<'c> {
    words: Vec<Word>,
    /// The word that is read next.
    at: usize,
    /// How many parentheses are open.
    open: usize,
    context: &'c Context<'c>,
    /// What `-regextype` chose last.
    dialect: RegexType,
    /// Whether `-daystart` was read.
    from_midnight: bool,
}

impl Parser<'_> {
    fn mistake(&self, word: usize, why: impl Display) -> Mistake {
        let word = self.words.get(word).or(self.words.last());
        Mistake { at: word.map_or(1, |word| word.at + 1), why: why.to_string() }
    }

    fn next_is(&self, operators: &[&str]) -> bool {
        self.words.get(self.at).is_some_and(|word| operators.contains(&&*word.text))
    }

    fn takes(&mut self, operators: &[&str]) -> bool {
        let is_taken = self.next_is(operators);
        self.at += usize::from(is_taken);
        is_taken
    }

    fn any(&mut self) -> Result<Expr, Mistake> {
        let mut parts = vec![self.all()?];
        while self.takes(&["-o", "-or"]) {
            parts.push(self.all()?);
        }
        Ok(joined(parts, Expr::Any))
    }

    fn all(&mut self) -> Result<Expr, Mistake> {
        let mut parts = vec![self.term()?];
        self.options();
        while self.takes(&["-a", "-and"])
            || self.at < self.words.len() && !self.next_is(&["-o", "-or", ")"])
        {
            parts.push(self.term()?);
            self.options();
        }
        Ok(joined(parts, Expr::All))
    }

    fn term(&mut self) -> Result<Expr, Mistake> {
        let mut is_negated = false;
        loop {
            self.options();
            if !self.takes(&["!", "-not"]) {
                break;
            }
            is_negated ^= true;
        }
        let at = self.at;
        let Some(word) = self.words.get(at).map(|word| word.text.clone()) else {
            let before = self.words.last().map(|word| format!(" after '{}'", word.text));
            let before = before.unwrap_or_default();
            return Err(self.mistake(at, format_args!("a test is missing{before}")));
        };
        self.at += 1;
        let expr = match &*word {
            "(" => self.group(at)?,
            ")" | "-o" | "-or" | "-a" | "-and" => {
                return Err(self.mistake(at, format_args!("a test is missing before '{word}'")));
            }
            word => self.test(word)?,
        };
        Ok(if is_negated { !expr } else { expr })
    }

    /// Reads `-daystart`, which is no test: a `!` before it applies to what follows it.
    fn options(&mut self) {
        while self.takes(&["-daystart"]) {
            self.from_midnight = true;
        }
    }

    /// What is between parentheses, of which the first was read.
    fn group(&mut self, at: usize) -> Result<Expr, Mistake> {
        if self.next_is(&[")"]) {
            return Err(self.mistake(at, "there is nothing between '(' and ')'"));
        }
        if self.open == MAX_OPEN {
            return Err(self.mistake(at, format_args!("more than {MAX_OPEN} '(' are open")));
        }
        self.open += 1;
        let inner = self.any()?;
        self.open -= 1;
        match self.takes(&[")"]) {
            true => Ok(inner),
            false => Err(self.mistake(at, "a ')' is missing for this '('")),
        }
    }

    /// The argument of the test that was read last.
    fn text(&mut self) -> Result<String, Mistake> {
        let at = self.at;
        self.at += 1;
        match self.words.get(at) {
            Some(word) => Ok(word.text.clone()),
            None => {
                let test = &self.words[at - 1].text;
                Err(self.mistake(at - 1, format_args!("'{test}' needs an argument")))
            }
        }
    }

    /// That of the argument that was read last.
    fn refused(&self, why: impl Display) -> Mistake {
        self.mistake(self.at - 1, why)
    }

    /// What a test's argument means, or the refusal of it.
    fn read<T>(&mut self, read: impl Fn(&str) -> Option<T>, what: &str) -> Result<T, Mistake> {
        let text = self.text()?;
        read(&text).ok_or_else(|| self.refused(format_args!("'{text}' is no {what}")))
    }
}

/// The parts as one expression; one alone is itself.
fn joined(mut parts: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}
