//! Cancelling a walk from outside: at once, or so that another walk can go on where it stopped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use crate::entry::bytes_to_path;
use crate::sched::lock;
use crate::tree::{Child, Node};
use brisk_sys::paths::without_separator;

/// Cancels the walks that it was given to ([`Walk::cancelled_by`](crate::Walk::cancelled_by)).
///
/// Clones cancel the same walks. [`now`](Cancel::now) is one atomic store, and
/// [`at_boundary`](Cancel::at_boundary) one atomic exchange: neither takes a lock, allocates, wakes
/// a thread or makes a system call, so that a signal handler may call both.
///
/// # Example
/// ```
/// # fn main() -> std::io::Result<()> {
/// # let scratch = tempfile::tempdir()?;
/// # std::fs::create_dir_all(scratch.path().join("a/b/c"))?;
/// # let root = scratch.path();
/// use brisk::{Cancel, Directory, Entry, Error, Flow, Visitor, Walk};
///
/// struct Count(usize, Cancel);
///
/// impl Visitor for Count {
///     type State = ();
///     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
///         self.0 += entries.len();
///         self.1.at_boundary();
///         Flow::Continue
///     }
///     fn error(&mut self, _: Error) -> Flow {
///         Flow::Continue
///     }
/// }
///
/// let cancel = Cancel::new();
/// let walk = Walk::new(root).min_depth(1);
/// let (first, _) = walk.clone().cancelled_by(&cancel).visit(Count(0, cancel.clone()));
/// let rest = walk.resume(cancel.take_unvisited());
/// assert_eq!(first.0 + rest.into_iter().count(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// How soon the walk ends: 0, [`BOUNDARY`] or [`NOW`].
    state: AtomicU8,
    unvisited: Mutex<Vec<Unvisited>>,
}

/// The walk ends once the directories that are being read are done.
pub(crate) const BOUNDARY: u8 = 1;
/// The walk ends before the next part is delivered.
pub(crate) const NOW: u8 = 2;

impl Cancel {
    /// A `Cancel` that has not cancelled anything yet.
    #[must_use]
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the walks at once. A visitor may still get calls that other workers had begun to make.
    /// A walk waits for requests that it has made, even if the storage is long in answering.
    pub fn now(&self) {
        self.0.state.store(NOW, Ordering::Relaxed);
    }

    /// Ends the walks once the directories that are being read are done: no other directory is
    /// entered. [`take_unvisited`](Cancel::take_unvisited) returns those that were not entered.
    /// Walks in depth-first or sorted order, and removals, end at once. After
    /// [`now`](Cancel::now) this call changes nothing.
    pub fn at_boundary(&self) {
        // After `now` the walks still end at once.
        let _ = self.0.state.compare_exchange(0, BOUNDARY, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the walks were cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state() > 0
    }

    /// The directories that were delivered and not entered; to be called after the walk has
    /// returned. After [`at_boundary`](Cancel::at_boundary) they are, together with what the
    /// visitor has seen, the whole tree, and [`Walk::resume`](crate::Walk::resume) goes on with
    /// them. A walk that has ended at once returns none of them, or only some.
    #[must_use]
    pub fn take_unvisited(&self) -> Vec<Unvisited> {
        std::mem::take(&mut *lock(&self.0.unvisited))
    }

    #[inline]
    pub(crate) fn state(&self) -> u8 {
        self.0.state.load(Ordering::Relaxed)
    }

    #[cold]
    pub(crate) fn hand_back<S, X>(&self, parent: &Node<S, X>, child: Child<'_>) {
        lock(&self.0.unvisited).push(Unvisited::of(parent, child));
    }
}

/// A directory that a cancelled walk has not entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unvisited {
    root: PathBuf,
    below: PathBuf,
    follows: bool,
}

impl Unvisited {
    /// The directory at `below`, relative to `root`. `follows` says that the last component of the
    /// path is a link, which the walk follows.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, below: impl Into<PathBuf>, follows: bool) -> Unvisited {
        Unvisited { root: root.into(), below: below.into(), follows }
    }

    fn of<S, X>(parent: &Node<S, X>, child: Child<'_>) -> Unvisited {
        let follows = child.follow == brisk_sys::Links::Follow;
        let name = bytes_to_path(child.name.to_bytes());
        let mut path = Vec::new();
        parent.prefix_into(&mut path);
        let Some(root) = parent.ancestry().last() else {
            return Unvisited::new(name, "", follows);
        };
        let root = root.name.to_bytes();
        let above = path.get(without_separator(root).len()..).unwrap_or_default();
        let above = above.strip_prefix(b"/").unwrap_or(above);
        Unvisited::new(bytes_to_path(root), bytes_to_path(above).join(name), follows)
    }

    /// The root that the directory is below, or is itself, as the caller gave it.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory's path below the root; empty for the root itself.
    #[must_use]
    pub fn below_root(&self) -> &Path {
        &self.below
    }

    /// Whether the directory was reached through a link of this name, which the walk follows.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.follows
    }

    /// How deep the directory is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.below.components().count()
    }
}
