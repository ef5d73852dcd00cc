//! Coming back to a directory: to its handle where that was given up, to its path.
//!
//! Where handles are scarce a directory's handle is closed before its children are opened. What is
//! opened next is rarely far away, so each worker keeps one handle more, [`Near`], and goes from
//! there:
//!
//! ```text
//!                a   identity known
//!              /   \\
//!    ".." ▲   b     d   ▼ openat2(a, "d/e", BENEATH | NO_SYMLINKS)
//!    ".." ▲   c     e
//!           near    wanted
//! ```
//!
//! Each step up must lead to the directory that was given up there: the same device and inode.
//! Where it does not, because a directory was moved, or where the root is nearer, the way leads
//! down from the root. No step follows a link that the walk did not follow before. (Test:
//! `promises/chains.rs`.)

use std::ffi::CStr;
use std::io;
use std::sync::Arc;

use brisk_sys::paths::ends_open;
use brisk_sys::{Dir, Links, append};

use crate::driver::Driver;
use crate::entry::bytes_to_path;
use crate::tree::Node;
use crate::worker::Worker;

/// A step up by `..` takes an openat and a statx, about as long as this many steps down within one
/// openat2.
const STEP_UP: u32 = 8;

/// From this depth on, a path is put together from what it has in common with the path before.
const DEEP: u32 = 32;

/// A directory and a handle of it, from which others are reached.
pub(crate) struct Near<S> {
    node: Arc<Node<S>>,
    handle: Arc<Dir>,
}

impl<V: Driver> Worker<'_, '_, V> {
    /// A directory's children wait to be opened, with its handle (`kept`) or without.
    #[inline]
    pub fn remember(&mut self, node: &Arc<Node<V::State>>, handle: &Arc<Dir>, kept: bool) {
        if self.shared.held.is_scarce() && !node.is_top() {
            self.remember_scarce(node, handle, kept);
        }
    }

    #[cold]
    fn remember_scarce(&mut self, node: &Arc<Node<V::State>>, handle: &Arc<Dir>, kept: bool) {
        if node.child_depth > STEP_UP && node.identity.get().is_none() {
            self.stats.calls.stat += 1;
            if let Ok(identity) = handle.identity() {
                let _ = node.identity.set(identity);
            }
        }
        if !kept {
            self.near = Some(Near { node: Arc::clone(node), handle: Arc::clone(handle) });
        }
    }

    /// The handle of a directory that was given up. Other directories can be opened relative to it,
    /// but it cannot be read.
    #[cold]
    pub fn reach(&mut self, node: &Arc<Node<V::State>>) -> io::Result<Arc<Dir>> {
        let near = self.near.take();
        let handle = match near {
            Some(near) if Arc::ptr_eq(&near.node, node) => near.handle,
            _ => {
                let reached = near.and_then(|near| self.go(near, node));
                reached.map_or_else(|| self.reopen(node), Ok)?
            }
        };
        self.near = Some(Near { node: Arc::clone(node), handle: Arc::clone(&handle) });
        Ok(handle)
    }

    /// Goes from one directory to another: up by `..`, then down by names. `None`: the way from the
    /// root is shorter, or this one is barred.
    fn go(&mut self, near: Near<V::State>, wanted: &Node<V::State>) -> Option<Arc<Dir>> {
        let Near { node, mut handle } = near;
        let common = node.fork(wanted).0.map_or(node.child_depth, |below| below.child_depth - 1);
        let (up, down) = (node.child_depth - common, wanted.child_depth - common);
        if common == 0 || up.saturating_mul(STEP_UP) + down > wanted.child_depth {
            return None;
        }
        let above = node.ancestry().skip(1).take(up as usize);
        for above in above {
            self.stats.calls.reopen += 1;
            self.stats.calls.stat += 1;
            handle = Arc::new(handle.open_parent(*above.identity.get()?).ok()?);
        }
        let below: Vec<_> = wanted.ancestry().take(down as usize).collect();
        self.descend(handle, &below).ok()
    }

    /// Opens a directory from its root down.
    #[cold]
    pub fn reopen(&mut self, node: &Node<V::State>) -> io::Result<Arc<Dir>> {
        let ancestry: Vec<_> = node.ancestry().collect();
        let Some((root, below)) = ancestry.split_last() else {
            return Ok(Arc::new(Dir::current(self.shared.backend)));
        };
        self.stats.calls.reopen += 1;
        let root = Dir::open(self.shared.backend, bytes_to_path(root.name.to_bytes()), root.links)?;
        self.descend(Arc::new(root), below)
    }

    /// Opens the first of these directories, of which each is in the next and the last in `handle`.
    fn descend(&mut self, mut handle: Arc<Dir>, below: &[&Node<V::State>]) -> io::Result<Arc<Dir>> {
        // In pieces, because a path has a length limit and a tree has none.
        let mut piece = Vec::new();
        for (at, node) in below.iter().enumerate().rev() {
            piece.extend_from_slice(node.name.to_bytes());
            let ends =
                at == 0 || node.links == Links::Follow || below[at - 1].links == Links::Follow;
            if ends || piece.len() > 2048 {
                piece.push(0);
                let path = CStr::from_bytes_until_nul(&piece).expect("BUG: a NUL was just pushed");
                handle = Arc::new(handle.open_beneath(path, node.links)?);
                self.stats.calls.reopen += 1;
                piece.clear();
            } else {
                piece.push(b'/');
            }
        }
        Ok(handle)
    }

    /// Makes `self.prefix` the path of `node`. The directory just visited is usually `node`, its
    /// child or its sibling; else the path is put together from the names above.
    pub fn set_prefix(&mut self, node: &Arc<Node<V::State>>) {
        if let Some(before) = &self.prefix_of {
            if Arc::ptr_eq(before, node) {
                return;
            }
            let is_parent = before.parent.as_ref().is_some_and(|above| Arc::ptr_eq(above, node));
            if is_parent && !node.is_top() {
                let shorter = self.prefix.len() - before.name.count_bytes() - 1;
                self.prefix.truncate(shorter);
                self.prefix_of = Some(Arc::clone(node));
                return;
            }
        }
        let before = self.prefix_of.replace(Arc::clone(node));
        match before.filter(|before| before.child_depth.min(node.child_depth) > DEEP) {
            Some(before) => self.change_prefix(&before, node),
            None => node.prefix_into(&mut self.prefix),
        }
    }

    pub fn extend_prefix(&mut self, name: &CStr) {
        append(&mut self.prefix, name.to_bytes());
        if !ends_open(name.to_bytes()) {
            self.prefix.push(b'/');
        }
    }

    /// Makes the path of `before` that of `node`, keeping what they have in common.
    #[cold]
    fn change_prefix(&mut self, before: &Node<V::State>, node: &Node<V::State>) {
        let common = before.fork(node).0.map_or(before.child_depth, |below| below.child_depth - 1);
        if common == 0 || node.child_depth - common > DEEP {
            return node.prefix_into(&mut self.prefix);
        }
        let above = node.up_to(common);
        self.prefix.truncate(self.prefix.len() - (before.length - above.length));
        let kept = self.prefix.len();
        self.prefix.resize(kept + node.length - above.length, b'/');
        node.names_into(common, &mut self.prefix[kept..]);
    }
}
