//! Batches: a chunk whose requests are slow is cut up for other workers. Each directory's node
//! knows how long a request about an entry is expected to take; workers measure that, and
//! directories below inherit it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use brisk_sys::RawEntries;

use crate::drive::task::{Chunk, Task, WalkKind};
use crate::drive::worker::Worker;
use crate::read::bulk::answers_came_with_listing;
use crate::read::fetch::PartProgress;
use crate::sched::pace::FIRST_SAMPLE;
use crate::visitor::Visitor;

/// The time that the requests of a batch are expected to take: handing over a shorter batch costs
/// more than it saves.
const WORTH_A_BATCH: Duration = Duration::from_micros(100);
/// A chunk that is expected to take longer than this is cut up even if there are directories enough
/// for all workers: it might be the last to end.
const WORTH_SPLITTING: Duration = Duration::from_millis(8);
/// The most entries in a batch, so that a chunk makes several.
pub(crate) const LARGEST_BATCH: usize = 256;
/// The most batches that a chunk, or a batch of it, is cut into at once: enough for all workers.
/// Long batches are cut up again by the workers that take them. More would only make the worker's
/// deque longer, which then keeps its memory.
const MAX_BATCHES: usize = 128;
/// The time after which entries of a chunk are delivered, however slow the storage: a user sees
/// them then without delay.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// The most chunks that batches share at once, which bounds memory: a worker that gets further
/// ahead asks about its entries itself.
const CHUNKS_IN_FLIGHT: usize = 64;
/// Entries that take fewer nanoseconds are quick. A slower one has waited for storage, or the
/// worker was interrupted.
const QUICK: u32 = 10_000;

/// Whether entries that took this many nanoseconds each were answered without waiting; 0 is
/// unknown.
pub(crate) fn is_quick(nanos: u32) -> bool {
    (1..QUICK).contains(&nanos)
}

/// Cuts up a part of a chunk before the first request, if requests are expected to be slow. Returns
/// the records that are left to this worker.
pub(crate) fn split_expected<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    chunk: &Arc<Chunk<K>>,
    range: Range<usize>,
) -> Range<usize> {
    let nanos = u64::from(chunk.reading.node.expected_wait());
    let mut records = chunk.buffer.entries_and_dots(range.clone(), worker.shared.settings.dots);
    let Some(size) = batch_size(worker, chunk, about(&records), nanos) else { return range };
    records.by_ref().take(size).for_each(drop);
    let mine = range.start..range.end - records.bytes_left();
    split(worker, chunk, records, range.end, size);
    mine
}

/// Looks at the clock now and then while requests are made. Once they have proved slow, the rest of
/// the chunk is cut up for other workers, `records` becomes empty, and `end` the end of what is
/// left to this worker. `true` says that classifying shall stop, because the entries so far have
/// waited long enough or the watchdog has taken the part.
#[inline]
pub(crate) fn should_stop_part<'a, V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    progress: &PartProgress<'_>,
    chunk: &'a Arc<Chunk<K>>,
    end: &mut usize,
    records: &mut RawEntries<'a>,
) -> bool {
    let Some((began, count)) = progress.begun else { return false };
    if worker.in_flight.as_ref().is_some_and(|in_flight| in_flight.is_taken()) {
        return true;
    }
    // The clock is not read for each entry: after 1, 2, 4 and 8, unless quick answers are expected,
    // and then after every sixteen.
    let early = count.is_power_of_two() && !is_quick(chunk.reading.node.expected_wait());
    if !(early || count.is_multiple_of(16)) || records.bytes_left() == 0 {
        return false;
    }
    let elapsed = began.elapsed();
    let nanos = elapsed.as_nanos() as u64 / u64::from(progress.record_count);
    worker.start_watchdog(|_| nanos > u64::from(QUICK));
    if let Some(size) = batch_size(worker, chunk, about(records), nanos) {
        let left = *end - records.bytes_left();
        if worker.in_flight.as_ref().is_some_and(|in_flight| !in_flight.shorten(left)) {
            return true;
        }
        let rest = std::mem::replace(records, RawEntries::new(&[]));
        split(worker, chunk, rest, *end, size);
        *end = left;
        return false;
    }
    // A worker that is alone stops as soon as its first sample is due, which may start a second
    // worker.
    elapsed > LONG_ENOUGH || (elapsed > FIRST_SAMPLE && worker.shared.pace.is_alone())
}

/// About how many records there are.
fn about(records: &RawEntries<'_>) -> usize {
    // A record with a name of ordinary length has 32 to 40 bytes.
    records.bytes_left() / 36
}

/// The number of entries in a batch, if `count` are left of a chunk and each is expected to take
/// this many nanoseconds; `None` if they are not worth batches, or there is no permit to keep their
/// directory open.
pub(crate) fn batch_size<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &Worker<'_, V, K>,
    chunk: &Chunk<K>,
    count: usize,
    nanos: u64,
) -> Option<usize> {
    let shared = &worker.shared;
    if nanos == 0
        || shared.settings.needs.listing_order
        || answers_came_with_listing(chunk, nanos)
        || !shared.pace.is_parallel()
        || shared.split_chunks.load(Ordering::Relaxed) >= CHUNKS_IN_FLIGHT
    {
        return None;
    }
    let expected = Duration::from_nanos(nanos * count as u64);
    let plenty = worker.ledger.unfinished() >= 2 * shared.pace.target();
    let threshold = if plenty { WORTH_SPLITTING } else { 2 * WORTH_A_BATCH };
    let least = (WORTH_A_BATCH.as_nanos() as u64 / nanos).clamp(1, LARGEST_BATCH as u64) as usize;
    (expected > threshold && chunk.keep_open(&worker.ledger.budget))
        .then_some(least.max(count / MAX_BATCHES))
}

/// Queues the records, which end at `end` of the buffer, in batches of `size` entries.
pub(crate) fn split<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    chunk: &Arc<Chunk<K>>,
    mut records: RawEntries<'_>,
    end: usize,
    size: usize,
) {
    if !chunk.is_split.swap(true, Ordering::Relaxed) {
        worker.shared.split_chunks.fetch_add(1, Ordering::Relaxed);
    }
    while records.bytes_left() > 0 {
        let start = end - records.bytes_left();
        records.by_ref().take(size).for_each(drop);
        if records.is_malformed() {
            break;
        }
        worker.ledger.add_unfinished_in(&chunk.reading);
        let range = start..end - records.bytes_left();
        worker.push(Task::Batch(Arc::clone(chunk), range));
    }
    worker.shared.parking.wake_all();
}
