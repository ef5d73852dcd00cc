//! A branch: a directory and what is below it, read by one worker where that takes little time. The
//! calling thread gets its draft at once, because what passes from one thread to another costs more
//! than reading a small directory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrange::Arrange;
use super::draft::Draft;
use super::slot::{OrderedDir, Slot};
use super::turns::InOrder;
use crate::drive::worker::{Branch, Worker};
use crate::visitor::Visitor;

/// The most directories of a branch, divided among the workers, so that all have one.
const MOST: usize = 1024;
/// The most levels: each takes some KiB of the stack.
const LEVELS: u32 = 8;
/// The bytes of the draft at which the calling thread gets it.
const ENOUGH: usize = 128 << 10;
/// The time after which no more is read. On slow storage the topmost directory takes longer, and
/// those in it are left to other workers.
const SOON: Duration = Duration::from_millis(3);

/// Adds a directory without directories in it, of which everything is in its draft.
pub(super) fn add(branch: &mut Branch, whole: Draft) {
    add_piece(branch, &whole, 0);
    branch.is_added = true;
    branch.spare.push(whole.into_memory());
}

fn add_piece(branch: &mut Branch, draft: &Draft, number: usize) {
    let (count, bytes) = draft.piece(number);
    branch.count += count;
    branch.text.extend_from_slice(bytes);
}

/// Reads the first directories below one that is ready but that the calling thread does not see yet,
/// and adds what the visitor drafts of them to its draft. `true` if the directory itself was added to
/// the branch above, because nothing is left of it.
pub(super) fn read<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    dir: &mut OrderedDir<InOrder<V::State, A>>,
    is_own: bool,
) -> bool {
    let levels = worker.branch.levels;
    if levels == 0 {
        worker.branch.left = MOST / worker.shared.pace.target().max(1);
        worker.branch.began = Some(worker.piece_began);
    }
    // A handle without a permit is not kept open longer than necessary.
    let may_wait = dir.handle.is_some() && !worker.shared.settings.calls_leave;
    if dir.directories.is_empty() || levels == LEVELS || !may_wait {
        return false;
    }
    let now = Instant::now();
    let Some(own) = dir.draft.take_if(|_| goes_on(worker, now)) else { return false };
    worker.branch.levels += 1;
    let is_added = read_below(worker, dir, &own, is_own && dir.is_last());
    worker.branch.levels -= 1;
    if is_own {
        worker.branch.spare.push(own.into_memory());
    }
    is_added
}

/// Reads directories until there is more to one than its draft. `own` is the draft of the entries
/// alone. `true` if all were added to the branch above; that is tried if `may_add`.
fn read_below<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    dir: &mut OrderedDir<InOrder<V::State, A>>,
    own: &Draft,
    may_add: bool,
) -> bool {
    let from = worker.branch.text.len();
    let count_before = worker.branch.count;
    add_piece(&mut worker.branch, own, 0);
    let mut done = 0;
    let mut next = None;
    while done < dir.directories.len() && next.is_none() && goes_on(worker, worker.piece_began) {
        worker.branch.left -= 1;
        worker.branch.is_added = false;
        let slot = Slot::of_branch(worker.shared.queue.siblings);
        worker.enter(&dir.to_enter(done, &slot));
        worker.flush_and_measure();
        let is_pruned = matches!(slot.filled(), Some(None));
        if worker.branch.is_added || is_pruned {
            done += 1;
            add_piece(&mut worker.branch, own, done);
        } else {
            if slot.step() {
                announce(worker, &slot);
            }
            next = Some(slot);
        }
    }
    let branch = &mut worker.branch;
    branch.is_added = may_add && done == dir.directories.len();
    if branch.is_added {
        return true;
    }
    let mut draft = Draft::of_piece((branch.count - count_before, &branch.text[from..]));
    branch.text.truncate(from);
    branch.count = count_before;
    draft.append_pieces_behind(own, done);
    dir.take_branch(draft, done, next);
    false
}

/// Whether the worker reads one more directory, `now` or a moment later.
fn goes_on<V: Visitor, A: Arrange<V>>(
    worker: &Worker<'_, V, InOrder<V::State, A>>,
    now: Instant,
) -> bool {
    let Worker { shared, branch, .. } = worker;
    let is_small = branch.left > 0 && branch.text.len() < ENOUGH;
    let is_soon = branch.began.is_some_and(|began| now - began < SOON);
    is_small && is_soon && shared.pace.is_quick() && !shared.is_stopped()
}

/// Counts a directory that is ready and that the calling thread may see, and wakes the threads that wait for one.
pub(super) fn announce<V: Visitor, A: Arrange<V>>(
    worker: &Worker<'_, V, InOrder<V::State, A>>,
    slot: &Arc<Slot<InOrder<V::State, A>>>,
) {
    let shared = &worker.shared;
    let Some(Some(dir)) = slot.filled() else { return };
    shared.queue.grow(dir.bytes);
    if shared.pace.is_parallel() && !dir.directories.is_empty() && !shared.is_stopped() {
        shared.queue.queue(&dir);
        shared.parking.wake();
    } else {
        shared.parking.wake_turn();
    }
}
