//! Sums up how much space trees take: for each directory, and once however often a file is linked.
//!
//! [`Usage`] says what is added up; an [`Observer`] gets the [`Total`] of each directory as it is
//! left.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::usage::{Observer, Total, Usage};
//! use brisk::{Error, Flow, Walk};
//!
//! #[derive(Default)]
//! struct Lines(Vec<String>);
//!
//! impl Observer for Lines {
//!     fn directory(&mut self, total: &Total<'_>) -> Flow {
//!         self.0.push(format!("{} {}", total.all.apparent, total.path.display()));
//!         Flow::Continue
//!     }
//!     fn error(&mut self, error: Error) -> Flow {
//!         eprintln!("{error}");
//!         Flow::Continue
//!     }
//!     fn fork(&self, _: usize) -> Lines {
//!         Lines::default()
//!     }
//!     fn merge(&mut self, other: Lines) {
//!         self.0.extend(other.0);
//!     }
//! }
//!
//! std::fs::create_dir_all(root.join("photos/2026"))?;
//! std::fs::write(root.join("photos/2026/a"), "12345")?;
//! std::fs::hard_link(root.join("photos/2026/a"), root.join("photos/best"))?;
//!
//! let (lines, report) = Usage::new(Walk::new(root.join("photos"))).run(Lines::default());
//! assert_eq!(report.total.apparent, 5);
//! assert_eq!(lines.0.len(), 2);
//! assert!(lines.0.iter().any(|line| line.starts_with("0 ") && line.ends_with("2026")));
//! # Ok(())
//! # }
//! ```

mod account;
mod ceph;
mod counting;
mod extents;
mod links;
mod observer;
mod roots;
mod sums;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

pub use links::HardLinks;
pub use observer::{Choice, Observer, Total};
pub use sums::Sums;

use crate::walk::Root;
use crate::{Fields, Follow, Outcome, Stats, Walk};
use counting::{Count, Counting};
use links::Links;

/// Of which types of files the size counts as apparent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Apparent {
    /// Regular files and symbolic links, as in GNU du from version 9.2 on.
    #[default]
    Contents,
    /// All, directories too, as in GNU du before.
    All,
}

/// What is added up over the trees of a [`Walk`].
///
/// # What counts
/// Every entry that the walk meets, the roots included. Which mounts are entered and which links
/// are followed is the walk's to say. An entry that vanishes during the walk does not count, and is
/// no error. A directory that cannot be read is one error, and counts with its own entry. A root
/// that lies in another one counts once, in the one that comes first ([`HardLinks::Each`]: in
/// both). With [`Follow::Always`] each file and directory counts once, where it is met first
/// ([`Walk::unique`]), unless each link counts.
///
/// # Cost
/// For each entry one statx with `SIZE`, `BLOCKS` and `NLINK`, and what [`time`](Usage::time) and
/// the observer want; for a directory through its own handle. A directory costs one statx more if
/// the walk keeps to one device or hands entries on once. A directory that cannot be opened is
/// asked about by its path. Memory: about 150 bytes and the name for each directory that is not
/// left or has to wait for the end; 24 bytes for each file with several links. A file with one link
/// takes no lock.
///
/// # Platforms
/// Where a system does not tell of blocks or links, these count as 0 and as one link.
#[derive(Clone, Debug)]
pub struct Usage {
    walk: Walk,
    links: HardLinks,
    apparent: Apparent,
    time: Fields,
    reflinks: bool,
    only_roots: bool,
    shortcuts: bool,
}

/// What a count has found.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The sums of all roots.
    pub total: Sums,
    /// What the walks did.
    pub stats: Stats,
}

impl Usage {
    /// Adds up what this walk meets. In an ordered walk the directories are delivered in that
    /// order, each after those below it.
    #[must_use]
    pub fn new(walk: Walk) -> Usage {
        Usage {
            walk,
            links: HardLinks::default(),
            apparent: Apparent::default(),
            time: Fields::empty(),
            reflinks: false,
            only_roots: false,
            shortcuts: true,
        }
    }

    /// How hard links count; [`HardLinks::FirstSorted`] by default.
    #[must_use]
    pub fn links(self, links: HardLinks) -> Usage {
        Usage { links, ..self }
    }

    /// Of which types the size is apparent; [`Apparent::Contents`] by default.
    #[must_use]
    pub fn apparent(self, apparent: Apparent) -> Usage {
        Usage { apparent, ..self }
    }

    /// The kind of time of which the newest is wanted: one of `MTIME`, `ATIME`, `CTIME` and
    /// `BTIME`; none by default.
    #[must_use]
    pub fn time(self, time: Fields) -> Usage {
        Usage { time, ..self }
    }

    /// Counts the extents that several files share (reflinks) once, where they are met first; off
    /// by default. With several workers the directory that is first differs from run to run, unless
    /// the walk is sorted; the sum of all does not. A compressed extent is shared where the files
    /// have it at the same position. Files that cannot be read, and those of file systems without
    /// extents, count whole. Linux: openat, one ioctl (FIEMAP) for 64 extents and close for each
    /// regular file. No effect on other systems.
    #[must_use]
    pub fn reflinks(self, reflinks: bool) -> Usage {
        Usage { reflinks, ..self }
    }

    /// The caller wants the sizes of the roots alone: neither the number of entries nor what is
    /// below the roots, and its observer lets everything count. Nothing else changes, except that a
    /// [shortcut](Usage::shortcuts) becomes possible. Off by default.
    #[must_use]
    pub fn only_roots(self, only_roots: bool) -> Usage {
        Usage { only_roots, ..self }
    }

    /// Lets a file system answer that keeps the sizes of directories; on by default. CephFS does:
    /// `ceph.dir.rbytes` tells the bytes of all files below a directory, which then count as
    /// allocated and as apparent. That number may be a few seconds old, and leaves out what is
    /// mounted below. Used where only sizes of [roots](Usage::only_roots) are wanted, without a
    /// depth limit, times, reflinks, links that count each, or links that are followed. System
    /// calls: one statfs a root; on CephFS one getxattr instead of a walk.
    #[must_use]
    pub fn shortcuts(self, shortcuts: bool) -> Usage {
        Usage { shortcuts, ..self }
    }

    /// Adds up. Returns the observer, with those of other workers merged into it. After
    /// [`Flow::Stop`](crate::Flow::Stop), or if the walk was cancelled, the sums are those of the
    /// directories that were left until then.
    #[must_use]
    pub fn run<O: Observer>(mut self, observer: O) -> (O, Report) {
        let roots = std::mem::take(&mut self.walk.roots);
        let dedups = self.links != HardLinks::Each;
        let follows = self.walk.follow == Follow::Always;
        self.walk.unique |= follows && dedups;
        let (groups, watched) = match dedups && !follows {
            true => roots::groups(roots),
            false => (vec![roots], roots::Watched::default()),
        };
        let sums = Fields::SIZE | Fields::BLOCKS | Fields::NLINK;
        let count = Count {
            fields: sums | self.time | observer.fields() | watched.fields(),
            usage: &self,
            watched,
            top: Arc::default(),
            links: Links::new(self.links),
            extents: Mutex::default(),
            waiting: Mutex::default(),
            holds: false.into(),
            stopped: false.into(),
        };
        let mut run = Run { count: &count, stats: Stats::default() };
        let observer =
            groups.into_iter().fold(observer, |observer, group| run.group(observer, group));
        let mut counting = Counting { count: &count, observer, requests: 0 };
        if !count.stopped.load(Relaxed) {
            counting.deliver_waiting();
        }
        (counting.observer, Report { total: count.top.total().shown(), stats: run.stats })
    }
}

/// A count while it runs.
struct Run<'a> {
    count: &'a Count<'a>,
    stats: Stats,
}

impl Run<'_> {
    /// Counts roots that do not overlap, in their order: those that the file system answers for
    /// apart, the others together.
    fn group<O: Observer>(&mut self, mut observer: O, group: Vec<Root>) -> O {
        let mut together = Vec::new();
        for root in group {
            match ceph::answer(self.count.usage, &root.path) {
                None => together.push(root),
                Some(bytes) => {
                    observer = self.walk(observer, std::mem::take(&mut together));
                    self.answer(&mut observer, &root, bytes);
                }
            }
        }
        self.walk(observer, together)
    }

    fn answer<O: Observer>(&mut self, observer: &mut O, root: &Root, bytes: u64) {
        let sums = Sums { allocated: bytes, apparent: bytes, ..Sums::default() };
        self.count.top.below.add(sums);
        let (path, outcome) = (&root.path, Outcome::Complete);
        let total = Total { path, depth: 0, own: sums, all: sums, outcome, answered: true };
        _ = self.count.obey(observer.directory(&total));
    }

    fn walk<O: Observer>(&mut self, observer: O, roots: Vec<Root>) -> O {
        if roots.is_empty() || self.count.stopped.load(Relaxed) {
            return observer;
        }
        let walk = Walk { roots, ..self.count.usage.walk.clone() };
        let counting = Counting { count: self.count, observer, requests: 0 };
        let (counting, stats) = walk.visit_parallel(counting);
        self.stats.add_later(&stats);
        counting.observer
    }
}
