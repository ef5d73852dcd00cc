//! Entering one directory: the visitor is asked, the directory opened relative to its parent's
//! handle, its first records read.

use std::io;
use std::sync::Arc;

use brisk_sys::{Buffer, Dir, Links};

use crate::drive::task::{DirNode, Reading, ToEnter, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::{Directory, Entry};
use crate::ignore::Level;
use crate::read::admit::{inherited, read_rules};
use crate::read::buffers::ReadMode;
use crate::read::bulk::read_first;
use crate::read::fetch::is_missing;
use crate::read::loops::{dot_ino, is_loop};
use crate::read::reach::{is_lost_error, lost_error};
use crate::tree::{Child, MARKED, Node, REFUSED};
use crate::visitor::{Enter, Visitor};
use crate::{Fields, FileType, Operation, Recalled};

/// A directory, and records that were just read from it.
pub(crate) struct FilledBuffer<K: WalkKind> {
    pub reading: Reading<K>,
    pub buffer: Buffer,
    /// Whether the directory has no more records.
    pub at_end: bool,
}

/// Enters one directory. If it was not read, the error is its node if the visitor has entered it,
/// and so must leave it: it could not be opened, is a loop, or its ignore rules are not all known.
/// The error is `None` if the visitor pruned the directory, or the walk is over.
#[expect(clippy::result_large_err, reason = "the node is kept, or dropped at once")]
pub(crate) fn open_and_read<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    next: &ToEnter<'_, K>,
) -> Result<FilledBuffer<K>, Option<DirNode<K>>> {
    worker.path.set(next.parent);
    let rules = inherited(worker, next);
    let (state, recalled) = ask_to_enter(worker, next, rules.as_ref()).ok_or(None)?;
    let emit_state = K::emit_state(next.position);
    let parent = worker.path.take_node(next.parent);
    let mut node = Node::below(parent, next.child, state, emit_state);
    node.rules = rules;
    node.id = worker.ledger.next_id();
    let is_recalled = recalled.is_some();
    let handle = match worker.opening(|worker| open(worker, next, is_recalled)) {
        Ok(handle) => Arc::new(handle),
        Err(error) => {
            // One that has vanished since it was listed, or was swapped for something else, is not
            // the caller's concern, unless the caller named it or the visitor wants to hear of it.
            let concerns = node.depth() == 0 || worker.shared.settings.needs.vanished;
            if !is_lost_error(&error) && (concerns || !is_missing(&error)) {
                worker.report(Operation::Open, &node, error);
            } else if is_lost_error(&error) && next.parent.lose() {
                // No way leads back to the parent, which is reported once.
                worker.report(Operation::Reopen, next.parent, error);
            }
            return Err(Some(node));
        }
    };
    let above = worker.path.len();
    worker.path.push(next.child.name);
    let (at_end, read_mode, buffer) = match read(worker, next, &mut node, &handle, recalled) {
        Ok(first) => first,
        Err(why) => {
            worker.path.shorten(above);
            return Err(matches!(why, NotRead::Barred).then_some(node));
        }
    };
    let node = Arc::new(node);
    worker.path.set_node(&node);
    worker.stats.directories += 1;
    let permit = if at_end { None } else { worker.ledger.budget.permit().map(Arc::new) };
    let slot = next.slot.clone();
    let reading = Reading { node, handle, permit, slot, read_mode, ordinal: 0 };
    Ok(FilledBuffer { reading, buffer, at_end })
}

/// Why an open directory is not read.
enum NotRead {
    /// The visitor does not want it, or stops the walk.
    Pruned,
    /// It is one of the directories above it, or its ignore rules are not all known.
    Barred,
}

/// Reads the first records of an open directory, unless the visitor has `recalled` them all. The
/// result says whether they are all, and how the directory is read on.
fn read<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    next: &ToEnter<'_, K>,
    node: &mut DirNode<K>,
    handle: &Arc<Dir>,
    recalled: Option<Recalled>,
) -> Result<(bool, ReadMode, Buffer), NotRead> {
    let (state, dir) = node.state_and_directory(worker.path.bytes(), handle);
    let answer = worker.visitor.opened(&dir, state);
    let ((), recalled_now) = obey_enter(worker, answer).ok_or(NotRead::Pruned)?;
    let (buffer, (at_end, read_mode)) = match recalled_now.or(recalled) {
        Some(recalled) => (recalled.into_buffer(), (Ok(true), ReadMode::default())),
        None => {
            let mut buffer = worker.buffers.ordinary();
            let first = read_first(worker, node, handle, &mut buffer);
            (buffer, first)
        }
    };
    node.dot_ino = dot_ino(worker, handle, &buffer);
    let at_end = report_read(worker, node, at_end);
    if is_loop(worker, node, handle) {
        worker.buffers.give_back(buffer);
        return Err(NotRead::Barred);
    }
    if worker.shared.settings.plan.one_device && next.parent.is_above_roots() {
        node.root_dev = handle.stat_self(Fields::DEV).ok().and_then(|m| m.dev()).unwrap_or(0);
        worker.stats.calls.stat += 1;
    }
    if !read_rules(worker, node, handle, buffer.entries(), at_end) {
        worker.buffers.give_back(buffer);
        return Err(NotRead::Barred);
    }
    Ok((at_end, read_mode, buffer))
}

/// The visitor's answer to a directory that is about to be opened: its state, and its entries if
/// the visitor remembers them.
fn ask_to_enter<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    next: &ToEnter<'_, K>,
    rules: Option<&Level>,
) -> Option<(V::State, Option<Recalled>)> {
    if worker.shared.is_stopped() {
        return None;
    }
    let ToEnter { parent, child, .. } = next;
    let dir = Directory { rules, ..parent.directory(worker.path.bytes(), None) };
    let entry = Entry::new(&dir, child.name, child.ino, FileType::Directory, parent.child_depth)
        .followed(child.follow == Links::Follow && parent.child_depth > 0);
    entry.marked.set(child.bits & MARKED != 0);
    entry.refused.set(child.bits & REFUSED != 0);
    let answer = worker.visitor.enter(&entry, &parent.state);
    obey_enter(worker, answer)
}

/// The directory's state, and its remembered entries if there are any; `None` unless the visitor
/// wants the directory.
fn obey_enter<V: Visitor, K: WalkKind<State = V::State>, S>(
    worker: &Worker<'_, V, K>,
    answer: Enter<S>,
) -> Option<(S, Option<Recalled>)> {
    match answer {
        Enter::Read(state) => Some((state, None)),
        Enter::Recall(state, recalled) => Some((state, Some(recalled))),
        Enter::Prune => None,
        Enter::Stop => {
            worker.shared.parking.stop();
            None
        }
    }
}

/// Opens a child relative to its parent's handle, which is opened anew if it was given up; a root
/// that the caller has open, relative to that handle.
fn open<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    next: &ToEnter<'_, K>,
    is_recalled: bool,
) -> io::Result<Dir> {
    worker.stats.calls.open += 1;
    if let Some(root) = next.parent.root_handle(next.child.name) {
        return root.open_child(c".", Links::NoFollow);
    }
    let one_mount = worker.shared.settings.plan.one_mount && !next.parent.is_above_roots();
    let open_in = |handle: &Dir| match next.child {
        Child { name, .. } if one_mount => handle.open_child_same_mount(name),
        Child { name, follow, .. } if is_recalled => handle.open_child_path_only(name, follow),
        Child { name, follow, .. } => handle.open_child(name, follow),
    };
    if let Some(handle) = next.handle {
        worker.reacher.close_last_open_if_acting();
        return open_in(handle);
    }
    let handle = worker.reacher.reach(next.parent)?;
    open_in(&handle).map_err(|error| {
        // The parent was opened again by its name, and lacks the child: perhaps another directory
        // has that name now.
        let is_parent_lost = is_missing(&error) && worker.reacher.is_another(next.parent, &handle);
        if is_parent_lost { lost_error() } else { error }
    })
}

/// Whether the directory ended; a read error ends it too, and is reported.
pub(crate) fn report_read<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &DirNode<K>,
    at_end: io::Result<bool>,
) -> bool {
    at_end.unwrap_or_else(|error| {
        node.mark_incomplete();
        worker.report(Operation::Read, node, error);
        true
    })
}
