//! find(1)'s language: the tests that `--where` takes as one line of words, and whole command
//! lines. GNU find 4.9 decides what a word means, which operators bind tighter, and how a word is
//! refused.
//!
//! A word that cannot mean exactly what it means to GNU find is refused, in `--where` with its
//! position in the line.

mod actions;
mod ages;
mod dialect;
mod fault;
mod leading;
mod line;
mod line_reader;
mod names;
mod numbers;
mod operators;
mod owners;
mod parser;
mod primaries;
mod syntaxes;
#[cfg(test)]
mod tests;
mod word_reader;
mod words;

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use brisk::filter::Expr;
use brisk::{Backend, Order, Shape};
use brisk_sys::{Links, stat_path};

use crate::mounted::FileSystems;
use crate::zone::now;
pub use line::{Action, CommandLine, Ending, ExecKind, File, Options, Prepare, Surroundings};
pub use names::is_test;
pub use parser::Context;

use fault::{Fault, Why};
use line_reader::LineReader;
use operators::{Piece, What};
use parser::Parser;

/// Why a line is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The position: 1 is the line's first character.
    pub at: usize,
    /// What is wrong there.
    pub why: String,
}

/// Reads an expression of tests.
///
/// # Errors
/// A word that is not a test, a test without its argument, or operators without operands.
pub fn parse(line: &str, context: &Context<'_>) -> Result<Expr, Mistake> {
    let unclosed = |at| Mistake { at: at + 1, why: "a quote is not closed".to_owned() };
    let split = words::split(line).map_err(unclosed)?;
    let words: Vec<OsString> = split.iter().map(|word| word.text.clone().into()).collect();
    if words.is_empty() {
        return Err(Mistake { at: 1, why: "a test is missing".to_owned() });
    }
    let mut parser = Parser::new(&words, context);
    let read = parser.all_words();
    let expr = read.and_then(|()| operators::build(parser.pieces, Some(context.min_depth)));
    expr.map_err(|fault| Mistake {
        at: split.get(fault.at).map_or(1, |word| word.at + 1),
        why: fault.plain(&words),
    })
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {}: {}", self.at, self.why)
    }
}

/// Reads an expression of tests for a walk of a library: characters are those of UTF-8. `follows`:
/// the walk follows links. System calls: one statx for each file that a test refers to.
///
/// # Errors
/// As [`parse`].
pub fn tests(line: &str, min_depth: usize, follows: bool) -> Result<Expr, Mistake> {
    let length = |text: &[u8]| {
        let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        valid.chars().next().map_or(1, char::len_utf8)
    };
    let links = Links::followed(follows);
    let stat = |path: &Path, fields, _| {
        stat_path(Backend::Native, path, fields, links).map_err(|error| error.to_string())
    };
    let file_system = Arc::<FileSystems>::default().of_tests();
    parse(line, &Context { now: &now, length, min_depth, stat: &stat, file_system })
}

/// Reads find(1)'s command line, without the program's name.
///
/// # Errors
/// The words are refused, or request the help.
pub fn command(
    words: &[OsString],
    context: &Context<'_>,
    surroundings: Surroundings<'_>,
) -> Result<CommandLine, Ending> {
    let quote = surroundings.quote;
    let parser = Parser::new(words, context);
    whole_line(parser, surroundings).map_err(|fault| match fault.why {
        Why::HELP => Ending::Help,
        Why::VERSION => Ending::Version,
        Why::DEBUG_HELP => Ending::DebugHelp,
        why => Ending::Refused {
            messages: fault.messages(words, quote),
            hints: matches!(why, Why::DEBUG_MISSING | Why::DEBUG_EMPTY),
        },
    })
}

fn whole_line<'l>(
    mut parser: Parser<'_, 'l>,
    surroundings: Surroundings<'l>,
) -> Result<CommandLine, Fault> {
    let added = |what| Piece { what, word: usize::MAX, is_added: true };
    let mut draft = LineReader::new(surroundings);
    draft.leading(&mut parser.words)?;
    let from = parser.words.at;
    draft.paths(&mut parser.words);
    parser.line = Some(draft);
    parser.pieces.push(added(What::Open));
    parser.all_words()?;
    let Parser { mut pieces, line, .. } = parser;
    let mut draft = line.expect("BUG: it was put there");
    if draft.prints {
        pieces.remove(0);
    } else {
        let print = draft.act(Action::Print { to: None, end: b'\n' }, usize::MAX)?;
        if pieces.len() == 1 {
            pieces.clear();
        } else {
            pieces.extend([What::Close, What::And].map(added));
        }
        pieces.push(added(What::Part(print)));
    }
    finish(draft, pieces, from)
}

/// What the line says. Its paths begin at the word `from`.
fn finish(draft: LineReader<'_>, pieces: Vec<Piece>, from: usize) -> Result<CommandLine, Fault> {
    let LineReader { mut said, is_depth_typed, .. } = draft;
    let options = &mut said.options;
    let prunes = pieces.iter().any(|piece| matches!(piece.what, What::Prune));
    if prunes && !is_depth_typed && said.actions.contains(&Action::Delete) {
        return Err(Fault::new(Why::PRUNED_DELETE, from));
    }
    said.expr = operators::build(pieces, (!options.depth_first).then_some(options.min_depth))?;
    if options.depth_first && options.order == Order::Depth(Shape::Pre) {
        options.order = Order::Depth(Shape::Post);
    }
    match &options.files_from {
        Some(_) if !said.paths.is_empty() => return Err(Fault::new(Why::PATHS_TWICE, from)),
        Some(name) if options.asks && name == "-" => {
            return Err(Fault::new(Why::INPUT_TWICE, from));
        }
        None if said.paths.is_empty() => said.paths.push(".".into()),
        _ => {}
    }
    Ok(said)
}
