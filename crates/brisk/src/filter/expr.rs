//! [`Expr`]: tests with and, or and not; their order, their text, and their answers.

use super::question::{Asked, Cost, Test};
use crate::{Entry, Fields};

/// An expression of tests.
pub enum Expr {
    /// A test.
    Test(Test),
    /// Its opposite.
    Not(Box<Expr>),
    /// All of these hold; true if there are none.
    All(Vec<Expr>),
    /// Any of these holds; false if there are none.
    Any(Vec<Expr>),
    /// True. A directory for which this is reached is not entered.
    Prune,
}

impl From<Test> for Expr {
    fn from(test: Test) -> Expr {
        Expr::Test(test)
    }
}

impl std::ops::Not for Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }
}

/// Whether all parts hold or, if not `wanted`, whether any does: the first other answer ends it.
#[inline(always)]
pub(super) fn all(parts: &[Expr], wanted: bool, asked: &mut Asked<'_, '_>) -> Option<bool> {
    let before = asked.fields;
    let mut is_known = true;
    for part in parts {
        if !is_known && part.acts() {
            // Whether this part is reached depends on what is not known.
            asked.fields |= part.fields(asked.entry);
            continue;
        }
        match part.holds(asked) {
            None => is_known = false,
            Some(holds) if holds != wanted => {
                asked.fields = before;
                return Some(holds);
            }
            Some(_) => {}
        }
    }
    is_known.then_some(wanted)
}

impl Expr {
    /// Whether the expression holds; `None` if that is not known yet.
    #[inline(always)]
    pub(super) fn holds(&self, asked: &mut Asked<'_, '_>) -> Option<bool> {
        match self {
            Expr::Test(test) => test.holds(asked),
            _ => self.combined(asked),
        }
    }

    fn combined(&self, asked: &mut Asked<'_, '_>) -> Option<bool> {
        match self {
            Expr::Test(test) => test.holds(asked),
            Expr::Not(part) => part.holds(asked).map(|holds| !holds),
            Expr::All(parts) => all(parts, true, asked),
            Expr::Any(parts) => all(parts, false, asked),
            Expr::Prune => {
                asked.entry.prune();
                Some(true)
            }
        }
    }

    fn parts(&self) -> &[Expr] {
        match self {
            Expr::Test(_) | Expr::Prune => &[],
            Expr::Not(part) => std::slice::from_ref(part),
            Expr::All(parts) | Expr::Any(parts) => parts,
        }
    }

    /// The tests in the expression.
    pub(super) fn tests(&self) -> Box<dyn Iterator<Item = &Test> + '_> {
        match self {
            Expr::Test(test) => Box::new(std::iter::once(test)),
            _ => Box::new(self.parts().iter().flat_map(Expr::tests)),
        }
    }

    /// Whether the expression does more than answer.
    pub(super) fn acts(&self) -> bool {
        matches!(self, Expr::Prune) || self.parts().iter().any(Expr::acts)
    }

    fn fields(&self, entry: &Entry<'_>) -> Fields {
        self.tests().map(|test| test.fields(entry.file_type())).collect()
    }

    fn cost(&self) -> Cost {
        self.tests().map(Test::cost).max().unwrap_or_default()
    }

    /// The same with the cheaper parts first, each once, and no parentheses that mean nothing.
    pub(super) fn ordered(self) -> Expr {
        match self {
            Expr::Not(part) => match part.ordered() {
                Expr::Not(part) => *part,
                part => !part,
            },
            Expr::All(parts) => {
                let parts = parts.into_iter().map(Expr::ordered).flat_map(|part| match part {
                    Expr::All(parts) => parts,
                    part => vec![part],
                });
                only(parts, Expr::All)
            }
            Expr::Any(parts) => {
                let parts = parts.into_iter().map(Expr::ordered).flat_map(|part| match part {
                    Expr::Any(parts) => parts,
                    part => vec![part],
                });
                only(parts, Expr::Any)
            }
            Expr::Test(_) | Expr::Prune => self,
        }
    }

    fn key(&self) -> String {
        match self {
            Expr::Test(test) => test.key().to_owned(),
            Expr::Not(part) => format!("! {}", part.key()),
            Expr::All(parts) => format!("( {} )", joined(parts, " ")),
            Expr::Any(parts) => format!("( {} )", joined(parts, " -o ")),
            Expr::Prune => "-prune".to_owned(),
        }
    }
}

/// The parts in order; one alone is itself.
fn only(parts: impl Iterator<Item = Expr>, combined: fn(Vec<Expr>) -> Expr) -> Expr {
    let mut parts: Vec<Expr> = parts.collect();
    for run in parts.chunk_by_mut(|one, next| !one.acts() && !next.acts()) {
        run.sort_by_cached_key(|part| (part.cost(), part.key()));
    }
    parts.dedup_by(|next, one| !one.acts() && next.key() == one.key());
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => combined(parts),
    }
}

/// The texts of parts with a word between them.
pub(super) fn joined(parts: &[Expr], word: &str) -> String {
    parts.iter().map(Expr::key).collect::<Vec<_>>().join(word)
}
