//! Iterators over a walk: visitors that copy entries. They cost an owned path for each entry, or a
//! packed copy of each chunk.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use crate::drive::steps::Steps;
use crate::sched::lock;
use crate::{
    DirEntry, Directory, Entry, Error, Fields, Flow, Needs, Parallel, Select, Visitor, Walk,
};

/// What the visitor has collected for the iterator.
type Found = VecDeque<Result<DirEntry, Error>>;

/// Collects owned entries.
#[derive(Clone)]
struct Collect {
    fields: Fields,
    found: Arc<Mutex<Found>>,
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
        lock(&self.found).extend(entries.iter().map(|entry| Ok(entry.to_owned())));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        lock(&self.found).push_back(Err(error));
        Flow::Continue
    }
}

/// The walk has one worker, and no other is forked.
impl Parallel for Collect {
    fn fork(&self, _: usize) -> Collect {
        self.clone()
    }

    fn merge(&mut self, _: Collect) {}
}

/// A serial iterator over a [`Walk`], on the calling thread; made by `walk.into_iter()`.
///
/// It reads one buffer of a directory at a time, so that a directory of any size streams. Dropping
/// it ends the walk.
pub struct Iter {
    walk: Box<dyn Steps>,
    collected: Arc<Mutex<Found>>,
    /// What was collected and is yielded next.
    found: Found,
}

impl Iterator for Iter {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty() {
            std::mem::swap(&mut self.found, &mut lock(&self.collected));
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
        self.iter_with(Fields::empty())
    }
}

impl Walk {
    /// A serial iterator whose entries have these metadata fields filled, as far as the system
    /// gives them.
    ///
    /// Costs one statx an entry, unless the fields are those that the directory gives.
    #[must_use]
    pub fn iter_with(self, fields: Fields) -> Iter {
        let collected = Arc::<Mutex<Found>>::default();
        let collect = Collect { fields, found: Arc::clone(&collected) };
        let walk = self.threads(NonZeroUsize::new(1)).steps(collect);
        Iter { walk, collected, found: Found::new() }
    }
}
