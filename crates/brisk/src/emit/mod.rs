//! How entries reach the visitor, and how the visitor leaves directories: one implementation of
//! [`Emit`] for each kind of walk.
//!
//! - `Unordered`, here: entries as they come, in any order or by level;
//! - `ordered`: entries in order, depth first or sorted;
//! - `acting`: a few entries at a time; the visitor leaves each directory through its parent's
//!   handle.
//!
//! The implementation is a type parameter of the walk, so the loop of one kind holds no code of the
//! others.

pub(crate) mod acting;
pub(crate) mod leaving;
pub(crate) mod ordered;
pub(crate) mod retained;

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use brisk_sys::Dir;

use self::leaving::Leaving;
use crate::Operation;
use crate::drive::queue::UnorderedQueue;
use crate::drive::task::{Chunk, DirNode, Reading, Task, ToEnter, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::{Directory, Entry};
use crate::tree::{Child, EmitState, PackedNames, PendingDirs, bound};
use crate::visitor::{Flow, Outcome, Visitor};

/// The way in which entries reach a visitor in one kind of walk.
pub(crate) trait Emit<V: Visitor>: WalkKind<State = V::State> {
    /// The slot that collects the roots' entries, if the kind has slots.
    fn roots_slot() -> Self::Slot {
        Self::Slot::default()
    }

    /// Whether the visitor drafts entries before their turn.
    fn drafts(_visitor: &V) -> bool {
        false
    }

    /// Takes classified entries of a chunk: delivers them, or stores them until their turn.
    fn accept(worker: &mut Worker<'_, V, Self>, chunk: &Arc<Chunk<Self>>, part: Part<'_, '_>);

    /// All parts of a chunk or a batch have been passed to `accept`. After the last chunk or batch
    /// the directory is finished. Called where entries are gathered or directories left.
    fn delivered(worker: &mut Worker<'_, V, Self>, reading: Reading<Self>);

    /// A directory was not read. If there is a node, the directory was entered and is to be left:
    /// it could not be opened, is a loop, or its ignore rules are not all known. Without a node the
    /// visitor pruned the directory, or the walk is over.
    fn not_read(
        worker: &mut Worker<'_, V, Self>,
        next: &ToEnter<'_, Self>,
        node: Option<DirNode<Self>>,
    );

    /// One of the directories to be read ahead, by its number; `None` after the last.
    fn ahead<'a>(
        _worker: &Worker<'_, V, Self>,
        _ahead: &'a Self::Ahead,
        _number: usize,
    ) -> Option<ToEnter<'a, Self>> {
        None
    }
}

/// The entries of some records of a chunk, which are classified together and then delivered.
pub(crate) struct Part<'a, 'e> {
    pub dir: &'a Directory<'a>,
    pub entries: &'a [Entry<'e>],
    /// The names of directories to enter. In a walk that delivers at once it begins with those that
    /// are not delivered; in others it begins empty. `collect_children` adds those of `entries`.
    pub child_names: &'a mut PackedNames,
    /// The records of which these are the entries.
    pub record_range: Range<usize>,
    /// Errors about these records were reported.
    pub has_errors: bool,
}

/// The kind of a walk that delivers entries as they come.
pub(crate) struct Unordered<S>(PhantomData<S>);

impl<S: Default + Send + Sync> WalkKind for Unordered<S> {
    type State = S;
    type EmitState = ();
    type Slot = ();
    type Ahead = Infallible;
    type Queue = UnorderedQueue<Self>;
}

impl<V: Visitor> Emit<V> for Unordered<V::State> {
    fn accept(worker: &mut Worker<'_, V, Self>, chunk: &Arc<Chunk<Self>>, part: Part<'_, '_>) {
        let Part { dir, entries, child_names, .. } = part;
        let node = &chunk.reading.node;
        hand_to_visitor(worker, dir, &node.state, entries);
        collect_children::<Self>(worker.shared.settings.max_depth, node, entries, child_names);
        queue_children(worker, &chunk.reading, child_names);
    }

    fn delivered(worker: &mut Worker<'_, V, Self>, reading: Reading<Self>) {
        leave_finished(worker, reading.node);
    }

    fn not_read(
        worker: &mut Worker<'_, V, Self>,
        next: &ToEnter<'_, Self>,
        node: Option<DirNode<Self>>,
    ) {
        if !worker.shared.settings.calls_leave {
            return;
        }
        if let Some(node) = node {
            leave(worker, &Arc::new(node), next.parent, Outcome::Unread);
        }
        leave_finished(worker, Arc::clone(next.parent));
    }
}

/// One buffer, batch or child of a directory is finished. If nothing else was unfinished, the
/// visitor leaves the directory, and then each directory above it of which the same is true.
fn leave_finished<V: Visitor>(
    worker: &mut Worker<'_, V, Unordered<V::State>>,
    mut node: Arc<DirNode<Unordered<V::State>>>,
) {
    while node.one_finished_below() {
        let Some(parent) = node.parent.clone() else { return };
        leave(worker, &node, &parent, node.outcome());
        node = parent;
    }
}

/// Hands entries to the visitor, unless the walk was stopped.
fn hand_to_visitor<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    dir: &Directory<'_>,
    state: &V::State,
    entries: &[Entry<'_>],
) {
    if entries.is_empty() || worker.shared.is_stopped() {
        return;
    }
    worker.stats.taken += entries.len() as u64;
    let flow = worker.visitor.entries(dir, state, entries);
    worker.obey(flow);
}

/// Adds those of the entries to `child_names` that are directories to be entered.
fn collect_children<K: WalkKind>(
    max_depth: u32,
    node: &DirNode<K>,
    entries: &[Entry<'_>],
    child_names: &mut PackedNames,
) {
    if node.child_depth >= max_depth {
        return;
    }
    for entry in entries.iter().filter(|entry| entry.file_type.is_dir()) {
        if !entry.pruned.get() {
            child_names.push(Child::of(entry).pack());
        }
    }
}

/// The bytes that one pending directory takes, with a name of ordinary length.
const PENDING_SIZE: usize = 64;

/// Queues the directories that are to be entered, with the handle of their directory if that stays
/// open.
fn queue_children<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    reading: &Reading<K>,
    child_names: &mut PackedNames,
) {
    let Reading { node, handle, .. } = reading;
    if child_names.is_empty() || worker.shared.is_stopped() {
        return child_names.clear();
    }
    if bound::is_reached(worker.ledger.unfinished() * PENDING_SIZE) {
        // These children are not read, and the visitor gets one error for their directory.
        child_names.clear();
        if node.mark_incomplete() {
            worker.report(Operation::Read, node, bound::pending_error());
        }
        return;
    }
    worker.ledger.add_unfinished(child_names.count());
    if worker.shared.settings.calls_leave {
        node.unfinished_below.fetch_add(child_names.count(), Relaxed);
    }
    let held = node.emit_state.hold_for_children(handle, &worker.ledger.budget);
    let is_held = held.is_some();
    let is_chain = child_names.count() == 1;
    let pending = PendingDirs::new(node, held, child_names);
    child_names.clear();
    worker.reacher.remember(node, handle, is_held, &worker.ledger.budget);
    if K::ACTS && !is_held {
        // The handle goes to the worker that takes the first of them. A chain of single directories
        // gives a second worker nothing to do.
        let task = Task::Open(pending.handing_over(handle));
        return if is_chain { worker.push(task) } else { worker.add(task) };
    }
    worker.add(Task::Open(pending));
}

/// Has the visitor leave a directory. After the walk was stopped, the visitor leaves none, because
/// something below may not have been visited.
fn leave<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &Arc<DirNode<K>>,
    parent: &DirNode<K>,
    outcome: Outcome,
) {
    if worker.shared.is_stopped() {
        return;
    }
    worker.path.set(node);
    let dir = node.directory(worker.path.bytes(), None);
    let flow = worker.visitor.leave(&dir, &node.state, &parent.state, outcome);
    worker.obey(flow);
}

/// How a visitor that acts has left a directory.
struct AfterLeaving {
    /// The parent's handle, from which the way goes on up.
    up: Option<Arc<Dir>>,
    /// The visitor has removed the directory, or another process has.
    is_gone: bool,
    /// The visitor wants the directory to be entered again (`Leaving::reenter`). `up` is `Some`
    /// then.
    reenters: bool,
}

/// Has a visitor that acts leave a directory through its parent's handle, which is `held` or opened
/// anew. `handle` is the directory's own, if there is one: the way to the parent begins there,
/// unless the worker has the parent itself.
fn leave_by_parent<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &Arc<DirNode<K>>,
    parent: &Arc<DirNode<K>>,
    (held, handle): (Option<Arc<Dir>>, Option<Arc<Dir>>),
    outcome: Outcome,
    leave: impl FnOnce(&mut V, &Leaving<'_>, &V::State, &V::State) -> Flow,
) -> AfterLeaving {
    if let Some(handle) = handle.filter(|_| held.is_none() && !worker.reacher.is_last_open(parent))
    {
        worker.reacher.set_last_open(node, &handle);
    }
    let reach = || worker.opening(|it| it.reacher.reach(parent));
    let up = held.map_or_else(reach, Ok);
    worker.reacher.close_last_open_of(node);
    if worker.shared.is_stopped() {
        return AfterLeaving { up: up.ok(), is_gone: false, reenters: false };
    }
    worker.path.set(node);
    let leaving = Leaving {
        dir: node.directory(worker.path.bytes(), None),
        name: &node.name,
        follow: node.follow,
        root: parent.root_handle(&node.name).map(|root| &**root),
        parent: up.as_ref().map(|up| &**up),
        bits: node.bits,
        outcome,
        gone: false.into(),
        reenters: false.into(),
    };
    let flow = leave(&mut worker.visitor, &leaving, &node.state, &parent.state);
    worker.obey(flow);
    let is_gone = leaving.gone.get();
    let reenters = leaving.reenters.get() && flow == Flow::Continue;
    AfterLeaving { up: up.ok(), is_gone, reenters }
}
