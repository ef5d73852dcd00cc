//! What waits to be done, and who gets it: the work queues of an unordered and a breadth-first walk,
//! and the lot where workers park while there is nothing for them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use brisk_sys::{Buffer, Dir};
use crossbeam_deque::{Steal, Stealer, Worker as Deque};

use crate::bulk::{Lease, ReadOn, Rest};
use crate::order::{Claim, Filled, Place, Turns};
use crate::pace::Pace;
use crate::tree::{Hold, Node, Run};

/// A directory in the middle of its reading.
pub(crate) struct Reading<S> {
    pub node: Arc<Node<S>>,
    pub handle: Arc<Dir>,
    /// Allows the handle to stay open while others are worked on.
    pub lasting: Option<Arc<Hold>>,
    /// Where an ordered walk collects the directory's entries until its turn comes.
    pub gathering: Option<Arc<Place<S>>>,
    pub read_on: ReadOn,
}

impl<S> Reading<S> {
    /// Whether the directory may stay open in mid-reading while others are worked on.
    pub fn lasts(&self) -> bool {
        self.lasting.is_some()
    }

    /// Whether the rest waits until this chunk was handed on; notes that there is a rest.
    pub fn stops_after_chunk(&self) -> bool {
        self.lasts() && self.gathering.as_ref().is_some_and(|it| it.stops_after_chunk())
    }

    /// A batch of its entries is about to be queued.
    pub fn part_begins(&self) {
        match &self.gathering {
            Some(gathering) => gathering.part_begins(),
            None => drop(self.node.unfinished.fetch_add(1, Ordering::Relaxed)),
        }
    }
}

impl<S> Clone for Reading<S> {
    fn clone(&self) -> Self {
        Reading {
            node: Arc::clone(&self.node),
            handle: Arc::clone(&self.handle),
            lasting: self.lasting.clone(),
            gathering: self.gathering.clone(),
            read_on: self.read_on,
        }
    }
}

/// One buffer of a directory's records. Batches of it share it; the last one returns the buffer.
pub(crate) struct Chunk<S> {
    pub reading: Reading<S>,
    pub buffer: Buffer,
    /// How many chunks of the directory came before.
    pub ordinal: u32,
    /// Whether batches share it.
    pub is_split: AtomicBool,
    /// What waits until its first entries were asked about.
    pub rest: Mutex<Option<Rest<S>>>,
    /// The part of the pool that its buffer takes.
    #[expect(dead_code, reason = "dropping it gives the part back")]
    pub lease: Option<Lease>,
}

impl<S> Chunk<S> {
    pub fn new(reading: Reading<S>, buffer: Buffer, ordinal: u32) -> Chunk<S> {
        let (is_split, rest) = (AtomicBool::new(false), Mutex::new(None));
        Chunk { reading, buffer, ordinal, is_split, rest, lease: None }
    }
}

/// A unit of work.
pub(crate) enum Unit<S> {
    /// Children to be opened and read.
    Open(Run<S>),
    /// The next buffer of a directory that is being read.
    Continue(Reading<S>, u32),
    /// Records of a chunk, whose requests are worth another worker's time.
    Batch(Arc<Chunk<S>>, Range<usize>),
    /// Records that a stuck worker had ready.
    Again(Arc<Chunk<S>>, Range<usize>),
    /// Directories of an ordered walk, to be read before their turn comes.
    Ahead(Filled<S>, Claim<S>),
}

/// Where units wait.
pub(crate) enum Queue<S> {
    /// Each worker has a stack of its own, and steals the oldest from others: depth first by and
    /// large, in no order that is promised.
    Stealing(RwLock<Vec<Stealer<Unit<S>>>>),
    /// Strictly by level: the next level waits until nothing of this one is left.
    Levels(Mutex<Levels<S>>),
    /// In turn: what is nearest to being handed on comes first.
    Turns(Turns<S>),
}

/// The levels of a breadth-first walk.
pub(crate) struct Levels<S> {
    now: VecDeque<Unit<S>>,
    next: VecDeque<Unit<S>>,
    /// Units of this level that wait or are worked on; a run counts as long as any of it is left.
    unfinished: usize,
}

impl<S> Default for Levels<S> {
    fn default() -> Self {
        // The roots are the first unit, which no queue holds.
        Levels { now: VecDeque::new(), next: VecDeque::new(), unfinished: 1 }
    }
}

impl<S> Queue<S> {
    pub fn stealing() -> Queue<S> {
        Queue::Stealing(RwLock::default())
    }

    pub fn levels() -> Queue<S> {
        Queue::Levels(Mutex::default())
    }

    pub fn turns(sorted: bool) -> Queue<S> {
        Queue::Turns(Turns::new(sorted))
    }

    /// A worker joins; the deque is its own end of the queue.
    pub fn join(&self) -> Deque<Unit<S>> {
        let deque = Deque::new_lifo();
        if let Queue::Stealing(stealers) = self {
            let mut stealers = stealers.write().unwrap_or_else(PoisonError::into_inner);
            stealers.push(deque.stealer());
        }
        deque
    }

    /// Adds a unit.
    pub fn push(&self, own: &Deque<Unit<S>>, unit: Unit<S>) {
        match self {
            Queue::Stealing(_) => own.push(unit),
            Queue::Levels(levels) => {
                let mut levels = lock(levels);
                if matches!(unit, Unit::Open(_)) {
                    levels.next.push_back(unit);
                } else {
                    levels.unfinished += 1;
                    levels.now.push_front(unit);
                }
            }
            Queue::Turns(turns) => turns.push(unit),
        }
    }

    /// Gives back what is left of a run after its first child was taken.
    pub fn push_rest(&self, own: &Deque<Unit<S>>, run: Run<S>) {
        match self {
            Queue::Levels(levels) => {
                let mut levels = lock(levels);
                levels.unfinished += 1;
                levels.now.push_front(Unit::Open(run));
            }
            _ => self.push(own, Unit::Open(run)),
        }
    }

    /// The next unit for a worker; in an ordered walk it may be several directories if they are quickly
    /// read.
    pub fn pop(&self, own: &Deque<Unit<S>>, pace: &Pace) -> Option<Unit<S>> {
        match self {
            Queue::Stealing(stealers) => own.pop().or_else(|| steal(stealers, own)),
            Queue::Levels(levels) => lock(levels).now.pop_front(),
            Queue::Turns(turns) => turns.pop(pace.is_quick(), pace.target()),
        }
    }

    /// A unit that was popped is done. `true` says that a new level has begun.
    pub fn done(&self) -> bool {
        let Queue::Levels(levels) = self else { return false };
        let mut levels = lock(levels);
        levels.unfinished = levels.unfinished.saturating_sub(1);
        if levels.unfinished > 0 {
            return false;
        }
        levels.now = std::mem::take(&mut levels.next);
        levels.unfinished = levels.now.len();
        levels.unfinished > 0
    }

    /// Whether a worker that looks now may find something.
    pub fn has_work(&self) -> bool {
        match self {
            Queue::Stealing(stealers) => {
                let stealers = stealers.read().unwrap_or_else(PoisonError::into_inner);
                stealers.iter().any(|stealer| !stealer.is_empty())
            }
            Queue::Levels(levels) => !lock(levels).now.is_empty(),
            Queue::Turns(turns) => turns.has_work(),
        }
    }
}

/// Takes the oldest unit of another worker; of a long run, half is left for others to find.
fn steal<S>(stealers: &RwLock<Vec<Stealer<Unit<S>>>>, own: &Deque<Unit<S>>) -> Option<Unit<S>> {
    let stealers = stealers.read().unwrap_or_else(PoisonError::into_inner);
    loop {
        let mut again = false;
        for stealer in stealers.iter() {
            match stealer.steal() {
                Steal::Success(Unit::Open(mut run)) => {
                    if let Some(half) = run.split() {
                        own.push(Unit::Open(half));
                    }
                    return Some(Unit::Open(run));
                }
                Steal::Success(unit) => return Some(unit),
                Steal::Retry => again = true,
                Steal::Empty => {}
            }
        }
        if !again {
            return None;
        }
    }
}

/// Where workers park. Parking and ringing cannot miss each other:
///
/// ```text
///   worker                               whoever adds work
///   lock gate                            push unit
///   idle += 1        ── fence ──         fence
///   look once more: work? ─► unlock      idle > 0 ? lock gate, ring
///   wait (unlocks gate)
/// ```
///
/// Either the worker's second look sees the unit, or the other side sees `idle` above zero and cannot
/// get the gate before the worker waits.
#[derive(Debug, Default)]
pub(crate) struct Lot {
    idle: AtomicUsize,
    gate: Mutex<()>,
    bell: Condvar,
    bench: Condvar,
    turn: Condvar,
    waits_for_turn: AtomicBool,
}

impl Lot {
    /// How many workers have nothing to do.
    pub fn idle(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Parks until the bell rings, unless `ready`. May return for no reason.
    pub fn park(&self, ready: impl Fn() -> bool) {
        let gate = self.lock();
        self.idle.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            drop(self.bell.wait(gate));
        }
        self.idle.fetch_sub(1, Ordering::SeqCst);
    }

    /// Parks a worker that is one too many until it is recalled or so much time has passed, unless `recalled`.
    pub fn sit(&self, time: Option<Duration>, recalled: impl Fn() -> bool) {
        let gate = self.lock();
        if !recalled() {
            match time {
                Some(time) => drop(self.bench.wait_timeout(gate, time)),
                None => drop(self.bench.wait(gate)),
            }
        }
    }

    /// Parks the thread that hands on in turn, unless `ready`. It is woken by its turn and by work.
    pub fn wait_turn(&self, ready: impl Fn() -> bool) {
        let gate = self.lock();
        self.waits_for_turn.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            drop(self.turn.wait(gate));
        }
        self.waits_for_turn.store(false, Ordering::SeqCst);
    }

    /// Work was added: wakes one idle worker, and the thread that waits for its turn, because the
    /// worker that added it may be benched before it comes to it.
    #[inline]
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.idle.load(Ordering::SeqCst) > 0 {
            let _gate = self.lock();
            self.bell.notify_one();
        }
        self.ring_turn();
    }

    /// Something that the thread which hands on in turn may wait for is there.
    #[inline]
    pub fn ring_turn(&self) {
        fence(Ordering::SeqCst);
        if self.waits_for_turn.load(Ordering::SeqCst) {
            let _gate = self.lock();
            self.turn.notify_one();
        }
    }

    /// Wakes everybody: the end, a new level, a raised target.
    pub fn ring_all(&self) {
        let _gate = self.lock();
        self.bell.notify_all();
        self.bench.notify_all();
        self.turn.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        lock(&self.gate)
    }
}

/// Locks; a worker that panicked ends the walk anyway, so what it left behind may be looked at.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
