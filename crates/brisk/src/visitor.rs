//! The contract between the walk and whoever consumes it.
//!
//! Every order, every platform, serial and parallel, drives a visitor through the same calls, from
//! the same loop. For one directory they come in this order:
//!
//! ```text
//!   enter ──► listed ──► select (each entry) ──► entries (chunk by chunk) ──► … children … ──► leave
//!   before     its first   name and type          what was taken, with its      all below
//!   opening    names       alone: no stat yet     metadata filled               is done
//! ```
//!
//! Depth-first and sorted walks read ahead: the calls up to `select`, and `rank` and `compare`, come from
//! any worker, as soon as a directory is read; `begin`, `entries`, `end` and `leave` come in turn.

use std::cmp::Ordering;
use std::time::Duration;

use crate::{Directory, Entry, Error, Fields, Leaving, Listing};

/// What to do with an entry of which only name, type and inode are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// Neither handed to [`Visitor::entries`] nor entered.
    Drop,
    /// Not handed on; entered if it is a directory.
    Enter,
    /// Handed on with at least these fields filled (where the system can tell); entered if it is a
    /// directory, unless [`Entry::prune`] is called on it.
    Take(Fields),
}

/// What to do with a directory before it is opened.
#[derive(Debug)]
pub enum Enter<S> {
    /// Read it; `S` is its state.
    Read(S),
    /// Do not open it. [`Visitor::leave`] is not called for it.
    Prune,
    /// End the walk.
    Stop,
}

/// Whether the walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    /// Go on.
    Continue,
    /// End the walk; calls already under way in other workers may still arrive.
    Stop,
}

/// Receives what a walk finds. [`top`](Visitor::top), [`fork`](Visitor::fork),
/// [`merge`](Visitor::merge), [`enter`](Visitor::enter), [`entries`](Visitor::entries) and
/// [`error`](Visitor::error) are required.
///
/// A parallel walk gives each worker a visitor of its own, made by [`fork`](Visitor::fork) and
/// handed back to [`merge`](Visitor::merge) at the end. What workers share about a directory is its
/// [`State`](Visitor::State): it is borrowed immutably by all of them, so sums in it are atomics.
pub trait Visitor: Sized {
    /// What the visitor remembers of a directory while anything below it is unfinished.
    type State: Send + Sync;

    /// The state above the roots: the parent state of each root.
    fn top(&self) -> Self::State;

    /// A visitor for another worker.
    fn fork(&self) -> Self;

    /// Takes in what another worker's visitor gathered.
    fn merge(&mut self, other: Self);

    /// A directory is about to be opened. Called from any worker, parents before children. `entry`
    /// is the directory as its parent lists it; it carries no metadata.
    fn enter(&mut self, entry: &Entry<'_>, parent: &Self::State) -> Enter<Self::State>;

    /// The first names of a directory that was opened, before any of them is selected. Rules that
    /// live in the directory itself (`.gitignore`) are read here, and only if they are listed.
    fn listed(&mut self, _dir: &Directory<'_>, _names: &Listing<'_>, _state: &mut Self::State) {}

    /// Whether [`listed`](Visitor::listed) does anything.
    fn wants_listing(&self) -> bool {
        false
    }

    /// Whether [`leave`](Visitor::leave) does anything; without it directories are not counted out.
    fn wants_leave(&self) -> bool {
        false
    }

    /// The fields that [`select`](Visitor::select) is likely to ask for. Where an entry's type must be
    /// found out by a stat anyway, these are asked for in the same request.
    fn likely_fields(&self) -> Fields {
        Fields::empty()
    }

    /// Judges an entry by name, type and inode alone, before any stat.
    fn select(&mut self, _state: &Self::State, _entry: &Entry<'_>) -> Select {
        Select::Take(Fields::empty())
    }

    /// Whether an entry that is removed after its directory was read is an error to this visitor, and
    /// handed on without metadata. By default it is gone without a word.
    fn reports_vanished(&self) -> bool {
        false
    }

    /// Whether a followed link that leads to a directory above it is handed on, as that directory.
    /// The walk never enters it: where it would, it reports
    /// [`FollowLoop`](crate::Operation::FollowLoop). By default such a link is reported as soon as
    /// it is met, and not handed on.
    fn lists_loops(&self) -> bool {
        false
    }

    /// In a sorted walk siblings come by ascending rank: first by that of level 0, which is asked of
    /// all, and among many equals by that of levels 1, 2 and 3. By default the next eight bytes of the
    /// name, so that ranks alone decide most comparisons. What was asked for of the entry is filled.
    #[inline]
    fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
        eight_bytes(entry.name(), 8 * level)
    }

    /// In a sorted walk: which of two siblings of the same ranks comes first. By default the one whose
    /// name's bytes do. The entries' directory has no path here.
    #[inline]
    fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        a.name().cmp(b.name())
    }

    /// In a depth-first or sorted walk: the directory was read, and its own entries come next. Not
    /// called for one that could not be read.
    fn begin(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    /// In a walk with [`siblings_first`](crate::Walk::siblings_first): all of the directory's own
    /// entries have been handed on, and what is in its subdirectories comes next.
    fn end(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    /// The entries taken from one chunk of a directory. In sorted and depth-first order the calls
    /// come strictly in turn; otherwise from any worker.
    fn entries(&mut self, state: &Self::State, entries: &[Entry<'_>]) -> Flow;

    /// In a walk with [`siblings_first`](crate::Walk::siblings_first): whether the visitor makes
    /// something of entries by themselves, before their turn: see [`prepare`](Visitor::prepare).
    fn prepares(&self) -> bool {
        false
    }

    /// Appends what [`prepared`](Visitor::prepared) is to have of these entries: all that were taken from
    /// one small directory, in order. Called by the worker that gathered them, as soon as it has: names
    /// and metadata are in its cache, and need not wait for their turn themselves.
    fn prepare(&mut self, _entries: &[Entry<'_>], _out: &mut Vec<u8>) {}

    /// The turn of entries that were prepared has come: called in place of
    /// [`entries`](Visitor::entries), with all that [`prepare`](Visitor::prepare) has appended.
    fn prepared(&mut self, _state: &Self::State, _prepared: &[u8]) -> Flow {
        Flow::Continue
    }

    /// Everything below the directory is done.
    fn leave(&mut self, _dir: &Directory<'_>, _state: &Self::State, _parent: &Self::State) -> Flow {
        Flow::Continue
    }

    /// Whether directories are to be removed: [`remove`](Visitor::remove) is then called instead of
    /// [`leave`](Visitor::leave), and the walk is unordered. The handle of a directory with
    /// subdirectories stays open until it is left, as far as the bound on handles allows; beyond it, a
    /// directory is regained by `..` from the one that is left below it.
    fn removes(&self) -> bool {
        false
    }

    /// Everything below the directory is done, and it may be removed. Also called for a directory that
    /// could not be opened: right after [`error`](Visitor::error) in the same worker, if that was
    /// called at all.
    fn remove(&mut self, _dir: &Leaving<'_>, _state: &Self::State, _parent: &Self::State) -> Flow {
        Flow::Continue
    }

    /// How many requests this worker has made of the storage itself since it was last asked. They
    /// count when the walk finds out how many workers pay.
    fn requests(&mut self) -> u64 {
        0
    }

    /// Something failed; the walk goes on with the rest.
    fn error(&mut self, _error: Error) -> Flow {
        Flow::Continue
    }

    /// A worker has finished a unit of work (a directory, or a batch of a huge one). A place to
    /// write out what is buffered if it has waited long enough. `slow` says that the storage made
    /// this worker wait, so that a write now costs nothing in comparison. Returns `Stop` to end the
    /// walk, for example because standard output was closed.
    fn pause(&mut self, _slow: bool) -> Flow {
        Flow::Continue
    }

    /// How long this worker has waited for its output (a slow pipe, a lock) since it was last asked:
    /// time that is not the storage's, and must not bring more workers.
    fn output_wait(&mut self) -> Duration {
        Duration::ZERO
    }
}

/// Eight bytes of a name, as a number that orders as they do; what is missing counts as zero.
#[inline]
fn eight_bytes(name: &[u8], from: usize) -> u64 {
    let rest = name.get(from..).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(bytes)
}
