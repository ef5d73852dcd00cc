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
mod settings;
mod sums;

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

pub use links::HardLinks;
pub use observer::{Choice, Observer, Total};
pub use settings::{Apparent, Usage};
pub use sums::Sums;

use brisk_sys::Links;

use crate::walk::Root;
use crate::{Fields, Follow, Outcome, Stats, Walk};
use counting::{Count, Counting};
use roots::Watched;

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
    /// Adds up. Returns the observer, with those of other workers merged into it. After
    /// [`Flow::Stop`](crate::Flow::Stop), or if the walk was cancelled, the sums are those of the
    /// directories that were left until then.
    #[must_use]
    pub fn run<O: Observer>(mut self, observer: O) -> (O, Report) {
        let roots = std::mem::take(&mut self.walk.roots);
        let dedups = self.links != HardLinks::Each;
        let follows = self.walk.follow == Follow::Always;
        self.walk.unique |= follows && dedups;
        let groups = match self.links {
            // What is unique is so in one walk.
            _ if follows => vec![roots],
            HardLinks::FirstSorted => roots::groups(roots),
            HardLinks::FirstMet | HardLinks::Each => {
                roots.into_iter().map(|root| vec![root]).collect()
            }
        };
        let links = if self.walk.follow == Follow::Never { Links::NoFollow } else { Links::Follow };
        let watched = if dedups { Watched::new(&groups, links) } else { Watched::default() };
        let identity = if dedups { Fields::NLINK | Fields::INO } else { Fields::empty() };
        let sums = Fields::SIZE | Fields::BLOCKS | identity;
        let count = Count {
            fields: sums | self.time | observer.fields() | watched.fields(),
            has_turns: self.walk.unique
                && self.walk.order.shape().is_some()
                && self.walk.threads == NonZeroUsize::new(1),
            usage: &self,
            watched,
            top: Arc::default(),
            links: links::Links::new(self.links),
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
