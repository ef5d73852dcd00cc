//! Iterators over a walk: visitors that copy entries. They cost an owned path for each entry, or a
//! packed copy of each chunk.

use std::collections::VecDeque;

use crate::steps::Visiting;
use crate::{
    DirEntry, Directory, Entry, Error, Fields, Flow, Needs, Parallel, Select, Visitor, Walk,
};

/// Collects owned entries.
#[derive(Default)]
struct Collect {
    fields: Fields,
    found: VecDeque<Result<DirEntry, Error>>,
}

impl Visitor for Collect {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.found.extend(entries.iter().map(|entry| Ok(entry.to_owned())));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.found.push_back(Err(error));
        Flow::Continue
    }
}

/// The walk has one worker, and no other is forked.
impl Parallel for Collect {
    fn fork(&self, _: usize) -> Collect {
        Collect { fields: self.fields, ..Collect::default() }
    }

    fn merge(&mut self, other: Collect) {
        self.found.extend(other.found);
    }
}

/// A serial iterator over a [`Walk`], on the calling thread; made by `walk.into_iter()`.
///
/// It reads one buffer of a directory at a time, so that a directory of any size streams. Dropping
/// it ends the walk.
pub struct Iter {
    walk: Box<dyn Visiting<Collect>>,
    found: VecDeque<Result<DirEntry, Error>>,
}

impl Iter {
    fn new(walk: Walk, fields: Fields) -> Iter {
        let collect = Collect { fields, ..Collect::default() };
        let walk = walk.threads(std::num::NonZeroUsize::new(1)).steps(collect);
        Iter { walk, found: VecDeque::new() }
    }
}

impl Iterator for Iter {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty() {
            std::mem::swap(&mut self.found, &mut self.walk.visitor().found);
            if self.found.is_empty() && !self.walk.step(&|| false) {
                return None;
            }
        }
        self.found.pop_front()
    }
}

impl IntoIterator for Walk {
    type Item = Result<DirEntry, Error>;
    type IntoIter = Iter;

    /// Walks serially. System calls: those of the walk, none of its own.
    fn into_iter(self) -> Iter {
        Iter::new(self, Fields::empty())
    }
}

impl Walk {
    /// A serial iterator whose entries have these metadata fields filled, as far as the system
    /// gives them.
    ///
    /// Costs one statx an entry, unless the fields are those that the directory gives.
    #[must_use]
    pub fn iter_with(self, fields: Fields) -> Iter {
        Iter::new(self, fields)
    }
}
