//! What waits to be done: the units of work, and the queue of each order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use brisk_sys::{Buffer, Dir};
use crossbeam_deque::Worker as Deque;

use crate::bulk::{Lease, ReadOn, Rest};
use crate::order::{Claim, Filled, Place, Turns};
use crate::pace::Pace;
use crate::sched::Task;
use crate::sched::levels::Levels;
use crate::sched::stealing::Stealing;
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

impl<S> Task for Unit<S> {
    fn split(&mut self) -> Option<Self> {
        match self {
            Unit::Open(run) => run.split().map(Unit::Open),
            _ => None,
        }
    }

    fn is_of_next_level(&self) -> bool {
        matches!(self, Unit::Open(_))
    }
}

/// Where units wait.
pub(crate) enum Queue<S> {
    /// Depth first by and large, in no order that is promised.
    Stealing(Stealing<Unit<S>>),
    /// Strictly by level.
    Levels(Levels<Unit<S>>),
    /// In turn: what is nearest to being handed on comes first.
    Turns(Turns<S>),
}

impl<S> Queue<S> {
    pub fn stealing() -> Queue<S> {
        Queue::Stealing(Stealing::default())
    }

    pub fn levels() -> Queue<S> {
        Queue::Levels(Levels::default())
    }

    pub fn turns(sorted: bool) -> Queue<S> {
        Queue::Turns(Turns::new(sorted))
    }

    /// A worker joins; the deque is its own end of the queue.
    pub fn join(&self) -> Deque<Unit<S>> {
        let deque = Deque::new_lifo();
        if let Queue::Stealing(stealing) = self {
            stealing.join(&deque);
        }
        deque
    }

    /// Adds a unit.
    pub fn push(&self, own: &Deque<Unit<S>>, unit: Unit<S>) {
        match self {
            Queue::Stealing(_) => own.push(unit),
            Queue::Levels(levels) => levels.push(unit),
            Queue::Turns(turns) => turns.push(unit),
        }
    }

    /// Gives back what is left of a run after its first child was taken.
    pub fn push_rest(&self, own: &Deque<Unit<S>>, run: Run<S>) {
        match self {
            Queue::Levels(levels) => levels.push_now(Unit::Open(run)),
            _ => self.push(own, Unit::Open(run)),
        }
    }

    /// The next unit for a worker; in an ordered walk it may be several directories if they are quickly
    /// read.
    pub fn pop(&self, own: &Deque<Unit<S>>, pace: &Pace) -> Option<Unit<S>> {
        match self {
            Queue::Stealing(stealing) => stealing.pop(own),
            Queue::Levels(levels) => levels.pop(),
            Queue::Turns(turns) => turns.pop(pace.is_quick(), pace.target()),
        }
    }

    /// A unit that was popped is done. `true` says that a new level has begun.
    pub fn done(&self) -> bool {
        matches!(self, Queue::Levels(levels) if levels.done())
    }

    /// Whether a worker that looks now may find something.
    pub fn has_work(&self) -> bool {
        match self {
            Queue::Stealing(stealing) => stealing.has_work(),
            Queue::Levels(levels) => levels.has_work(),
            Queue::Turns(turns) => turns.has_work(),
        }
    }
}
