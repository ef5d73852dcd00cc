//! [`Observer`]: what follows a count while it runs.

use std::path::Path;

use super::sums::Sums;
use crate::{Directory, Entry, Error, Fields, Flow, Flushed, Meta, Outcome, Pause, Timestamp};

/// A directory whose sums are final.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Total<'a> {
    /// The directory's path; a root's is as the caller spelled it.
    pub path: &'a Path,
    /// How deep it is; a root's depth is 0.
    pub depth: usize,
    /// The directory itself and its entries, without subdirectories.
    pub own: Sums,
    /// The same with all subdirectories.
    pub all: Sums,
    /// How much was seen of the directory and of all below it.
    pub outcome: Outcome,
    /// The file system knew the answer ([`Usage::shortcuts`](field@super::Usage::shortcuts)):
    /// nothing was walked, and there is no number of entries.
    pub answered: bool,
}

/// Follows a count while it runs. Each worker has an observer of its own.
pub trait Observer: Send + Sized {
    /// The sums of a directory are final. Directories come after those below them.
    fn directory(&mut self, total: &Total<'_>) -> Flow;

    /// Something failed, such as reading a directory. The count goes on with the rest.
    fn error(&mut self, error: Error) -> Flow;

    /// The fields that [`matches`](Observer::matches), [`time`](Observer::time) and
    /// [`file`](Observer::file) want besides those that are added up.
    fn fields(&self) -> Fields {
        Fields::empty()
    }

    /// The time of which the newest is wanted; none by default.
    fn time(&self, _meta: &Meta) -> Option<Timestamp> {
        None
    }

    /// Whether an entry counts that passes the walk's filter. Not called for directories that are entered.
    fn matches(&mut self, _entry: &Entry<'_>) -> bool {
        true
    }

    /// A directory that is entered counts, and takes this much itself.
    fn opened(&mut self, _dir: &Directory<'_>, _sums: Sums) {}

    /// An entry that is not a directory, or one that is not entered. `sums` is what it takes: 0 if
    /// another link of the file has counted. With [`FirstSorted`](super::HardLinks::FirstSorted), a
    /// link that sorts earlier takes the count over, and is reported with the size.
    fn file(&mut self, _entry: &Entry<'_>, _sums: Sums) -> Flow {
        Flow::Continue
    }

    /// As [`Visitor::flush`](crate::Visitor::flush).
    fn flush(&mut self, _pause: Pause) -> Flushed {
        Flushed::default()
    }

    /// An observer for another worker, as [`Parallel::fork`](crate::Parallel::fork).
    fn fork(&self, worker: usize) -> Self;

    /// Takes in what another worker's observer has gathered.
    fn merge(&mut self, other: Self);
}
