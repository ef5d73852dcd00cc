//! [`Filtered`]: a visitor that gets what passes a filter and what no rule ignores.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # std::fs::create_dir_all(scratch.path().join("target/doc"))?;
//! # std::fs::write(scratch.path().join("target/doc/a.md"), "")?;
//! # std::fs::write(scratch.path().join("readme.md"), "")?;
//! # let root = scratch.path();
//! use brisk::filter::{Expr, Filter, Filtered, Test};
//! use brisk::{Directory, Entry, Error, Fields, Flow, Visitor, Walk};
//!
//! struct Names(Vec<Vec<u8>>);
//! impl Visitor for Names {
//!     type State = ();
//!     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
//!         self.0.extend(entries.iter().map(|entry| entry.name().to_owned()));
//!         Flow::Continue
//!     }
//!     fn error(&mut self, error: Error) -> Flow { eprintln!("{error}"); Flow::Continue }
//! }
//!
//! let texts = Expr::from(Test::name("*.md", |name| name.ends_with(b".md")));
//! let built = Expr::from(Test::name("target", |name| name == b"target"));
//! let filter = Filter::new(Expr::All(vec![Expr::Any(vec![!built, Expr::Prune]), texts]));
//! let filtered = Filtered::new(filter, None, Fields::empty(), Names(Vec::new()));
//! let (names, _) = Walk::new(root).visit(filtered);
//! assert_eq!(names.into_inner().0, [b"readme.md"]);
//! # Ok(())
//! # }
//! ```

use super::{Filter, Scratch};
use crate::ignore::{Level, Rules};
use crate::{
    Chunks, Directory, Enter, Entry, Error, Fields, Flow, Flushed, Listing, Needs, Outcome,
    Parallel, Select, Visitor, Walk,
};

/// A visitor that gets what passes a filter and what no rule ignores. The walk calls neither its
/// [`select`](Visitor::select) nor its [`listed`](Visitor::listed), because these answer.
#[derive(Debug)]
pub struct Filtered<V> {
    filter: Filter,
    rules: Option<Rules>,
    fields: Fields,
    visitor: V,
    scratch: Scratch,
    /// The visitor has refused an error where the walk does not ask whether it goes on.
    is_refused: bool,
}

impl Walk {
    /// As [`par_chunks`](Walk::par_chunks), of the entries that pass; the visitor of `filtered` is
    /// of no account.
    #[must_use]
    pub fn filtered_chunks(self, filtered: Filtered<()>) -> Chunks {
        Chunks::new(self, filtered.fields, |packing| filtered.with(packing))
    }
}

impl<V> Filtered<V> {
    /// A visitor that gets what passes the filter and is not ignored by the rules, with these fields.
    pub fn new(filter: Filter, rules: Option<Rules>, fields: Fields, visitor: V) -> Filtered<V> {
        let scratch = Scratch::default();
        Filtered { filter, rules, fields, visitor, scratch, is_refused: false }
    }

    /// The visitor.
    pub fn into_inner(self) -> V {
        self.visitor
    }

    /// The same for another visitor.
    pub fn with<W>(&self, visitor: W) -> Filtered<W> {
        Filtered::new(self.filter.clone(), self.rules.clone(), self.fields, visitor)
    }
}

impl<V: Visitor<State = ()>> Visitor for Filtered<V> {
    /// The ignore rules in force; `None` if nothing is ignored.
    type State = Option<Level>;

    fn needs(&self) -> Needs {
        let needs = self.visitor.needs();
        let listing = self.rules.as_ref().is_some_and(Rules::wants_listing);
        let fields = self.fields | self.filter.fields(crate::FileType::Unknown);
        Needs { listing, fields: needs.fields | fields, ..needs }
    }

    fn top(&self) -> Option<Level> {
        self.rules.as_ref().map(Rules::top)
    }

    fn enter(&mut self, dir: &Entry<'_>, parent: &Option<Level>) -> Enter<Option<Level>> {
        let level = parent.as_ref().map(|level| level.enter(dir));
        match self.visitor.enter(dir, &()) {
            Enter::Read(()) => Enter::Read(level),
            Enter::Recall((), recalled) => Enter::Recall(level, recalled),
            Enter::Prune => Enter::Prune,
            Enter::Stop => Enter::Stop,
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, _: &mut Option<Level>) -> Enter<()> {
        self.visitor.opened(dir, &mut ())
    }

    /// A malformed line in an ignore file concerns its author, not the walk.
    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, level: &mut Option<Level>) {
        let Some(level) = level else { return };
        for error in level.listed(dir, names) {
            if !error.is_malformed_rule() {
                self.is_refused |= self.visitor.error(error) == Flow::Stop;
            }
        }
    }

    #[inline]
    fn select(&mut self, level: &Option<Level>, entry: &Entry<'_>) -> Select {
        match level.as_ref().is_some_and(|level| level.is_ignored(entry)) {
            true => Select::Drop,
            false => self.filter.select(entry, self.fields, &mut self.scratch),
        }
    }

    fn entries(&mut self, dir: &Directory<'_>, _: &Option<Level>, entries: &[Entry<'_>]) -> Flow {
        if !self.filter.is_late() {
            return self.visitor.entries(dir, &(), entries);
        }
        let mut passes = |entry: &Entry<'_>| self.filter.judge(entry, &mut self.scratch);
        let passing: Vec<bool> = entries.iter().map(&mut passes).collect();
        let mut rest = entries;
        for run in passing.chunk_by(|one, next| one == next) {
            let part;
            (part, rest) = rest.split_at(run.len());
            if run[0] && self.visitor.entries(dir, &(), part) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.visitor.error(error)
    }

    fn leave(
        &mut self,
        dir: &Directory<'_>,
        _: &Option<Level>,
        _: &Option<Level>,
        outcome: Outcome,
    ) -> Flow {
        self.visitor.leave(dir, &(), &(), outcome)
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let mut flushed = self.visitor.flush(slow);
        flushed.requests += std::mem::take(&mut self.scratch.requests);
        if self.is_refused {
            flushed.flow = Flow::Stop;
        }
        flushed
    }
}

impl<V: Parallel + Visitor<State = ()>> Parallel for Filtered<V> {
    fn fork(&self, worker: usize) -> Filtered<V> {
        self.with(self.visitor.fork(worker))
    }

    fn merge(&mut self, other: Filtered<V>) {
        self.visitor.merge(other.visitor);
    }
}
