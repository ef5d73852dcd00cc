//! The public entry point: what to walk, in which order, with how much at once.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::{AsHandle, Backend, FileType, Freshness, borrow_handle};

use crate::cancel::{Cancel, Unvisited};
use crate::tree::RootHandles;

/// Requests in flight, unless the caller says otherwise: more serve no storage better. A file
/// system with 1 ms round trips wants 64 to 128.
pub(crate) const MOST_IN_FLIGHT: usize = 128;

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
    /// As [`Depth`](Order::Depth), siblings by the bytes of their names: the same at every run.
    /// Holds the names of one directory and of those above it.
    Sorted(Shape),
}

impl Order {
    /// Where a directory's entry stands, if what is below it stays together.
    pub(crate) fn shape(self) -> Option<Shape> {
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
    /// Those that show the same device as their root. With [`Follow::Always`] the target of a link
    /// counts: a link to another device is handed on and not entered. Costs one statx a directory.
    SameDevice,
    /// None, not even those that show the same device: each is an error whose kind is
    /// [`CrossesDevices`](std::io::ErrorKind::CrossesDevices). Links below the roots are not
    /// followed, whatever [`Walk::follow`] says. Costs nothing on Linux: directories are opened by
    /// openat2 with `RESOLVE_NO_XDEV`, or where that is missing compared with their parent once they
    /// are open.
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
/// For each directory one openat2, getdents64 to its end, and one close; for each root one statx,
/// two for a link that is followed; for an entry nothing, unless the visitor asks for fields that
/// the directory does not give or the file system does not tell types. On ext file systems, tmpfs
/// and btrfs the last record marks the end, so that one getdents64 reads a small directory; which
/// file system it is, is asked once a mount (fstatfs). Elsewhere, and without openat2, getdents64
/// is repeated until it returns 0. No thread is started for a small warm tree.
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
    pub(crate) handles: Option<Arc<RootHandles>>,
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
    pub(crate) freshness: Freshness,
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
            handles: None,
            order: Order::default(),
            dots: false,
            threads: None,
            max_in_flight: MOST_IN_FLIGHT,
            min_depth: 0,
            max_depth: usize::MAX,
            mounts: Mounts::default(),
            stays_on_mount: false,
            follow: Follow::default(),
            unique: false,
            freshness: Freshness::default(),
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
    /// Where it is handed on, [`Entry::is_followed_link`](crate::Entry::is_followed_link) says that
    /// it is one, unless links are followed never.
    #[must_use]
    pub fn directory(mut self, root: impl AsRef<Path>) -> Walk {
        let path = root.as_ref().to_owned();
        self.roots.push(Root { path, file_type: FileType::Directory, is_open: false });
        self
    }

    /// A walk over what is in a directory that the caller has open, shown as `path`: as
    /// [`root_at`](Walk::root_at), from [depth](Walk::min_depth) 1 on. The directory itself is not
    /// handed on, because the caller has it.
    ///
    /// `Walk::at(dir, path).max_depth(1)` reads one directory again. Its state is the one that
    /// [`Visitor::enter`](crate::Visitor::enter) gives it, so that a visitor can hand out a state
    /// that it has kept. [`visit`](Walk::visit) starts no thread. System calls: those of `root_at`,
    /// openat2, fstatfs, getdents64 to the end, two close; for entries none. Memory: one buffer of
    /// the listing, and about 40 small allocations, whatever the number of entries.
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

    /// Adds a root that the caller has open. Unix: anything with a descriptor (`AsFd`), also one
    /// opened with `O_PATH`; Windows: anything with a handle (`AsHandle`).
    ///
    /// The walk opens the directory anew, relative to the handle, and so reads the same directory
    /// wherever its path leads by now. Nothing is read through the caller's handle, whose position
    /// stays where it is and which may be closed before the walk begins. Entries' paths begin with
    /// `path`, which no system call uses. Two handles shown as one path are errors of the kind
    /// [`InvalidInput`](std::io::ErrorKind::InvalidInput), and so is a root that is given by the
    /// path of a handle.
    ///
    /// Errors come to [`Visitor::error`](crate::Visitor::error): what is no directory cannot be
    /// opened; with [`Backend::Portable`], on systems without a native reader, and in
    /// [`Remove::matching`](crate::remove::Remove::matching) such a root is
    /// [`Unsupported`](std::io::ErrorKind::Unsupported). System calls: one fcntl that duplicates
    /// the descriptor (Windows: DuplicateHandle); the walk makes one openat2 of `.` (NtCreateFile
    /// with an empty name), and no statx.
    #[must_use]
    pub fn root_at(mut self, dir: impl AsHandle, path: impl AsRef<Path>) -> Walk {
        let path = path.as_ref().to_owned();
        let handles = self.handles.get_or_insert_default();
        Arc::make_mut(handles).add(&path, borrow_handle(&dir));
        self.roots.push(Root { path, file_type: FileType::Directory, is_open: true });
        self
    }

    /// The order of entries; [`Order::Unordered`] by default.
    #[must_use]
    pub fn order(self, order: Order) -> Walk {
        Walk { order, ..self }
    }

    /// Hands on `.` and `..` among the entries of each directory, where the system lists them
    /// (Linux: all but some FUSE file systems; elsewhere: no). They are never entered.
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

    /// At most this many requests at once, whatever is measured; 128 by default. For storage that
    /// is shared with others.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Walk {
        Walk { max_in_flight: max_in_flight.max(1), ..self }
    }

    /// Hands on only entries at least this deep; a root's depth is 0, which is the default. Less
    /// deep directories are entered, unless the visitor drops them.
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
        Walk { freshness: if cached { Freshness::Cached } else { Freshness::AsStat }, ..self }
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

    /// Goes on where a walk of the same settings was cancelled at a boundary: visits what is in
    /// these directories, in no order, instead of the roots. A directory's own entry was handed on
    /// before. The states of the directories above are those of
    /// [`Visitor::top`](crate::Visitor::top), and these directories are not left. Roots that were
    /// given as [handles](Walk::root_at) are known by the paths that they are shown as.
    #[must_use]
    pub fn resume(self, unvisited: Vec<Unvisited>) -> Walk {
        let order = match self.order {
            Order::Breadth => Order::Breadth,
            _ => Order::Unordered,
        };
        Walk { roots: Vec::new(), order, unvisited, ..self }
    }
}

/// Where a walk begins.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub path: PathBuf,
    pub file_type: FileType,
    /// The walk has a handle of it.
    pub is_open: bool,
}

impl Root {
    /// A root whose type the plan asks for, in the same way as for any entry.
    fn unknown(path: &Path) -> Root {
        Root { path: path.to_owned(), file_type: FileType::Unknown, is_open: false }
    }
}
