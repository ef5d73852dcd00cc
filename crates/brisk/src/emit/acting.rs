//! Walks that act: the visitor gets a few entries at a time, and each directory once more, by its
//! parent's handle, never by a path, when everything below it is done.
//!
//! The [`RetainedDir`] of a node holds the directory's handle from its first subdirectory until the
//! directory is left. Where the budget of handles is spent, the node knows the
//! directory's device and inode instead, and the worker that leaves a child goes back up by `..`:
//!
//! ```text
//!   /               held        above the root: open until its last root is left
//!   └─ a            held        its children wait in the queue, with its handle
//!      └─ b         given up    dev 8:1 ino 77; its children wait without a handle
//!         └─ c      open        left: openat(c, "..") must be 8:1 77 ──► unlinkat(b, "c")
//!                               b is left: a is held, so by its handle ──► unlinkat(a, "b")
//! ```
//!
//! A worker that leaves a directory has just done the last work on it, or left its last child, and
//! keeps one handle to go on from ([`Reacher`](crate::read::reach::Reacher)). So a worker climbs a
//! chain of any depth with two handles. If another process has moved a directory meanwhile, its
//! `..` is not the directory that was given up. Then the worker goes down from the nearest
//! directory that is held. What neither way leads back to is reported, and stays. (Tests: the mover
//! and the cascade in `tests/attacks/`.)

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brisk_sys::{Dir, Links, RawEntry};

use super::retained::{RetainedDir, Staying};
use super::{
    AfterLeaving, Emit, Part, collect_children, hand_to_visitor, leave_by_parent, queue_children,
};
use crate::Operation;
use crate::act::Act;
use crate::drive::queue::UnorderedQueue;
use crate::drive::task::{Chunk, DirNode, Reading, Task, ToEnter, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::Entry;
use crate::read::batches::{LARGEST_BATCH, batch_size, split};
use crate::read::reach::lost_error;
use crate::tree::{EmitState, PackedNames, PendingDirs};
use crate::visitor::Outcome;

/// The most entries that a visitor acts on between two looks at the clock and at the pace. Where
/// acting on one takes microseconds, a look at the clock after eight costs nothing in comparison.
/// Where it takes milliseconds, there is a look after each.
const SLICE: u64 = 8;
/// When acting has taken this long, over one slice or many: the directories found by then are
/// queued for other workers, the pace is measured, and the rest may be cut up for other workers. A
/// removal does not cut up the rest: other workers would contend for the directory's lock.
const SLICES_TIME: Duration = Duration::from_millis(2);

/// The kind of a walk in which visitors of the type `V` act.
pub(crate) struct Acting<V>(PhantomData<fn() -> V>);

impl<V: Act> WalkKind for Acting<V> {
    type State = V::State;
    type EmitState = RetainedDir;
    type Slot = ();
    type Ahead = Infallible;
    type Queue = UnorderedQueue<Self>;

    const ACTS: bool = true;
    const REMOVES: bool = V::REMOVES;
}

/// A worker of such a walk.
type Actor<'s, V> = Worker<'s, V, Acting<V>>;
/// A directory in such a walk.
type ActingNode<V> = DirNode<Acting<V>>;

impl<V: Act> Emit<V> for Acting<V> {
    /// Delivers entries slice by slice. The visitor acts on them, which takes long: so directories
    /// among them are queued before the chunk ends, and the pace is measured meanwhile. A worker
    /// that is suspended gives the rest back to others at once, because a trial of fewer workers
    /// shows nothing before that worker has stopped.
    ///
    /// A directory that rules or a filter refuse, but that must be entered (`undelivered`), is
    /// queued with its slice and not earlier: if the rest is given back, the worker that takes the
    /// rest queues the directory. Nothing is given back where errors were reported, because
    /// classifying the records again would report them again; nor where the order of the listing is
    /// [needed](crate::Needs). Where each file is delivered once, there is one slice and nothing is
    /// given back, because a second classification would take the chunk's files for files that were
    /// met before.
    fn accept(worker: &mut Actor<'_, V>, chunk: &Arc<Chunk<Self>>, part: Part<'_, '_>) {
        let Part { dir, entries, child_names, record_range, has_errors } = part;
        let node = &chunk.reading.node;
        let max_depth = worker.shared.settings.max_depth;
        let slices = worker.shared.acts_in_slices();
        let keeps_order = worker.shared.settings.needs.listing_order;
        let may_give_back = slices && !has_errors && !keeps_order;
        let mut began = Instant::now();
        let mut acted = 0;
        let mut handed = 0;
        // If the rest is given back: the number of entries in a batch.
        let mut batch = None;
        while handed < entries.len() && batch.is_none() {
            if may_give_back && worker.is_suspended() && chunk.keep_open(&worker.ledger.budget) {
                batch = Some(LARGEST_BATCH);
                break;
            }
            let size = if slices { worker.slice } else { entries.len() };
            let slice = &entries[handed..entries.len().min(handed + size)];
            for delivered in slice.split(|entry| entry.undelivered) {
                hand_to_visitor(worker, dir, &node.state, delivered);
            }
            handed += slice.len();
            acted += slice.len() as u64;
            collect_children::<Self>(max_depth, node, slice, child_names);
            let took = began.elapsed();
            let nanos = took.as_nanos() as u64 / acted;
            worker.slice = (SLICES_TIME.as_nanos() as u64 / nanos.max(1)).clamp(1, SLICE) as usize;
            if took > SLICES_TIME {
                queue_children(worker, &chunk.reading, child_names);
                worker.flush_and_measure();
                let has_few = worker.ledger.unfinished() <= worker.shared.pace.target();
                if may_give_back && !V::REMOVES && has_few {
                    batch = batch_size(worker, chunk, entries.len() - handed, nanos);
                }
                began = Instant::now();
                acted = 0;
            }
        }
        let rest = entries.get(handed);
        if let (Some(first), Some(size)) = (rest, batch) {
            queue_rest(worker, chunk, first, record_range.end, size);
        }
        record_stayed(chunk, &entries[..handed], record_range, rest);
        queue_children(worker, &chunk.reading, child_names);
    }

    fn delivered(worker: &mut Actor<'_, V>, reading: Reading<Self>) {
        let Reading { node, handle, .. } = reading;
        leave_finished(worker, node, Some(handle));
    }

    fn not_read(worker: &mut Actor<'_, V>, next: &ToEnter<'_, Self>, node: Option<DirNode<Self>>) {
        let parent = Arc::clone(next.parent);
        let mut handle = next.handle.cloned();
        if let Some(node) = node {
            let left = leave_or_reenter(worker, &Arc::new(node), &parent, None, Outcome::Unread);
            if left.reenters {
                return;
            }
            handle = left.up;
        }
        leave_finished(worker, parent, handle);
    }
}

/// Records which entries of a long directory are gone, and which stay: those of the records before
/// the one of `rest`.
fn record_stayed<V: Act>(
    chunk: &Chunk<Acting<V>>,
    entries: &[Entry<'_>],
    record_range: Range<usize>,
    rest: Option<&Entry<'_>>,
) {
    let Some(staying) = chunk.reading.node.emit_state.staying() else { return };
    let is = |entry: &Entry<'_>, raw: &RawEntry<'_>| {
        std::ptr::eq(entry.name.as_ptr(), raw.name.as_ptr())
    };
    let mut entries = entries.iter().peekable();
    let records = chunk.buffer.entries_and_dots(record_range, false);
    let before = records.take_while(|raw| !rest.is_some_and(|entry| is(entry, raw)));
    staying.add(before.map(|raw| {
        let entry = entries.next_if(|entry| is(entry, &raw));
        (raw.name, entry.is_some_and(|entry| entry.gone.get()))
    }));
}

/// Queues the records from this entry's to `end`, in batches of this many.
#[cold]
fn queue_rest<V: Act>(
    worker: &mut Actor<'_, V>,
    chunk: &Arc<Chunk<Acting<V>>>,
    first: &Entry<'_>,
    end: usize,
    size: usize,
) {
    let all = || chunk.buffer.entries_and_dots(0..end, worker.shared.settings.dots);
    let is_before =
        |record: &RawEntry<'_>| !std::ptr::eq(record.name.as_ptr(), first.name.as_ptr());
    let before = all().take_while(is_before).count();
    // The worker that takes them counts them.
    worker.stats.entries -= (all().count() - before) as u64;
    let mut records = all();
    records.by_ref().take(before).for_each(drop);
    split(worker, chunk, records, end, size);
}

/// One buffer, batch or child of a directory is finished. If nothing else was unfinished, the
/// visitor leaves the directory, and then each directory above it of which the same is true.
/// `handle` is the directory's own, if there is one.
fn leave_finished<V: Act>(
    worker: &mut Actor<'_, V>,
    mut node: Arc<ActingNode<V>>,
    mut handle: Option<Arc<Dir>>,
) {
    while node.one_finished_below() {
        if relist_by_handle(worker, &node, handle.as_ref()) {
            return;
        }
        let Some(parent) = node.parent.clone() else { return };
        let outcome = node.outcome();
        let left = leave_or_reenter(worker, &node, &parent, handle, outcome);
        if left.reenters {
            return;
        }
        node = parent;
        handle = left.up;
    }
}

/// Lists a long directory again if this reading may have left entries out. The visitor does not
/// enter it again.
fn relist_by_handle<V: Act>(
    worker: &mut Actor<'_, V>,
    node: &Arc<ActingNode<V>>,
    handle: Option<&Arc<Dir>>,
) -> bool {
    let next = node.emit_state.staying().map_or(Ok(false), Staying::must_relist);
    if matches!(next, Ok(false)) || worker.shared.is_stopped() {
        return false;
    }
    let opened = match (next, handle) {
        (Ok(_), Some(handle)) => worker.opening(|it| {
            it.stats.calls.open += 1;
            handle.open_child(c".", Links::NoFollow)
        }),
        (Ok(_), None) => Err(lost_error()),
        (Err(error), _) => Err(error),
    };
    match opened {
        Ok(handle) => {
            let permit = worker.ledger.budget.permit().map(Arc::new);
            let node = Arc::clone(node);
            let handle = Arc::new(handle);
            let reading = Reading { permit, ..Reading::without_permit(node, handle, ()) };
            worker.ledger.add_unfinished_in(&reading);
            worker.add(Task::ReadNext(reading));
            true
        }
        Err(error) => {
            node.mark_incomplete();
            worker.report(Operation::Read, node, error);
            false
        }
    }
}

/// Has the visitor leave a directory. If it is to be entered once more, it is queued again as its
/// parent's child, and the parent still counts it as unfinished.
fn leave_or_reenter<V: Act>(
    worker: &mut Actor<'_, V>,
    node: &Arc<ActingNode<V>>,
    parent: &Arc<ActingNode<V>>,
    handle: Option<Arc<Dir>>,
    outcome: Outcome,
) -> AfterLeaving {
    node.emit_state.close();
    let handles = (parent.emit_state.held(), handle);
    let left = leave_by_parent(worker, node, parent, handles, outcome, V::leaving);
    if let Some(staying) = parent.emit_state.staying().filter(|_| left.is_gone) {
        staying.remove(&node.name);
    }
    if let Some(up) = left.up.as_ref().filter(|_| left.reenters) {
        let mut names = PackedNames::default();
        names.push(node.as_child_again().pack());
        worker.ledger.add_unfinished(1);
        let held = parent.emit_state.held().map(|held| (held, None));
        worker.add(Task::Open(PendingDirs::new(parent, held, &names).handing_over(up)));
    }
    left
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::drive::run::Setup;
    use crate::{Directory, Error, Fields, Flow, Leaving, Needs, Parallel, Select, Visitor, Walk};

    /// Removes each file before its metadata is requested, and counts the errors.
    #[derive(Default)]
    struct Vanishing {
        errors: u32,
    }

    impl Visitor for Vanishing {
        type State = ();

        fn needs(&self) -> Needs {
            Needs { vanished: true, ..Needs::default() }
        }

        fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
            // It may be gone already.
            let _ = fs::remove_file(entry.path());
            Select::Take(Fields::SIZE)
        }

        fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
            Flow::Continue
        }

        fn error(&mut self, _: Error) -> Flow {
            self.errors += 1;
            Flow::Continue
        }
    }

    impl Parallel for Vanishing {
        fn fork(&self, _: usize) -> Self {
            Vanishing::default()
        }

        fn merge(&mut self, _: Self) {}
    }

    impl Act for Vanishing {
        fn leaving(&mut self, _: &Leaving<'_>, (): &(), (): &()) -> Flow {
            Flow::Continue
        }
    }

    #[test]
    #[cfg_attr(windows, ignore = "listings have the sizes, so nothing fails")]
    fn an_error_is_reported_once_although_the_worker_is_suspended() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        for name in 0..3 * SLICE {
            fs::write(scratch.path().join(name.to_string()), "").expect("the name is free");
        }
        let walk = Walk::new(scratch.path());
        let queue = UnorderedQueue::new(false);
        let setup = Setup::<Acting<Vanishing>>::new(walk, &Vanishing::default(), queue);
        let shared = Arc::clone(&setup.shared);
        let mut worker = Worker::new(shared, Vanishing::default(), None, 0);
        setup.begin(&mut worker);
        worker.index = 1;
        assert!(worker.is_suspended());
        assert!(worker.do_one_task(), "the directory is read");
        worker.index = 0;
        while worker.do_one_task() {}
        assert_eq!(worker.visitor.errors, 3 * SLICE as u32);
    }
}
