//! The public entry point: what to walk, in which order, with how much at once.

use std::ffi::CString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use brisk_sys::{Backend, Buffer, Dir, FileType, Sync, limits};

use crate::bulk::ReadOn;
use crate::cancel::{BOUNDARY, Cancel, NOW, Unvisited};
use crate::driver::{Arranged, Driver, Forked, Removal, Removing, Serial};
use crate::keep::Keep;
use crate::pace::Pace;
use crate::plan::Plan;
use crate::queue::{Queue, Reading};
use crate::sched::lock;
use crate::sched::spawn::Spawner;
use crate::tree::{Held, Node};
use crate::unique::Unique;
use crate::worker::{Shared, Team, Worker};
use crate::{Error, InTurn, Operation, Parallel, Stats, Visitor};

/// Threads beyond this serve no storage better: a file system with 1 ms round trips wants 64 to 128.
const MOST_WORKERS: usize = 128;
/// The most threads, whatever the caller asks for: no storage is served better by more.
pub(crate) const MOST_THREADS: usize = 1024;

/// The order in which entries are handed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Whatever comes first: fastest, and the least memory.
    #[default]
    Unordered,
    /// Strictly by level: nothing of depth n + 1 before everything of depth n.
    Breadth,
    /// What is below a directory stays together; siblings come as the directory lists them. A
    /// directory of any size streams.
    Depth(Shape),
    /// As [`Depth`](Order::Depth), siblings by the bytes of their names: the same at every run. Holds
    /// the names of one directory and of those above it.
    Sorted(Shape),
}

impl Order {
    /// Where a directory's entry stands, if what is below it stays together.
    fn shape(self) -> Option<Shape> {
        match self {
            Order::Depth(shape) | Order::Sorted(shape) => Some(shape),
            Order::Unordered | Order::Breadth => None,
        }
    }
}

/// Where the entry of a directory stands, seen from what is below the directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Before it.
    #[default]
    Pre,
    /// After it.
    Post,
    /// Before it, and so do all of the entry's siblings: all entries of a directory come before
    /// anything that is in its subdirectories, which follow one after the other, as in `ls -R`.
    SiblingsFirst,
}

/// Which mount points are entered below the roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// All.
    #[default]
    Cross,
    /// Those that show the same device as their root. With
    /// [`Follow::Always`] the target of a link counts: a link to another device is handed on and not
    /// entered. Costs one statx a directory.
    SameDevice,
    /// None, not even those that show the same device: each is an error whose kind is
    /// [`CrossesDevices`](io::ErrorKind::CrossesDevices). Links below the roots are not followed,
    /// whatever [`Walk::follow`] says. Costs nothing on Linux: directories are opened by openat2
    /// with `RESOLVE_NO_XDEV`, or where that is missing compared with their parent once they are
    /// open.
    SameMount,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// None; a link given as a root is an entry without anything below it.
    Never,
    /// Those given as roots.
    #[default]
    Roots,
    /// All. Loops are reported as errors and not entered.
    Always,
}

/// A walk over one or more trees.
///
/// # Cost
/// For each directory one openat2, getdents64 to its end, and one close; for each root one statx, two
/// for a link that is followed; for an entry nothing, unless the visitor asks for fields that the
/// directory does not give or the file system does not tell types. On ext file systems, tmpfs and btrfs
/// the last record marks the end, so that one getdents64 reads a small directory; which file system it
/// is, is asked once a mount (fstatfs). Elsewhere, and without openat2, getdents64 is repeated until it
/// returns 0. No thread is started for a small warm tree.
///
/// # Platforms
/// Linux and Windows have native readers, which open each directory relative to its parent's handle
/// (on Windows metadata comes with the names). Elsewhere, and with [`Backend::Portable`], `std::fs`
/// is used: it asks by path, and so follows a parent directory that is swapped for a link during
/// the walk.
///
/// # Example
/// ```
/// # fn main() -> std::io::Result<()> {
/// # let scratch = tempfile::tempdir()?;
/// # std::fs::create_dir(scratch.path().join("src"))?;
/// # std::fs::write(scratch.path().join("src/lib.rs"), "")?;
/// # let root = scratch.path();
/// use brisk::{Order, Shape, Walk};
///
/// let mut names = Vec::new();
/// for entry in Walk::new(root).order(Order::Sorted(Shape::Pre)).min_depth(1) {
///     names.push(entry.map_err(std::io::Error::other)?.file_name().to_owned());
/// }
/// assert_eq!(names, ["src", "lib.rs"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    pub(crate) roots: Vec<Root>,
    pub(crate) order: Order,
    pub(crate) dots: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) max_in_flight: usize,
    pub(crate) min_depth: usize,
    pub(crate) max_depth: usize,
    pub(crate) mounts: Mounts,
    /// No mount point is entered, whatever `mounts` says.
    pub(crate) stays_on_mount: bool,
    pub(crate) follow: Follow,
    pub(crate) unique: bool,
    pub(crate) sync: Sync,
    pub(crate) backend: Backend,
    pub(crate) handle_limit: Option<usize>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) unvisited: Vec<Unvisited>,
}

impl Walk {
    /// A walk over the tree at `root`.
    #[must_use]
    pub fn new(root: impl AsRef<Path>) -> Walk {
        Walk::over([root])
    }

    /// A walk over several trees.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Walk {
        Walk {
            roots: roots.into_iter().map(|root| Root::unknown(root.as_ref())).collect(),
            order: Order::default(),
            dots: false,
            threads: None,
            max_in_flight: MOST_WORKERS,
            min_depth: 0,
            max_depth: usize::MAX,
            mounts: Mounts::default(),
            stays_on_mount: false,
            follow: Follow::default(),
            unique: false,
            sync: Sync::default(),
            backend: Backend::default(),
            handle_limit: None,
            cancel: None,
            unvisited: Vec::new(),
        }
    }

    /// Adds a root. In an ordered walk roots come in the order they were added.
    #[must_use]
    pub fn root(mut self, root: impl AsRef<Path>) -> Walk {
        self.roots.push(Root::unknown(root.as_ref()));
        self
    }

    /// Adds a root that is known to be a directory, or a link to one: no stat is made to find out.
    /// Where it is handed on, [`Entry::is_followed_link`](crate::Entry::is_followed_link) says that it
    /// is one, unless links are followed never.
    #[must_use]
    pub fn directory(mut self, root: impl AsRef<Path>) -> Walk {
        let path = root.as_ref().to_owned();
        self.roots.push(Root { path, file_type: FileType::Directory });
        self
    }

    /// The order of entries; [`Order::Unordered`] by default.
    #[must_use]
    pub fn order(self, order: Order) -> Walk {
        Walk { order, ..self }
    }

    /// Hands on `.` and `..` among the entries of each directory, where the system lists them (Linux:
    /// all but some FUSE file systems; elsewhere: no). They are never entered.
    #[must_use]
    pub fn dots(self, dots: bool) -> Walk {
        Walk { dots, ..self }
    }

    /// Exactly this many workers, as soon as there is work for them; at most 1,024, and four open
    /// files for each. By default as many as pay.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Walk {
        Walk { threads, ..self }
    }

    /// At most this many requests at once, whatever is measured; 128 by default. For storage that is
    /// shared with others.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Walk {
        Walk { max_in_flight: max_in_flight.max(1), ..self }
    }

    /// Hands on only entries at least this deep; a root's depth is 0, which is the default. Less deep
    /// directories are entered, unless the visitor drops them.
    #[must_use]
    pub fn min_depth(self, min_depth: usize) -> Walk {
        Walk { min_depth, ..self }
    }

    /// Enters only directories less deep than this; no limit by default.
    #[must_use]
    pub fn max_depth(self, max_depth: usize) -> Walk {
        Walk { max_depth, ..self }
    }

    /// Which mount points are entered; [`Mounts::Cross`] by default.
    #[must_use]
    pub fn mounts(self, mounts: Mounts) -> Walk {
        Walk { mounts, ..self }
    }

    /// Which links are followed; [`Follow::Roots`] by default. [`Follow::Always`] costs one statx a
    /// link.
    #[must_use]
    pub fn follow(self, follow: Follow) -> Walk {
        Walk { follow, ..self }
    }

    /// Hands each file and directory on once, whatever the number of links, roots or mounts that
    /// lead to it. Costs one statx an entry, and at most 24 bytes for each file with several links
    /// and, unless the walk keeps to [one mount](Mounts::SameMount), for each directory. Files with
    /// one link are remembered only where links are followed or one of several roots is a file.
    #[must_use]
    pub fn unique(self, unique: bool) -> Walk {
        Walk { unique, ..self }
    }

    /// Takes metadata that a network file system's client has, which may be stale
    /// (`AT_STATX_DONT_SYNC`). Off by default; without effect on other systems than Linux.
    #[must_use]
    pub fn cached(self, cached: bool) -> Walk {
        Walk { sync: if cached { Sync::Cached } else { Sync::AsStat }, ..self }
    }

    /// How the file system is read; [`Backend::Native`] by default.
    #[must_use]
    pub fn backend(self, backend: Backend) -> Walk {
        Walk { backend, ..self }
    }

    /// At most about this many directories are kept open. By default half of what the process may
    /// open.
    #[must_use]
    pub fn handle_limit(self, handle_limit: usize) -> Walk {
        Walk { handle_limit: Some(handle_limit), ..self }
    }

    /// Lets the caller cancel the walk.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Walk {
        Walk { cancel: Some(cancel.clone()), ..self }
    }

    /// Goes on where a walk of the same settings was cancelled at a boundary: visits what is in these
    /// directories, in no order, instead of the roots. A directory's own entry was handed on before.
    /// The states of the directories above are those of [`Visitor::top`](crate::Visitor::top), and
    /// these directories are not left.
    #[must_use]
    pub fn resume(self, unvisited: Vec<Unvisited>) -> Walk {
        let order = match self.order {
            Order::Breadth => Order::Breadth,
            _ => Order::Unordered,
        };
        Walk { roots: Vec::new(), order, unvisited, ..self }
    }

    /// Walks on the calling thread alone.
    pub fn visit<V: Visitor>(self, visitor: V) -> (V, Stats) {
        let visitor = Serial(visitor);
        let start = Start::new(Walk { threads: NonZeroUsize::new(1), ..self }, &visitor);
        let began = Instant::now();
        let mut worker = start.worker(visitor, None);
        start.begin(&mut worker);
        let (visitor, stats) = start.end(began, worker.run_to_end(), Vec::new());
        (visitor.0, stats)
    }

    /// Walks with as many workers as pay, the calling thread among them. Others are started when there
    /// is work for them and measuring says so, and have ended when this returns.
    pub fn visit_parallel<V: Parallel>(self, visitor: V) -> (V, Stats) {
        let (visitor, stats) = self.visit_from(None, Forked(visitor));
        (visitor.0, stats)
    }

    /// As [`visit_parallel`](Walk::visit_parallel), for a visitor that chooses the order of siblings or
    /// lays out whole directories. An order in which directories do not stay together becomes
    /// [`Order::Depth`].
    pub fn visit_in_turn<V: InTurn>(self, visitor: V) -> (V, Stats) {
        let order = match self.order {
            Order::Unordered | Order::Breadth => Order::Depth(Shape::Pre),
            order => order,
        };
        let (visitor, stats) = Walk { order, ..self }.visit_from(None, Arranged(visitor));
        (visitor.0, stats)
    }

    /// Removes directories as they are left: below directories that are open already, or from the
    /// roots.
    pub(crate) fn visit_removing<V: Removal>(
        self,
        tops: Option<Vec<Top>>,
        visitor: V,
    ) -> (V, Stats) {
        // What is left below must be gone before a directory is: no order can promise more.
        let walk = Walk { order: Order::Unordered, ..self };
        let (visitor, stats) = walk.visit_from(tops, Removing(visitor));
        (visitor.0, stats)
    }

    fn visit_from<V: Driver + Send>(self, tops: Option<Vec<Top>>, visitor: V) -> (V, Stats) {
        let start = Start::new(self, &visitor);
        let began = Instant::now();
        let finished = Mutex::default();
        let mine = std::thread::scope(|scope| {
            let spawner = Spawner::new(scope, &finished, Worker::run);
            let mut worker = start.worker(visitor, Some(spawner));
            match tops {
                Some(tops) => start.begin_below(&mut worker, tops),
                None => start.begin(&mut worker),
            }
            worker.run_to_end()
        });
        let others = std::mem::take(&mut *lock(&finished));
        start.end(began, mine, others)
    }
}

/// Where a walk begins.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    path: PathBuf,
    file_type: FileType,
}

impl Root {
    /// A root whose type the plan asks for, in the same way as for any entry.
    fn unknown(path: &Path) -> Root {
        Root { path: path.to_owned(), file_type: FileType::Unknown }
    }
}

/// A directory that roots are named in.
pub(crate) struct Top {
    /// What stands before each root's name where paths are shown: empty, or with a separator at its end.
    pub prefix: CString,
    pub handle: Arc<Dir>,
    /// The roots, as records.
    pub roots: Buffer,
}

/// A walk that has been set up.
pub(crate) struct Start<S> {
    roots: Vec<Root>,
    unvisited: Vec<Unvisited>,
    pub shared: Arc<Shared<S>>,
}

impl<S: Send + std::marker::Sync> Start<S> {
    pub fn new<V: Driver<State = S>>(walk: Walk, visitor: &V) -> Start<S> {
        let needs = visitor.needs();
        let one_mount = walk.stays_on_mount || walk.mounts == Mounts::SameMount;
        let queue = match walk.order {
            Order::Sorted(_) => Queue::turns(true),
            Order::Depth(_) => Queue::turns(false),
            Order::Breadth => Queue::levels(),
            Order::Unordered => Queue::stealing(),
        };
        let handles = walk
            .handle_limit
            .unwrap_or_else(|| usize::try_from(limits::open_files() / 2).unwrap_or(usize::MAX));
        // A worker has a directory open, and perhaps its parent.
        let cap = walk.max_in_flight.min(MOST_WORKERS).min(handles / 4).max(1);
        let threads =
            walk.threads.map(|threads| threads.get().min(MOST_THREADS).min((handles / 4).max(1)));
        let plan = Plan {
            follow: walk.follow == Follow::Always && !one_mount,
            follow_roots: walk.follow != Follow::Never,
            one_file_system: walk.mounts == Mounts::SameDevice,
            one_mount,
            unique: walk.unique,
            sync: walk.sync,
            likely: needs.fields,
        };
        let pace = Pace::new(cap, threads, V::REMOVES);
        let asks = !plan.likely.is_empty() || plan.asks_for_itself() || plan.follow;
        let streams = matches!(queue, Queue::Stealing(_) | Queue::Levels(_));
        // What was handed on twice would be seen twice, or removed.
        let watches = asks && streams && pace.is_parallel() && !walk.unique && !V::REMOVES;
        let siblings_first = walk.order.shape() == Some(Shape::SiblingsFirst);
        let depth = |depth: usize| u32::try_from(depth).unwrap_or(u32::MAX);
        let shared = Shared {
            plan,
            backend: walk.backend,
            min_depth: depth(walk.min_depth),
            max_depth: depth(walk.max_depth),
            post_order: walk.order.shape() == Some(Shape::Post),
            siblings_first,
            dots: walk.dots,
            queue,
            parking: Default::default(),
            pace,
            pending: AtomicUsize::new(1),
            stopped: AtomicBool::new(false),
            ends_at: if streams && !V::REMOVES { NOW } else { BOUNDARY },
            cancel: walk.cancel,
            held: Arc::<Held>::default(),
            held_limit: handles / 2,
            chunks: AtomicUsize::new(0),
            unique: walk.unique.then(|| Unique::new(walk.roots.len(), plan.follow, !one_mount)),
            posts: Mutex::default(),
            watches,
            is_guarded: AtomicBool::new(false),
            lacking: Default::default(),
            pool: Default::default(),
            needs,
            drafts: siblings_first && !walk.unique && needs.drafts,
            wants_leave: needs.leave || V::REMOVES,
            removes: V::REMOVES,
            descriptors: handles.min(1024) as u64,
        };
        Start { roots: walk.roots, unvisited: walk.unvisited, shared: Arc::new(shared) }
    }

    pub fn worker<'scope, 'env, V: Driver<State = S>>(
        &self,
        visitor: V,
        spawner: Option<Team<'scope, 'env, V>>,
    ) -> Worker<'scope, 'env, V> {
        Worker::new(Arc::clone(&self.shared), visitor, spawner, 0)
    }

    /// Hands the roots on, as if they were the entries of a directory above them.
    pub fn begin<V: Driver<State = S>>(&self, worker: &mut Worker<'_, '_, V>) {
        let buffer = self.root_records(worker);
        let node = Arc::new(Node::top(worker.visitor.top()));
        let gathering = worker.first_place();
        let handle = Arc::new(Dir::current(self.shared.backend));
        if self.shared.removes {
            let _ = node.keep.set(Box::new(Keep::always(&handle)));
        }
        if !self.unvisited.is_empty() {
            worker.resume(self.unvisited.clone());
        }
        let read_on = ReadOn::default();
        worker.begin(Reading { node, handle, lasting: None, gathering, read_on }, buffer);
    }

    /// Hands on the roots in each of these directories.
    fn begin_below<V: Driver<State = S>>(&self, worker: &mut Worker<'_, '_, V>, tops: Vec<Top>) {
        // One unit is counted from the start.
        self.shared.added(tops.len());
        for Top { prefix, handle, roots } in tops {
            let node = Node::above(prefix.into(), worker.visitor.top());
            let _ = node.keep.set(Box::new(Keep::always(&handle)));
            let node = Arc::new(node);
            let read_on = ReadOn::default();
            let (lasting, gathering) = (None, None);
            worker.begin(Reading { node, handle, lasting, gathering, read_on }, roots);
        }
        self.shared.finished();
    }

    fn root_records<V: Driver<State = S>>(&self, worker: &mut Worker<'_, '_, V>) -> Buffer {
        let bytes = self.roots.iter().map(|root| root.path.as_os_str().len() + 32).sum();
        let mut buffer = Buffer::with_capacity(bytes);
        for Root { path, file_type } in &self.roots {
            let name = path.as_os_str().as_encoded_bytes();
            let error = match CString::new(name) {
                Ok(_) if name.is_empty() => io::ErrorKind::NotFound.into(),
                Ok(_) if buffer.push_root(*file_type, name) => continue,
                Ok(_) => io::ErrorKind::InvalidFilename.into(),
                Err(error) => error.into(),
            };
            if let Some(unique) = &self.shared.unique {
                unique.roots_known(1, &[]);
            }
            worker.error(Error::new(Operation::Stat, path.clone(), 0, error));
        }
        buffer
    }

    fn end<V: Driver>(
        &self,
        began: Instant,
        mine: (V, Stats),
        others: Vec<(V, Stats)>,
    ) -> (V, Stats) {
        let (mut visitor, mut stats) = mine;
        for (other, counts) in others {
            visitor.merge(other);
            stats.add(&counts);
        }
        stats.wall = began.elapsed();
        stats.peak_workers = self.shared.pace.peak();
        stats.waiting = self.shared.pace.waiting_share();
        (visitor, stats)
    }
}
