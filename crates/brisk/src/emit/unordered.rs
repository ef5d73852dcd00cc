//! Unordered and breadth-first walks: workers deliver entries as soon as they have read them, and
//! queue the directories among them.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use super::{Emit, Taken, collect_children, leave, queue_children};
use crate::drive::local::Local;
use crate::drive::queue::Streaming;
use crate::drive::task::{Chunk, DirNode, Kind, Reading, Step};
use crate::tree::Node;
use crate::visitor::{Outcome, Visitor};

/// The kind of a walk that delivers entries as they come.
pub(crate) struct Unordered<S>(PhantomData<S>);

impl<S: Default + Send + Sync> Kind for Unordered<S> {
    type State = S;
    type Extra = ();
    type Slot = ();
    type Ahead = Infallible;
    type Queue = Streaming<Self>;
}

impl<V: Visitor> Emit<V> for Unordered<V::State> {
    fn roots_slot() {}

    fn take(local: &mut Local<'_, V, Self>, chunk: &Arc<Chunk<Self>>, taken: Taken<'_, '_>) {
        let Taken { dir, entries, children, .. } = taken;
        let node = &chunk.reading.node;
        local.deliver(dir, &node.state, entries);
        collect_children::<Self>(local.shared.settings.max_depth, node, entries, children);
        queue_children(local, &chunk.reading, children);
    }

    fn counts_parts(local: &Local<'_, V, Self>) -> bool {
        local.shared.settings.leaves
    }

    fn part_done(local: &mut Local<'_, V, Self>, reading: Reading<Self>) {
        leave_finished(local, Arc::clone(&reading.node));
    }

    fn not_read(
        local: &mut Local<'_, V, Self>,
        step: &Step<'_, Self>,
        node: Option<DirNode<Self>>,
    ) {
        if !local.shared.settings.leaves {
            return;
        }
        if let Some(node) = node {
            leave(local, &Arc::new(node), step.parent, Outcome::Unread);
        }
        leave_finished(local, Arc::clone(step.parent));
    }

    fn ahead<'a>(
        _: &Local<'_, V, Self>,
        ahead: &'a Infallible,
        _: usize,
    ) -> Option<Step<'a, Self>> {
        match *ahead {}
    }
}

/// A part of a directory is done. If it was the last one, the visitor leaves the directory, and
/// then each directory above it of which that was the last part.
fn leave_finished<V: Visitor>(
    local: &mut Local<'_, V, Unordered<V::State>>,
    node: Arc<Node<V::State, ()>>,
) {
    let mut node = node;
    while node.part_done() {
        let Some(parent) = node.parent.clone() else { return };
        leave(local, &node, &parent, node.outcome());
        node = parent;
    }
}
