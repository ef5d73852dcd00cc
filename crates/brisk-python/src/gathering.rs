//! [`gathered`]: the entries of a parallel walk, packed.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use brisk::{
    Cancel, Directory, Enter, Entry, Error, Fields, Flow, Needs, OwnedChunk, Parallel, Recalled,
    Select, Unvisited, Visitor, Walk,
};
use pyo3::prelude::*;

use crate::interrupt::interruptible;

/// Returns the entries of a directory, so that the walk need not list it.
pub type List<'a> = &'a (dyn Fn() -> Recalled + Sync);

/// Gathers what a worker finds.
struct Gathering<'a> {
    fields: Fields,
    list: Option<List<'a>>,
    cancel: &'a Cancel,
    seen: &'a AtomicUsize,
    limit: usize,
    chunks: Vec<OwnedChunk>,
    errors: Vec<Error>,
}

/// Walks until there are `limit` entries, each with these fields, and on to where a directory begins.
/// Returns them, the errors, and what was not visited.
pub fn gathered(
    py: Python<'_>,
    walk: Walk,
    fields: Fields,
    limit: usize,
    list: Option<List<'_>>,
) -> PyResult<(Vec<OwnedChunk>, Vec<Error>, Vec<Unvisited>)> {
    let cancel = &Cancel::new();
    let seen = &AtomicUsize::new(0);
    let walk = walk.cancelled_by(cancel);
    let (chunks, errors) = Default::default();
    let gathering = Gathering { fields, list, cancel, seen, limit, chunks, errors };
    let found = interruptible(py, cancel, || walk.visit_parallel(gathering).0)?;
    Ok((found.chunks, found.errors, cancel.take_unvisited()))
}

impl Visitor for Gathering<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn enter(&mut self, _: &Entry<'_>, (): &()) -> Enter<()> {
        self.list.map_or(Enter::Read(()), |list| Enter::Recall((), list()))
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.chunks.push(OwnedChunk::new(dir, entries));
        if self.seen.fetch_add(entries.len(), Relaxed) + entries.len() >= self.limit {
            self.cancel.at_boundary();
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }
}

impl Parallel for Gathering<'_> {
    fn fork(&self, _: usize) -> Self {
        Gathering { chunks: Vec::new(), errors: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Self) {
        self.chunks.extend(other.chunks);
        self.errors.extend(other.errors);
    }
}
