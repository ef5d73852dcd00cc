//! Requests that stay without an answer: what a worker had ready by then is handed on by another one.
//!
//! A stat of a dead server's file may take minutes, and the worker that made it cannot do anything
//! meanwhile. So a worker that asks notes where it is ([`Post`](super::post::Post)), and a guard looks
//! once in a while:
//!
//! ```text
//!   records of a part    1 2 3 4 5 6 7 8 9
//!                        └─ready─┘ ▲ └not yet asked┘
//!                           │      │      └► batches, for any worker
//!                           │      └ asked for 10 ms: this one alone is left to the waiting worker
//!                           └► again, by another worker: what was answered is answered quickly
//! ```
//!
//! Taking a part over is done under the post's lock: either the waiting worker finds its part there
//! when the answer comes, or it hands on nothing but the one record. Whatever was wrong with the others
//! was reported by then, so the second time reports nothing.
//!
//! The guard is a thread that never asks for anything itself, so that no request holds it up. It also
//! has the lines written that waiting workers had handed on, and spawns a worker in the place of each.
//! It is started as soon as an answer takes longer than one from memory, or the walk longer than a
//! thread is worth: a walk of a small warm tree has none. (Test: `promises/hung.rs`.)

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
        // What waiting workers have handed on before, too.
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

/// Queues a part without the one record that its worker waits for; that is accounted for as one task.
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

/// Queues what a worker left that waits for the first answers of a chunk.
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

/// Before requests are made: starts the guard where the storage has proved not to be memory, by the
/// time that so many bytes of records took.
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
