//! The path of the directory that a worker reads. The worker builds it from the path of the
//! directory that it read before.

use std::ffi::CStr;
use std::sync::Arc;

use brisk_sys::append;
use brisk_sys::paths::ends_open;

use crate::sched::sync::count_writes;
use crate::tree::node::Node;

/// Below this depth a path is built from what it has in common with the path before. Less
/// deep, building the whole path is as quick.
const DEEP: u32 = 32;

/// A directory's path, with a separator at its end; each worker has one.
pub(crate) struct PathBuffer<S, X> {
    bytes: Vec<u8>,
    of: Option<Arc<Node<S, X>>>,
}

impl<S, X> Default for PathBuffer<S, X> {
    fn default() -> Self {
        PathBuffer { bytes: Vec::new(), of: None }
    }
}

impl<S, X> PathBuffer<S, X> {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Makes this the path of `node`. The directory that the worker read before is usually `node`
    /// itself, its child or its sibling; for others the path is built from the names above.
    pub fn set(&mut self, node: &Arc<Node<S, X>>) {
        let is_same = |other: &Arc<Node<S, X>>| Arc::ptr_eq(other, node);
        if self.of.as_ref().is_some_and(is_same) {
            return;
        }
        if !node.is_above_roots()
            && let Some(before) = self.of.take_if(|it| it.parent.as_ref().is_some_and(is_same))
        {
            self.bytes.truncate(self.bytes.len() - before.name.count_bytes() - 1);
            // The last reference to a child gives its parent's `Arc` away, so that no count is written.
            let parent = Arc::into_inner(before).and_then(|mut child| child.parent.take());
            self.of = Some(parent.unwrap_or_else(|| owned(node)));
            return;
        }
        let before = self.of.replace(owned(node));
        match before.filter(|before| before.child_depth.min(node.child_depth) > DEEP) {
            Some(before) => self.change(&before, node),
            None => node.prefix_into(&mut self.bytes),
        }
    }

    /// Adds a child's name. To undo that, pass the length from before to
    /// [`shorten`](Self::shorten); to make the path the child's, call [`set_node`](Self::set_node).
    pub fn push(&mut self, name: &CStr) {
        append(&mut self.bytes, name.to_bytes());
        if !ends_open(name.to_bytes()) {
            self.bytes.push(b'/');
        }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn shorten(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Takes the `Arc` of `node` out of the path, or clones it. The caller calls
    /// [`set_node`](Self::set_node) afterwards.
    pub fn take_node(&mut self, node: &Arc<Node<S, X>>) -> Arc<Node<S, X>> {
        self.of.take_if(|of| Arc::ptr_eq(of, node)).unwrap_or_else(|| owned(node))
    }

    /// Notes that the path is now that of `node`.
    pub fn set_node(&mut self, node: &Arc<Node<S, X>>) {
        self.of = Some(owned(node));
    }

    /// The path of `node`, lent out until [`give_back`](Self::give_back).
    pub fn lend(&mut self, node: &Arc<Node<S, X>>) -> Vec<u8> {
        self.set(node);
        std::mem::take(&mut self.bytes)
    }

    pub fn give_back(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// Turns the path of `before` into that of `node`; what they have in common stays.
    #[cold]
    fn change(&mut self, before: &Node<S, X>, node: &Node<S, X>) {
        let common = before.fork(node).0.map_or(before.child_depth, |below| below.child_depth - 1);
        if common == 0 || node.child_depth - common > DEEP {
            return node.prefix_into(&mut self.bytes);
        }
        let above = node.up_to(common);
        self.bytes.truncate(self.bytes.len() - (before.path_len - above.path_len));
        let kept = self.bytes.len();
        self.bytes.resize(kept + node.path_len - above.path_len, b'/');
        node.names_into(common, &mut self.bytes[kept..]);
    }
}

/// One more owner of this node, for some time.
fn owned<S, X>(node: &Arc<Node<S, X>>) -> Arc<Node<S, X>> {
    count_writes(&**node, 2);
    Arc::clone(node)
}
