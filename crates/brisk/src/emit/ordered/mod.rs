//! Ordered walks, depth first or sorted: other workers read ahead, the calling thread delivers.
//!
//! The calling thread goes through the tree in order. Each directory that it comes to is ready, or
//! another worker reads it, or the calling thread reads it itself. The other workers, the readers,
//! claim the unread directory whose turn comes next, until the directories that wait for their turn
//! fill [`turns`]' bound on memory.
//!
//! ```text
//!   readers ──► claim the next unread directory ──► Packets ──► OrderedDir in its Slot
//!                       ▲ ordered by turn                             │
//!                       └────────── directories among the entries ◄───┤
//!   caller  ──► entries up to a subdirectory ──► its Slot: ready? ────┘  else read it, or help
//! ```
//!
//! A directory, or a chunk of a long one, goes through these states:
//!
//! ```text
//!   unclaimed   its parent is ready, and waits in Turns
//!       │       a reader claims it (ReadAhead), or its turn comes
//!       ▼
//!   claimed     its Slot gathers the Packets of chunks and batches, in any order
//!       │       the last part is done ─────► the Slot stays empty, if `enter` has pruned it
//!       ▼
//!   ready       its Slot has an OrderedDir: Entries in order, or a Draft and the directories
//!       │       its turn comes
//!       ▼
//!   current     a Frame on the stack of Emission: its entries are delivered. None are ("mute") if
//!       │       the visitor pruned it with its parent's entries, after a reader had claimed it
//!       ▼
//!   left        the visitor leaves it, unless there is another chunk, which is claimed now
//!       │
//!       ▼
//!   spent       readers free what readers have read
//! ```
//!
//! (Test: `replay.rs` replays small trees with every order of these steps.)
//!
//! The bound cannot deadlock: the directory whose turn it is needs no room, because the calling
//! thread reads that directory itself if no reader has claimed it.

pub(crate) mod arrange;
mod branch;
pub(crate) mod draft;
pub(crate) mod emission;
mod gathered;
#[cfg(test)]
mod replay;
pub(crate) mod slot;
pub(crate) mod turns;

use std::sync::Arc;

use brisk_sys::Dir;

use self::arrange::{Acts, Arrange};
use self::draft::Draft;
use self::gathered::{Entries, Packet};
use self::slot::{OrderedDir, ReadAhead, Slot};
pub(crate) use self::turns::InOrder;
use super::{Emit, Part};
use crate::drive::shared::Settings;
use crate::drive::task::{Chunk, DirNode, Reading, ToEnter, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::Entry;
use crate::visitor::Visitor;
use crate::walk::SiblingOrder;

/// The most entries of a directory that the visitor drafts before their turn. A larger directory's
/// entries are delivered instead, so that its first ones come sooner.
const MAX_DRAFTED: usize = 2048;

impl<V: Visitor, A: Arrange<V>> Emit<V> for InOrder<V::State, A> {
    fn roots_slot() -> Self::Slot {
        Some(Slot::new(SiblingOrder::AsListed, 0))
    }

    fn drafts(visitor: &V) -> bool {
        A::drafts(visitor)
    }

    fn accept(worker: &mut Worker<'_, V, Self>, chunk: &Arc<Chunk<Self>>, part: Part<'_, '_>) {
        let Some(slot) = chunk.reading.slot.as_ref().filter(|_| !part.entries.is_empty()) else {
            return;
        };
        let Settings { max_depth, drafts, siblings_first, .. } = worker.shared.settings;
        let is_below = chunk.reading.node.parent.is_some();
        let first = chunk.reading.listing_place(part.record_range.start);
        let place = |at: usize, _: &Entry<'_>| first | at as u64;
        slot.gather(match slot.siblings {
            SiblingOrder::ByRank => {
                Packet::new(part.entries, max_depth, |_, entry| A::rank(&worker.visitor, entry, 0))
            }
            SiblingOrder::AsListed if drafts && !siblings_first && is_below => {
                let spare = if slot.is_own() { worker.branch.spare.pop() } else { None };
                let draft = Draft::in_memory(spare.unwrap_or_default());
                let visitor = &mut worker.visitor;
                Packet::drafted::<V, A>(visitor, draft, part.entries, max_depth, place)
            }
            _ => Packet::new(part.entries, max_depth, place),
        });
    }

    fn delivered(worker: &mut Worker<'_, V, Self>, reading: Reading<Self>) {
        let Some(slot) = &reading.slot else { return tell_early_errors(worker) };
        slot.hold(&mut worker.early_errors);
        if slot.one_finished() {
            publish(worker, &reading, slot);
        }
    }

    fn not_read(
        worker: &mut Worker<'_, V, Self>,
        next: &ToEnter<'_, Self>,
        node: Option<DirNode<Self>>,
    ) {
        if let Some(slot) = &next.slot {
            let unread =
                |node| OrderedDir::unread(Arc::new(node), std::mem::take(&mut worker.early_errors));
            slot.fill(node.map(unread));
            worker.shared.parking.wake_turn();
        }
        tell_early_errors(worker);
    }

    fn ahead<'a>(
        worker: &Worker<'_, V, Self>,
        ahead: &'a ReadAhead<Self>,
        number: usize,
    ) -> Option<ToEnter<'a, Self>> {
        let slot = ahead.slots.get(number)?;
        if number == 0 && worker.index > 0 {
            worker.shared.queue.free_spent();
        }
        Some(ahead.dir.to_enter(ahead.first + number, slot))
    }
}

impl<S: Default + Send + Sync, A: Acts> OrderedDir<InOrder<S, A>> {
    /// Entering one of its directories, by that directory's number among them.
    fn to_enter<'a>(
        &'a self,
        number: usize,
        slot: &Arc<Slot<InOrder<S, A>>>,
    ) -> ToEnter<'a, InOrder<S, A>> {
        let index = self.directories[number];
        ToEnter {
            parent: &self.node,
            handle: self.kept(),
            child: self.record(index as usize).child(),
            position: self.position(index),
            slot: Some(Arc::clone(slot)),
        }
    }
}

/// All of a directory's entries (or of its chunk) are collected: puts them in order and the
/// [`OrderedDir`] into its slot, where it waits for its turn. One of a branch of which nothing is
/// left to read becomes part of the branch's draft instead.
fn publish<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    reading: &Reading<InOrder<V::State, A>>,
    slot: &Arc<Slot<InOrder<V::State, A>>>,
) {
    let is_own = slot.is_own();
    if is_own && let Some(whole) = slot.take_whole() {
        return branch::add(&mut worker.branch, whole);
    }
    let shared = Arc::clone(&worker.shared);
    let visitor = &worker.visitor;
    let rank = |entry: &Entry<'_>, level: usize| A::rank(visitor, entry, level);
    let compare = |a: &Entry<'_>, b: &Entry<'_>| A::compare(visitor, a, b);
    let gains = || slot.gains_by_inodes(&reading.handle);
    let sort = |entries: &mut Entries| match slot.siblings {
        SiblingOrder::ByRank => entries.sort(reading.node.child_depth, rank, compare),
        SiblingOrder::AsListed => entries.sort_by_rank(),
        SiblingOrder::AsFts { .. } => entries.sort_as_fts(&gains),
    };
    let mut dir = slot.arrange(&worker.ledger.budget, reading, worker.index, sort);
    // When the walk is stopped, workers leave out the rest of what they are reading.
    let is_whole = dir.is_whole() && !shared.is_stopped();
    let drafts = shared.settings.drafts && shared.settings.siblings_first;
    if drafts && is_whole && (1..=MAX_DRAFTED).contains(&dir.len()) {
        draft_all(worker, &reading.handle, &mut dir);
    }
    if A::ACTS || !dir.directories.is_empty() {
        let is_kept = dir.handle.is_some();
        worker.reacher.remember(&reading.node, &reading.handle, is_kept, &worker.ledger.budget);
    }
    if !drafts && dir.draft.is_some() && branch::read(worker, &mut dir, is_own) {
        return;
    }
    if is_own {
        dir.draft.iter_mut().for_each(Draft::shrink);
    }
    slot.fill(Some(dir));
    if slot.step() {
        branch::announce(worker, slot);
    }
}

/// Tells of what failed and has no turn.
fn tell_early_errors<V: Visitor, K: WalkKind<State = V::State>>(worker: &mut Worker<'_, V, K>) {
    std::mem::take(&mut worker.early_errors).into_iter().for_each(|(_, error)| worker.tell(error));
}

/// Tells of what failed before the entry with this index.
fn tell_errors<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    dir: &OrderedDir<InOrder<V::State, A>>,
    before: usize,
) {
    while !worker.shared.is_stopped()
        && let Some(error) = dir.next_error(before)
    {
        worker.tell(error);
    }
}

/// Has the visitor draft all of a directory's entries.
fn draft_all<V: Visitor, A: Arrange<V>>(
    worker: &mut Worker<'_, V, InOrder<V::State, A>>,
    handle: &Dir,
    ordered: &mut OrderedDir<InOrder<V::State, A>>,
) {
    if ordered.node.parent.is_none() {
        return;
    }
    let prefix = worker.path.lend(&ordered.node);
    let dir = ordered.node.directory(&prefix, Some(handle));
    let mut entries = worker.memory.borrow_entries();
    let all = (0..ordered.len()).map(|index| ordered.entry(&dir, index));
    entries.extend(all.filter(|entry| !entry.undelivered));
    let mut draft = Draft::default();
    draft.add::<V, A>(&mut worker.visitor, &entries);
    worker.memory.return_entries(entries);
    worker.path.give_back(prefix);
    ordered.keep(draft);
}
