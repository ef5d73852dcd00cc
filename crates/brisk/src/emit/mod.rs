//! How entries reach the visitor, and how directories are left: one implementation a way.
//!
//! - `unordered`: as they come, in any order or by level;
//! - `ordered`: in turn, depth first or sorted;
//! - `removing`: a few at a time, directories left by their parent's handle.
//!
//! A walk has one of them, which is a type: nothing of the others is compiled into its loop.

pub(crate) mod leaving;
pub(crate) mod ordered;
pub(crate) mod removing;
pub(crate) mod retained;
pub(crate) mod unordered;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use brisk_sys::Dir;

use crate::Operation;
use crate::entry::{Directory, Entry};
use crate::local::Local;
use crate::task::{Chunk, DirNode, Kind, Reading, Step};
use crate::tree::{CONDEMNED, Child, Node, PackedNames, bound};
use crate::visitor::{Outcome, Visitor};

/// A way in which entries reach a visitor.
pub(crate) trait Emit<V: Visitor>: Kind<State = V::State> {
    /// Where the roots' entries are gathered.
    fn roots_slot() -> Self::Slot;

    /// The roots stand in this directory.
    fn begin(_top: &DirNode<Self>, _handle: &Arc<Dir>) {}

    /// Entries of a chunk are classified.
    fn take(local: &mut Local<'_, V, Self>, chunk: &Arc<Chunk<Self>>, taken: Taken<'_, '_>);

    /// Whether parts of directories are counted: then [`part_done`](Emit::part_done) is called.
    fn counts_parts(local: &Local<'_, V, Self>) -> bool;

    /// A part of a directory is done: its own reading, or a batch. The last part leaves it.
    fn part_done(local: &mut Local<'_, V, Self>, reading: Reading<Self>);

    /// A directory was not read: pruned, or if there is a node, entered and unreadable.
    fn not_read(local: &mut Local<'_, V, Self>, step: &Step<'_, Self>, node: Option<DirNode<Self>>);

    /// The next of the directories that are to be read ahead, by its number.
    fn ahead<'a>(
        local: &Local<'_, V, Self>,
        ahead: &'a Self::Ahead,
        number: usize,
    ) -> Option<Step<'a, Self>>;
}

/// Classified entries of a chunk.
pub(crate) struct Taken<'a, 'e> {
    pub dir: &'a Directory<'a>,
    pub entries: &'a [Entry<'e>],
    /// Directories that are entered without being handed on.
    pub children: &'a mut PackedNames,
    /// The records that the entries were.
    pub records: Range<usize>,
}

/// Adds the directories among entries that are to be entered.
fn collect_children<K: Kind>(
    local_max_depth: u32,
    node: &DirNode<K>,
    entries: &[Entry<'_>],
    children: &mut PackedNames,
) {
    if node.child_depth >= local_max_depth {
        return;
    }
    for entry in entries.iter().filter(|entry| entry.file_type.is_dir()) {
        if !entry.pruned.get() {
            let note = if entry.condemned.get() { CONDEMNED } else { 0 };
            let child = Child::new(entry.name, entry.ino, entry.links());
            children.push(Child { note, ..child }.pack());
        }
    }
}

/// Bytes that a directory that waits to be opened takes, with an ordinary name.
const WAITING: usize = 64;

/// Counts children that are about to be queued; `false` if there are none, or no room for them.
fn admit<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    node: &DirNode<K>,
    names: &mut PackedNames,
) -> bool {
    let shared = &local.shared;
    if names.is_empty() || shared.is_stopped() {
        names.clear();
        return false;
    }
    if bound::is_reached(shared.unfinished.load(Relaxed) * WAITING) {
        too_many_wait(local, node, names);
        return false;
    }
    shared.added(names.count());
    if shared.settings.leaves {
        node.unfinished.fetch_add(names.count(), Relaxed);
    }
    true
}

/// There is no room for more directories that wait: what is left of this one is not read.
#[cold]
fn too_many_wait<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    node: &DirNode<K>,
    names: &mut PackedNames,
) {
    names.clear();
    if node.read_failed() {
        local.report(Operation::Read, node, bound::error());
    }
}

/// Has the visitor leave a directory; not in a walk that was stopped, where something below may be
/// undone.
fn leave<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    node: &Arc<Node<V::State, K::Extra>>,
    parent: &DirNode<K>,
    outcome: Outcome,
) {
    if local.shared.is_stopped() {
        return;
    }
    local.path.set(node);
    let dir = node.directory(local.path.bytes(), None);
    let flow = local.visitor.leave(&dir, &node.state, &parent.state, outcome);
    local.obey(flow);
}
