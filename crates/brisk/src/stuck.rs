//! Requests that stay without an answer: what a worker had ready by then is handed on by another one.
//!
//! A stat of a dead server's file may take minutes, and the worker that made it cannot do anything
//! meanwhile. So a worker that asks notes where it is ([`Post`]), and a guard looks once in a while:
//!
//! ```text
//!   records of a part    1 2 3 4 5 6 7 8 9
//!                        └─ready─┘ ▲ └not yet asked┘
//!                           │      │      └► batches, for any worker
//!                           │      └ asked for 10 ms: this one alone is left to the stuck worker
//!                           └► again, by a worker that is not stuck: what was answered is answered quickly
//! ```
//!
//! Taking a part over is done under the post's lock: either the stuck worker finds its part there when
//! it is done, or it hands on nothing but the one record. Whatever was wrong with the others was
//! reported by then, so the second time reports nothing.
//!
//! The guard is a thread that never asks for anything itself, so that it is never stuck. It also has the
//! lines written that stuck workers had handed on, and hires a worker in the place of each. It is
//! started as soon as an answer takes longer than one from memory, or the walk longer than a thread
//! is worth: a walk of a small warm tree has none. (Test: `promises/hung.rs`.)

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::driver::Driver;
use crate::queue::{Chunk, Unit};
use crate::sched::lock;
use crate::sift::LARGEST_BATCH;
use crate::worker::Worker;

/// The guard's number: more than there are workers.
pub(crate) const GUARD: usize = usize::MAX;

/// How often the guard looks, and how long a request must have been out between two looks: what is ready goes out
/// within about two of these.
const LOOK: Duration = Duration::from_millis(10);

/// From memory, a directory is opened and read in less than this,
const OPENED: Duration = Duration::from_micros(30);
/// and this for each kibibyte of its records.
const READ: Duration = Duration::from_micros(5);

/// A walk that has lasted so long can afford a thread that does nothing.
const LONG_WALK: Duration = Duration::from_millis(8);

/// Where a worker is that asks for metadata.
pub(crate) struct Post<S> {
    /// The number of the record within the part that was asked about last.
    at: AtomicU32,
    /// The part was taken over: this record alone is left.
    taken: AtomicBool,
    kept: AtomicU32,
    part: Mutex<Option<Part<S>>>,
}

/// What is being sifted, and where it was when another worker looked.
struct Part<S> {
    chunk: Arc<Chunk<S>>,
    range: Range<usize>,
    seen: Option<(u32, Instant)>,
}

impl<S> Default for Post<S> {
    fn default() -> Self {
        Post {
            at: AtomicU32::new(0),
            taken: AtomicBool::new(false),
            kept: AtomicU32::new(0),
            part: Mutex::new(None),
        }
    }
}

impl<S> Post<S> {
    /// The first request about a part is about to be made.
    #[cold]
    pub fn begin(&self, chunk: &Arc<Chunk<S>>, range: Range<usize>) {
        // Before the part can be seen: what was asked of another part is none of this one.
        self.at.store(0, Ordering::Relaxed);
        *lock(&self.part) = Some(Part { chunk: Arc::clone(chunk), range, seen: None });
    }

    /// A request is about to be made.
    #[inline]
    pub fn ask(&self, record: u32) {
        self.at.store(record, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// The worker leaves what comes after `end` to others; `false` if they have taken it already.
    pub fn shorten(&self, end: usize) -> bool {
        let mut part = lock(&self.part);
        let range = part.as_mut().map(|part| part.range.end = end);
        range.is_some()
    }

    /// All that was to be asked was answered. The number of the record that is left to the worker, if the
    /// others were taken over.
    pub fn end(&self) -> Option<u32> {
        let part = lock(&self.part).take();
        if part.is_some() {
            return None;
        }
        self.taken.store(false, Ordering::Relaxed);
        Some(self.kept.load(Ordering::Relaxed))
    }

    /// Takes the part if its request has been out since the last look, long enough. `account` is
    /// called before the worker can notice: the worker may be done at any moment, and the walk would
    /// end without what nothing accounts for.
    fn take_stuck(&self, now: Instant, account: impl FnOnce(&Part<S>)) -> Option<(Part<S>, u32)> {
        let mut slot = self.part.try_lock().ok()?;
        let part = slot.as_mut()?;
        let at = self.at.load(Ordering::Relaxed);
        match part.seen {
            _ if at == 0 => return None,
            Some((seen, since)) if seen == at => {
                if now.saturating_duration_since(since) < LOOK {
                    return None;
                }
            }
            _ => {
                part.seen = Some((at, now));
                return None;
            }
        }
        account(part);
        self.kept.store(at, Ordering::Relaxed);
        self.taken.store(true, Ordering::Relaxed);
        slot.take().map(|part| (part, at))
    }
}

/// How long opening and reading so many bytes of records takes at most, from memory.
pub(crate) fn quickly_read(bytes: usize) -> Duration {
    OPENED + READ * u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

impl<V: Driver> Worker<'_, '_, V> {
    /// What the guard does until the walk is over.
    pub fn stand_guard(&mut self) {
        let shared = Arc::clone(&self.shared);
        while !shared.is_over() {
            // What stuck workers have handed on before, too.
            self.let_write(true);
            self.look(Instant::now());
            shared.parking.suspend(Some(LOOK), || shared.is_over());
        }
    }

    fn look(&mut self, now: Instant) {
        let shared = Arc::clone(&self.shared);
        let Ok(posts) = shared.posts.try_lock() else { return };
        let account = |part: &Part<V::State>| {
            shared.pace.one_is_stuck();
            part.chunk.reading.part_begins();
            shared.added(1);
        };
        let stuck: Vec<_> = posts.iter().filter_map(|post| post.take_stuck(now, account)).collect();
        drop(posts);
        for (part, at) in &stuck {
            self.take_over(part, *at);
        }
        if !stuck.is_empty() {
            self.spawn_wanted();
            shared.parking.wake_all();
        }
    }

    /// Queues a part without the one record that its worker waits for; it is accounted for as one unit.
    fn take_over(&mut self, part: &Part<V::State>, at: u32) {
        let Part { chunk, range, .. } = part;
        self.take_rest(chunk, LARGEST_BATCH);
        let shared = Arc::clone(&self.shared);
        let mut records = chunk.buffer.entries_and_dots(range.clone(), shared.dots);
        records.by_ref().take(at.saturating_sub(1) as usize).for_each(drop);
        let ready = range.start..range.end - records.remaining();
        records.next();
        self.split(chunk, records, range.end, LARGEST_BATCH);
        shared.queue.push(&self.own, Unit::Again(Arc::clone(chunk), ready));
    }

    /// Sifts again what a stuck worker had ready.
    pub fn again(&mut self, chunk: Arc<Chunk<V::State>>, range: Range<usize>) {
        self.is_mute = true;
        self.batch(chunk, range);
        self.is_mute = false;
    }

    /// Before requests are made: starts the guard where the storage has proved not to be memory, by the time
    /// that so many bytes of records took.
    #[inline]
    pub fn want_guard(&mut self, records: usize) {
        if self.shared.watches && !self.shared.is_guarded.load(Ordering::Relaxed) {
            let since = self.read_at.map_or_else(|| self.last.elapsed(), |at| at - self.last);
            self.start_guard(since > quickly_read(records));
        }
    }

    /// Starts the guard if the storage is slow or the walk is long.
    #[inline]
    pub fn start_guard(&mut self, is_slow: bool) {
        let shared = &self.shared;
        let wants = shared.watches && !shared.is_guarded.load(Ordering::Relaxed);
        if wants
            && (is_slow || shared.pace.age(self.last) > LONG_WALK)
            && !shared.is_guarded.swap(true, Ordering::Relaxed)
        {
            self.start(GUARD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Reading;
    use crate::tree::Node;
    use brisk_sys::{Backend, Buffer, Dir};

    /// A worker whose answer comes at that very moment would find nothing left, and end the walk.
    #[test]
    fn what_is_taken_over_is_accounted_for_before_its_worker_can_notice() {
        let reading: Reading<()> = Reading {
            node: Arc::new(Node::top(())),
            handle: Arc::new(Dir::current(Backend::Native)),
            lasting: None,
            gathering: None,
            read_on: Default::default(),
        };
        let chunk = Arc::new(Chunk::new(reading, Buffer::with_capacity(64), 0));
        let (post, now) = (Post::default(), Instant::now());
        post.begin(&chunk, 0..0);
        post.ask(3);
        let mut accounted = 0;
        for later in [Duration::ZERO, LOOK, 2 * LOOK] {
            let taken = post.take_stuck(now + later, |_| {
                assert!(!post.is_taken() && post.part.try_lock().is_err());
                accounted += 1;
            });
            assert_eq!(taken.is_some(), later == LOOK);
        }
        assert_eq!((accounted, post.end()), (1, Some(3)));
    }
}
