//! The contract between a walk and its caller: nine calls, two of them required.
//!
//! Every order, every platform, serial and parallel walks drive a visitor through the same calls.
//! For one directory they come in this order:
//!
//! ```text
//!   enter ──► opened ──► select ──► entries ──► … children … ──► leave
//!   before    open, not  each       a part,                      all below
//!   opening   yet read   entry      with metadata                is done
//! ```
//!
//! In `select` only name, type and inode of an entry are known, and no system call has been made
//! for the entry, unless its type had to be asked for. An ordered walk (depth first or sorted)
//! reads directories before their turn: the calls up to `select` then come from whichever worker
//! reads the directory, while `entries`, `leave` and `error` come in the walk's order.
//!
//! What only some visitors need is in traits of its own: [`Parallel`] for visitors that are forked
//! for other workers, [`InTurn`] for those that choose the order of siblings or lay out whole
//! directories, [`Act`](crate::Act) for those that change the tree.

use std::cmp::Ordering;
use std::time::Duration;

use brisk_sys::Buffer;

use crate::{Directory, Entry, Error, Fields, FileType};

/// What to do with an entry of which only name, type and inode are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// Neither handed to [`Visitor::entries`] nor entered.
    Drop,
    /// Not delivered; entered if it is a directory.
    Enter,
    /// Delivered with at least these fields filled (where the system reports them); entered if it
    /// is a directory, unless [`Entry::prune`] is called on it. If the request for a directory's
    /// metadata fails, for whatever reason, the walk reports that and does not enter the directory,
    /// like GNU find and du; with [`Needs::vanished`](field@Needs::vanished) it enters it, like GNU
    /// ls.
    Take(Fields),
}

/// What to do with a directory.
#[derive(Debug)]
pub enum Enter<S> {
    /// Read it; `S` is its state.
    Read(S),
    /// Do not list it: its entries are these, which the visitor remembers. The walk opens the
    /// directory only to ask about them (on Linux with `O_PATH`), and treats them like entries that
    /// the directory has listed. An entry that no longer exists counts as vanished.
    Recall(S, Recalled),
    /// Do not read it. [`Visitor::leave`] is not called for it.
    Prune,
    /// End the walk.
    Stop,
}

/// The names, types and inodes of a directory's entries that a visitor remembers, for
/// [`Enter::Recall`](crate::Enter::Recall). Making one makes no system call.
///
/// # Example
/// ```
/// use brisk::{FileType, Recalled};
///
/// let mut entries = Recalled::of(2, 1);
/// assert!(entries.push(11, FileType::Directory, b"lost+found"));
/// assert!(!entries.push(12, FileType::File, b"../passwd"));
/// ```
#[derive(Debug)]
pub struct Recalled(Buffer);

/// The bytes of a record whose name has an ordinary length.
const ORDINARY: usize = 40;

impl Recalled {
    /// No entry yet, of a directory with the inode `ino`. There is room for about `count` entries;
    /// more of them cost an allocation.
    #[must_use]
    pub fn of(ino: u64, count: usize) -> Recalled {
        let mut buffer = Buffer::with_capacity(count * ORDINARY);
        let is_first = buffer.push_remembered(ino, FileType::Directory, b".");
        debug_assert!(is_first, "BUG: an empty buffer has room for a record");
        Recalled(buffer)
    }

    /// Adds an entry. `false`: no entry of a directory has such a name (empty, `.`, `..`, or with a
    /// `/` or a zero byte), and nothing was added.
    #[must_use]
    pub fn push(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        !matches!(name, b"." | b"..") && self.0.push_remembered(ino, file_type, name)
    }

    pub(crate) fn into_buffer(self) -> Buffer {
        self.0
    }
}

/// Whether the walk goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    /// Go on.
    #[default]
    Continue,
    /// End the walk. The visitors of other workers may still get calls that have begun.
    Stop,
}

/// How much of a directory was seen when it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of its entries were listed.
    Complete,
    /// Reading it failed, and some of its entries were not listed.
    Partial,
    /// It could not be opened, or must not be read: it leads back to a directory above, or its
    /// ignore rules are not all known.
    Unread,
}

/// What a visitor needs of the walk. The default is nothing: a visitor names what it needs, and
/// ends with `..Needs::default()` or `..Needs::fields(fields)`, because there may be more to need
/// one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The fields that [`Visitor::select`] is likely to ask for, a hint: where a statx must find
    /// out an entry's type anyway, these are asked for in the same request.
    pub fields: Fields,
    /// [`Visitor::leave`] is called. Otherwise the walk does not count what is unfinished below
    /// each directory.
    pub leave: bool,
    /// An entry that another process removes after its directory was read is an error, and is
    /// delivered without metadata. By default such an entry is neither. With this need, the walk
    /// also enters directories whose metadata it could not get.
    pub vanished: bool,
    /// A followed link that leads to a directory above it is delivered, as that directory. The walk
    /// never enters it: where it would, it reports
    /// [`FollowLoop`](crate::Operation::FollowLoop). By default such a link is reported as soon as
    /// it is met, and not delivered.
    pub loops: bool,
    /// A followed link whose target exists and cannot be reached is an error
    /// ([`Follow`](crate::Operation::Follow)). A root, and a link that leads
    /// back to itself, are then not delivered; others are delivered without a type. By default all
    /// are delivered as links, and none is an error. A [request](crate::filter::Test::call) of a
    /// filter that fails is an error as well. A directory that leads back to one above it, reached
    /// through a followed link, is not delivered.
    pub links: bool,
    /// Entries that the walk's [rules](crate::Walk::rules) or its
    /// [filter](crate::Walk::filter) refuse come to the visitor as well, and say
    /// [so](crate::Entry::is_refused). What rules refuse is [pruned](crate::Entry::is_pruned).
    pub refused: bool,
    /// A line that is not a rule, in a file of [ignore rules](crate::Walk::rules), is an
    /// [error](crate::Error::is_malformed_rule). By default it is not reported.
    pub malformed_rules: bool,
    /// The visitor changes what is not ignored, or has other programs do so. A directory whose
    /// ignore rules are not all known, because a rule file cannot be read or a line is not a rule, is
    /// then not entered. Both that ([`LearnRules`](crate::Operation::LearnRules)) and its cause are
    /// errors. A walk that [acts](crate::Walk::act) always has this need.
    pub complete_rules: bool,
    /// In a walk in no particular order, the entries of a directory come in the order of its
    /// listing. By default several workers may share a long directory, or one that answers slowly.
    pub listing_order: bool,
}

impl Needs {
    /// Nothing but these fields.
    #[must_use]
    pub fn fields(fields: Fields) -> Needs {
        Needs { fields, ..Needs::default() }
    }
}

/// What a visitor learns in [`Visitor::flush`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// The task took long, or the worker is about to wait for work: a write costs little in
    /// comparison.
    pub write_is_cheap: bool,
    /// How many entries the worker has met since the last call, whether they are results or not.
    pub met: u64,
}

/// What a visitor returns from [`Visitor::flush`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Flushed {
    /// Whether the walk goes on: [`Flow::Stop`], for example, once standard output is closed.
    pub flow: Flow,
    /// How long this visitor has waited for its output (a slow pipe, a lock) since the last call.
    /// More workers would not shorten that wait, so the walk subtracts it from what it measures.
    pub waited: Duration,
    /// How many requests this visitor itself has made of the storage since the last call. They
    /// count when the walk finds out how many workers are worth while.
    pub requests: u64,
}

/// Receives what a walk finds.
///
/// What workers share about a directory is its [`State`](Visitor::State). All of them borrow it
/// immutably, so what they change in it is an atomic or behind a lock.
///
/// # Example
/// ```
/// # fn main() {
/// # let scratch = tempfile::tempdir().unwrap();
/// # std::fs::write(scratch.path().join("a"), "").unwrap();
/// # let root = scratch.path();
/// use brisk::{Directory, Entry, Error, Flow, Visitor, Walk};
///
/// #[derive(Default)]
/// struct Names(Vec<Vec<u8>>);
///
/// impl Visitor for Names {
///     type State = ();
///     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
///         self.0.extend(entries.iter().map(|entry| entry.name().to_owned()));
///         Flow::Continue
///     }
///     fn error(&mut self, error: Error) -> Flow {
///         eprintln!("{error}");
///         Flow::Continue
///     }
/// }
///
/// let (names, _) = Walk::new(root).min_depth(1).visit(Names::default());
/// assert_eq!(names.0, [b"a"]);
/// # }
/// ```
pub trait Visitor: Sized {
    /// What the visitor remembers of a directory while anything below it is unfinished.
    type State: Default + Send + Sync;

    /// The entries that [`select`](Visitor::select) took from a part of a chunk, at least one. In
    /// sorted and depth-first order the calls come strictly in that order; otherwise from any
    /// worker.
    fn entries(&mut self, dir: &Directory<'_>, state: &Self::State, entries: &[Entry<'_>]) -> Flow;

    /// Something failed. The walk goes on with the rest, unless the answer is [`Flow::Stop`]. In
    /// sorted and depth-first order an error comes where its entry stands.
    fn error(&mut self, error: Error) -> Flow;

    /// What the visitor needs; asked once, before the walk begins and before any fork.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The state above the roots: the parent state of each root.
    fn top(&self) -> Self::State {
        Self::State::default()
    }

    /// A directory is about to be opened. Called from any worker, parents before children. `entry`
    /// is the directory as its parent lists it, without metadata.
    fn enter(&mut self, _entry: &Entry<'_>, _parent: &Self::State) -> Enter<Self::State> {
        Enter::Read(Self::State::default())
    }

    /// A directory is open, and nothing of it was read yet. A watch (inotify) that the visitor adds
    /// here misses nothing: a later change is either in the listing or reported by the watch.
    /// [`leave`](Visitor::leave) is not called for a directory that is pruned here.
    fn opened(&mut self, _dir: &Directory<'_>, _state: &mut Self::State) -> Enter<()> {
        Enter::Read(())
    }

    /// Chooses an entry by name, type and inode alone. The walk has made no request for the entry,
    /// unless the directory does not give its type or it is a link that is followed.
    fn select(&mut self, _state: &Self::State, _entry: &Entry<'_>) -> Select {
        Select::Take(Fields::empty())
    }

    /// Everything below the directory is done. Called if [`Needs::leave`](field@Needs::leave) is
    /// set; not for directories that were pruned, and not after the walk was stopped.
    fn leave(
        &mut self,
        _dir: &Directory<'_>,
        _state: &Self::State,
        _parent: &Self::State,
        _outcome: Outcome,
    ) -> Flow {
        Flow::Continue
    }

    /// A worker is between two pieces of work (also between two parts of one chunk), is about to
    /// wait, or ends: the visitor may write out what it has buffered.
    fn flush(&mut self, _pause: Pause) -> Flushed {
        Flushed::default()
    }
}

/// A visitor for parallel walks: each worker has one of its own.
pub trait Parallel: Visitor + Send {
    /// A visitor for another worker, whose number is `worker`. The calling thread, which has the
    /// visitor that was given to the walk, is number 0; no two workers have the same number.
    fn fork(&self, worker: usize) -> Self;

    /// Takes in what another worker's visitor gathered.
    fn merge(&mut self, other: Self);
}

/// A visitor that chooses the order of siblings, or lays out whole directories. The walk's order is
/// [`Depth`](crate::Order::Depth) or [`Sorted`](crate::Order::Sorted).
pub trait InTurn: Parallel {
    /// In a sorted walk siblings come by ascending rank. The walk asks for the rank of level 0 of
    /// all entries; where many entries have the same, it asks for those of levels 1, 2 and 3. By
    /// default the rank is the next eight bytes of the name, so that ranks alone decide most
    /// comparisons. The fields that `select` wanted are filled.
    #[inline]
    fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
        eight_bytes(entry.name(), 8 * level)
    }

    /// In a sorted walk: which of two siblings of the same ranks comes first. By default the one
    /// whose name's bytes do. The entries' directory has no path here.
    #[inline]
    fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        a.name().cmp(b.name())
    }

    /// The directory was read, and its own entries come next. Not called for one that could not be
    /// read, nor in pre-order where the entries were drafted.
    fn begin(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    /// With [`SiblingsFirst`](crate::Shape::SiblingsFirst): all of the directory's own entries have
    /// been delivered, and what is in its subdirectories comes next.
    fn end(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    /// Whether [`draft`](InTurn::draft) is called; asked once, before the walk begins and before
    /// any fork. Without effect in sorted pre-order, in [post-order](crate::Shape::Post), and in a
    /// walk that delivers each file [once](crate::Walk::unique).
    fn drafts(&self) -> bool {
        false
    }

    /// Formats entries in order, before their turn; [`adopt`](InTurn::adopt) gets what was appended
    /// when the turn comes. With [`SiblingsFirst`](crate::Shape::SiblingsFirst) these are all
    /// entries of one small directory, never a part of a large one. In pre-order they are entries
    /// up to a directory that is entered, or up to the last one that was read, and one call of
    /// `adopt` may get what several calls have appended, also for directories below its own. The
    /// caller is the worker that gathered the entries: it has the directory open, and names and
    /// metadata in its cache.
    fn draft(&mut self, _entries: &[Entry<'_>], _out: &mut Vec<u8>) {}

    /// The turn of entries that were drafted has come: called in place of
    /// [`entries`](Visitor::entries), with all that [`draft`](InTurn::draft) has appended.
    fn adopt(&mut self, _state: &Self::State, _draft: &[u8]) -> Flow {
        Flow::Continue
    }
}

/// Eight bytes of a name, as a number that orders as they do; what is missing counts as zero.
#[inline]
pub(crate) fn eight_bytes(name: &[u8], from: usize) -> u64 {
    let rest = name.get(from..).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(bytes)
}
