//! [`Reacher`]: opens a directory again whose handle was given up.
//!
//! Where handles are scarce, a directory's handle closes before its children are opened. The
//! directory that a worker opens next is rarely far away, so each worker has one handle more,
//! [`Near`], and goes from there:
//!
//! ```text
//!                a   identity known
//!              /   \\
//!    ".." ▲   b     d   ▼ openat2(a, "d/e", BENEATH | NO_SYMLINKS)
//!    ".." ▲   c     e
//!           near    wanted
//! ```
//!
//! Each step up must lead to the directory whose handle was given up: to the same device and inode.
//! If it does not, because another process moved a directory, or if the root is nearer, the worker
//! goes down from the root. No step follows a link that the walk did not follow before. (Test:
//! `promises/chains.rs`.)

use std::ffi::CStr;
use std::io;
use std::sync::Arc;

use brisk_sys::{Backend, Dir, Links};

use crate::entry::bytes_to_path;
use crate::stats::Calls;
use crate::tree::{Ancestor, HandleBudget, Node};

/// The cost of a step up, in steps down: a step up by `..` takes an openat and a statx, about as
/// long as eight steps down within one openat2.
const STEP_UP: u32 = 8;

/// A directory and its handle, from which others are reached.
struct Near<S, X> {
    node: Arc<Node<S, X>>,
    handle: Arc<Dir>,
}

/// Where handles are scarce: the last directory whose handle this worker gave up or opened again.
pub(crate) struct Reacher<S, X> {
    near: Option<Near<S, X>>,
}

impl<S, X> Default for Reacher<S, X> {
    fn default() -> Self {
        Reacher { near: None }
    }
}

impl<S, X> Reacher<S, X> {
    /// A directory's children wait to be opened, with its handle (`is_kept`) or without. Where
    /// handles are scarce, remembers what a way back needs.
    #[inline]
    pub fn remember(
        &mut self,
        node: &Arc<Node<S, X>>,
        handle: &Arc<Dir>,
        is_kept: bool,
        budget: &HandleBudget,
        calls: &mut Calls,
    ) {
        if budget.is_scarce() && !node.is_top() {
            self.remember_scarce(node, handle, is_kept, calls);
        }
    }

    #[cold]
    fn remember_scarce(
        &mut self,
        node: &Arc<Node<S, X>>,
        handle: &Arc<Dir>,
        is_kept: bool,
        calls: &mut Calls,
    ) {
        if node.child_depth > STEP_UP && node.identity.get().is_none() {
            calls.stat += 1;
            if let Ok(identity) = handle.identity() {
                let _ = node.identity.set(identity);
            }
        }
        if !is_kept {
            self.near = Some(Near { node: Arc::clone(node), handle: Arc::clone(handle) });
        }
    }

    /// A handle of a directory whose handle was given up. Other directories can be opened relative
    /// to the new one, but it cannot be read.
    #[cold]
    pub fn reach(
        &mut self,
        node: &Arc<Node<S, X>>,
        backend: Backend,
        calls: &mut Calls,
    ) -> io::Result<Arc<Dir>> {
        let near = self.near.take();
        let handle = match near {
            Some(near) if Arc::ptr_eq(&near.node, node) => near.handle,
            _ => {
                let reached = near.and_then(|near| Self::go(near, node, calls));
                reached.map_or_else(|| Self::reopen(node, backend, calls), Ok)?
            }
        };
        self.near = Some(Near { node: Arc::clone(node), handle: Arc::clone(&handle) });
        Ok(handle)
    }

    /// Goes from one directory to another: up by `..`, then down by names. `None` if the way from
    /// the root is shorter, or a step fails.
    fn go(near: Near<S, X>, wanted: &Node<S, X>, calls: &mut Calls) -> Option<Arc<Dir>> {
        let Near { node, mut handle } = near;
        let common = node.fork(wanted).0.map_or(node.child_depth, |below| below.child_depth - 1);
        let (up, down) = (node.child_depth - common, wanted.child_depth - common);
        if common == 0 || up.saturating_mul(STEP_UP) + down > wanted.child_depth {
            return None;
        }
        let above = node.ancestry().skip(1).take(up as usize);
        for above in above {
            calls.reopen += 1;
            calls.stat += 1;
            handle = Arc::new(handle.open_parent(*above.identity.get()?).ok()?);
        }
        let below: Vec<_> = wanted.ancestry().take(down as usize).collect();
        descend(handle, &below, calls).ok()
    }

    /// Opens a directory from its root down.
    #[cold]
    pub fn reopen(node: &Node<S, X>, backend: Backend, calls: &mut Calls) -> io::Result<Arc<Dir>> {
        let ancestry: Vec<_> = node.ancestry().collect();
        let Some((root, below)) = ancestry.split_last() else {
            return Ok(Arc::new(Dir::current(backend)));
        };
        if let Some(open) = root.own_root_handle() {
            return descend(Arc::clone(open), below, calls);
        }
        calls.reopen += 1;
        let root = Dir::open(backend, bytes_to_path(root.name.to_bytes()), root.links)?;
        descend(Arc::new(root), below, calls)
    }
}

/// Opens the first of these directories. Each is in the next one, and the last is in `handle`.
fn descend<S, X>(
    mut handle: Arc<Dir>,
    below: &[&Node<S, X>],
    calls: &mut Calls,
) -> io::Result<Arc<Dir>> {
    // In pieces, because the system limits the length of a path, but not the depth of a tree.
    let mut piece = Vec::new();
    for (at, node) in below.iter().enumerate().rev() {
        piece.extend_from_slice(node.name.to_bytes());
        let ends = at == 0 || node.links == Links::Follow || below[at - 1].links == Links::Follow;
        if ends || piece.len() > 2048 {
            piece.push(0);
            let path = CStr::from_bytes_until_nul(&piece).expect("BUG: a NUL was just pushed");
            handle = Arc::new(handle.open_beneath(path, node.links)?);
            calls.reopen += 1;
            piece.clear();
        } else {
            piece.push(b'/');
        }
    }
    Ok(handle)
}
