//! The order of operators: a row of pieces becomes one expression, as in GNU find's parser.
//!
//! ```text
//!   list:    any  , any …
//!   any:     all  -o all …
//!   all:     term [-a] term …
//!   term:    ! term  |  ( list )  |  part
//! ```

use std::iter::Peekable;
use std::vec::IntoIter;

use brisk::filter::{Expr, Test};

use super::fault::{Fault, Why};

/// Always true.
pub(super) const YES: Expr = Expr::All(Vec::new());
/// Always false.
pub(super) const NO: Expr = Expr::Any(Vec::new());

/// The most parentheses that may be open at once. There is a limit because each takes space on the
/// stack.
const MAX_OPEN: usize = 100;

/// What a word, or a test with its argument, is in an expression.
pub(super) enum What {
    Part(Expr),
    Prune,
    Not,
    Open,
    Close,
    And,
    Or,
    Comma,
}

impl What {
    /// The operator, or the parenthesis, of this name.
    pub fn named(name: &str) -> Option<What> {
        Some(match name {
            "!" | "not" => What::Not,
            "(" => What::Open,
            ")" => What::Close,
            "a" | "and" => What::And,
            "o" | "or" => What::Or,
            "," => What::Comma,
            "prune" => What::Prune,
            _ => return None,
        })
    }
}

/// A piece of an expression.
pub(super) struct Piece {
    pub what: What,
    /// The word that messages name.
    pub word: usize,
    /// Whether it was added to what the user typed.
    pub is_added: bool,
}

/// What precedes a term.
#[derive(Clone, Copy)]
struct Before {
    /// The operator; `None` after a parenthesis, and at the beginning.
    operator: Option<usize>,
}

const START: Before = Before { operator: None };

/// The expression that the pieces form. `prunes_from` is the least depth at which `-prune` acts;
/// `None`: nowhere.
///
/// # Errors
/// Operators without operands, and parentheses that do not match.
pub(super) fn build(pieces: Vec<Piece>, prunes_from: Option<usize>) -> Result<Expr, Fault> {
    let last = pieces.last().map_or(0, |piece| piece.word);
    let mut row = Operators { rest: pieces.into_iter().peekable(), last, open: 0, prunes_from };
    let expr = row.list(START)?;
    match row.rest.next() {
        Some(piece) => Err(Fault::new(Why::CLOSES, piece.word)),
        None => Ok(expr),
    }
}

struct Operators {
    rest: Peekable<IntoIter<Piece>>,
    /// The last piece's word.
    last: usize,
    /// How many parentheses are open.
    open: usize,
    prunes_from: Option<usize>,
}

impl Operators {
    /// The next piece, if it is this operator.
    fn takes(&mut self, is_operator: fn(&What) -> bool) -> Option<Before> {
        let piece = self.rest.next_if(|piece| is_operator(&piece.what))?;
        Some(Before { operator: Some(piece.word) })
    }

    fn list(&mut self, before: Before) -> Result<Expr, Fault> {
        let mut parts = vec![self.any(before)?];
        while let Some(comma) = self.takes(|what| matches!(what, What::Comma)) {
            parts.push(self.any(comma)?);
        }
        Ok(joined(parts, Expr::List))
    }

    fn any(&mut self, before: Before) -> Result<Expr, Fault> {
        let mut parts = vec![self.all(before)?];
        while let Some(or) = self.takes(|what| matches!(what, What::Or)) {
            parts.push(self.all(or)?);
        }
        Ok(joined(parts, Expr::Any))
    }

    fn all(&mut self, before: Before) -> Result<Expr, Fault> {
        let mut parts = vec![self.term(before)?];
        loop {
            let follows = self.takes(|what| matches!(what, What::And));
            let begins = |piece: &Piece| {
                matches!(piece.what, What::Part(_) | What::Prune | What::Not | What::Open)
            };
            match follows.or(self.rest.peek().is_some_and(begins).then_some(START)) {
                Some(before) => parts.push(self.term(before)?),
                None => return Ok(joined(parts, Expr::All)),
            }
        }
    }

    fn term(&mut self, mut before: Before) -> Result<Expr, Fault> {
        let mut is_negated = false;
        while let Some(not) = self.takes(|what| matches!(what, What::Not)) {
            before = not;
            is_negated ^= true;
        }
        let piece = self.rest.next().ok_or_else(|| Fault::new(Why::END, self.last))?;
        let expr = match piece.what {
            What::Part(expr) => expr,
            What::Prune => self.prunes_from.map_or(YES, prune),
            What::Open => self.group(&piece)?,
            What::Close => return Err(closed(&piece, before)),
            _ => return Err(Fault::new(Why::BEFORE, piece.word)),
        };
        Ok(if is_negated { !expr } else { expr })
    }

    /// What is between parentheses; the opening one was read.
    fn group(&mut self, open: &Piece) -> Result<Expr, Fault> {
        if self.open >= MAX_OPEN {
            return Err(Fault::new(Why::DEEP, open.word));
        }
        let Some(next) = self.rest.peek().filter(|next| !next.is_added || open.is_added) else {
            return Err(Fault::new(Why::OPEN_END, open.word));
        };
        if matches!(next.what, What::Close) {
            return Err(match open.is_added {
                true => Fault::new(Why::BEFORE_CLOSE, next.word),
                false => Fault::new(Why::NOTHING, open.word),
            });
        }
        self.open += 1;
        let inner = self.list(START)?;
        self.open -= 1;
        match self.takes(|what| matches!(what, What::Close)) {
            Some(_) => Ok(inner),
            None => Err(Fault::new(Why::UNCLOSED, open.word)),
        }
    }
}

/// Why a parenthesis cannot be closed here.
fn closed(close: &Piece, before: Before) -> Fault {
    match before.operator {
        None => Fault::new(Why::BEFORE_CLOSE, close.word),
        Some(operator) if close.is_added => Fault::new(Why::AFTER, operator),
        Some(operator) => Fault::new(Why::BETWEEN, close.word).of(operator),
    }
}

/// The parts as one expression; a single part stays as it is.
fn joined(mut parts: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

/// `-prune`: does not enter the entry that is tested.
fn prune(min_depth: usize) -> Expr {
    if min_depth == 0 {
        return Expr::Prune;
    }
    let key = format!("--min-depth {min_depth}");
    let is_tested = Test::known(key, move |entry| entry.depth() >= min_depth);
    Expr::Any(vec![Expr::All(vec![is_tested.into(), Expr::Prune]), YES])
}
