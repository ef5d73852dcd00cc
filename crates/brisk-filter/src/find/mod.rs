//! find(1)'s language: the tests that `--where` takes as the words of a line, and whole command lines.
//! GNU find 4.9 says what a word means, which operators bind tighter, and how it is refused.
//!
//! What cannot mean here exactly what it means there is refused, in `--where` with its place in the
//! line.

mod ages;
mod dialect;
mod line;
mod numbers;
mod options;
mod owners;
mod parser;
mod primaries;
mod refusal;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use std::ffi::OsString;

use brisk::filter::Expr;
use brisk::{Order, Shape};

pub use line::{Action, CommandLine, Ending, ExecKind, File, Options, Prepare, Surroundings};
pub use parser::{Context, FileSystem};
pub use primaries::is_test;

use parser::{Line, Parser};
use refusal::{Refusal, Why};
use tree::{Piece, What};

/// Why a line is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where: 1 is the line's first character.
    pub at: usize,
    /// What is wrong there.
    pub why: String,
}

/// Reads an expression of tests.
///
/// # Errors
/// A word that is no test, what a test needs and does not get, or operators without operands.
pub fn parse(line: &str, context: &Context<'_>) -> Result<Expr, Mistake> {
    let unclosed = |at| Mistake { at: at + 1, why: "a quote is not closed".to_owned() };
    let split = words::split(line).map_err(unclosed)?;
    let words: Vec<OsString> = split.iter().map(|word| word.text.clone().into()).collect();
    if words.is_empty() {
        return Err(Mistake { at: 1, why: "a test is missing".to_owned() });
    }
    let mut parser = Parser::new(&words, context);
    let read = parser.all_words();
    let expr = read.and_then(|()| tree::build(parser.pieces, Some(context.min_depth)));
    expr.map_err(|refusal| Mistake {
        at: split.get(refusal.at).map_or(1, |word| word.at + 1),
        why: refusal.plain(&words),
    })
}

/// Reads find(1)'s command line, without the program's name.
///
/// # Errors
/// The words are refused, or ask for help.
pub fn command(
    words: &[OsString],
    context: &Context<'_>,
    surroundings: &mut Surroundings<'_>,
) -> Result<CommandLine, Ending> {
    let quote = surroundings.quote;
    let mut parser = Parser::new(words, context);
    parser.line = Some(Line::new(surroundings));
    whole_line(parser).map_err(|refusal| match refusal.why {
        Why::Help => Ending::Help,
        Why::Version => Ending::Version,
        Why::DebugHelp => Ending::DebugHelp,
        why => Ending::Refused {
            messages: refusal.messages(words, quote),
            hints: matches!(why, Why::DebugMissing | Why::DebugEmpty),
        },
    })
}

fn whole_line(mut parser: Parser<'_, '_>) -> Result<CommandLine, Refusal> {
    let added = |what| Piece { what, word: usize::MAX, is_added: true };
    parser.leading()?;
    let from = parser.at;
    parser.paths();
    parser.pieces.push(added(What::Open));
    parser.all_words()?;
    if parser.prints() {
        parser.pieces.remove(0);
    } else {
        let print = parser.act(Action::Print { to: None, end: b'\n' })?;
        if parser.pieces.len() == 1 {
            parser.pieces.clear();
        } else {
            parser.pieces.extend([What::Close, What::And].map(added));
        }
        parser.pieces.push(added(What::Part(print)));
    }
    let Parser { pieces, line, .. } = parser;
    line.expect("BUG: a command line is read").finish(pieces, from)
}

impl Line<'_> {
    /// What the line says, of which paths begin at `from`.
    fn finish(self, pieces: Vec<Piece>, from: usize) -> Result<CommandLine, Refusal> {
        let warns = self.warns();
        let Line { mut said, is_depth_typed, .. } = self;
        let options = &mut said.options;
        options.warns = warns;
        let prunes = pieces.iter().any(|piece| matches!(piece.what, What::Prune));
        if prunes && !is_depth_typed && said.actions.contains(&Action::Delete) {
            return Err(Refusal::new(Why::PrunedDelete, from));
        }
        said.expr = tree::build(pieces, (!options.depth_first).then_some(options.min_depth))?;
        if options.depth_first && options.order == Order::Depth(Shape::Pre) {
            options.order = Order::Depth(Shape::Post);
        }
        match &options.files_from {
            Some(_) if !said.paths.is_empty() => Err(Refusal::new(Why::PathsTwice, from)),
            Some(name) if options.asks && name == "-" => Err(Refusal::new(Why::InputTwice, from)),
            None if said.paths.is_empty() => {
                said.paths.push(".".into());
                Ok(said)
            }
            _ => Ok(said),
        }
    }
}
