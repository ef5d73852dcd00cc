//! [`Reacher`]: opens a directory again whose handle was given up.
//!
//! Where handles are scarce, a directory's handle closes before its children are opened. The
//! directory that a worker opens next is rarely far away, so each worker has one handle more,
//! [`LastOpen`], and goes from there:
//!
//! ```text
//!                a   identity known
//!              /   \
//!    ".." ▲   b     d   ▼ openat2(a, "d/e", BENEATH | NO_SYMLINKS)
//!    ".." ▲   c     e
//!           last    wanted
//! ```
//!
//! Each step up must lead to the directory whose handle was given up: to the same device and inode.
//! If it does not, because another process moved a directory, or if the way from above is shorter,
//! the worker goes down from the nearest directory above that is held, or from the root. If that
//! fails, the worker tries the longer way. No step follows a link that the walk did not follow
//! before.
//!
//! A walk that acts accepts nothing but the directory whose handle was given up, and, unless
//! it crosses mounts, enters no mount point on the way down. A walk that reads goes by the names, and compares only when a child
//! is missing. Where no way leads back, the walk reports the directory, because what waits in it
//! is not visited: a vanished entry is not an error, but an entry that was moved away has not vanished.
//! (Tests: `every/chains.rs`, the engine's `back.rs`, the cascade in `tests/attacks/`.)

use std::ffi::CStr;
use std::io;
use std::io::ErrorKind::{NotADirectory, NotFound, StaleNetworkFileHandle};
use std::sync::Arc;

use brisk_sys::{Backend, Dir, Fields, Links};

use crate::tree::{EmitState, HandleBudget, Node};

/// The cost of a step up, in steps down: a step up by `..` takes an openat and a statx, about as
/// long as eight steps down within one openat2.
const STEP_UP: u32 = 8;

/// A directory and its handle, from which others are reached.
struct LastOpen<S, X> {
    node: Arc<Node<S, X>>,
    handle: Arc<Dir>,
}

/// Where handles are scarce: opens directories again.
pub(crate) struct Reacher<S, X> {
    /// The directory from which this worker reaches others: given up, opened again, handed over, or
    /// just left.
    last_open: Option<LastOpen<S, X>>,
    backend: Backend,
    /// No mount point is entered below the roots.
    one_mount: bool,
    /// The walk acts: what is reached must be the directory whose handle was given up.
    acts: bool,
    /// How many directories it has opened again, and how many stats it has made, since the worker
    /// last took the numbers.
    pub reopens: u64,
    pub stat_calls: u64,
}

/// The error of a directory to which no way leads back: another process has moved or removed it, or
/// one above it.
pub(crate) fn lost_error() -> io::Error {
    let text = "another process has moved or removed it";
    io::Error::new(StaleNetworkFileHandle, text)
}

/// Whether an error is that one, and not the system's own.
pub(crate) fn is_lost_error(error: &io::Error) -> bool {
    error.kind() == StaleNetworkFileHandle && error.raw_os_error().is_none()
}

impl<S, X: EmitState> Reacher<S, X> {
    pub fn new(backend: Backend, one_mount: bool, acts: bool) -> Self {
        Reacher { last_open: None, backend, one_mount, acts, reopens: 0, stat_calls: 0 }
    }

    /// A directory's children wait to be opened, with its handle (`is_held`) or without. Where
    /// handles are scarce, remembers what a way back needs.
    #[inline]
    pub fn remember(
        &mut self,
        node: &Arc<Node<S, X>>,
        handle: &Arc<Dir>,
        is_held: bool,
        budget: &HandleBudget,
    ) {
        if budget.is_scarce() && !node.is_above_roots() {
            self.remember_scarce(node, handle, is_held);
        }
    }

    #[cold]
    fn remember_scarce(&mut self, node: &Arc<Node<S, X>>, handle: &Arc<Dir>, is_held: bool) {
        let may_be_climbed_to = node.child_depth > STEP_UP;
        let is_compared = !is_held && self.acts;
        if (may_be_climbed_to || is_compared) && node.identity.get().is_none() {
            self.stat_calls += 1;
            if let Ok(identity) = handle.identity() {
                let _ = node.identity.set(identity);
            }
        }
        if !is_held {
            self.set_last_open(node, handle);
        }
    }

    /// This worker has a directory open, from which it will reach others.
    pub fn set_last_open(&mut self, node: &Arc<Node<S, X>>, handle: &Arc<Dir>) {
        self.last_open = Some(LastOpen { node: Arc::clone(node), handle: Arc::clone(handle) });
    }

    pub fn is_last_open(&self, node: &Arc<Node<S, X>>) -> bool {
        self.last_open.as_ref().is_some_and(|last| Arc::ptr_eq(&last.node, node))
    }

    /// A walk that acts: closes the handle of the directory in which this worker was last. Once
    /// another worker has removed that directory, the kernel cannot forget it while it is open, and
    /// removing the directories above it is slower then.
    #[inline]
    pub fn close_last_open_if_acting(&mut self) {
        if self.acts {
            self.last_open = None;
        }
    }

    /// Closes the handle of the directory in which this worker was last; `false` if there is none.
    pub fn close_last_open(&mut self) -> bool {
        self.last_open.take().is_some()
    }

    /// Closes the handle of a directory, unless others have it.
    pub fn close_last_open_of(&mut self, node: &Arc<Node<S, X>>) {
        self.last_open.take_if(|last| Arc::ptr_eq(&last.node, node));
    }

    /// A handle of a directory whose handle was given up. Other directories can be opened relative
    /// to the new one, but it cannot be read.
    #[cold]
    pub fn reach(&mut self, node: &Arc<Node<S, X>>) -> io::Result<Arc<Dir>> {
        if node.is_lost() && !self.is_last_open(node) {
            return Err(lost_error());
        }
        let reached = match self.last_open.take() {
            Some(last) if Arc::ptr_eq(&last.node, node) => Ok(last.handle),
            Some(last) if is_nearer(&last.node, node) => {
                self.reach_from_last_open(last, node).or_else(|_| self.reach_above(node))
            }
            Some(last) => self
                .reach_above(node)
                .or_else(|error| self.reach_from_last_open(last, node).map_err(|_| error)),
            None => self.reach_above(node),
        };
        let handle =
            reached.map_err(|error| if is_wrong_way(&error) { lost_error() } else { error })?;
        self.set_last_open(node, &handle);
        Ok(handle)
    }

    /// Whether another directory has this name now: its inode differs from that of the `.` that was
    /// listed.
    #[cold]
    pub fn is_another(&mut self, node: &Node<S, X>, handle: &Dir) -> bool {
        if node.dot_ino == 0 {
            return false;
        }
        self.stat_calls += 1;
        handle.stat_self(Fields::INO).is_ok_and(|meta| meta.ino() != Some(node.dot_ino))
    }

    /// Goes from one directory to another: up by `..`, then down by names.
    fn reach_from_last_open(
        &mut self,
        last: LastOpen<S, X>,
        wanted: &Node<S, X>,
    ) -> io::Result<Arc<Dir>> {
        let LastOpen { node, mut handle } = last;
        let (up, down) = steps(&node, wanted).ok_or(NotFound)?;
        for above in node.ancestry().skip(1).take(up as usize) {
            self.reopens += 1;
            self.stat_calls += 1;
            let identity = above.identity.get().ok_or(NotFound)?;
            handle = Arc::new(handle.open_parent(*identity)?);
        }
        let below: Vec<_> = wanted.ancestry().take(down as usize).collect();
        if below.is_empty() {
            return Ok(handle);
        }
        self.descend(handle, &below, wanted)
    }

    /// Opens a directory from above: from the nearest directory that is held, or from the root.
    #[cold]
    pub fn reach_above(&mut self, node: &Node<S, X>) -> io::Result<Arc<Dir>> {
        if let Some(held) = node.emit_state.held() {
            return Ok(held);
        }
        let mut below = Vec::new();
        let held = node.ancestry().find_map(|above| {
            below.push(above);
            above.parent.as_ref()?.emit_state.held().filter(|_| above.depth() > 0)
        });
        let handle = match held {
            Some(held) => held,
            None => match below.pop() {
                Some(root) => self.open_root(root)?,
                None => return Ok(Arc::new(Dir::current(self.backend))),
            },
        };
        self.descend(handle, &below, node)
    }

    /// Opens a root, which may be on any mount, by the path that the caller gave.
    fn open_root(&mut self, root: &Node<S, X>) -> io::Result<Arc<Dir>> {
        if let Some(open) = root.own_root_handle() {
            return Ok(Arc::clone(open));
        }
        self.reopens += 1;
        let held = root.parent.as_ref().and_then(|above| above.emit_state.held());
        let from = held.unwrap_or_else(|| Arc::new(Dir::current(self.backend)));
        from.open_child(&root.name, root.follow).map(Arc::new)
    }

    /// Opens a directory by names: the first of `below`. Each of these is in the next one, and the
    /// last is in `handle`.
    fn descend(
        &mut self,
        mut handle: Arc<Dir>,
        below: &[&Node<S, X>],
        wanted: &Node<S, X>,
    ) -> io::Result<Arc<Dir>> {
        // In pieces, because the system limits the length of a path, but not the depth of a tree.
        let mut piece = Vec::new();
        for (at, node) in below.iter().enumerate().rev() {
            piece.extend_from_slice(node.name.to_bytes());
            let is_link = node.follow == Links::Follow;
            if at == 0 || is_link || below[at - 1].follow == Links::Follow || piece.len() > 2048 {
                piece.push(0);
                let path = CStr::from_bytes_until_nul(&piece).expect("BUG: a NUL was just pushed");
                handle = Arc::new(handle.open_beneath(path, node.follow, self.one_mount)?);
                self.reopens += 1;
                piece.clear();
            } else {
                piece.push(b'/');
            }
        }
        if self.acts {
            let expected = wanted.identity.get().ok_or(io::ErrorKind::Unsupported)?;
            self.stat_calls += 1;
            if handle.identity()? != *expected {
                return Err(lost_error());
            }
        }
        Ok(handle)
    }
}

/// Whether an error says that a way leads to no directory, or not to the one that was meant.
pub(crate) fn is_wrong_way(error: &io::Error) -> bool {
    matches!(error.kind(), NotFound | NotADirectory | StaleNetworkFileHandle)
}

/// The steps up and down from one directory to another below the same root.
fn steps<S, X>(from: &Node<S, X>, to: &Node<S, X>) -> Option<(u32, u32)> {
    let common = from.fork(to).0.map_or(from.child_depth, |below| below.child_depth - 1);
    (common > 0).then(|| (from.child_depth - common, to.child_depth - common))
}

/// Whether the way from a directory that is open is shorter than the way from the root.
fn is_nearer<S, X>(from: &Node<S, X>, to: &Node<S, X>) -> bool {
    steps(from, to).is_some_and(|(up, down)| up.saturating_mul(STEP_UP) + down <= to.child_depth)
}
