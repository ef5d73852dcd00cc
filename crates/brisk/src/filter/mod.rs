//! [`Filter`]: which entries of a walk are results, as an expression of tests.
//!
//! The engine knows how tests combine and what they cost; what they compare (globs, dates, owners)
//! is the caller's, or the crate brisk-filter's. A filter is asked twice. [`Filter::early`] knows
//! what the directory says, the name and the type, and answers `No`, `Yes`, or which metadata it
//! needs. [`Filter::judge`] has that metadata. So what a name decides costs no request.
//!
//! ```
//! use brisk::filter::{Expr, Filter, Test, Types};
//! use brisk::{Fields, FileType};
//!
//! let files = Test::types("f", Types::of([FileType::File]));
//! let named = Test::name("*.log", |name| name.ends_with(b".log"));
//! let large = Test::meta("large", |_| Fields::SIZE, |_, meta| meta.size() > Some(1 << 20));
//! let filter = Filter::new(Expr::All(vec![large.into(), files.into(), named.into()]));
//! assert_eq!(filter.key(), "f *.log large");
//! assert_eq!(filter.fields(FileType::File), Fields::SIZE);
//! ```
//!
//! [`Expr::Prune`] keeps the walk out of a directory. This walk neither shows nor enters `target`:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # std::fs::create_dir_all(scratch.path().join("target/doc"))?;
//! # std::fs::write(scratch.path().join("target/doc/a.md"), "")?;
//! # std::fs::write(scratch.path().join("readme.md"), "")?;
//! # let root = scratch.path();
//! use brisk::Walk;
//! use brisk::filter::{Expr, Filter, Test};
//!
//! let built = Test::name("target", |name| name == b"target");
//! let left_out = Expr::All(vec![built.into(), Expr::Prune]);
//! let texts = Test::name("*.md", |name| name.ends_with(b".md"));
//! let filter = Filter::new(Expr::All(vec![!left_out, texts.into()]));
//! let found: Vec<_> = Walk::new(root).filter(filter).into_iter().collect::<Result<_, _>>()?;
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].file_name(), "readme.md");
//! # Ok(())
//! # }
//! ```

mod evaluation;
mod expr;
mod paths;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::{Entry, Fields, FileType, Meta};
pub use evaluation::Scratch;
use evaluation::{ActionFields, Evaluation};
use expr::combine;
pub use expr::{Expr, Test, Types};
pub use paths::PathOf;

/// Which entries are results: see [`Walk::filter`](crate::Walk::filter). Cheap to clone. The
/// default is all.
#[derive(Clone)]
pub struct Filter(Arc<Conjunction>);

/// An expression as terms that must all hold.
struct Conjunction {
    terms: Vec<Expr>,
    /// The indices of the terms that [`Filter::judge`] evaluates: those whose answer
    /// [`Filter::early`] may not know yet, or that prune after such a term; with actions, all.
    second_pass: Vec<usize>,
    /// Whether there is an [`Expr::Action`].
    has_actions: bool,
    action_fields: Option<Box<ActionFields>>,
    key: String,
}

/// What [`Filter::early`] knows of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// The entry is not a result.
    No,
    /// The entry is a result, unless its type turns out to be another.
    Yes,
    /// [`Filter::judge`] decides, and needs these fields.
    Ask(Fields),
}

impl Filter {
    /// Compiles an expression. Tests that are cheaper come first, where the results stay
    /// the same: types, names, paths, metadata, calls. Nothing moves past an [`Expr::Prune`].
    #[must_use]
    pub fn new(expr: Expr) -> Filter {
        Filter::compiled(expr, None)
    }

    /// As [`new`](Filter::new), for an expression with [actions](Expr::Action). `shows` returns the
    /// fields that an action needs of an entry; [`early`](Filter::early) asks for them if the action
    /// may be reached.
    #[must_use]
    pub fn with_actions(
        expr: Expr,
        shows: impl Fn(u16, &Entry<'_>) -> Fields + Send + Sync + 'static,
    ) -> Filter {
        Filter::compiled(expr, Some(Box::new(shows)))
    }

    fn compiled(expr: Expr, action_fields: Option<Box<ActionFields>>) -> Filter {
        let terms = match expr.ordered() {
            Expr::All(terms) => terms,
            term => vec![term],
        };
        let mut follows_undecided = false;
        let mut follows_effect = false;
        let mut is_second = |at: &usize| {
            let is_undecided = terms[*at].tests().any(Test::needs_second_pass);
            follows_undecided |= is_undecided;
            // After an undecided term, the first pass neither prunes nor, after a prune,
            // refuses: whether the prune is reached is not known. So the second pass evaluates all
            // of these.
            follows_effect |= follows_undecided && terms[*at].has_effects();
            is_undecided || follows_effect
        };
        let has_actions = terms.iter().any(Expr::has_actions);
        let second_pass = (0..terms.len()).filter(|at| is_second(at) || has_actions).collect();
        let key = expr::joined(&terms, " ");
        Filter(Arc::new(Conjunction { terms, second_pass, has_actions, action_fields, key }))
    }

    /// All but the directories below the roots that `keeps` refuses, and what is in them. `keeps`
    /// knows name, type, inode and depth; no request has been made for the directory.
    #[must_use]
    pub fn dirs(keeps: impl Fn(&Entry<'_>) -> bool + Send + Sync + 'static) -> Filter {
        let goes =
            move |dir: &Entry<'_>| dir.depth() > 0 && dir.file_type().is_dir() && !keeps(dir);
        // What a function decides has no text.
        let test = Test::known("directories", goes).unsteady();
        Filter::new(!Expr::All(vec![test.into(), Expr::Prune]))
    }

    /// The expression as text: filters with the same text have the same results. The order of tests
    /// does not count.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// Whether every entry is a result.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// Whether [`judge`](Filter::judge) can still refuse what [`early`](Filter::early) did not.
    #[must_use]
    pub fn has_second_pass(&self) -> bool {
        !self.0.second_pass.is_empty()
    }

    /// Whether the same entry gets the same answer tomorrow.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        !self.tests().any(Test::is_unsteady)
    }

    /// The fields that tests may need of an entry of this type; [`FileType::Unknown`] is any type.
    /// [`early`](Filter::early) may also ask for the type, and for what actions need.
    #[must_use]
    pub fn fields(&self, file_type: FileType) -> Fields {
        self.tests().map(|test| test.fields(file_type)).collect()
    }

    /// All tests, wherever in the expression.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.0.terms.iter().flat_map(Expr::tests)
    }

    /// Whether there are [actions](Expr::Action) in the expression.
    pub(crate) fn has_actions(&self) -> bool {
        self.0.has_actions
    }

    /// Decides by name and type. An [`Expr::Prune`] that is certain to be reached prunes the entry.
    /// Of a filter with actions the answer is `No` only if it is certain that none is reached, and
    /// never `Yes`.
    #[inline]
    pub fn early(&self, entry: &Entry<'_>, scratch: &mut Scratch) -> Early {
        let mut eval = Evaluation::first(entry, scratch);
        eval.action_fields = self.0.action_fields.as_deref();
        match combine(&self.0.terms, true, &mut eval) {
            _ if self.0.has_actions && eval.may_have_effect => Early::Ask(eval.fields),
            _ if self.0.has_actions => Early::No,
            Some(false) => Early::No,
            Some(true) => Early::Yes,
            None => Early::Ask(eval.fields),
        }
    }

    /// Decides about an entry that [`early`](Filter::early) did not refuse, by its type and the
    /// metadata that it asked for. If metadata is missing, neither a test of it nor the test's
    /// negation holds. Of a filter with actions: whether one may be reached, as far as that is known without
    /// tests that make calls.
    #[inline]
    pub fn judge(&self, entry: &Entry<'_>, scratch: &mut Scratch) -> bool {
        let Conjunction { terms, second_pass, has_actions, .. } = &*self.0;
        let first = Evaluation::first(entry, scratch);
        let mut eval = Evaluation { has_metadata: true, may_call: !has_actions, ..first };
        if *has_actions {
            combine(terms, true, &mut eval);
            return eval.may_have_effect;
        }
        second_pass.iter().all(|at| terms[*at].holds(&mut eval) == Some(true))
    }

    /// Evaluates the expression for an entry that neither [`early`](Filter::early) nor
    /// [`judge`](Filter::judge) refused: tests and [actions](Expr::Action) in their order, up to
    /// the one that decides. `action` does what a number stands for, and returns whether that
    /// holds; it may take [`Scratch::failed`], to report earlier failures first. `ask` is asked for
    /// metadata if the entry has none. A test of metadata that is missing does not hold.
    pub fn judge_and_do<'m>(
        &self,
        entry: &Entry<'m>,
        scratch: &mut Scratch,
        ask: &dyn Fn() -> Option<&'m Meta>,
        action: &mut dyn FnMut(u16, &mut Vec<io::Error>) -> bool,
    ) -> bool {
        let first = Evaluation::first(entry, scratch);
        let doing = Evaluation { ask: Some(ask), action: Some(action), ..first };
        let mut eval = Evaluation { has_metadata: true, may_call: true, ..doing };
        combine(&self.0.terms, true, &mut eval) == Some(true)
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::new(Expr::All(Vec::new()))
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.0.key).finish()
    }
}
