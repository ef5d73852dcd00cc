//! A directory with unfinished work below it: a name and a parent. A root's name is its path, less
//! the prefix of the node above the roots.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use brisk_sys::paths::ends_open;
use brisk_sys::{Dir, Identity, Links};

use crate::Outcome;
use crate::entry::{Directory, Entry};
use crate::ignore::Level;
use crate::sched::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, count_writes};
use crate::tree::handles::{HandleBudget, HeldHandle};
use crate::tree::names::PackedName;
use crate::tree::root_handles::RootHandles;
use crate::tree::shortcut::Shortcut;

/// What an `Emit` keeps with each node. `Unordered`: nothing. `InOrder`: the position in the parent
/// (above the roots, the handle). `Acting`: the handle, and which entries stay.
pub(crate) trait EmitState: Default + Send + Sync {
    /// Holds the handle of the directory above the roots until the node drops, without a permit.
    fn hold_above_roots(&mut self, _handle: &Arc<Dir>) {}

    /// The directory's handle, if it is held until the directory is left.
    fn held(&self) -> Option<Arc<Dir>> {
        None
    }

    /// Holds the handle open for a list of the directory's children, if the budget allows.
    fn hold_for_children(
        &self,
        handle: &Arc<Dir>,
        budget: &Arc<HandleBudget>,
    ) -> Option<HeldHandle> {
        budget.permit().map(|permit| (Arc::clone(handle), Some(permit)))
    }

    /// The directory has more entries than one buffer holds, and may have to be listed again.
    fn prepare_relisting(&self, _handle: &Dir) {}

    /// Whether an entry was met in an earlier reading of the directory, and stays.
    #[inline(always)]
    fn was_met_before(&self, _name: &CStr) -> bool {
        false
    }
}

impl EmitState for () {}

/// A directory that is being read or has unfinished descendants. `S` is the visitor's state, `X`
/// the emitter's ([`EmitState`]).
pub(crate) struct Node<S, X> {
    /// `None` for the node above the roots alone.
    pub parent: Option<Arc<Node<S, X>>>,
    /// Deep in the tree: a link to an ancestor above the parent.
    pub shortcut: Option<Box<Shortcut<Node<S, X>>>>,
    /// The roots that the caller has open; only the node above the roots knows them.
    pub root_handles: Option<Arc<RootHandles>>,
    /// The number of the directory in this walk; 0 for the node above the roots.
    pub id: u64,
    /// The name; for a root the path as it was given, less the prefix of the node above the roots.
    pub name: Box<CStr>,
    /// The length of its path with a separator at the end, without the prefix above the roots.
    pub path_len: usize,
    /// The depth of its entries; 0 for the node above the roots.
    pub child_depth: u32,
    /// Whether it was reached through a link that the walk follows.
    pub follow: Links,
    /// The inode that its parent lists.
    pub ino: u64,
    /// The inode of `.`, 0 if the directory does not list it.
    pub dot_ino: u64,
    /// The device of the root it belongs to; known only if the walk keeps to one file system.
    pub root_dev: u64,
    /// Its own device; 0 until a request needs it.
    pub dev: AtomicU64,
    /// Device and inode, once handles are scarce: a worker that comes back up by `..` compares them.
    pub identity: OnceLock<Identity>,
    pub state: S,
    /// The ignore rules in force in it, in a walk that has rules: until its own are read, those
    /// that it inherits.
    pub rules: Option<Level>,
    pub emit_state: X,
    /// The number of buffers, batches and children that must end before the directory is left.
    /// Without meaning in a walk that leaves none.
    pub unfinished_below: AtomicUsize,
    /// How long an entry is expected to be waited for, in nanoseconds: the time of metadata
    /// requests, spread over all entries, also those that need none.
    pub entry_nanos: AtomicU32,
    /// What is known of the directory beside its name: see [`Child::bits`].
    pub bits: u8,
    /// Reading it failed: there may be entries that were never listed.
    incomplete: AtomicBool,
    /// The way back to it was lost: children that still wait cannot be opened.
    lost: AtomicBool,
}

impl<S, X: Default> Node<S, X> {
    /// The node above roots that are spelled with `prefix` before them.
    pub fn above_roots(prefix: &CStr, state: S) -> Node<S, X> {
        Node::new(None, Child::new(prefix, 0, Links::Follow), state, X::default())
    }
}

impl<S, X> Node<S, X> {
    /// A child of `parent`, without a number; it expects its entries to take what its parent's
    /// took.
    pub fn below(parent: Arc<Node<S, X>>, child: Child<'_>, state: S, emit: X) -> Node<S, X> {
        Node::new(Some(parent), child, state, emit)
    }

    #[inline(always)]
    fn new(parent: Option<Arc<Node<S, X>>>, child: Child<'_>, state: S, emit: X) -> Node<S, X> {
        let above = parent.as_ref();
        Node {
            shortcut: above.and_then(Node::shortcut_below),
            root_handles: None,
            id: 0,
            name: child.name.into(),
            path_len: above.map_or(0, |above| above.path_len + child.name.count_bytes() + 1),
            child_depth: above.map_or(0, |above| above.child_depth + 1),
            follow: child.follow,
            ino: child.ino,
            dot_ino: 0,
            root_dev: above.map_or(0, |above| above.root_dev),
            dev: AtomicU64::new(0),
            identity: OnceLock::new(),
            state,
            rules: None,
            emit_state: emit,
            unfinished_below: AtomicUsize::new(1),
            entry_nanos: AtomicU32::new(above.map_or(0, |above| above.expected_wait())),
            bits: child.bits,
            incomplete: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            parent,
        }
    }

    /// As its parent's child, with one more reentry in its bits.
    pub fn as_child_again(&self) -> Child<'_> {
        // The count is below the largest, so that the other bits stay.
        Child { name: &self.name, ino: self.ino, follow: self.follow, bits: self.bits + 1 }
    }

    /// How much of it was seen, if it was opened.
    pub fn outcome(&self) -> Outcome {
        if self.is_incomplete() { Outcome::Partial } else { Outcome::Complete }
    }

    /// There are entries that will not be listed; `true` the first time.
    pub fn mark_incomplete(&self) -> bool {
        !self.incomplete.swap(true, Ordering::Relaxed)
    }

    pub fn is_incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    /// The way back to it is lost; `true` the first time.
    pub fn lose(&self) -> bool {
        !self.lost.swap(true, Ordering::Relaxed)
    }

    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// The directory's own depth; the node above the roots has none and says 0.
    pub fn depth(&self) -> usize {
        self.child_depth.saturating_sub(1) as usize
    }

    /// The directory as a visitor sees it. `prefix` is its path, with a separator at the end.
    #[inline]
    pub fn directory<'a>(&'a self, prefix: &'a [u8], handle: Option<&'a Dir>) -> Directory<'a> {
        let root_handles = self.root_handles.as_deref();
        let parent_id = self.parent.as_ref().map(|parent| parent.id);
        let depth = self.depth();
        let rules = self.rules.as_ref();
        Directory { prefix, depth, handle, id: self.id, parent_id, root_handles, rules }
    }

    /// As [`directory`](Node::directory), and the state, which the visitor may still change.
    pub fn state_and_directory<'a>(
        &'a mut self,
        prefix: &'a [u8],
        handle: &'a Dir,
    ) -> (&'a mut S, Directory<'a>) {
        let id = self.id;
        let parent_id = self.parent.as_ref().map(|parent| parent.id);
        let rules = self.rules.as_ref();
        let without_id = Directory::new(prefix, self.depth(), Some(handle));
        (&mut self.state, Directory { id, parent_id, rules, ..without_id })
    }

    /// The root below this place that the caller has open under that name.
    #[inline]
    pub fn root_handle(&self, name: &CStr) -> Option<&Arc<Dir>> {
        self.root_handles.as_deref()?.get(name)
    }

    /// The root that it is, or is below, if the caller has that one open.
    pub fn own_root_handle(&self) -> Option<&Arc<Dir>> {
        let root = self.up_to(1);
        root.parent.as_ref()?.root_handle(&root.name)
    }

    /// Takes one from `unfinished_below`, because work on it or a child is done. Returns whether that
    /// was the last.
    pub fn one_finished_below(&self) -> bool {
        self.unfinished_below.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Replaces `out` by the path with a separator at its end.
    pub fn prefix_into(&self, out: &mut Vec<u8>) {
        out.clear();
        out.resize(self.path_len, b'/');
        let mut node = self;
        let mut root = None;
        let mut end = self.path_len;
        while let Some(parent) = &node.parent {
            let name = node.name.to_bytes();
            out[end - 1 - name.len()..end - 1].copy_from_slice(name);
            end -= name.len() + 1;
            root = Some(node);
            node = parent;
            while let Some((names, above)) = node.names_above() {
                out[end - names.len()..end].copy_from_slice(names);
                end -= names.len();
                node = above;
            }
        }
        match root {
            _ if !node.name.is_empty() => {
                drop(out.splice(..0, node.name.to_bytes().iter().copied()))
            }
            Some(root) => root.trim_root(out),
            None => {}
        }
    }

    /// A root that ends in a separator (`/`, `dir/`) needs no second one.
    fn trim_root(&self, out: &mut Vec<u8>) {
        let root = self.name.to_bytes();
        if ends_open(root) && out.get(root.len()) == Some(&b'/') {
            out.remove(root.len());
        }
    }

    /// How long an entry is expected to be waited for, by what was measured here or above.
    pub fn expected_wait(&self) -> u32 {
        self.entry_nanos.load(Ordering::Relaxed)
    }

    /// Takes a measurement in: half of what was expected, half of what was seen.
    pub fn measured_wait(&self, nanos: u32) {
        let before = self.expected_wait();
        let mean = if before == 0 { nanos } else { before / 2 + nanos / 2 };
        if mean != before {
            self.entry_nanos.store(mean, Ordering::Relaxed);
        }
    }
}

/// A chain of parents a hundred thousand levels long must not end in as many nested drops.
impl<S, X> Drop for Node<S, X> {
    fn drop(&mut self) {
        // The shortcut goes first, while the nodes in between still hold the node that it leads to.
        self.shortcut = None;
        let mut parent = self.parent.take();
        parent.iter().for_each(|parent| count_writes(&**parent, 1));
        while let Some(mut node) = parent.and_then(Arc::into_inner) {
            parent = node.parent.take();
        }
    }
}

/// A child of a directory, as its parent listed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<'a> {
    pub name: &'a CStr,
    pub ino: u64,
    pub follow: Links,
    /// [`MARKED`], [`REFUSED`], and how often it was entered again ([`REENTRIES_MASK`]).
    pub bits: u8,
}

/// The visitor has marked the entry.
pub(crate) const MARKED: u8 = 0x40;
/// The filter has refused the entry.
pub(crate) const REFUSED: u8 = 0x80;
/// The bits that count how often a directory was entered again.
pub(crate) const REENTRIES_MASK: u8 = 0x3f;

impl<'a> Child<'a> {
    pub fn new(name: &'a CStr, ino: u64, follow: Links) -> Child<'a> {
        Child { name, ino, follow, bits: 0 }
    }

    /// An entry that is to be entered.
    pub fn of(entry: &Entry<'a>) -> Child<'a> {
        let marked = if entry.marked.get() { MARKED } else { 0 };
        let bits = if entry.refused.get() { marked | REFUSED } else { marked };
        Child { bits, ..Child::new(entry.name, entry.ino, entry.follow()) }
    }

    /// As a packed name: the bits are the tag, and a followed link has a flag.
    pub fn pack(self) -> PackedName<'a> {
        let flags = u8::from(self.follow == Links::Follow);
        PackedName { name: self.name, ino: self.ino, tag: self.bits.into(), flags }
    }

    pub fn unpack(packed: PackedName<'a>) -> Child<'a> {
        let follow = Links::followed(packed.flags == 1);
        Child { name: packed.name, ino: packed.ino, follow, bits: packed.tag as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(names: &[&CStr]) -> Arc<Node<(), ()>> {
        let mut node = Arc::new(Node::above_roots(c"", ()));
        for name in names {
            let child = Child::new(name, 0, Links::NoFollow);
            node = Arc::new(Node::below(node, child, (), ()));
        }
        node
    }

    #[test]
    fn a_prefix_ends_in_one_separator() {
        let mut out = Vec::new();
        for (names, expected) in [
            (vec![c"a", c"b"], "a/b/"),
            (vec![c"/"], "/"),
            (vec![c"/", c"usr"], "/usr/"),
            (vec![c"dir/", c"x"], "dir/x/"),
            (vec![c".", c"x"], "./x/"),
            (vec![], ""),
        ] {
            chain(&names).prefix_into(&mut out);
            assert_eq!(out, expected.as_bytes());
        }
    }

    #[test]
    fn a_very_deep_chain_drops_without_recursion() {
        let names = vec![c"x"; 300_000];
        drop(chain(&names));
    }
}
