//! [`Worker`]: what one worker has for itself: its visitor, its deque, its buffers and counts, and
//! the path of the directory that it reads. `read/` and `emit/` work on it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use brisk_sys::limits::{is_out_of_descriptors, reserve_descriptors};
use brisk_sys::paths::{ends_open, without_separator};
use crossbeam_deque::Worker as Deque;

use crate::drive::shared::{Ledger, Shared};
use crate::drive::task::{Children, DirNode, Queue, Task, WalkKind};
use crate::entry::{Entry, bytes_to_path_buf};
use crate::read::buffers::ReadBuffers;
use crate::read::in_flight::InFlight;
use crate::read::reach::Reacher;
use crate::sched::lock;
use crate::sched::pace::Sample;
use crate::sched::spawn::Spawn;
use crate::stats::Stats;
use crate::tree::{PackedNames, PathBuffer};
use crate::visitor::{Flow, Flushed, Pause, Visitor};
use crate::{Error, Meta, Operation, filter};

/// A task that takes longer is slow: it has waited for storage, or was huge. Writing what the
/// visitor has buffered costs little in comparison.
const SLOW_TASK: Duration = Duration::from_millis(2);

/// After a longer piece of work a worker publishes what it has finished: that costs little then, and
/// measuring needs the exact number of unfinished items.
const LONG_TASK: Duration = Duration::from_micros(100);

/// The watchdog's index, above every worker's.
pub(crate) const WATCHDOG: usize = usize::MAX;

/// A watched walk that is older has a watchdog, however quick the storage: starting a thread then
/// costs little in comparison.
const LONG_WALK: Duration = Duration::from_millis(8);

/// What one worker has for itself.
pub(crate) struct Worker<'s, V, K: WalkKind> {
    pub shared: Arc<Shared<K>>,
    pub visitor: V,
    /// Starts further workers; `None` in a serial walk.
    spawner: Option<Arc<dyn Spawn<'s, V> + 's>>,
    own: Deque<Task<K>>,
    /// The worker's number: 0 is the calling thread's, and workers are suspended from the highest
    /// down.
    pub index: usize,
    pub ledger: Ledger<K>,
    pub path: PathBuffer<K::State, K::EmitState>,
    pub reacher: Reacher<K::State, K::EmitState>,
    pub buffers: ReadBuffers,
    pub memory: WorkerMemory,
    pub sample: Sample,
    pub branch: Branch,
    /// On how many entries the visitor acts before the next look at the clock.
    pub slice: usize,
    /// When the current piece of work began: at the last measurement, or after a wait.
    pub piece_began: Instant,
    /// The current task took most of its time to read a directory that has more.
    pub mostly_reads: bool,
    /// The number of requests that were made before the last measurement.
    requests_before: u64,
    /// Where the watchdog sees what this worker asks for.
    pub in_flight: Option<Arc<InFlight<K>>>,
    /// How often the worker has waited for a descriptor while no other worker had one to close.
    vain_waits: u32,
    /// The number of entries that were reported to the visitor as met.
    reported: u64,
    /// The errors of what is read before its turn, each with the place in the listing of the entry
    /// behind it.
    pub early_errors: Vec<(u64, Error)>,
    pub stats: Stats,
}

/// How far a worker of an ordered walk has come in a branch.
#[derive(Default)]
pub(crate) struct Branch {
    /// How many levels are begun.
    pub levels: u32,
    /// How many more directories may be read.
    pub left: usize,
    /// When reading the topmost directory had begun.
    pub began: Option<Instant>,
    /// What the visitor has drafted of the directories of which nothing is left to read.
    pub text: Vec<u8>,
    /// The number of entries in `text`.
    pub count: u32,
    /// Whether the directory that was read last is in `text`.
    pub is_added: bool,
    /// Memory of drafts that were added to `text`.
    pub spare: Vec<Vec<u8>>,
}

/// Memory that a worker uses again for every chunk.
#[derive(Default)]
pub(crate) struct WorkerMemory {
    entries: Vec<Entry<'static>>,
    /// The memory that the filter uses.
    pub filter: filter::Scratch,
    pub metas: Vec<Meta>,
    pub meta_of: Vec<u32>,
    pub child_names: PackedNames,
}

impl WorkerMemory {
    /// An empty vector with the memory of the last one.
    pub fn borrow_entries<'a>(&mut self) -> Vec<Entry<'a>> {
        recycle(std::mem::take(&mut self.entries))
    }

    pub fn return_entries(&mut self, entries: Vec<Entry<'_>>) {
        self.entries = recycle(entries);
    }
}

impl<'s, V: Visitor, K: WalkKind<State = V::State>> Worker<'s, V, K> {
    pub fn new(
        shared: Arc<Shared<K>>,
        visitor: V,
        spawner: Option<Arc<dyn Spawn<'s, V> + 's>>,
        index: usize,
    ) -> Self {
        let now = Instant::now();
        let own = shared.queue.join();
        // A walk of one worker decides nothing by measurements.
        let sample = Sample::start(now, index == 0 && shared.pace.is_parallel());
        let settings = &shared.settings;
        let reacher = Reacher::new(settings.backend, settings.plan.one_mount, K::ACTS);
        let in_flight = settings.is_watched.then(Arc::<InFlight<K>>::default);
        lock(&shared.in_flight).extend(in_flight.clone());
        Worker {
            ledger: Ledger::new(&shared),
            shared,
            visitor,
            spawner,
            own,
            index,
            path: PathBuffer::default(),
            reacher,
            buffers: ReadBuffers::default(),
            memory: WorkerMemory::default(),
            sample,
            branch: Branch::default(),
            slice: 1,
            piece_began: now,
            mostly_reads: false,
            requests_before: 0,
            vain_waits: 0,
            reported: 0,
            in_flight,
            early_errors: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Whether the target leaves this worker out.
    pub fn is_suspended(&self) -> bool {
        self.index >= self.shared.pace.target()
    }

    /// Adds a task, and wakes a worker for it.
    pub fn add(&mut self, task: Task<K>) {
        self.push(task);
        self.shared.parking.wake();
    }

    /// Adds a task, and wakes no worker for it.
    pub fn push(&mut self, task: Task<K>) {
        self.shared.queue.push(&self.own, task);
    }

    /// Adds what is left of pending directories after the first was taken, and wakes a worker for
    /// it.
    pub fn add_rest(&mut self, rest: Children<K>) {
        self.shared.queue.push_rest(&self.own, rest);
        self.shared.parking.wake();
    }

    /// The next task.
    pub fn pop(&mut self) -> Option<Task<K>> {
        self.shared.queue.pop(&self.own, self.index, &self.shared.pace)
    }

    /// Stops the walk if the visitor says so.
    #[inline]
    pub fn obey(&self, flow: Flow) {
        if flow == Flow::Stop {
            self.shared.parking.stop();
        }
    }

    /// Reports an error; in an ordered walk, at the turn of the directory that is being read.
    pub fn error(&mut self, error: Error) {
        self.error_before(0, error);
    }

    /// The same, in an ordered walk before the entry at this place in the listing.
    pub fn error_before(&mut self, listing_place: u64, error: Error) {
        self.stats.errors += 1;
        if K::IN_ORDER { self.early_errors.push((listing_place, error)) } else { self.tell(error) }
    }

    /// Hands an error to the visitor.
    pub fn tell(&mut self, error: Error) {
        let flow = self.visitor.error(error);
        self.obey(flow);
    }

    /// Reports a failed operation on a directory.
    #[cold]
    pub fn report(&mut self, operation: Operation, node: &DirNode<K>, error: io::Error) {
        let mut path = Vec::new();
        node.prefix_into(&mut path);
        let whole = ends_open(node.name.to_bytes());
        let path = if whole { &path[..] } else { without_separator(&path) };
        self.error(Error::new(operation, bytes_to_path_buf(path), node.depth(), error));
    }

    /// Opens a directory. Where the process has no descriptor left, waits until others have closed
    /// some.
    pub fn opening<T>(
        &mut self,
        mut open: impl FnMut(&mut Self) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match open(self) {
                Err(error) if is_out_of_descriptors(&error) && self.await_descriptor() => {}
                Ok(opened) => {
                    self.vain_waits = 0;
                    return Ok(opened);
                }
                refused => return refused,
            }
        }
    }

    /// The process has no descriptor left: closes what this worker keeps open for itself, and waits
    /// for a moment. Returns whether to try again.
    #[cold]
    fn await_descriptor(&mut self) -> bool {
        if self.reacher.close_last_open() {
            return true;
        }
        let shared = &self.shared;
        let running = shared.pace.running();
        let tries_again =
            shared.parking.await_others(running, &mut self.vain_waits, || shared.is_over());
        self.was_idle();
        tries_again
    }

    /// The worker was parked: that time is neither work nor waiting for storage.
    pub fn was_idle(&mut self) {
        let now = Instant::now();
        self.sample.off_storage += now - self.piece_began;
        self.piece_began = now;
    }

    /// Lets the visitor write what it has buffered. That time is not spent on the walk's storage.
    pub fn let_write(&mut self, write_is_cheap: bool) {
        // The number falls if records that were counted went to another worker (`classify_watched`).
        let met = self.stats.entries.saturating_sub(self.reported);
        self.reported += met;
        let Flushed { flow, waited, requests } = self.visitor.flush(Pause { write_is_cheap, met });
        self.stats.calls.visitor += requests + std::mem::take(&mut self.memory.filter.requests);
        self.stats.calls.reopen += std::mem::take(&mut self.reacher.reopens);
        self.stats.calls.stat += std::mem::take(&mut self.reacher.stat_calls);
        self.obey(flow);
        self.sample.off_storage += waited;
    }

    /// Between two pieces of work, also within a task: lets the visitor write, measures, and spawns
    /// workers if the target rose.
    pub fn flush_and_measure(&mut self) {
        let now = Instant::now();
        let took = now - self.piece_began;
        let slow = took > SLOW_TASK;
        self.piece_began = now;
        if took > LONG_TASK {
            self.ledger.settle();
        }
        self.let_write(slow);
        let requests = self.stats.calls.total() - self.requests_before;
        self.requests_before += requests;
        let shared = &self.shared;
        let mostly_reads = std::mem::take(&mut self.mostly_reads);
        let unfinished = self.ledger.unfinished();
        let pending = || match shared.queue.pending(unfinished, &shared.pace) {
            // The only task is to read on in this same directory, which a second worker would not
            // speed up.
            1 if mostly_reads => (0, shared.parking.idle()),
            tasks => (tasks, shared.parking.idle()),
        };
        if shared.pace.measure(&mut self.sample, now, requests, slow, pending) {
            shared.parking.wake_all();
            self.spawn_wanted();
        }
    }

    /// Spawns workers until there are as many as the target.
    #[cold]
    pub fn spawn_wanted(&mut self) {
        while let Some(index) = self.shared.pace.claim_spawn() {
            if !self.spawn(index) {
                break;
            }
        }
    }

    /// Spawns a worker whose index was claimed, or the watchdog; `false` if the system has no
    /// thread to give.
    fn spawn(&mut self, index: usize) -> bool {
        let Some(spawner) = self.spawner.clone() else { return false };
        if index == 1 || index == WATCHDOG {
            reserve_descriptors(self.shared.settings.descriptors);
        }
        let is_started = spawner.spawn(&spawner, &mut self.visitor, index);
        if !is_started && index != WATCHDOG {
            self.shared.pace.refused();
        }
        is_started
    }

    /// Spawns the watchdog if there is none and the storage is slow or the walk has lasted long.
    #[inline]
    pub fn start_watchdog(&mut self, is_slow: impl FnOnce(&Self) -> bool) {
        let shared = &self.shared;
        let wants = shared.settings.is_watched && !shared.has_watchdog.load(Relaxed);
        if wants
            && (is_slow(self) && self.sample.has_waited()
                || self.piece_began.saturating_duration_since(shared.pace.start) > LONG_WALK)
            && !shared.has_watchdog.swap(true, Relaxed)
        {
            self.spawn(WATCHDOG);
        }
    }
}

/// An empty vector with the same memory, for entries of another lifetime.
fn recycle<'b>(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'b>> {
    entries.clear();
    // The standard library collects in place, so the allocation stays.
    entries.into_iter().map(|_| unreachable!("BUG: the vector was cleared")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileType;

    #[test]
    fn recycling_keeps_the_allocation() {
        let mut entries: Vec<Entry<'_>> = Vec::with_capacity(100);
        let dir = crate::Directory::new(b"", 0, None);
        entries.push(Entry::new(&dir, c"a", 0, FileType::File, 0));
        let place = entries.as_ptr() as usize;
        let again: Vec<Entry<'static>> = recycle(entries);
        assert_eq!((again.as_ptr() as usize, again.len()), (place, 0));
        assert!(again.capacity() >= 100);
    }
}
