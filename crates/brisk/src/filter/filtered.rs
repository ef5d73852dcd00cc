//! [`Filtered`]: a visitor that gets what passes a filter.
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
//! let filtered = Filtered::new(filter, Fields::empty(), Names(Vec::new()));
//! let (names, _) = Walk::new(root).visit(filtered);
//! assert_eq!(names.into_inner().0, [b"readme.md"]);
//! # Ok(())
//! # }
//! ```

use super::{Filter, Scratch};
use crate::{
    Chunks, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Needs, Outcome,
    Parallel, Select, Visitor, Walk,
};

/// A visitor that gets what passes a filter. The walk does not call its
/// [`select`](Visitor::select), because the filter answers.
#[derive(Debug)]
pub struct Filtered<V> {
    filter: Filter,
    fields: Fields,
    visitor: V,
    scratch: Scratch,
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
    /// A visitor that gets what passes the filter, with these fields.
    pub fn new(filter: Filter, fields: Fields, visitor: V) -> Filtered<V> {
        Filtered { filter, fields, visitor, scratch: Scratch::default() }
    }

    /// The visitor.
    pub fn into_inner(self) -> V {
        self.visitor
    }

    /// The same for another visitor.
    pub fn with<W>(&self, visitor: W) -> Filtered<W> {
        Filtered::new(self.filter.clone(), self.fields, visitor)
    }
}

impl<V: Visitor<State = ()>> Visitor for Filtered<V> {
    type State = ();

    fn needs(&self) -> Needs {
        let needs = self.visitor.needs();
        let fields = self.fields | self.filter.fields(FileType::Unknown);
        Needs { fields: needs.fields | fields, ..needs }
    }

    fn enter(&mut self, dir: &Entry<'_>, (): &()) -> Enter<()> {
        self.visitor.enter(dir, &())
    }

    fn opened(&mut self, dir: &Directory<'_>, (): &mut ()) -> Enter<()> {
        self.visitor.opened(dir, &mut ())
    }

    #[inline]
    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        self.filter.select(entry, self.fields, &mut self.scratch)
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
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

    fn leave(&mut self, dir: &Directory<'_>, (): &(), (): &(), outcome: Outcome) -> Flow {
        self.visitor.leave(dir, &(), &(), outcome)
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let mut flushed = self.visitor.flush(slow);
        flushed.requests += std::mem::take(&mut self.scratch.requests);
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
