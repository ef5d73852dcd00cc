//! A branch: a directory and what is below it, read by one worker where that takes little time. The
//! calling thread gets its draft at once, because what passes from one thread to another costs more
//! than reading a small directory.

use std::sync::Arc;
use std::time::Duration;

use super::arrange::Arrange;
use super::draft::Draft;
use super::slot::{OrderedDir, Slot};
use super::turns::InOrder;
use crate::drive::worker::Worker;
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

/// Reads the first directories below one that is ready but that the calling thread does not see yet,
/// and adds what the visitor drafts of them to its draft.
pub(super) fn read<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    dir: &mut OrderedDir<InOrder<V::State, A>>,
) {
    let levels = worker.branch.levels;
    if levels == 0 {
        worker.branch.left = MOST / worker.shared.pace.target().max(1);
        worker.branch.began = Some(worker.piece_began);
    }
    // A handle without a permit is not kept open longer than necessary.
    let may_wait = dir.handle.is_some() && !worker.shared.settings.calls_leave;
    if dir.directories.is_empty() || levels == LEVELS || !may_wait {
        return;
    }
    if let Some(own) = dir.draft.take_if(|own| goes_on(worker, own)) {
        worker.branch.levels += 1;
        settle(worker, dir, &own);
        worker.branch.levels -= 1;
    }
}

/// Reads directories until one is not settled. `own` is the draft of the entries alone.
fn settle<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    dir: &mut OrderedDir<InOrder<V::State, A>>,
    own: &Draft,
) {
    let mut draft = Draft::default();
    draft.append_piece(own, 0);
    let mut settled = 0;
    let mut next = None;
    while settled < dir.directories.len() && next.is_none() && goes_on(worker, &draft) {
        worker.branch.left -= 1;
        let slot = Slot::of_branch(worker.shared.queue.siblings);
        worker.enter(&dir.to_enter(settled, &slot));
        worker.flush_and_measure();
        match slot.settle() {
            Ok(below) => {
                below.iter().for_each(|below| draft.append(below));
                settled += 1;
                draft.append_piece(own, settled);
            }
            Err(slot) => {
                if slot.step() {
                    announce(worker, &slot);
                }
                next = Some(slot);
            }
        }
    }
    draft.append_pieces_behind(own, settled);
    dir.take_branch(draft, settled, next);
}

fn goes_on<V: Visitor, A: Arrange<V>>(
    worker: &Worker<'_, V, InOrder<V::State, A>>,
    draft: &Draft,
) -> bool {
    let shared = &worker.shared;
    let is_small = worker.branch.left > 0 && draft.size() < ENOUGH;
    let is_soon = worker.branch.began.is_some_and(|began| began.elapsed() < SOON);
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
