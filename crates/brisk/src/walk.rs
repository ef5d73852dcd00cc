//! The public entry point: what to walk, in which order, with how much at once.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::{AsHandle, Backend, FileType, Freshness, borrow_handle, threads};

use crate::cancel::{Cancel, Unvisited};
use crate::filter::Filter;
use crate::ignore::Rules;
use crate::tree::{HandleBudget, RootHandles};
use crate::unique::Unique;

/// The most requests in flight, unless the caller sets the number of workers: more serve no storage
/// better. A file system with 1 ms round trips wants 64 to 128.
pub(crate) const MAX_IN_FLIGHT: usize = 128;

/// The order in which entries are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As directories are read: the fastest order, and the one with the least memory.
    #[default]
    Unordered,
    /// Strictly by level: nothing of depth n + 1 before everything of depth n.
    Breadth,
    /// What is below a directory stays together; siblings come as the directory lists them. A
    /// directory of any size is delivered while it is being read.
    Depth(Shape),
    /// As [`Depth`](Order::Depth), but siblings come by the bytes of their names, so that every run
    /// has the same order. The walk holds the names of one directory and of those above it.
    Sorted(Shape),
}

impl Order {
    /// When a directory's own entry comes, in an order that keeps its contents together.
    pub(crate) fn shape(self) -> Option<Shape> {
        match self {
            Order::Depth(shape) | Order::Sorted(shape) => Some(shape),
            Order::Unordered | Order::Breadth => None,
        }
    }
}

/// When a directory's own entry comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Before its contents.
    #[default]
    Pre,
    /// After its contents.
    Post,
    /// Before its contents, and together with all of its siblings: a directory's entries come
    /// first, then the contents of each subdirectory, one after the other, as in `ls -R`.
    SiblingsFirst,
}

/// Which mount points are entered below the roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// All.
    #[default]
    Cross,
    /// Those of the device that the root is on. With [`Follow::Always`] a link's target is compared
    /// too: a link to another device is delivered and not entered. Costs one statx a directory,
    /// which starts no automount, as an open would.
    SameDevice,
    /// None, not even those of the root's own device (bind mounts): each is an error whose kind is
    /// [`CrossesDevices`](std::io::ErrorKind::CrossesDevices). Links below the roots are not
    /// followed, whatever [`Walk::follow`] says. Costs nothing on Linux, where openat2 refuses
    /// mount points (`RESOLVE_NO_XDEV`). Where openat2 is missing, each directory is compared with
    /// its parent once it is open.
    SameMount,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// None; a link that is given as a root is delivered as a link, and not entered.
    Never,
    /// Those that are given as roots.
    #[default]
    Roots,
    /// All. A link that leads to a directory above it is an error, and is not entered.
    Always,
}

/// A walk over one or more trees.
///
/// # Cost
/// For each directory one openat2, getdents64 to its end, and one close. For each root one statx,
/// and two for a link that is followed. For an entry nothing, unless the visitor asks for fields
/// that the directory does not give, or the file system does not list types. On ext file systems,
/// tmpfs and btrfs the last record marks the end, so that one getdents64 reads a small directory;
/// one fstatfs for each mount shows which file system it is. On other file systems, and where
/// openat2 is missing, getdents64 is repeated until it returns 0. No thread is started for a small
/// tree that the kernel has in memory.
///
/// # Platforms
/// Linux and Windows have native readers, which open each directory relative to its parent's handle
/// (on Windows metadata comes with the names). Elsewhere, and with [`Backend::Portable`], the walk
/// uses `std::fs`, which asks by path: if another process swaps a parent directory for a link
/// during the walk, `std::fs` follows that link.
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
    pub(crate) root_handles: Option<Arc<RootHandles>>,
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
    pub(crate) rules: Option<Rules>,
    /// `None` if every entry passes.
    pub(crate) filter: Option<Filter>,
    pub(crate) unique: bool,
    /// The files seen so far, for several walks that together deliver each file once.
    pub(crate) seen: Option<Arc<Unique>>,
    /// In depth order siblings come as GNU's fts orders them.
    pub(crate) as_fts: bool,
    pub(crate) freshness: Freshness,
    pub(crate) backend: Backend,
    pub(crate) handle_limit: Option<usize>,
    pub(crate) stack_size: usize,
    pub(crate) budget: Option<Arc<HandleBudget>>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) unvisited: Vec<Unvisited>,
}

/// In which order the entries of a directory are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiblingOrder {
    /// As the directory lists them. Each chunk has a slot, so that a directory of any size streams.
    AsListed,
    /// As GNU's fts does: those of a large directory by inode, unless that makes the file system no
    /// faster. Where fts follows all links, it does not ask the file system (`asks` is false). Each
    /// piece of the directory has a slot.
    AsFts { asks: bool },
    /// By rank. The directory is read whole.
    ByRank,
}

impl Walk {
    /// A walk over the tree at `root`.
    #[must_use]
    pub fn new(root: impl AsRef<Path>) -> Walk {
        Walk::over([root])
    }

    /// The order of siblings, in an ordered walk.
    pub(crate) fn siblings(&self) -> SiblingOrder {
        match self.order {
            Order::Sorted(_) => SiblingOrder::ByRank,
            _ if self.as_fts => SiblingOrder::AsFts { asks: self.follow != Follow::Always },
            _ => SiblingOrder::AsListed,
        }
    }

    /// Whether no mount point is entered.
    pub(crate) fn keeps_to_mount(&self) -> bool {
        self.stays_on_mount || self.mounts == Mounts::SameMount
    }

    /// An empty set of seen files, for all walks over this many roots.
    pub(crate) fn nothing_seen(&self, roots: usize) -> Arc<Unique> {
        let one_mount = self.keeps_to_mount();
        let follows = self.follow == Follow::Always && !one_mount;
        Arc::new(Unique::new(roots, follows, !one_mount))
    }

    /// A walk over several trees.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Walk {
        Walk {
            roots: roots.into_iter().map(|root| Root::unknown(root.as_ref())).collect(),
            root_handles: None,
            order: Order::default(),
            dots: false,
            threads: None,
            max_in_flight: MAX_IN_FLIGHT,
            min_depth: 0,
            max_depth: usize::MAX,
            mounts: Mounts::default(),
            stays_on_mount: false,
            follow: Follow::default(),
            rules: None,
            filter: None,
            unique: false,
            seen: None,
            as_fts: false,
            freshness: Freshness::default(),
            backend: Backend::default(),
            handle_limit: None,
            stack_size: threads::STACK,
            budget: None,
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
    /// Because it may be a link, [`Entry::is_followed_link`](crate::Entry::is_followed_link) is
    /// true for it, unless the walk follows no links ([`Follow::Never`]).
    #[must_use]
    pub fn directory(mut self, root: impl AsRef<Path>) -> Walk {
        let path = root.as_ref().to_owned();
        self.roots.push(Root { path, file_type: FileType::Directory, is_open: false });
        self
    }

    /// A walk over what is in a directory that the caller has open. Paths begin with `path`. This
    /// is [`root_at`](Walk::root_at) with a [`min_depth`](Walk::min_depth) of 1: the directory
    /// itself is not delivered, because the caller has it.
    ///
    /// `Walk::at(dir, path).max_depth(1)` reads one directory again. The walk calls
    /// [`Visitor::enter`](crate::Visitor::enter) for it, where the visitor can return a state that
    /// it has kept. [`visit`](Walk::visit) starts no thread. System calls: those of `root_at`,
    /// fstatfs, getdents64 to the end, two close; for entries none. Memory: one buffer for the
    /// listing, and about 40 small allocations, whatever the number of entries.
    ///
    /// # Example
    /// ```
    /// # #[cfg(target_os = "linux")]
    /// # fn main() -> std::io::Result<()> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::create_dir(scratch.path().join("before"))?;
    /// # std::fs::write(scratch.path().join("before/file"), "")?;
    /// # let [before, after] = ["before", "after"].map(|name| scratch.path().join(name));
    /// use brisk::Walk;
    ///
    /// let dir = std::fs::File::open(&before)?;
    /// std::fs::rename(&before, &after)?;
    /// let mut entries = Walk::at(&dir, "shown").max_depth(1).into_iter();
    /// let entry = entries.next().expect("an entry").map_err(std::io::Error::other)?;
    /// assert_eq!((entry.path(), entry.depth()), ("shown/file".as_ref(), 1));
    /// assert!(entries.next().is_none());
    /// # Ok(())
    /// # }
    /// # #[cfg(not(target_os = "linux"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn at(dir: impl AsHandle, path: impl AsRef<Path>) -> Walk {
        Walk::over::<&Path>([]).root_at(dir, path).min_depth(1)
    }

    /// Adds a root that the caller has open. On Unix `dir` is anything with a descriptor (`AsFd`),
    /// which may have been opened with `O_PATH`; on Windows anything with a handle (`AsHandle`).
    ///
    /// The walk opens the directory anew, relative to the handle, and so reads the same directory
    /// wherever its path leads by now. The walk does not read through the caller's handle: the
    /// handle's position stays where it is, and the caller may close it before the walk begins.
    /// Entries' paths begin with `path`, which no system call uses. Two handles with the same
    /// `path` are errors of the kind [`InvalidInput`](std::io::ErrorKind::InvalidInput), and so is
    /// a root that is given by the path of a handle.
    ///
    /// Errors come to [`Visitor::error`](crate::Visitor::error). A handle that is not a directory's
    /// cannot be opened. With [`Backend::Portable`], on systems without a native reader, for a
    /// visitor that [removes](crate::Act::REMOVES), and for any that acts in order, the error is
    /// [`Unsupported`](std::io::ErrorKind::Unsupported). System calls: one fcntl that duplicates
    /// the descriptor (Windows: DuplicateHandle); the walk makes one openat2 of `.` (NtCreateFile
    /// with an empty name), and no statx.
    #[must_use]
    pub fn root_at(mut self, dir: impl AsHandle, path: impl AsRef<Path>) -> Walk {
        let path = path.as_ref().to_owned();
        let handles = self.root_handles.get_or_insert_default();
        Arc::make_mut(handles).add(&path, borrow_handle(&dir));
        self.roots.push(Root { path, file_type: FileType::Directory, is_open: true });
        self
    }

    /// The order of entries; [`Order::Unordered`] by default.
    #[must_use]
    pub fn order(self, order: Order) -> Walk {
        Walk { order, ..self }
    }

    /// Delivers `.` and `..` among the entries of each directory, where the system lists them:
    /// on Linux all file systems but some of FUSE do, other systems do not. They are never entered.
    #[must_use]
    pub fn dots(self, dots: bool) -> Walk {
        Walk { dots, ..self }
    }

    /// Exactly this many workers, as soon as there is work for them, but at most 1,024, at most one
    /// for every four handles of the [`handle_limit`](Walk::handle_limit), and no more than the limit
    /// on requests of the whole process, if one is set. By default the walk measures how many are
    /// worth while.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Walk {
        Walk { threads, ..self }
    }

    /// At most this many requests at once, whatever the walk measures: for storage that other users
    /// need as well. The default is 128, and a larger number has no effect, nor has any number
    /// where [`threads`](Walk::threads) sets how many workers run. The library reads no
    /// configuration: a limit in the files of the program brisk does not apply to its walks.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Walk {
        Walk { max_in_flight: max_in_flight.max(1), ..self }
    }

    /// Delivers only entries that are at least this deep; the default is 0, the depth of roots.
    /// Directories that are less deep are entered, unless the visitor drops them.
    #[must_use]
    pub fn min_depth(self, min_depth: usize) -> Walk {
        Walk { min_depth, ..self }
    }

    /// Enters only directories that are less deep than this; without a limit by default.
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

    /// Leaves out what these ignore rules ignore: such entries are neither delivered nor entered.
    /// Roots are ignored only by [`contain`](field@crate::ignore::Options::contain). A rule file
    /// that cannot be read is an error, and the walk goes on with the other rules. A line that is no
    /// rule concerns the author of the file, and is an error only for a visitor that
    /// [needs](crate::Needs) to know. The module [`ignore`](crate::ignore) has an example, and says
    /// what rules cost.
    #[must_use]
    pub fn rules(self, rules: impl Into<Option<Rules>>) -> Walk {
        Walk { rules: rules.into(), ..self }
    }

    /// Delivers only the entries that pass. A directory that does not is entered nevertheless, unless
    /// the filter [prunes](crate::filter::Expr::Prune) it. The filter is asked by whichever worker
    /// reads the directory: about name and type before any request for the entry, and where these do
    /// not decide, with the metadata that it needs. In a walk that [acts](Walk::act) a refused entry
    /// stays as it is. A second filter replaces the first. The module [`filter`](crate::filter) has
    /// examples.
    #[must_use]
    pub fn filter(self, filter: Filter) -> Walk {
        Walk { filter: Some(filter).filter(|filter| !filter.is_all()), ..self }
    }

    /// Delivers each file and directory once, whatever the number of links, roots or mounts that
    /// lead to it. Costs one statx an entry, and at most 24 bytes for each file or directory that
    /// the walk remembers. These are files with several links and, unless the walk keeps to
    /// [one mount](Mounts::SameMount), directories; files with one link only where the walk follows
    /// links or one of several roots is a file. From about 2,000,000 of them on, most are in a file
    /// without a name in [`std::env::temp_dir`], where such a file can be made.
    #[must_use]
    pub fn unique(self, unique: bool) -> Walk {
        Walk { unique, ..self }
    }

    /// Accepts metadata from the cache of a network file system's client, which may be stale
    /// (`AT_STATX_DONT_SYNC`). Off by default; without effect on other systems than Linux.
    #[must_use]
    pub fn cached(self, cached: bool) -> Walk {
        Walk { freshness: if cached { Freshness::Cached } else { Freshness::AsStat }, ..self }
    }

    /// How the file system is read; [`Backend::Native`] by default.
    #[must_use]
    pub fn backend(self, backend: Backend) -> Walk {
        Walk { backend, ..self }
    }

    /// At most this many directories are open at once, but always enough for one worker: four. By
    /// default half of the process's limit on open files. Where the process can open no more files,
    /// a worker waits while others are at work, and reports the error if none is.
    #[must_use]
    pub fn handle_limit(self, handle_limit: usize) -> Walk {
        Walk { handle_limit: Some(handle_limit), ..self }
    }

    /// The stack of each thread that the walk starts, in bytes; by default 2 MiB, as for the standard
    /// library's threads. A visitor that recurses deeply needs more. The first worker is the calling
    /// thread and keeps its own stack. The system rounds up to whole pages and to its least stack.
    /// Where it has no address space for a stack, it starts no thread, which is not an error: the walk
    /// goes on with the workers that it has.
    #[must_use]
    pub fn stack_size(self, stack_size: usize) -> Walk {
        Walk { stack_size, ..self }
    }

    /// A budget of open handles that the walk shares with its visitor. A visitor that copies, for
    /// example, keeps a destination open for each directory. The walk takes from the budget for
    /// each handle that stays open while workers read other directories. By default the walk has a
    /// budget of its own: half its [`handle_limit`](Walk::handle_limit), less one for each worker
    /// that may run.
    #[must_use]
    pub fn handle_budget(self, budget: &Arc<HandleBudget>) -> Walk {
        Walk { budget: Some(Arc::clone(budget)), ..self }
    }

    /// Lets the caller end the walk, by this `cancel`.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Walk {
        Walk { cancel: Some(cancel.clone()), ..self }
    }
}

/// Where a walk begins.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub path: PathBuf,
    pub file_type: FileType,
    /// The caller has the root open, and gave the walk its handle.
    pub is_open: bool,
}

impl Root {
    /// A root whose type the plan asks for, in the same way as for any entry.
    fn unknown(path: &Path) -> Root {
        Root { path: path.to_owned(), file_type: FileType::Unknown, is_open: false }
    }
}
