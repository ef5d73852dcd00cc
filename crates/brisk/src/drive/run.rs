//! How a walk starts, runs and ends.

use std::ffi::{CStr, CString};
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Instant;

use brisk_sys::{Backend, Buffer, Dir, limits, threads};

use crate::cancel::{BOUNDARY, NOW, Unvisited};
use crate::drive::queue::UnorderedQueue;
use crate::drive::resume::queue_unvisited;
use crate::drive::shared::{Settings, Shared, StopOnPanic};
use crate::drive::task::{DirNode, Reading, WalkKind};
use crate::drive::worker::{WATCHDOG, Worker};
use crate::emit::Emit;
use crate::emit::Unordered;
use crate::emit::acting::Acting;
use crate::emit::ordered::InOrder;
use crate::emit::ordered::arrange::{self, Arrange, ByName, ByVisitor};
use crate::emit::ordered::emission::Emission;
use crate::emit::ordered::turns::Turns;
use crate::filter::Filter;
use crate::ignore::Rules;
use crate::plan::RequestPlan;
use crate::sched::lock;
use crate::sched::pace::{MAX_THREADS, Pace, most_requests};
use crate::sched::parking::Parking;
use crate::sched::spawn::{Spawn, Start, Work, run_in_thread};
use crate::sched::sync::{AtomicBool, AtomicUsize};
use crate::tree::{EmitState, HandleBudget, Node, RootHandles};
use crate::walk::{Follow, MAX_IN_FLIGHT, Mounts, Order, Root, Shape, Walk};
use crate::{Act, Error, Fields, FileType, InTurn, Operation, Parallel, Stats, Visitor};

/// An open directory, and the names of the roots in it.
pub(crate) struct OpenParent {
    /// What stands before each root's name where paths are shown: empty, or with a separator at its
    /// end.
    pub prefix: CString,
    pub handle: Arc<Dir>,
    /// The roots, as records.
    pub roots: Buffer,
}

impl Walk {
    /// Walks on the calling thread alone.
    pub fn visit<V: Visitor>(self, visitor: V) -> (V, Stats) {
        let walk = Walk { threads: NonZeroUsize::new(1), ..self };
        match walk.order {
            Order::Unordered | Order::Breadth => {
                let queue = UnorderedQueue::new(walk.order == Order::Breadth);
                serial::<V, Unordered<V::State>>(walk, visitor, queue)
            }
            Order::Depth(_) | Order::Sorted(_) => {
                let queue = Turns::new(walk.siblings());
                serial::<V, InOrder<V::State, ByName>>(walk, visitor, queue)
            }
        }
    }

    /// Walks with as many workers as pay, the calling thread among them. Others are started when
    /// there is work for them and measuring says so, and have ended when this returns.
    pub fn visit_parallel<V: Parallel>(self, visitor: V) -> (V, Stats) {
        match self.order {
            Order::Unordered | Order::Breadth => {
                let queue = UnorderedQueue::new(self.order == Order::Breadth);
                parallel::<V, Unordered<V::State>>(self, visitor, queue, None)
            }
            Order::Depth(_) | Order::Sorted(_) => {
                let queue = Turns::new(self.siblings());
                parallel::<V, InOrder<V::State, ByName>>(self, visitor, queue, None)
            }
        }
    }

    /// As [`visit_parallel`](Walk::visit_parallel), for a visitor that chooses the order of
    /// siblings or lays out whole directories. An order in which directories do not stay together
    /// becomes [`Order::Depth`].
    pub fn visit_in_turn<V: InTurn>(self, visitor: V) -> (V, Stats) {
        let order = match self.order {
            Order::Unordered | Order::Breadth => Order::Depth(Shape::Pre),
            order => order,
        };
        let walk = Walk { order, ..self };
        let queue = Turns::new(walk.siblings());
        parallel::<V, InOrder<V::State, ByVisitor>>(walk, visitor, queue, None)
    }

    /// As [`visit_parallel`](Walk::visit_parallel), for a visitor that changes the tree. It leaves
    /// each directory after everything below. Where handles are scarce and the walk opens a
    /// directory again, it accepts no other than the one that was open before. Roots that the
    /// caller has open cannot be removed: they are errors of the kind
    /// [`Unsupported`](io::ErrorKind::Unsupported) for a visitor that [removes](Act::REMOVES), and
    /// for any in an ordered walk.
    ///
    /// With [`Order::Depth`] or [`Order::Sorted`] the calling thread walks alone, and acts on one
    /// entry after the other, in that order. Everything it reads or asks about a directory it reads
    /// when the directory's turn comes.
    pub fn act<V: Act>(self, visitor: V) -> (V, Stats) {
        let stays_on_mount = self.stays_on_mount || V::REMOVES;
        let walk = Walk { stays_on_mount, ..self };
        match walk.order.shape() {
            Some(_) => walk.act_in_order(None, visitor),
            None => walk.act_in_parents(None, visitor),
        }
    }

    /// Acts on the roots that are named in these parents or, without parents, on the walk's own.
    pub(crate) fn act_in_parents<V: Act>(
        self,
        parents: Option<Vec<OpenParent>>,
        visitor: V,
    ) -> (V, Stats) {
        let walk = Walk { order: Order::Unordered, ..self };
        parallel::<V, Acting<V>>(walk, visitor, UnorderedQueue::new(false), parents)
    }

    /// As `act_in_parents`, on the calling thread alone: one entry after the other, in the walk's
    /// order.
    pub(crate) fn act_in_order<V: Act>(self, parent: Option<OpenParent>, visitor: V) -> (V, Stats) {
        let walk = Walk { threads: NonZeroUsize::new(1), ..self };
        let queue = Turns::new(walk.siblings());
        let parents = parent.map(|parent| vec![parent]);
        parallel::<V, InOrder<V::State, arrange::OneByOne>>(walk, visitor, queue, parents)
    }
}

/// What the calling thread does before it takes tasks: in an ordered walk, it delivers everything.
pub(crate) trait OnCaller<V: Visitor>: Emit<V> {
    /// How far the calling thread has come in an ordered walk.
    type Emission: Default + Send;

    /// Begins to deliver, with the roots.
    fn begin_emission(_worker: &mut Worker<'_, V, Self>, _roots: &Self::Slot) -> Self::Emission {
        Self::Emission::default()
    }

    /// Delivers what comes next in order; `false` once nothing does.
    fn deliver_next(_worker: &mut Worker<'_, V, Self>, _emission: &mut Self::Emission) -> bool {
        false
    }
}

impl<V: Visitor> OnCaller<V> for Unordered<V::State> {
    type Emission = ();
}

impl<V: Act> OnCaller<V> for Acting<V> {
    type Emission = ();
}

impl<V: Visitor, A: Arrange<V>> OnCaller<V> for InOrder<V::State, A> {
    type Emission = Option<Emission<V, A>>;

    fn begin_emission(worker: &mut Worker<'_, V, Self>, roots: &Self::Slot) -> Self::Emission {
        let roots = roots.as_ref().expect("BUG: the roots of an ordered walk have a slot");
        Some(Emission::new(worker, roots))
    }

    fn deliver_next(worker: &mut Worker<'_, V, Self>, emission: &mut Self::Emission) -> bool {
        let Some(running) = emission else { return false };
        let has_next = running.deliver_next(worker);
        if !has_next {
            *emission = None;
            worker.ledger.one_finished();
        }
        has_next
    }
}

fn drive<V: Visitor, E: OnCaller<V>>(mut worker: Worker<'_, V, E>, roots: &E::Slot) -> (V, Stats) {
    let shared = Arc::clone(&worker.shared);
    let _end = StopOnPanic(&shared);
    let mut emission = E::begin_emission(&mut worker, roots);
    while E::deliver_next(&mut worker, &mut emission) {}
    drop(emission);
    worker.run()
}

fn serial<V: Visitor, E: OnCaller<V>>(walk: Walk, visitor: V, queue: E::Queue) -> (V, Stats) {
    let began = Instant::now();
    let setup = Setup::<E>::new(walk, &visitor, queue);
    let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, None, 0);
    let roots = setup.begin(&mut worker);
    let (visitor, mut stats) = drive(worker, &roots);
    setup.end(began, &mut stats);
    (visitor, stats)
}

fn parallel<V: Parallel, E: OnCaller<V>>(
    walk: Walk,
    visitor: V,
    queue: E::Queue,
    parents: Option<Vec<OpenParent>>,
) -> (V, Stats) {
    let setup = Setup::<E>::new(walk, &visitor, queue);
    let began = Instant::now();
    let finished = Finished::default();
    let (mut visitor, mut stats) = std::thread::scope(|scope| {
        let start = |builder: Builder, work| builder.spawn_scoped(scope, work).map(drop);
        let spawner = Spawner::shared(&setup.shared, &finished, start);
        let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, Some(spawner), 0);
        let roots = match parents {
            Some(parents) => setup.begin_in_parents(&mut worker, parents),
            None => setup.begin(&mut worker),
        };
        drive(worker, &roots)
    });
    for (other, counts) in std::mem::take(&mut *lock(&finished)) {
        visitor.merge(other);
        stats.add(&counts);
    }
    setup.end(began, &mut stats);
    (visitor, stats)
}

/// The visitors and counts of workers that have ended.
pub(crate) type Finished<V> = Arc<Mutex<Vec<(V, Stats)>>>;

/// The threads of a parallel walk. The caller that gives `start` waits for their end.
pub(crate) struct Spawner<'s, V: Visitor, E: Emit<V>> {
    shared: Arc<Shared<E>>,
    finished: Finished<V>,
    start: Start<'s>,
}

impl<'s, V: Parallel + 's, E: Emit<V> + 's> Spawner<'s, V, E> {
    pub fn shared(
        shared: &Arc<Shared<E>>,
        finished: &Finished<V>,
        start: impl Fn(Builder, Work<'s>) -> io::Result<()> + Send + Sync + 's,
    ) -> Arc<dyn Spawn<'s, V> + 's> {
        let finished = Arc::clone(finished);
        Arc::new(Spawner { shared: Arc::clone(shared), finished, start: Box::new(start) })
    }
}

impl<'s, V: Parallel + 's, E: Emit<V> + 's> Spawn<'s, V> for Spawner<'s, V, E> {
    #[cold]
    fn spawn(&self, spawner: &Arc<dyn Spawn<'s, V> + 's>, visitor: &mut V, index: usize) -> bool {
        let stack = self.shared.settings.stack_size;
        let builder = threads::one_with_stack(self.shared.pace.peak(), stack);
        let Some(builder) = builder else { return false };
        let name =
            if index == WATCHDOG { "brisk-watchdog".to_owned() } else { format!("brisk-{index}") };
        // The watchdog's index is the greatest `usize`; as a visitor's number it gets the one above
        // those of all workers.
        let fork = visitor.fork(index.min(MAX_THREADS));
        let shared = Arc::clone(&self.shared);
        let worker = Worker::<V, E>::new(shared, fork, Some(Arc::clone(spawner)), index);
        let finished = Arc::clone(&self.finished);
        let start = |work| (self.start)(builder.name(name), work);
        let refused = run_in_thread(start, worker, move |worker| {
            let result = worker.run();
            lock(&finished).push(result);
        });
        let is_started = refused.is_none();
        if let Some(refused) = refused {
            visitor.merge(refused.visitor);
        }
        is_started
    }
}

/// A walk that has been set up.
pub(crate) struct Setup<E: WalkKind> {
    roots: Vec<Root>,
    root_handles: Option<Arc<RootHandles>>,
    unvisited: Vec<Unvisited>,
    pub shared: Arc<Shared<E>>,
}

impl<E: WalkKind> Setup<E> {
    #[inline(never)]
    pub fn new<V: Visitor>(walk: Walk, visitor: &V, queue: E::Queue) -> Setup<E>
    where
        E: Emit<V>,
    {
        let handle_limit = walk
            .handle_limit
            .unwrap_or_else(|| usize::try_from(limits::open_files() / 2).unwrap_or(usize::MAX));
        // A worker has open a directory, its parent and, on a way back, a third; one is a reserve.
        let max_requests = most_requests().min(handle_limit / 4).max(1);
        let max_workers = walk.max_in_flight.min(MAX_IN_FLIGHT).min(max_requests);
        let threads = walk.threads.map(|threads| threads.get().min(MAX_THREADS).min(max_requests));
        let permits = (handle_limit / 2).saturating_sub(threads.unwrap_or(max_workers));
        let pace = Pace::new(max_workers, threads, E::ACTS);
        let settings = settings::<V, E>(&walk, visitor, pace.is_parallel(), handle_limit);
        let unique = || walk.seen.clone().unwrap_or_else(|| walk.nothing_seen(walk.roots.len()));
        let shared = Shared {
            unique: walk.unique.then(unique),
            settings,
            queue,
            parking: Parking::new(),
            pace,
            ids_given: Default::default(),
            cancel: walk.cancel,
            budget: walk.budget.unwrap_or_else(|| HandleBudget::new(permits)),
            split_chunks: AtomicUsize::new(0),
            in_flight: Mutex::default(),
            has_watchdog: AtomicBool::new(false),
            lacking: Default::default(),
            pool: Default::default(),
        };
        let Walk { roots, root_handles, unvisited, .. } = walk;
        Setup { roots, root_handles, unvisited, shared: Arc::new(shared) }
    }

    /// Delivers the roots, as if they were the entries of a directory above them. Returns where
    /// they are gathered.
    #[inline(never)]
    pub fn begin<V: Visitor>(&self, worker: &mut Worker<'_, V, E>) -> E::Slot
    where
        E: Emit<V>,
    {
        let roots = self.root_records(worker);
        let handle = Arc::new(Dir::current(self.shared.settings.backend));
        self.begin_in(worker, c"", handle, roots)
    }

    /// Delivers the roots in each of these directories. An ordered walk has one, and its roots are
    /// gathered in the slot that is returned.
    fn begin_in_parents<V: Visitor>(
        &self,
        worker: &mut Worker<'_, V, E>,
        parents: Vec<OpenParent>,
    ) -> E::Slot
    where
        E: Emit<V>,
    {
        // Each parent's roots count as one item, which `Worker::begin` finishes, or in an ordered
        // walk `deliver_next`. Until all are begun, the one that `Parking::new` has counted keeps
        // the walk from being over.
        worker.ledger.add_unfinished(parents.len());
        let mut slot = E::roots_slot();
        for OpenParent { prefix, handle, roots } in parents {
            slot = self.begin_in(worker, &prefix, handle, roots);
        }
        worker.ledger.one_finished();
        slot
    }

    /// Delivers the roots in an open directory, whose paths have `prefix` before them.
    fn begin_in<V: Visitor>(
        &self,
        worker: &mut Worker<'_, V, E>,
        prefix: &CStr,
        handle: Arc<Dir>,
        roots: Buffer,
    ) -> E::Slot
    where
        E: Emit<V>,
    {
        let mut node: DirNode<E> = Node::above_roots(prefix, worker.visitor.top());
        node.rules = self.shared.settings.rules.as_ref().map(Rules::top);
        node.root_handles = self.root_handles.clone();
        node.emit_state.hold_above_roots(&handle);
        let node = Arc::new(node);
        if !self.unvisited.is_empty() {
            queue_unvisited(worker, &node, self.unvisited.clone());
        }
        let slot = E::roots_slot();
        worker.begin(Reading::without_permit(node, handle, slot.clone()), roots);
        slot
    }

    fn root_records<V: Visitor<State = E::State>>(&self, worker: &mut Worker<'_, V, E>) -> Buffer {
        let bytes = self.roots.iter().map(|root| root.path.as_os_str().len() + 32).sum();
        let mut buffer = Buffer::with_capacity(bytes);
        for root @ Root { path, file_type, .. } in &self.roots {
            let name = path.as_os_str().as_encoded_bytes();
            let error = match CString::new(name) {
                Ok(_) if name.is_empty() => io::ErrorKind::NotFound.into(),
                Ok(name) => match self.check(root, &name) {
                    Ok(()) if buffer.push_root(0, *file_type, name.to_bytes()) => continue,
                    Ok(()) => io::ErrorKind::InvalidFilename.into(),
                    Err(error) => error,
                },
                Err(error) => error.into(),
            };
            let operation = if root.is_open { Operation::Open } else { Operation::Stat };
            if let Some(unique) = &self.shared.unique {
                unique.roots_known(1, &[]);
            }
            worker.error(Error::new(operation, path.clone(), 0, error));
        }
        buffer
    }

    /// Why a root cannot be walked, if so. A handle cannot be removed, and `std::fs` cannot read
    /// one.
    fn check(&self, root: &Root, name: &CStr) -> io::Result<()> {
        let is_portable = self.shared.settings.backend == Backend::Portable;
        if root.is_open && (is_portable || E::REMOVES) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let Some(handles) = &self.root_handles else { return Ok(()) };
        handles.check(name, root.is_open)
    }

    fn end(&self, began: Instant, stats: &mut Stats) {
        stats.wall = began.elapsed();
        stats.peak_workers = self.shared.pace.peak();
        stats.waiting = self.shared.pace.waiting_share();
    }
}

/// The settings that follow from the walk's builder and from the visitor's needs.
fn settings<V: Visitor, E: Emit<V>>(
    walk: &Walk,
    visitor: &V,
    is_parallel: bool,
    handle_limit: usize,
) -> Settings {
    let needs = visitor.needs();
    let one_mount = walk.keeps_to_mount();
    let filter = walk.filter.as_ref();
    let plan = RequestPlan {
        follow: walk.follow == Follow::Always && !one_mount,
        follow_roots: walk.follow != Follow::Never,
        one_device: walk.mounts == Mounts::SameDevice,
        one_mount,
        unique: walk.unique,
        freshness: walk.freshness,
        likely: needs.fields | filter.map_or(Fields::empty(), |it| it.fields(FileType::Unknown)),
    };
    let delivers_at_once = !E::IN_ORDER && !E::ACTS;
    let needs_entry = walk.dots || filter.is_some();
    let needs_complete_rules = E::ACTS || needs.complete_rules;
    // The watchdog has records classified again: a visitor would act on them twice, and a set of
    // seen files would refuse them.
    let is_watched =
        (plan.will_request() || plan.follow) && delivers_at_once && is_parallel && !walk.unique;
    let siblings_first = walk.order.shape() == Some(Shape::SiblingsFirst);
    let may_draft = siblings_first || walk.order == Order::Depth(Shape::Pre);
    let depth = |depth: usize| u32::try_from(depth).unwrap_or(u32::MAX);
    Settings {
        plan,
        backend: walk.backend,
        min_depth: depth(walk.min_depth),
        max_depth: depth(walk.max_depth),
        post_order: walk.order.shape() == Some(Shape::Post),
        siblings_first,
        dots: walk.dots,
        filter: filter.cloned(),
        has_second_pass: filter.is_some_and(Filter::has_second_pass),
        filter_has_actions: filter.is_some_and(Filter::has_actions),
        finds_loops: needs.links && plan.follow,
        needs_entry: needs_entry || walk.rules.as_ref().is_some_and(Rules::has_markers),
        may_refuse: needs_entry || walk.rules.is_some(),
        rules: walk.rules.clone(),
        needs_complete_rules,
        reports_bad_lines: needs_complete_rules || needs.malformed_rules,
        needs,
        drafts: may_draft && !walk.unique && E::drafts(visitor),
        calls_leave: needs.leave || E::ACTS,
        is_watched: is_watched && !needs.listing_order,
        stops_at_once_from: if delivers_at_once { NOW } else { BOUNDARY },
        descriptors: handle_limit.min(1024) as u64,
        stack_size: walk.stack_size,
    }
}
