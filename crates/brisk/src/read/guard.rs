//! The guard: a thread that looks for hung workers, and queues what such a worker had ready for
//! others.
//!
//! A stat of a file on a dead server may take minutes, and the worker that made the request can do
//! nothing meanwhile: it hangs. So a worker notes in its [`Post`](super::post::Post) what it asks
//! about, and the guard looks at the posts every 10 ms:
//!
//! ```text
//!   records of a part    1 2 3 4 5 6 7 8 9
//!                        └─ready─┘ ▲ └not yet asked┘
//!                           │      │      └► batches, for any worker
//!                           │      └ asked for 10 ms: this one alone is left to the hung worker
//!                           └► again, by another worker: the system answers these quickly now
//! ```
//!
//! The guard takes a part under the post's lock. So when the answer comes, the hung worker finds
//! its whole part there, or hands on nothing but the one record. The hung worker has reported the
//! errors of the records that were ready, so the worker that classifies them again reports none.
//!
//! The guard makes no request itself, so it cannot hang. It also lets the visitor write lines that
//! hung workers had handed on, and spawns a worker for each hung one. A worker starts the guard as
//! soon as an answer takes longer than one from memory, or once the walk has lasted long enough; a
//! walk of a small warm tree has no guard. (Test: `promises/hung.rs`.)

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::local::Local;
use crate::read::batches::{LARGEST_BATCH, split};
use crate::read::bulk::quickly_read;
use crate::read::post::{LOOK, Posted};
use crate::sched::lock;
use crate::task::{Chunk, Kind, Rest, Task};
use crate::visitor::Visitor;

/// What the guard does until the walk is over.
pub(crate) fn stand<V: Visitor, K: Kind<State = V::State>>(local: &mut Local<'_, V, K>) {
    let shared = Arc::clone(&local.shared);
    while !shared.is_over() {
        // This writes lines of all workers, also of hung ones.
        local.let_write(true);
        look(local, Instant::now());
        shared.parking.suspend(Some(LOOK), || shared.is_over());
    }
}

fn look<V: Visitor, K: Kind<State = V::State>>(local: &mut Local<'_, V, K>, now: Instant) {
    let shared = Arc::clone(&local.shared);
    let Ok(posts) = shared.posts.try_lock() else { return };
    let account = |part: &Posted<K>| {
        shared.pace.one_hangs();
        part.chunk.reading.part_begins();
        shared.added(1);
    };
    let hung: Vec<_> = posts.iter().filter_map(|post| post.take_hung(now, account)).collect();
    drop(posts);
    for (part, at) in &hung {
        take_over(local, part, *at);
    }
    if !hung.is_empty() {
        local.spawn_wanted();
        shared.parking.wake_all();
    }
}

/// Queues a part except for the one record that its worker waits for. The records that were ready
/// are one task, which `look` has counted.
fn take_over<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    part: &Posted<K>,
    at: u32,
) {
    let Posted { chunk, range, .. } = part;
    take_rest(local, chunk);
    let mut records = chunk.buffer.entries_and_dots(range.clone(), local.shared.settings.dots);
    records.by_ref().take(at.saturating_sub(1) as usize).for_each(drop);
    let ready = range.start..range.end - records.remaining();
    records.next();
    split(local, chunk, records, range.end, LARGEST_BATCH);
    local.push(Task::Again(Arc::clone(chunk), ready));
}

/// Queues the rest of a chunk whose worker hangs in a request about its first entries, and the task
/// of reading on.
fn take_rest<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    chunk: &Arc<Chunk<K>>,
) {
    let Some(Rest { from, reading }) = lock(&chunk.rest).take() else { return };
    local.add(Task::Continue(reading, chunk.ordinal + 1));
    let end = chunk.buffer.len();
    let records = chunk.buffer.entries_and_dots(from..end, local.shared.settings.dots);
    split(local, chunk, records, end, LARGEST_BATCH);
}

/// Before a worker makes requests: starts the guard if reading this many bytes of records took
/// longer than it takes from memory.
#[inline]
pub(crate) fn want<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    records: usize,
) {
    let shared = &local.shared;
    if shared.settings.is_watched && !shared.is_guarded.load(Ordering::Relaxed) {
        let read_at = local.buffers.read_at;
        let since = read_at.map_or_else(|| local.last.elapsed(), |at| at - local.last);
        local.start_guard(since > quickly_read(records));
    }
}
