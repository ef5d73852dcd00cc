//! A worker: takes units of work, opens and reads directories, and hands their entries on.
//!
//! [`Worker::visit_dir`] and [`Worker::read_on`] are the one loop of every walk, whatever its order and
//! however many workers run it; what happens to a buffer's entries is `sift.rs`.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use brisk_sys::limits::reserve_descriptors;
use brisk_sys::{Backend, Buffer, Dir, Fields, FileType, Links, stat_path};
use crossbeam_deque::Worker as Deque;

use crate::Visitor;
use crate::beyond::Lacking;
use crate::bulk::{Lease, Pool};
use crate::cancel::{BOUNDARY, Cancel};
use crate::driver::Driver;
use crate::entry::{bytes_to_path, bytes_to_path_buf};
use crate::order::Place;
use crate::pace::{Pace, Sample};
use crate::plan::Plan;
use crate::queue::{Chunk, Queue, Reading, Unit};
use crate::reach::Near;
use crate::room;
use crate::sched::lock;
use crate::sched::parking::Parking;
use crate::sched::spawn::Spawner;
use crate::sift::Scratch;
use crate::stats::Stats;
use crate::stuck::{GUARD, Post};
use crate::tree::{CONDEMNED, Child, Held, Names, Node, Run};
use crate::unique::Unique;
use crate::visitor::{Breath, Needs};
use crate::walk::MOST_THREADS;
use crate::{Directory, Enter, Entry, Error, Flow, Listing, Operation, Outcome};
use brisk_sys::paths::{ends_open, without_separator};

/// Space for records: about a thousand entries a buffer. Larger ones gain nothing that can be
/// measured; a page that is never written to costs nothing.
pub(crate) const BUFFER: usize = 64 << 10;

/// What tells one file from all others.
const IDENTITY: Fields = Fields::INO.union(Fields::DEV);

/// A unit that took longer than this has waited for storage or was huge: writing out what is buffered
/// costs nothing in comparison.
const SLOW_UNIT: Duration = Duration::from_millis(2);

/// What a directory that waits to be opened takes, in bytes, with an ordinary name.
const WAITING: usize = 64;

/// A loop that no inode betrays is found after this many levels at the latest.
const LOOKS: u32 = 64;

/// What file systems list for an inode that they do not know: nothing, or what libfuse writes.
const NO_INODES: [u64; 2] = [0, 0xffff_ffff];

/// Where reading a buffer takes this many times as long as handing it on, a second worker that reads on meanwhile
/// gains less than it costs: the directory's lock and the processors' caches are shared.
const MOSTLY: u32 = 2;

/// What all workers of a walk share.
pub(crate) struct Shared<S> {
    pub plan: Plan,
    pub backend: Backend,
    pub min_depth: u32,
    pub max_depth: u32,
    pub post_order: bool,
    pub siblings_first: bool,
    pub dots: bool,
    pub queue: Queue<S>,
    pub parking: Parking,
    pub pace: Pace,
    /// Directories and batches that are not finished; the walk ends when there are none.
    pub pending: AtomicUsize,
    pub stopped: AtomicBool,
    pub cancel: Option<Cancel>,
    /// From which state of `cancel` on the walk ends at once.
    pub ends_at: u8,
    pub held: Arc<Held>,
    /// How many handles may wait for their children to be opened.
    pub held_limit: usize,
    /// Chunks that batches share: a bound on buffers in flight.
    pub chunks: AtomicUsize,
    /// Each file is handed on once.
    pub unique: Option<Unique>,
    /// Where workers are that ask for metadata, in a walk in which others look.
    pub posts: Mutex<Vec<Arc<Post<S>>>>,
    pub watches: bool,
    /// There is a guard, or there was to be one.
    pub is_guarded: AtomicBool,
    pub lacking: Lacking,
    /// Memory for grown buffers; made with the first of them.
    pub pool: OnceLock<Arc<Pool>>,
    pub needs: Needs,
    /// The visitor drafts what it makes of entries before their turn.
    pub drafts: bool,
    pub wants_leave: bool,
    /// Directories are left by their parent's handle: see `keep.rs`.
    pub removes: bool,
    /// Descriptors to make room for before the first thread starts.
    pub descriptors: u64,
}

impl<S> Shared<S> {
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel_state() >= self.ends_at
    }

    #[inline]
    fn cancel_state(&self) -> u8 {
        self.cancel.as_ref().map_or(0, Cancel::state)
    }

    /// Whether directories that were not entered yet are handed back.
    #[inline]
    fn hands_back(&self) -> bool {
        self.cancel_state() == BOUNDARY
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.parking.wake_all();
    }

    /// Whether nothing is left to do, or nothing more shall be done.
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.pending.load(Ordering::Acquire) == 0
    }

    /// Whether entries are handed on a few at a time: see `hand_on_in_slices`.
    pub fn slices(&self) -> bool {
        self.removes && self.unique.is_none()
    }

    /// Units that nobody works on yet, by and large.
    fn waiting_units(&self) -> usize {
        match &self.queue {
            Queue::Turns(turns) => turns.unread(self.pace.target()),
            _ => self.pending.load(Ordering::Relaxed).saturating_sub(self.pace.target()),
        }
    }

    pub fn added(&self, units: usize) {
        self.pending.fetch_add(units, Ordering::Relaxed);
    }

    pub fn finished(&self) {
        if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.parking.wake_all();
        }
    }
}

/// The right to start workers.
pub(crate) type Team<'scope, 'env, V> = Spawner<'scope, 'env, Worker<'scope, 'env, V>, (V, Stats)>;

/// One thread's part of a walk.
pub(crate) struct Worker<'scope, 'env, V: Driver> {
    pub shared: Arc<Shared<V::State>>,
    pub visitor: V,
    spawner: Option<Team<'scope, 'env, V>>,
    pub own: Deque<Unit<V::State>>,
    /// 0 is the calling thread; others are suspended from the highest down.
    pub index: usize,
    /// The path of `prefix_of`, with a separator at the end.
    pub prefix: Vec<u8>,
    pub prefix_of: Option<Arc<Node<V::State>>>,
    /// Where handles are scarce: the last directory that was given up, or reached again, by this
    /// worker.
    pub near: Option<Near<V::State>>,
    pub scratch: Scratch,
    spare: Option<Buffer>,
    /// The part of the pool that the buffer takes which is being filled.
    pub lease: Option<Lease>,
    /// When the first read of the directory ended, where that was looked at.
    pub read_at: Option<Instant>,
    /// The roots of an ordered walk.
    pub roots: Option<Arc<Place<V::State>>>,
    sample: Sample,
    /// When the last unit ended.
    pub last: Instant,
    /// The unit that is ending was mostly reading, in a directory that goes on.
    mostly_reads: bool,
    requests_before: u64,
    /// Where others see what it asks for.
    pub post: Option<Arc<Post<V::State>>>,
    /// Errors were reported before, by another worker.
    pub is_mute: bool,
    pub stats: Stats,
}

/// Where a child is opened from.
pub(crate) struct Parent<'a, S> {
    pub node: &'a Arc<Node<S>>,
    pub handle: Option<&'a Arc<Dir>>,
    /// The position of the child in an ordered walk, 0 in others.
    pub position: u32,
}

/// What became of a directory that was to be visited.
pub(crate) enum Visit<S> {
    /// The visitor does not want it, or the walk is over.
    Pruned,
    /// It was entered, but could not be opened, or must not be read.
    Unread(Node<S>),
    /// It is open; its first records, and whether they are all.
    Reading(Reading<S>, Buffer, bool),
}

impl<'scope, 'env, V: Driver> Worker<'scope, 'env, V> {
    pub fn new(
        shared: Arc<Shared<V::State>>,
        visitor: V,
        spawner: Option<Team<'scope, 'env, V>>,
        index: usize,
    ) -> Self {
        let now = Instant::now();
        let own = shared.queue.join();
        // Where there will never be another worker, nothing is decided by measurements.
        let sample = Sample::start(now, index == 0 && shared.pace.is_parallel());
        let post = shared.watches.then(Arc::<Post<V::State>>::default);
        lock(&shared.posts).extend(post.clone());
        Worker {
            shared,
            visitor,
            spawner,
            own,
            index,
            prefix: Vec::new(),
            prefix_of: None,
            near: None,
            scratch: Scratch::default(),
            spare: None,
            lease: None,
            read_at: None,
            roots: None,
            sample,
            last: now,
            mostly_reads: false,
            requests_before: 0,
            post,
            is_mute: false,
            stats: Stats::default(),
        }
    }

    /// Begins the walk with the roots.
    pub fn begin(&mut self, roots: Reading<V::State>, buffer: Buffer) {
        let shared = Arc::clone(&self.shared);
        let _end = StopOnPanic(&shared);
        let gathering = roots.gathering.clone();
        self.go_on(roots, buffer, true, 0);
        if let Some(gathering) = gathering {
            self.roots = Some(gathering);
        } else {
            // The roots were the first unit; an ordered walk ends only when all is handed on.
            self.shared.finished();
            self.shared.queue.done();
        }
        self.unit_done();
    }

    /// The calling thread's part, after [`begin`](Self::begin).
    pub fn run_to_end(mut self) -> (V, Stats) {
        if let Some(roots) = self.roots.take() {
            let shared = Arc::clone(&self.shared);
            let _end = StopOnPanic(&shared);
            let mut emission = self.emission(&roots);
            while self.emit_step(&mut emission) {}
            self.shared.finished();
        }
        self.run()
    }

    /// Works until the walk is over.
    pub fn run(mut self) -> (V, Stats) {
        let shared = Arc::clone(&self.shared);
        let _end = StopOnPanic(&shared);
        if self.index == GUARD {
            self.stand_guard();
        }
        while !self.shared.is_over() {
            if self.is_suspended() {
                self.suspend();
            } else if !self.step() {
                self.park();
            }
        }
        self.let_write(false);
        if self.shared.is_stopped() {
            // Whoever cancels a walk does not wake its workers.
            self.shared.parking.wake_all();
        }
        (self.visitor, self.stats)
    }

    /// Whether fewer workers are wanted than this one's number says.
    pub fn is_suspended(&self) -> bool {
        self.index >= self.shared.pace.target()
    }

    /// Does one unit of work; `false` if there is none.
    pub fn step(&mut self) -> bool {
        let Some(unit) = self.shared.queue.pop(&self.own, &self.shared.pace) else {
            return false;
        };
        self.perform(unit);
        if self.shared.queue.done() {
            self.shared.parking.wake_all();
        }
        self.unit_done();
        true
    }

    pub fn perform(&mut self, unit: Unit<V::State>) {
        match unit {
            Unit::Open(run) if self.shared.hands_back() => self.hand_back(run),
            Unit::Open(run) => self.open_first(run),
            Unit::Continue(reading, ordinal) => self.read_on(reading, ordinal),
            Unit::Batch(chunk, range) => self.batch(chunk, range),
            Unit::Again(chunk, range) => self.again(chunk, range),
            Unit::Ahead(contents, claim) => self.read_claimed(&contents, &claim),
        }
    }

    fn park(&mut self) {
        self.let_write(true);
        let shared = &self.shared;
        shared.parking.park(|| shared.is_over() || self.is_suspended() || shared.queue.has_work());
        self.rested();
    }

    fn suspend(&mut self) {
        self.let_write(true);
        let shared = &self.shared;
        // The bell may have rung for this worker: somebody else must hear it.
        shared.parking.wake();
        let recalled = || shared.is_over() || !self.is_suspended();
        shared.parking.suspend(None, recalled);
        self.rested();
    }

    /// Time spent parked is neither work nor waiting for storage.
    pub fn rested(&mut self) {
        let now = Instant::now();
        self.sample.elsewhere(now - self.last);
        self.last = now;
    }

    /// Lets the visitor write what it has buffered; that time is not the storage's.
    pub fn let_write(&mut self, slow: bool) {
        let Breath { flow, waited, requests } = self.visitor.breathe(slow);
        self.stats.calls.visitor += requests;
        if flow == Flow::Stop {
            self.shared.stop();
        }
        self.sample.elsewhere(waited);
    }

    /// A unit has ended: let the visitor write, measure, spawn.
    pub fn unit_done(&mut self) {
        let now = Instant::now();
        let slow = now - self.last > SLOW_UNIT;
        self.last = now;
        self.let_write(slow);
        let requests = self.stats.calls.total() - self.requests_before;
        self.requests_before += requests;
        let shared = &self.shared;
        let little = std::mem::take(&mut self.mostly_reads);
        let pending = || match shared.waiting_units() {
            // The directory that this worker reads.
            1 if little => (0, shared.parking.idle()),
            units => (units, shared.parking.idle()),
        };
        if shared.pace.unit_done(&mut self.sample, now, requests, slow, pending) {
            shared.parking.wake_all();
            self.spawn_wanted();
        }
    }

    /// Starts the workers that the target asks for.
    #[cold]
    pub fn spawn_wanted(&mut self) {
        while let Some(index) = self.shared.pace.claim_spawn() {
            if !self.start(index) {
                break;
            }
        }
    }

    /// Starts a worker whose place was claimed; `false` if the system refuses.
    pub fn start(&mut self, index: usize) -> bool {
        let Some(spawner) = self.spawner else { return false };
        if index == 1 || index == GUARD {
            reserve_descriptors(self.shared.descriptors);
        }
        let shared = Arc::clone(&self.shared);
        let (number, name) = match index {
            GUARD => (MOST_THREADS, "brisk-guard".to_owned()),
            index => (index, format!("brisk-{index}")),
        };
        let Some(visitor) = self.visitor.fork(number) else { return false };
        let worker = Worker::new(shared, visitor, Some(spawner), index);
        let Some(refused) = spawner.spawn(worker, name) else { return true };
        self.visitor.merge(refused.visitor);
        if index != GUARD {
            self.shared.pace.refused();
        }
        false
    }

    pub fn add(&mut self, unit: Unit<V::State>) {
        self.shared.queue.push(&self.own, unit);
        self.shared.parking.wake();
    }

    /// Opens and reads the first child of a run; the rest goes back first, so that others find it.
    fn open_first(&mut self, run: Run<V::State>) {
        if let Some(rest) = run.rest() {
            self.shared.queue.push_rest(&self.own, rest);
            self.shared.parking.wake();
        }
        let parent = Parent { node: run.parent(), handle: run.handle(), position: 0 };
        match self.visit_dir(&parent, run.first(), None) {
            Visit::Reading(reading, buffer, complete) => {
                // Its handle may be the last of a directory that is removed before this ends: what is
                // pinned is not forgotten by the kernel, and each directory above is the slower to go.
                drop(run);
                self.go_on(reading, buffer, complete, 0);
            }
            Visit::Unread(node) if self.shared.removes => {
                self.depart_unread(Arc::new(node), run.handle());
            }
            Visit::Pruned if self.shared.removes => self.passed_over(run.parent(), run.handle()),
            Visit::Unread(node) => {
                if self.shared.wants_leave {
                    self.leave(&Arc::new(node), run.parent(), Outcome::Unread);
                    self.leave_finished(Arc::clone(run.parent()));
                }
            }
            Visit::Pruned => {
                if self.shared.wants_leave {
                    self.leave_finished(Arc::clone(run.parent()));
                }
            }
        }
        self.shared.finished();
    }

    /// The walk was cancelled: the directories of a run are handed back. Their parent is never left.
    #[cold]
    fn hand_back(&mut self, run: Run<V::State>) {
        let mut next = Some(run);
        while let Some(run) = next {
            if let Some(cancel) = &self.shared.cancel {
                cancel.hand_back(run.parent(), run.first());
            }
            next = run.rest();
            self.shared.finished();
        }
    }

    /// Enters one directory: asks the visitor, opens it relative to its parent's handle, reads its
    /// first records.
    pub fn visit_dir(
        &mut self,
        parent: &Parent<'_, V::State>,
        child: Child<'_>,
        gathering: Option<Arc<Place<V::State>>>,
    ) -> Visit<V::State> {
        self.set_prefix(parent.node);
        let Some(state) = self.ask_to_enter(parent.node, child) else { return Visit::Pruned };
        let mut node = self.node(parent, child, state);
        let opened = self.open(parent, child);
        let above = self.prefix.len();
        self.extend_prefix(child.name);
        let handle = match opened {
            Ok(handle) => Arc::new(handle),
            Err(error) => {
                self.prefix.truncate(above);
                self.not_opened(&node, error);
                return Visit::Unread(node);
            }
        };
        if !self.show_opened(&mut node, &handle) {
            self.prefix.truncate(above);
            return Visit::Pruned;
        }
        let mut buffer = self.spare_buffer();
        let (complete, read_on) = self.read_first(&node, &handle, &mut buffer);
        node.dot_ino = self.dot_ino(&handle, &buffer);
        let complete = self.report_read(&node, complete);
        if self.is_loop(&node, &handle) {
            self.prefix.truncate(above);
            self.spare = Some(buffer);
            return Visit::Unread(node);
        }
        if self.shared.plan.one_file_system && node.depth() == 0 {
            node.root_dev = handle.stat_self(Fields::DEV).ok().and_then(|m| m.dev()).unwrap_or(0);
            self.stats.calls.stat += 1;
        }
        self.show_listing(&mut node, &handle, &buffer, complete);
        let node = Arc::new(node);
        self.prefix_of = Some(Arc::clone(&node));
        self.stats.directories += 1;
        let (held, limit) = (&self.shared.held, self.shared.held_limit);
        let lasting = if complete { None } else { Held::hold(held, limit).map(Arc::new) };
        let reading = Reading { node, handle, lasting, gathering, read_on };
        Visit::Reading(reading, buffer, complete)
    }

    /// Hands a buffer's entries on; if the directory has more, that is another unit, which others may
    /// take while this worker is busy with the entries.
    pub fn go_on(
        &mut self,
        reading: Reading<V::State>,
        buffer: Buffer,
        complete: bool,
        ordinal: u32,
    ) {
        let goes_on = !complete && !self.shared.is_stopped();
        let next = (goes_on && !reading.stops_after_chunk()).then(|| {
            // Counted for itself: it may end before this chunk does.
            reading.part_begins();
            self.shared.added(1);
            Unit::Continue(reading.clone(), ordinal + 1)
        });
        let chunk =
            Arc::new(Chunk { lease: self.lease.take(), ..Chunk::new(reading, buffer, ordinal) });
        let mut range = 0..chunk.buffer.len();
        // Where handles are scarce, a directory is read to its end before its children are opened.
        let (before, after) = if chunk.reading.lasts() { (next, None) } else { (None, next) };
        if let Some(unit) = before {
            if chunk.reading.read_on.asks_first {
                range = self.ask_first(&chunk, unit);
            } else {
                self.add(unit);
            }
            if self.shared.pace.is_alone() && self.expects_requests(&chunk) {
                // There is work for two, before the first of many entries is asked about.
                self.unit_done();
            }
        }
        if goes_on && self.shared.pace.chooses_the_second() {
            self.sift_alone(&chunk, range);
        } else {
            self.sift(&chunk, range);
        }
        after.into_iter().for_each(|unit| self.add(unit));
        self.chunk_done(chunk);
    }

    /// Whether entries will probably have to be asked about, one by one.
    fn expects_requests(&self, chunk: &Chunk<V::State>) -> bool {
        let plan = &self.shared.plan;
        chunk.buffer.told() == 0 && (!plan.likely.is_empty() || plan.asks_for_itself())
    }

    /// Hands on a part of a directory that goes on, and sees whether that takes long enough for a second worker to
    /// read on meanwhile.
    fn sift_alone(&mut self, chunk: &Arc<Chunk<V::State>>, range: Range<usize>) {
        let (read, began) = (self.last, Instant::now());
        self.sift(chunk, range);
        self.mostly_reads = began.elapsed() * MOSTLY < began - read;
    }

    /// A part of a directory, and of its chunk, has been handed on.
    fn chunk_done(&mut self, chunk: Arc<Chunk<V::State>>) {
        if chunk.reading.gathering.is_none() && !self.shared.wants_leave {
            self.release(chunk);
            return;
        }
        // The handle may be closed before the directory is left: its entries are about to go.
        let reading = chunk.reading.clone();
        self.release(chunk);
        self.part_done(reading);
    }

    /// Reads the next buffer of a directory.
    fn read_on(&mut self, mut reading: Reading<V::State>, ordinal: u32) {
        let mut buffer = self.next_buffer(reading.read_on);
        let is_full = reading.gathering.as_ref().is_some_and(|place| place.is_full());
        let complete = if is_full || reading.node.incomplete.load(Ordering::Relaxed) {
            if is_full { Err(room::full()) } else { Ok(true) }
        } else {
            self.read_next(&mut reading, &mut buffer)
        };
        self.set_prefix(&reading.node);
        let complete = self.report_read(&reading.node, complete);
        self.go_on(reading, buffer, complete, ordinal);
        self.shared.finished();
    }

    /// Another worker's records, whose requests are worth this worker's time.
    pub fn batch(&mut self, chunk: Arc<Chunk<V::State>>, range: Range<usize>) {
        if !self.shared.is_stopped() {
            self.sift(&chunk, range);
        }
        self.chunk_done(chunk);
        self.shared.finished();
    }

    /// Gives a chunk's buffer back, unless batches still need it.
    fn release(&mut self, chunk: Arc<Chunk<V::State>>) {
        let shared_by_batches = chunk.is_split.load(Ordering::Relaxed);
        if let Some(chunk) = Arc::into_inner(chunk) {
            if shared_by_batches {
                self.shared.chunks.fetch_sub(1, Ordering::Relaxed);
            }
            // The roots' records come in a buffer of another size.
            self.spare = Some(chunk.buffer).filter(|buffer| buffer.capacity() == BUFFER);
        }
    }

    /// The visitor's answer to a directory that is about to be opened.
    fn ask_to_enter(&mut self, parent: &Node<V::State>, child: Child<'_>) -> Option<V::State> {
        if self.shared.is_stopped() {
            return None;
        }
        let dir = Directory { prefix: &self.prefix, depth: parent.depth(), handle: None };
        let entry =
            Entry::new(&dir, child.name, child.ino, FileType::Directory, parent.child_depth)
                .followed(child.links == Links::Follow && parent.child_depth > 0);
        entry.condemned.set(child.note & CONDEMNED != 0);
        match self.visitor.enter(&entry, &parent.state) {
            Enter::Read(state) => Some(state),
            Enter::Prune => None,
            Enter::Stop => {
                self.shared.stop();
                None
            }
        }
    }

    fn node(
        &self,
        parent: &Parent<'_, V::State>,
        child: Child<'_>,
        state: V::State,
    ) -> Node<V::State> {
        Node::below(parent.node, child, state, parent.position)
    }

    /// Opens a child relative to its parent's handle, which is opened anew if it was given up.
    fn open(&mut self, parent: &Parent<'_, V::State>, child: Child<'_>) -> std::io::Result<Dir> {
        self.stats.calls.open += 1;
        let reached;
        let handle = match parent.handle {
            Some(handle) => handle,
            None => {
                reached = self.reach(parent.node)?;
                &reached
            }
        };
        if self.shared.plan.one_mount && !parent.node.is_top() {
            return handle.open_child_here(child.name);
        }
        handle.open_child(child.name, child.links)
    }

    /// An empty buffer of the ordinary size.
    pub fn spare_buffer(&mut self) -> Buffer {
        let mut buffer = self.spare.take().unwrap_or_else(|| Buffer::with_capacity(BUFFER));
        buffer.clear();
        buffer
    }

    /// Whether the directory ended; a read error ends it too, and is reported.
    fn report_read(&mut self, node: &Node<V::State>, complete: std::io::Result<bool>) -> bool {
        complete.unwrap_or_else(|error| {
            node.incomplete.store(true, Ordering::Relaxed);
            self.report(Operation::Read, node, error);
            true
        })
    }

    /// Whether an open directory is to be read.
    fn show_opened(&mut self, node: &mut Node<V::State>, handle: &Dir) -> bool {
        let dir = Directory { prefix: &self.prefix, depth: node.depth(), handle: Some(handle) };
        match self.visitor.opened(&dir, &mut node.state) {
            Enter::Read(()) => true,
            Enter::Prune => false,
            Enter::Stop => {
                self.shared.stop();
                false
            }
        }
    }

    fn show_listing(
        &mut self,
        node: &mut Node<V::State>,
        handle: &Dir,
        buffer: &Buffer,
        complete: bool,
    ) {
        if self.shared.needs.listing {
            let dir = Directory { prefix: &self.prefix, depth: node.depth(), handle: Some(handle) };
            let listing = Listing { entries: buffer.entries(), complete };
            self.visitor.listed(&dir, &listing, &mut node.state);
        }
    }

    /// Whether the directory is one of those above it: a bind mount leads back, or a link did so
    /// unnoticed. The inode of `.` raises the suspicion at no cost, and two stats confirm it. Deep
    /// in a tree the directories above are looked at where the parent lists another inode than `.`
    /// has, as a mount point does, and every [`LOOKS`] levels, in case a file system lists one
    /// inode for both.
    fn is_loop(&mut self, node: &Node<V::State>, handle: &Dir) -> bool {
        if node.dot_ino == 0 || self.shared.plan.one_mount {
            return false;
        }
        let is_due = node.child_depth <= LOOKS || node.child_depth.is_multiple_of(LOOKS);
        if node.ino == node.dot_ino && !is_due {
            return false;
        }
        let suspects = node.above_with(node.dot_ino);
        if suspects.is_empty() {
            return false;
        }
        self.stats.calls.stat += 1;
        let identity = handle.stat_self(IDENTITY).ok().and_then(|m| Some((m.dev()?, m.ino()?)));
        let found = suspects.iter().any(|above| self.identity(above) == identity);
        if found {
            self.report(Operation::FollowLoop, node, loop_error());
        }
        found
    }

    /// The inode of a directory as its `.` entry gives it. If links are followed, because loops are
    /// made of links, a file system that lists no `.`, or lists it without its inode, is asked for
    /// the inode.
    fn dot_ino(&mut self, handle: &Dir, buffer: &Buffer) -> u64 {
        let listed = buffer.dot_ino().filter(|ino| !NO_INODES.contains(ino));
        if listed.is_some() || !self.shared.plan.follow {
            return listed.unwrap_or(0);
        }
        self.stats.calls.stat += 1;
        handle.stat_self(Fields::INO).ok().and_then(|meta| meta.ino()).unwrap_or(0)
    }

    /// Device and inode of a directory above: by its path or, where that is too long for the system or
    /// has changed, by opening it anew.
    pub fn identity(&mut self, node: &Node<V::State>) -> Option<(u64, u64)> {
        let mut path = Vec::new();
        node.prefix_into(&mut path);
        self.stats.calls.stat += 1;
        let by_path = stat_path(self.shared.backend, bytes_to_path(&path), IDENTITY, Links::Follow);
        let meta = by_path.or_else(|_| self.reopen(node)?.stat_self(IDENTITY)).ok()?;
        Some((meta.dev()?, meta.ino()?))
    }

    /// A directory that could not be opened. One that has vanished since it was listed, or was swapped
    /// for something else, is none of the caller's business, unless the caller named it or the visitor
    /// wants to hear of it.
    #[cold]
    fn not_opened(&mut self, node: &Node<V::State>, error: std::io::Error) {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let vanished = matches!(error.kind(), NotFound | NotADirectory);
        if node.depth() == 0 || !vanished || self.shared.needs.vanished {
            self.report(Operation::Open, node, error);
        }
    }

    #[cold]
    fn report(&mut self, operation: Operation, node: &Node<V::State>, error: std::io::Error) {
        let mut path = Vec::new();
        node.prefix_into(&mut path);
        let whole = ends_open(node.name.to_bytes());
        let path = if whole { &path[..] } else { without_separator(&path) };
        self.error(Error::new(operation, bytes_to_path_buf(path), node.depth(), error));
    }

    pub fn error(&mut self, error: Error) {
        if self.is_mute {
            return;
        }
        self.stats.errors += 1;
        if self.visitor.error(error) == Flow::Stop {
            self.shared.stop();
        }
    }

    /// The path of the directory that was named to [`set_prefix`](Self::set_prefix), lent out.
    pub fn lend_prefix(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prefix)
    }

    pub fn return_prefix(&mut self, prefix: Vec<u8>) {
        self.prefix = prefix;
    }

    /// Queues the children that a directory's entries led to.
    pub fn queue_children(&mut self, reading: &Reading<V::State>, names: &mut Names) {
        if names.is_empty() || self.shared.is_stopped() {
            names.clear();
            return;
        }
        if room::is_full(self.shared.pending.load(Ordering::Relaxed) * WAITING) {
            return self.too_many_wait(&reading.node, names);
        }
        let shared = &self.shared;
        let count = names.count();
        shared.added(count);
        if shared.wants_leave {
            reading.node.unfinished.fetch_add(count, Ordering::Relaxed);
        }
        if shared.removes {
            return self.queue_kept(reading, names);
        }
        let (held, limit) = (&shared.held, shared.held_limit);
        let run = Run::new(&reading.node, &reading.handle, held, limit, names);
        names.clear();
        self.remember(&reading.node, &reading.handle, run.handle().is_some());
        self.add(Unit::Open(run));
    }

    /// There is no room for more directories that wait: what is left of this one is not read.
    #[cold]
    fn too_many_wait(&mut self, node: &Node<V::State>, names: &mut Names) {
        names.clear();
        if !node.incomplete.swap(true, Ordering::Relaxed) {
            self.report(Operation::Read, node, room::full());
        }
    }

    /// A part of a directory is done: its own reading, or a batch. The last part leaves it.
    pub fn part_done(&mut self, reading: Reading<V::State>) {
        if let Some(gathering) = &reading.gathering {
            if gathering.part_done() {
                self.publish(&reading, gathering);
            }
        } else if self.shared.removes {
            let Reading { node, handle, .. } = reading;
            self.depart_finished(node, Some(handle));
        } else if self.shared.wants_leave {
            self.leave_finished(Arc::clone(&reading.node));
        }
    }

    /// Leaves a directory if nothing in it is unfinished, and then perhaps its parent.
    fn leave_finished(&mut self, node: Arc<Node<V::State>>) {
        let mut node = node;
        while node.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
            let Some(parent) = node.parent.clone() else { return };
            self.leave(&node, &parent, node.outcome());
            node = parent;
        }
    }

    /// Leaves a directory; not in a walk that was stopped, where something below may be undone.
    pub fn leave(&mut self, node: &Arc<Node<V::State>>, parent: &Node<V::State>, outcome: Outcome) {
        if self.shared.is_stopped() {
            return;
        }
        self.set_prefix(node);
        let dir = Directory { prefix: &self.prefix, depth: node.depth(), handle: None };
        if self.visitor.leave(&dir, &node.state, &parent.state, outcome) == Flow::Stop {
            self.shared.stop();
        }
    }
}

pub(crate) fn loop_error() -> std::io::Error {
    std::io::Error::other("it leads back to a directory above it")
}

/// Ends the walk for everybody if a visitor panics, so that nobody waits for this worker's units.
struct StopOnPanic<'a, S>(&'a Shared<S>);

impl<S> Drop for StopOnPanic<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
