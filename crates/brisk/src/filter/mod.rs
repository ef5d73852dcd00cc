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

mod expr;
mod filtered;
mod question;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::{Entry, Fields, FileType, Select};
pub use expr::Expr;
use expr::all;
pub use filtered::Filtered;
use question::Asked;
pub use question::{PathOf, Scratch, Test, Types};

/// Which entries are results. Cheap to clone. The default is all.
#[derive(Clone)]
pub struct Filter(Arc<Conjunction>);

/// An expression as the parts that must all hold.
struct Conjunction {
    parts: Vec<Expr>,
    /// The indices of the parts that [`Filter::early`] may leave undecided, or that metadata may
    /// decide otherwise.
    late: Vec<usize>,
    key: String,
}

/// What [`Filter::early`] knows of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// The entry is no result.
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
        let parts = match expr.ordered() {
            Expr::All(parts) => parts,
            part => vec![part],
        };
        let mut follows_late = false;
        let mut is_late = |at: &usize| {
            let is_late = parts[*at].tests().any(Test::is_late);
            follows_late |= is_late;
            // Before what is not known, nothing is pruned.
            is_late || follows_late && parts[*at].acts()
        };
        let late = (0..parts.len()).filter(|at| is_late(at)).collect();
        let key = expr::joined(&parts, " ");
        Filter(Arc::new(Conjunction { parts, late, key }))
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
        self.0.parts.is_empty()
    }

    /// Whether [`judge`](Filter::judge) can still refuse what [`early`](Filter::early) did not.
    #[must_use]
    pub fn is_late(&self) -> bool {
        !self.0.late.is_empty()
    }

    /// Whether the same entry gets the same answer tomorrow.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        !self.tests().any(Test::is_unsteady)
    }

    /// The fields that [`early`](Filter::early) may ask for, of an entry of this type;
    /// [`FileType::Unknown`] is any type.
    #[must_use]
    pub fn fields(&self, file_type: FileType) -> Fields {
        self.tests().map(|test| test.fields(file_type)).collect()
    }

    /// All tests, wherever in the expression.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.0.parts.iter().flat_map(Expr::tests)
    }

    /// Decides by name and type. An [`Expr::Prune`] that is certain to be reached prunes the entry.
    #[inline]
    pub fn early(&self, entry: &Entry<'_>, scratch: &mut Scratch) -> Early {
        let mut asked = Asked { entry, scratch, is_late: false, fields: Fields::empty() };
        match all(&self.0.parts, true, &mut asked) {
            Some(false) => Early::No,
            Some(true) => Early::Yes,
            None => Early::Ask(asked.fields),
        }
    }

    /// [`early`](Filter::early) as the answer of a visitor that needs the fields `shown` of results. Not
    /// inlined: a walk without a filter would pay for the registers.
    #[inline(never)]
    pub fn select(&self, entry: &Entry<'_>, shown: Fields, scratch: &mut Scratch) -> Select {
        match self.early(entry, scratch) {
            Early::No if entry.is_pruned() => Select::Drop,
            Early::No => Select::Enter,
            Early::Yes => Select::Take(shown),
            Early::Ask(fields) => Select::Take(shown | fields),
        }
    }

    /// Decides about an entry that [`early`](Filter::early) did not refuse, by its type and the
    /// metadata that it asked for. Of metadata that is missing neither a test nor its opposite holds.
    #[inline]
    pub fn judge(&self, entry: &Entry<'_>, scratch: &mut Scratch) -> bool {
        let Conjunction { parts, late, .. } = &*self.0;
        let mut asked = Asked { entry, scratch, is_late: true, fields: Fields::empty() };
        late.iter().all(|at| parts[*at].holds(&mut asked) == Some(true))
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
