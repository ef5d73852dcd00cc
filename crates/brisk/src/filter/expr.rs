//! [`Expr`]: tests with and, or and not; their order, their text, and their answers. [`Test`]: one
//! question about an entry, what it costs, and its text.

use std::io;

use super::evaluation::Evaluation;
use super::paths::{PathOf, name};
use crate::{Entry, Fields, FileType, Meta};

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
    /// What the caller does with an entry for which this is reached, by its number. Whether it
    /// holds is known once it is done: see [`Filter::judge_and_do`](super::Filter::judge_and_do).
    Action(u16),
    /// All of these are evaluated, and the last one's value counts.
    List(Vec<Expr>),
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

/// Evaluates the terms from left to right. If `and` is true: whether all hold; if false: whether
/// any does. So the first answer that differs from `and` decides. `None`: no known answer decides,
/// and a term's answer is not known yet.
#[inline(always)]
pub(super) fn combine(terms: &[Expr], and: bool, eval: &mut Evaluation<'_, '_>) -> Option<bool> {
    let before = eval.fields;
    let mut is_known = true;
    for (at, term) in terms.iter().enumerate() {
        if !is_known && term.has_effects() {
            // Whether this term is reached depends on what is not known.
            let is_certain = std::mem::replace(&mut eval.is_certain, false);
            term.holds(eval);
            eval.is_certain = is_certain;
            continue;
        }
        match term.holds(eval) {
            None => is_known = false,
            Some(holds) if holds != and => {
                if !is_known && any_may_have_effect(&terms[..at], eval) {
                    break;
                }
                if !eval.may_have_effect {
                    eval.fields = before;
                }
                return Some(holds);
            }
            Some(_) => {}
        }
    }
    is_known.then_some(and)
}

/// Whether one of these terms, which are not all known, may yet do an action or prune.
#[cold]
fn any_may_have_effect(terms: &[Expr], eval: &Evaluation<'_, '_>) -> bool {
    terms.iter().any(Expr::has_actions) || eval.is_entered() && terms.iter().any(Expr::has_effects)
}

impl Expr {
    /// Whether the expression holds; `None` if that is not known yet.
    #[inline(always)]
    pub(super) fn holds(&self, eval: &mut Evaluation<'_, '_>) -> Option<bool> {
        match self {
            Expr::Test(test) => test.holds(eval),
            _ => self.combined(eval),
        }
    }

    fn combined(&self, eval: &mut Evaluation<'_, '_>) -> Option<bool> {
        match self {
            Expr::Test(test) => test.holds(eval),
            Expr::Not(term) => term.holds(eval).map(|holds| !holds),
            Expr::All(terms) => combine(terms, true, eval),
            Expr::Any(terms) => combine(terms, false, eval),
            Expr::List(terms) => terms.iter().fold(None, |_, term| term.holds(eval)),
            Expr::Prune if eval.is_certain => {
                eval.entry.prune();
                Some(true)
            }
            Expr::Prune => {
                eval.may_have_effect |= eval.is_entered();
                Some(true)
            }
            Expr::Action(action) => {
                eval.may_have_effect = true;
                if let Some(action_fields) = eval.action_fields {
                    eval.fields |= action_fields(*action, eval.entry);
                }
                eval.action.as_mut().map(|done| done(*action, &mut eval.scratch.failed))
            }
        }
    }

    fn terms(&self) -> &[Expr] {
        match self {
            Expr::Test(_) | Expr::Prune | Expr::Action(_) => &[],
            Expr::Not(term) => std::slice::from_ref(term),
            Expr::All(terms) | Expr::Any(terms) | Expr::List(terms) => terms,
        }
    }

    /// The tests in the expression.
    pub fn tests(&self) -> Box<dyn Iterator<Item = &Test> + '_> {
        match self {
            Expr::Test(test) => Box::new(std::iter::once(test)),
            _ => Box::new(self.terms().iter().flat_map(Expr::tests)),
        }
    }

    /// Whether the expression prunes, or has an action.
    pub(super) fn has_effects(&self) -> bool {
        matches!(self, Expr::Prune | Expr::Action(_)) || self.terms().iter().any(Expr::has_effects)
    }

    /// Whether there is an [`Expr::Action`] in the expression.
    pub(super) fn has_actions(&self) -> bool {
        matches!(self, Expr::Action(_)) || self.terms().iter().any(Expr::has_actions)
    }

    fn keeps_place(&self) -> bool {
        self.tests().any(|test| test.keeps_place)
    }

    fn cost(&self) -> Cost {
        self.tests().map(Test::cost).max().unwrap_or_default()
    }

    /// The same with the cheaper terms first, each once, and no parentheses that mean nothing.
    pub(super) fn ordered(self) -> Expr {
        match self {
            Expr::Not(term) => match term.ordered() {
                Expr::Not(term) => *term,
                term => !term,
            },
            Expr::All(terms) => {
                let terms = terms.into_iter().map(Expr::ordered).flat_map(|term| match term {
                    Expr::All(terms) => terms,
                    term => vec![term],
                });
                only(terms, Expr::All)
            }
            Expr::Any(terms) => {
                let terms = terms.into_iter().map(Expr::ordered).flat_map(|term| match term {
                    Expr::Any(terms) => terms,
                    term => vec![term],
                });
                only(terms, Expr::Any)
            }
            Expr::List(terms) => {
                let terms = terms.into_iter().map(Expr::ordered);
                let mut terms: Vec<Expr> = terms.collect();
                let last = terms.pop();
                // What only answers is of no use before the last.
                terms.retain(|term| term.has_effects() || term.keeps_place());
                terms.extend(last);
                if terms.len() == 1 { terms.swap_remove(0) } else { Expr::List(terms) }
            }
            Expr::Test(_) | Expr::Prune | Expr::Action(_) => self,
        }
    }

    fn key(&self) -> String {
        match self {
            Expr::Test(test) => test.key().to_owned(),
            Expr::Not(term) => format!("! {}", term.key()),
            Expr::All(terms) if terms.is_empty() => "-true".to_owned(),
            Expr::Any(terms) if terms.is_empty() => "-false".to_owned(),
            Expr::All(terms) => format!("( {} )", joined(terms, " ")),
            Expr::Any(terms) => format!("( {} )", joined(terms, " -o ")),
            Expr::List(terms) => format!("( {} )", joined(terms, " , ")),
            Expr::Prune => "-prune".to_owned(),
            Expr::Action(action) => format!("--act {action}"),
        }
    }
}

/// The terms in order; one alone is itself.
fn only(terms: impl Iterator<Item = Expr>, combined: fn(Vec<Expr>) -> Expr) -> Expr {
    let mut terms: Vec<Expr> = terms.collect();
    for run in terms.chunk_by_mut(|one, next| !one.has_effects() && !next.has_effects()) {
        let in_place = run.iter().any(Expr::keeps_place);
        let key = |term: &Expr| if in_place { String::new() } else { term.key() };
        run.sort_by_cached_key(|term| (term.cost(), key(term)));
    }
    terms.dedup_by(|next, one| !one.has_effects() && next.key() == one.key());
    match terms.len() {
        1 => terms.swap_remove(0),
        _ => combined(terms),
    }
}

/// The texts of terms with a word between them.
pub(super) fn joined(terms: &[Expr], word: &str) -> String {
    terms.iter().map(Expr::key).collect::<Vec<_>>().join(word)
}

/// One question about an entry.
pub struct Test {
    key: Box<str>,
    is_unsteady: bool,
    keeps_place: bool,
    question: Question,
}

/// Whether some bytes match.
type Matches = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;
type FieldsOf = Box<dyn Fn(FileType) -> Fields + Send + Sync>;
type Fits = Box<dyn Fn(FileType, &Meta) -> bool + Send + Sync>;
type Holds = Box<dyn Fn(&Entry<'_>, &mut u64) -> io::Result<bool> + Send + Sync>;

enum Question {
    Types(Types),
    Name(Matches),
    Known(Box<dyn Fn(&Entry<'_>) -> bool + Send + Sync>),
    Path(PathOf, Matches),
    Meta(FieldsOf, Fits),
    Call(Holds),
}

/// What a question costs, from nothing to requests of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    #[default]
    Type,
    Name,
    Path,
    Meta,
    Call,
}

/// A set of types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types(u16);

impl Types {
    /// These types.
    #[must_use]
    pub fn of(types: impl IntoIterator<Item = FileType>) -> Types {
        types.into_iter().fold(Types::default(), Types::with)
    }

    /// These types and another one.
    #[must_use]
    pub fn with(self, file_type: FileType) -> Types {
        Types(self.0 | 1 << (file_type as u16))
    }

    /// The types.
    pub fn iter(self) -> impl Iterator<Item = FileType> {
        FileType::ALL.into_iter().filter(move |file_type| self.contains(*file_type))
    }

    /// Whether the type is one of them.
    #[inline]
    #[must_use]
    pub fn contains(self, file_type: FileType) -> bool {
        self.0 & 1 << (file_type as u16) != 0
    }
}

impl Test {
    fn new(key: impl Into<String>, question: Question) -> Test {
        let key = key.into().into_boxed_str();
        Test { key, is_unsteady: false, keeps_place: false, question }
    }

    /// The entry is of one of these types. This test, like each, has a text, its `key`: tests with
    /// the same text give the same answers.
    pub fn types(key: impl Into<String>, types: Types) -> Test {
        Test::new(key, Question::Types(types))
    }

    /// The name matches; of a root, whose name may be any path, the last component.
    pub fn name(
        key: impl Into<String>,
        matches: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Test {
        Test::new(key, Question::Name(Box::new(matches)))
    }

    /// What the directory says of an entry fits. No request has been made for it: it has no
    /// metadata.
    pub fn known(
        key: impl Into<String>,
        holds: impl Fn(&Entry<'_>) -> bool + Send + Sync + 'static,
    ) -> Test {
        Test::new(key, Question::Known(Box::new(holds)))
    }

    /// The path matches.
    pub fn path(
        key: impl Into<String>,
        of: PathOf,
        matches: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Test {
        Test::new(key, Question::Path(of, Box::new(matches)))
    }

    /// The metadata fits. `ask` says which fields the test needs of a file of each type;
    /// [`FileType::Unknown`] is any type.
    pub fn meta(
        key: impl Into<String>,
        ask: impl Fn(FileType) -> Fields + Send + Sync + 'static,
        fits: impl Fn(FileType, &Meta) -> bool + Send + Sync + 'static,
    ) -> Test {
        Test::new(key, Question::Meta(Box::new(ask), Box::new(fits)))
    }

    /// What only requests tell: they are made relative to the entry's directory, by the entry's
    /// methods, and their number is added to the second argument. If they fail, the test does not
    /// hold.
    pub fn call(
        key: impl Into<String>,
        holds: impl Fn(&Entry<'_>, &mut u64) -> io::Result<bool> + Send + Sync + 'static,
    ) -> Test {
        Test::new(key, Question::Call(Box::new(holds)))
    }

    /// The same, but the same entry may get another answer tomorrow: ages.
    #[must_use]
    pub fn unsteady(self) -> Test {
        Test { is_unsteady: true, ..self }
    }

    /// The same, but its failure is reported: a [call](Test::call) that is ordered with the tests of
    /// metadata, not after them, and is made even if no action follows.
    #[must_use]
    pub fn in_place(self) -> Test {
        Test { keeps_place: true, ..self }
    }

    /// The text.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The fields that the test needs of a file of this type.
    #[must_use]
    pub fn fields(&self, file_type: FileType) -> Fields {
        match &self.question {
            Question::Meta(ask, _) => ask(file_type),
            _ => Fields::empty(),
        }
    }

    pub(super) fn is_unsteady(&self) -> bool {
        self.is_unsteady
    }

    /// Whether the first pass may leave the test undecided: type, metadata, calls.
    pub(super) fn needs_second_pass(&self) -> bool {
        !matches!(self.cost(), Cost::Name | Cost::Path)
    }

    fn cost(&self) -> Cost {
        match self.question {
            Question::Types(_) => Cost::Type,
            Question::Name(_) | Question::Known(_) => Cost::Name,
            Question::Path(..) => Cost::Path,
            _ if self.keeps_place => Cost::Meta,
            Question::Meta(..) => Cost::Meta,
            Question::Call(_) => Cost::Call,
        }
    }

    /// Whether the entry passes; `None` if that is not known yet.
    #[inline(always)]
    pub(super) fn holds(&self, eval: &mut Evaluation<'_, '_>) -> Option<bool> {
        let entry = eval.entry;
        match &self.question {
            Question::Types(types) => match entry.file_type() {
                FileType::Unknown if !eval.has_metadata => {
                    eval.fields |= Fields::TYPE;
                    None
                }
                file_type => Some(types.contains(file_type)),
            },
            Question::Name(matches) => Some(matches(name(entry))),
            Question::Known(holds) => Some(holds(entry)),
            Question::Path(of, matches) => {
                let path = &mut eval.scratch.path;
                path.clear();
                Some(matches(of.build(entry, path)))
            }
            Question::Meta(ask, _) if !eval.has_metadata => {
                eval.fields |= ask(entry.file_type());
                None
            }
            Question::Meta(_, fits) => match entry.meta().or_else(|| eval.ask?()) {
                Some(meta) => Some(fits(entry.file_type(), meta)),
                // Unknown, so the negated test does not hold either. While actions are done: false.
                None => eval.action.is_some().then_some(false),
            },
            Question::Call(_) if !eval.may_call => {
                // With actions, a failed call is reported in order with them: `early` must not
                // refuse the entry.
                eval.may_have_effect |= self.keeps_place;
                None
            }
            Question::Call(holds) => {
                let answer = holds(entry, &mut eval.scratch.requests);
                Some(answer.unwrap_or_else(|error| {
                    eval.scratch.failed.push(error);
                    false
                }))
            }
        }
    }
}
