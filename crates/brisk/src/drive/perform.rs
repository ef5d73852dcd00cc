//! What a worker does: it takes tasks, enters and reads directories, and delivers their entries.
//!
//! Every walk performs its tasks by [`Worker::perform`]; [`Worker::run`] is the loop of a worker.
//! `read/` opens, reads and classifies, `emit/` delivers and leaves.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use brisk_sys::Buffer;

use crate::Visitor;
use crate::cancel::BOUNDARY;
use crate::drive::shared::{Shared, StopOnPanic};
use crate::drive::task::{
    Children, Chunk, Classified, DeferredRead, Gather, Queue, Reading, Task, ToEnter,
};
use crate::drive::worker::{WATCHDOG, Worker};
use crate::emit::{Emit, Part};
use crate::entry::Directory;
use crate::read::batches::split_expected;
use crate::read::bulk::{longest_cached_read, read_next, sleeps, time_if_immediate};
use crate::read::classify::Classifier;
use crate::read::in_flight::InFlight;
use crate::read::open::{FilledBuffer, open_and_read, report_read};
use crate::read::watchdog;
use crate::sched::lock;
use crate::stats::Stats;
use crate::tree::{EmitState, bound};

/// The factor by which reading a buffer must outlast delivering its entries for a task to count as
/// mostly reading. A second worker that read on meanwhile would gain less than it costs, because
/// both share the directory's lock and the processors' caches.
const MOSTLY: u32 = 2;

/// The most entries whose metadata is requested before the next read, until one is answered at
/// once. One is not enough: it may cost a request that shows what the file system lacks, such as
/// extended attributes, and the worker may be preempted.
const FIRST: usize = 2;

impl<V: Visitor, E: Emit<V>> Worker<'_, V, E> {
    /// Begins the walk with the roots.
    pub fn begin(&mut self, roots: Reading<E>, buffer: Buffer) {
        let shared = Arc::clone(&self.shared);
        let _end = StopOnPanic(&shared);
        deliver_chunk(self, FilledBuffer { reading: roots, buffer, at_end: true });
        if !E::IN_ORDER {
            // The roots of this directory are listed. An ordered walk ends only when the calling
            // thread has delivered everything.
            self.ledger.one_finished();
            shared.queue.popped_done();
        }
        self.flush_and_measure();
    }

    /// Works until the walk is over.
    pub fn run(mut self) -> (V, Stats) {
        let shared = Arc::clone(&self.shared);
        let _end = StopOnPanic(&shared);
        if self.index == WATCHDOG {
            watchdog::watch(&mut self);
        } else if self.index > 0 {
            // Dozens of threads are started sooner by several than by one.
            self.spawn_wanted();
        }
        while !shared.is_over() {
            if self.is_suspended() {
                self.suspend();
            } else if !self.do_one_task() && !shared.is_over() {
                self.park();
            }
        }
        self.let_write(false);
        if shared.is_stopped() {
            // A caller that cancels a walk does not wake its workers.
            shared.parking.wake_all();
        }
        (self.visitor, self.stats)
    }

    /// Performs one task; `false` if there is none.
    pub fn do_one_task(&mut self) -> bool {
        let Some(task) = self.pop() else {
            self.ledger.settle();
            return false;
        };
        self.perform(task);
        if self.shared.queue.popped_done() {
            self.shared.parking.wake_all();
        }
        self.flush_and_measure();
        true
    }

    /// Does a task. Called from several places, and large: one copy is enough.
    #[inline(never)]
    pub fn perform(&mut self, task: Task<E>) {
        match task {
            Task::Open(children) if self.shared.cancel_state() == BOUNDARY => {
                hand_back(self, children);
            }
            Task::Open(children) => self.open_first(children),
            Task::ReadNext(reading) => read_next_chunk(self, reading),
            // Records of a chunk that another worker has cut up.
            Task::Batch(chunk, range) => {
                if !self.shared.is_stopped() {
                    deliver_records(self, &chunk, range);
                }
                chunk_done(self, chunk);
                self.ledger.one_finished();
            }
            Task::Ahead(ahead) => self.read_ahead(&ahead),
        }
    }

    fn park(&mut self) {
        self.idle(|worker, shared| {
            let may_go_on = || worker.is_suspended() || shared.queue.has_work();
            shared.parking.park(|| shared.is_over() || may_go_on());
        });
    }

    /// Parks the calling thread of a walk that goes on step by step, until there is a task, the
    /// walk is over, or `is_ready`.
    pub fn await_more(&mut self, is_ready: &dyn Fn() -> bool) {
        self.idle(|_, shared| {
            let may_go_on = || is_ready() || shared.is_over() || shared.queue.has_work();
            shared.parking.await_turn(may_go_on);
        });
    }

    fn suspend(&mut self) {
        self.idle(|worker, shared| {
            // This worker may have been woken for a task; then another one must be.
            shared.parking.wake();
            let is_wanted = || shared.is_over() || !worker.is_suspended();
            shared.parking.suspend(None, is_wanted);
        });
    }

    /// Waits, after the visitor has written and, in a walk that acts, the directory open last was
    /// closed.
    fn idle(&mut self, wait: impl FnOnce(&Self, &Shared<E>)) {
        self.let_write(true);
        self.ledger.settle();
        self.reacher.close_last_open_if_acting();
        wait(self, &self.shared);
        self.was_idle();
    }

    /// Opens and reads the first of several pending directories. The rest goes back to the queue
    /// first, so that other workers find it.
    fn open_first(&mut self, mut children: Children<E>) {
        if let Some(handle) = children.handed_over.take() {
            self.reacher.set_last_open(children.parent(), &handle);
        }
        if let Some(rest) = children.rest() {
            self.add_rest(rest);
        }
        let next = ToEnter {
            parent: children.parent(),
            handle: children.handle(),
            child: children.first(),
            position: 0,
            slot: E::Slot::default(),
        };
        match open_and_read(self, &next) {
            Ok(first) => {
                // `children` may own the last handle of their parent, and the parent may be removed
                // before this task ends. While a removed directory is open, the kernel cannot
                // forget it, and removing the directories above it is slower.
                drop(children);
                deliver_chunk(self, first);
            }
            Err(node) => E::not_read(self, &next, node),
        }
        self.ledger.one_finished();
    }

    /// Reads directories before their turn, one after the other.
    fn read_ahead(&mut self, ahead: &E::Ahead) {
        let mut number = 0;
        while let Some(next) = E::ahead(self, ahead, number) {
            if number > 0 {
                self.flush_and_measure();
            }
            self.enter(&next);
            number += 1;
        }
    }

    /// Enters a directory and delivers its first entries.
    #[inline(never)]
    pub fn enter(&mut self, next: &ToEnter<'_, E>) {
        match open_and_read(self, next) {
            Ok(first) => deliver_chunk(self, first),
            Err(node) => E::not_read(self, next, node),
        }
    }
}

/// The walk was cancelled: puts pending directories into its `Cancel`, for `Walk::resume`. The visitor never leaves their
/// parent.
#[cold]
fn hand_back<V: Visitor, E: Emit<V>>(worker: &mut Worker<'_, V, E>, children: Children<E>) {
    let mut next = Some(children);
    while let Some(children) = next {
        if let Some(cancel) = &worker.shared.cancel {
            cancel.hand_back(&**children.parent(), children.first());
        }
        next = children.rest();
        worker.ledger.one_finished();
    }
}

/// Wraps a buffer of records in a `Chunk`, and delivers its entries. If the directory has more,
/// reading that is another task, which other workers may take meanwhile.
fn deliver_chunk<V: Visitor, E: Emit<V>>(worker: &mut Worker<'_, V, E>, read: FilledBuffer<E>) {
    let FilledBuffer { reading, mut buffer, at_end } = read;
    let at_end = !reading.trim_to_room(&mut buffer) && at_end;
    let has_more = !at_end && !worker.shared.is_stopped();
    if E::REMOVES && has_more {
        reading.node.emit_state.prepare_relisting(&reading.handle);
    }
    let next = (has_more && !reading.stops_after_chunk(&buffer)).then(|| {
        // Counted before this chunk is delivered: another worker may finish the next read before
        // this chunk is done, and the directory must not look finished then.
        worker.ledger.add_unfinished_in(&reading);
        Reading { ordinal: reading.ordinal + 1, ..reading.clone() }
    });
    let lease = worker.buffers.lease.take();
    let chunk = Arc::new(Chunk::new(reading, buffer, lease));
    let mut range = 0..chunk.buffer.len();
    // Where handles are scarce, a directory is read to its end before its children are opened: the
    // task of reading on is queued last, and a worker takes its newest task first.
    let reads_on_last =
        !chunk.reading.may_stay_open() || worker.shared.settings.needs.listing_order;
    let (queued_now, queued_later) = if reads_on_last { (None, next) } else { (next, None) };
    if let Some(reading) = queued_now {
        if chunk.reading.read_mode.requests_first {
            range = request_first(worker, &chunk, reading);
        } else {
            worker.add(Task::ReadNext(reading));
        }
        let shared = &worker.shared;
        let requests = chunk.buffer.prefetched() == 0 && shared.settings.plan.will_request();
        if requests && shared.pace.is_alone() {
            // A second worker would have work: the pace decides before this one makes many requests.
            worker.flush_and_measure();
        }
    }
    let reading_began = worker.piece_began;
    let measured = has_more && worker.shared.pace.decides_on_second_worker();
    let began = measured.then(Instant::now);
    deliver_records(worker, &chunk, range);
    if let Some(began) = began {
        worker.mostly_reads = began.elapsed() * MOSTLY < began - reading_began;
    }
    if let Some(reading) = queued_later {
        worker.add(Task::ReadNext(reading));
    }
    chunk_done(worker, chunk);
}

/// A chunk or a batch of it has been delivered: gives the buffer back, unless batches still need
/// it.
fn chunk_done<V: Visitor, E: Emit<V>>(worker: &mut Worker<'_, V, E>, chunk: Arc<Chunk<E>>) {
    let is_tracked = E::IN_ORDER || worker.shared.settings.calls_leave;
    let reading = is_tracked.then(|| chunk.reading.clone());
    let shared_by_batches = chunk.is_split.load(Ordering::Relaxed);
    // The chunk is released first, so that the last work on a directory owns the handle alone,
    // and the handle can close before the visitor leaves the directory.
    if let Some(chunk) = Arc::into_inner(chunk) {
        if shared_by_batches {
            worker.shared.split_chunks.fetch_sub(1, Ordering::Relaxed);
        }
        worker.buffers.give_back(chunk.buffer);
    }
    if let Some(reading) = reading {
        E::delivered(worker, reading);
    }
}

/// Reads the next buffer of a directory.
fn read_next_chunk<V: Visitor, E: Emit<V>>(worker: &mut Worker<'_, V, E>, mut reading: Reading<E>) {
    let mut buffer = worker.buffers.next(reading.read_mode, &worker.shared.pool);
    let at_end = if reading.slot.is_full() {
        Err(bound::error())
    } else if reading.node.is_incomplete() {
        Ok(true)
    } else {
        read_next(worker, &mut reading, &mut buffer)
    };
    worker.path.set(&reading.node);
    let at_end = report_read(worker, &reading.node, at_end);
    deliver_chunk(worker, FilledBuffer { reading, buffer, at_end });
    worker.ledger.one_finished();
}

/// Delivers the first entries of a chunk with their metadata, queues the task of reading on, and
/// returns the rest of the chunk. It is empty if the requests hung and the watchdog has taken it.
fn request_first<V: Visitor, E: Emit<V>>(
    worker: &mut Worker<'_, V, E>,
    chunk: &Arc<Chunk<E>>,
    reading: Reading<E>,
) -> Range<usize> {
    let end = chunk.buffer.len();
    let mut from = 0;
    let mut waits = false;
    *lock(&chunk.deferred_read) = Some(DeferredRead { from, reading });
    for _ in 0..FIRST {
        let dots = worker.shared.settings.dots;
        let mut records = chunk.buffer.entries_and_dots(from..end, dots);
        records.next();
        let first = from..end - records.bytes_left();
        from = first.end;
        match &mut *lock(&chunk.deferred_read) {
            Some(rest) => rest.from = from,
            None => return end..end,
        }
        let sleeps_before = sleeps();
        let began = Instant::now();
        let calls = worker.stats.calls.total();
        deliver_records(worker, chunk, first);
        let calls = worker.stats.calls.total() - calls;
        let took = began.elapsed();
        let slept = sleeps_before.is_none() || sleeps() != sleeps_before;
        if let Some(nanos) = time_if_immediate(took, slept, calls) {
            chunk.reading.node.entry_nanos.store(nanos, Ordering::Relaxed);
            waits = false;
            break;
        }
        waits |= calls > 0;
    }
    let deferred_read = lock(&chunk.deferred_read).take();
    let Some(DeferredRead { mut reading, .. }) = deferred_read else { return end..end };
    reading.read_mode.requests_first = !waits;
    worker.add(Task::ReadNext(reading));
    from..end
}

/// Classifies the records in `range`, requests the metadata that is missing, and delivers the
/// entries, part by part.
fn deliver_records<V: Visitor, E: Emit<V>>(
    worker: &mut Worker<'_, V, E>,
    chunk: &Arc<Chunk<E>>,
    range: Range<usize>,
) {
    let mut rest = range;
    loop {
        let calls_before = worker.stats.calls.total();
        rest = deliver_part(worker, chunk, rest);
        if rest.is_empty() || worker.shared.is_stopped() {
            break;
        }
        // A part without a request takes too little time for a look at the clock.
        if worker.stats.calls.total() > calls_before {
            worker.flush_and_measure();
        }
    }
}

/// Delivers one part: until the range ends, the part is large, or classifying it has taken too
/// long. Returns what is left of the range.
fn deliver_part<V: Visitor, E: Emit<V>>(
    worker: &mut Worker<'_, V, E>,
    chunk: &Arc<Chunk<E>>,
    range: Range<usize>,
) -> Range<usize> {
    let shared = worker.ledger.borrow_shared();
    let node = &chunk.reading.node;
    let prefix = worker.path.lend(node);
    let handle = Some(&*chunk.reading.handle);
    let dir = node.directory(&prefix, handle);
    let start = range.start;
    let range = split_expected(worker, chunk, range);
    let in_flight = worker.in_flight.clone();
    let errors_before = worker.stats.errors;
    let classified = classify_watched(worker, &shared, chunk, &dir, range, in_flight.as_deref());
    let Classified {
        mut entries, meta_of, metas, mut child_names, unclassified, record_count, ..
    } = classified;
    for (entry, &meta) in entries.iter_mut().zip(&meta_of) {
        entry.meta = metas.get(meta as usize);
    }
    if let Some(unique) = &shared.unique {
        if node.is_above_roots() {
            unique.roots_known(record_count, &entries);
        }
        unique.classified(&mut entries, E::IN_ORDER, &mut child_names);
    }
    let record_range = start..unclassified.start;
    let part = Part {
        dir: &dir,
        entries: &entries,
        child_names: &mut child_names,
        record_range,
        has_errors: worker.stats.errors > errors_before,
    };
    E::accept(worker, chunk, part);
    worker.memory.return_entries(entries);
    worker.memory.metas = metas;
    worker.memory.metas.clear();
    worker.memory.meta_of = meta_of;
    worker.memory.meta_of.clear();
    worker.memory.child_names = child_names;
    worker.path.give_back(prefix);
    worker.ledger.return_shared(shared);
    unclassified
}

/// Classifies a part of a chunk, and shows the watchdog the requests. If the watchdog took the
/// part while a request hung, only the record of that request is left.
fn classify_watched<'a, V: Visitor, E: Emit<V>>(
    worker: &mut Worker<'_, V, E>,
    shared: &'a Shared<E>,
    chunk: &'a Arc<Chunk<E>>,
    dir: &'a Directory<'a>,
    range: Range<usize>,
    in_flight: Option<&'a InFlight<E>>,
) -> Classified<'a> {
    worker.start_watchdog(|it| {
        let since =
            it.buffers.read_at.map_or_else(|| it.piece_began.elapsed(), |at| at - it.piece_began);
        since > longest_cached_read(range.len())
    });
    if let Some(in_flight) = in_flight {
        in_flight.begin(chunk, range.clone());
    }
    let classifier = Classifier::new(shared, chunk, dir, &mut worker.memory, in_flight);
    let mut classified = classifier.run(worker, range.clone());
    worker.stats.entries += classified.record_count as u64;
    if let Some(kept) = in_flight.and_then(InFlight::end) {
        shared.pace.hung.fetch_sub(1, Ordering::Relaxed);
        worker.stats.entries -= classified.record_count as u64 - 1;
        let mut records = chunk.buffer.entries_and_dots(range.clone(), shared.settings.dots);
        classified.keep_one(kept, records.nth(kept as usize - 1));
        // The watchdog has given the rest to other workers.
        let end = range.end - records.bytes_left();
        classified.unclassified = end..end;
    }
    report_errors(worker, chunk, range.start, &mut classified);
    classified
}

/// Reports what failed in a part whose first record is at this place.
fn report_errors<V: Visitor, E: Emit<V>>(
    worker: &mut Worker<'_, V, E>,
    chunk: &Chunk<E>,
    start: usize,
    classified: &mut Classified<'_>,
) {
    let last = classified.entries.last();
    for (_, error) in std::mem::take(&mut classified.errors) {
        // The part ends with the record that failed, which may be its last entry.
        let is_of_last = last.is_some_and(|entry| entry.path() == error.path());
        let place = classified.entries.len() - usize::from(is_of_last);
        worker.error_before(chunk.reading.listing_place(start) | place as u64, error);
    }
}
