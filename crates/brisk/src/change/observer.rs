//! [`Observer`]: what follows a change while it runs; [`Report`]: what the change did, in numbers.

use crate::{Error, FileType, Flushed, Meta, Pause, Stats};

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was changed; in a dry run, it would have been.
    Changed,
    /// It is as it was: already as requested, or excluded by [`from`](field@super::Change::from).
    Retained,
    /// The system refused the change. The observer has got the error.
    Failed,
    /// It is a link, which has no mode.
    NoMode,
    /// It could not be looked up or entered. The observer has got the error.
    Unseen,
}

/// An entry that was to be changed, and what became of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Done<'a> {
    /// Its path; a root's is as the caller spelled it.
    pub path: &'a [u8],
    /// Its type, or that of what a followed link leads to; unknown for an unseen entry.
    pub file_type: FileType,
    /// What became of it.
    pub status: Status,
    /// Its metadata before the change, in the fields of [`Change::fields`](super::Change::fields),
    /// as far as it was asked for.
    pub before: Option<&'a Meta>,
}

/// Follows a change while it runs. Each worker has an observer of its own. A `Vec<Error>` gathers
/// the errors.
pub trait Observer: Send + Sized {
    /// Something failed: a change, reading a directory, or a refusal such as that of a mount point.
    fn error(&mut self, error: Error);

    /// The change is done with an entry. A directory whose owners are set comes after everything
    /// below it. Not called for entries that are refused, by the change or by the walk's filter.
    fn done(&mut self, _done: &Done<'_>) {}

    /// As [`Visitor::flush`](crate::Visitor::flush). [`Flow::Stop`](crate::Flow::Stop) ends the
    /// change.
    fn flush(&mut self, _pause: Pause) -> Flushed {
        Flushed::default()
    }

    /// An observer for another worker, as [`Parallel::fork`](crate::Parallel::fork).
    fn fork(&self, worker: usize) -> Self;

    /// Takes in what another worker's observer has gathered.
    fn merge(&mut self, other: Self);
}

impl Observer for Vec<Error> {
    fn error(&mut self, error: Error) {
        self.push(error);
    }

    fn fork(&self, _: usize) -> Self {
        Vec::new()
    }

    fn merge(&mut self, other: Self) {
        self.extend(other);
    }
}

/// What a change did.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of entries that were changed; in a dry run, of those that would be.
    pub changed: u64,
    /// The number of entries that were already as requested, or that
    /// [`from`](field@super::Change::from) excludes.
    pub retained: u64,
    /// The number of errors.
    pub failed: u64,
    /// The observer stopped the change before its end.
    pub stopped: bool,
    /// System calls, workers, time.
    pub stats: Stats,
}

impl Report {
    /// Adds what another worker did.
    pub(super) fn add(&mut self, other: &Report) {
        self.changed += other.changed;
        self.retained += other.retained;
        self.failed += other.failed;
        self.stopped |= other.stopped;
    }
}
