//! Sums up how much space trees take: for each directory, and once however often a file is linked.
//!
//! [`Usage`] says what is added up; an [`Observer`] gets the [`Total`] of each directory as it is
//! left. [`Usage::directories`] keeps them.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::Walk;
//! use brisk::usage::Usage;
//!
//! std::fs::create_dir_all(root.join("photos/2026"))?;
//! std::fs::write(root.join("photos/2026/a"), "12345")?;
//! std::fs::hard_link(root.join("photos/2026/a"), root.join("photos/best"))?;
//!
//! let directories = Usage::new(Walk::new(root.join("photos"))).directories(usize::MAX);
//! assert_eq!(directories.report.total.apparent, 5);
//! assert_eq!(directories.found.len(), 2);
//! assert_eq!(directories.found[0].path, root.join("photos/2026"));
//! assert_eq!(directories.found[0].sums.apparent, 0);
//! # Ok(())
//! # }
//! ```

mod account;
mod ceph;
mod counting;
mod directories;
mod extents;
pub(crate) mod frees;
mod links;
mod meeting;
mod observer;
mod roots;
mod settings;
mod sums;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

pub use directories::{Directories, DirectorySums};
pub use links::HardLinks;
pub use observer::{Observer, Total};
pub use settings::{Apparent, Usage};
pub use sums::Sums;

use brisk_sys::Links;

use crate::sched::lock;
use crate::{Fields, Follow, Stats};
use counting::Count;
use frees::{Frees, Unfreed};
use roots::Watched;

/// What a count has found.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The sums of all roots.
    pub total: Sums,
    /// With [`Usage::frees`](field@Usage::frees): how much more removing the roots would free if no
    /// snapshot held it.
    pub held_by_snapshots: u64,
    /// With [`Usage::frees`](field@Usage::frees): parts of files that were overwritten may still be
    /// stored, and then be freed as well. That is so on btrfs without CAP_SYS_ADMIN.
    pub hides_overwritten: bool,
    /// What the walks did.
    pub stats: Stats,
}

impl Usage {
    /// Adds up. Returns the observer, with those of other workers merged into it. After
    /// [`Flow::Stop`](crate::Flow::Stop), or if the walk was cancelled, the sums are those of the
    /// directories that were left until then.
    #[must_use]
    pub fn run<O: Observer>(&self, observer: O) -> (O, Report) {
        let mut usage = self.clone();
        let roots = std::mem::take(&mut usage.walk.roots);
        if usage.reflinks && usage.links == HardLinks::FirstSorted {
            usage.links = HardLinks::FirstMet;
        }
        usage.walk.as_fts = true;
        let dedups = usage.links != HardLinks::Each;
        usage.walk.unique |= usage.walk.follow == Follow::Always && dedups;
        usage.shortcuts &= observer.fields().is_empty() && !usage.frees;
        let together = usage.links == HardLinks::FirstSorted && !roots::overlap(&roots);
        let size = if together { roots.len().max(1) } else { 1 };
        let is_apart = size < roots.len();
        if is_apart && usage.walk.unique {
            usage.walk.seen = Some(usage.walk.nothing_seen(roots.len()));
        }
        let may_repeat = is_apart && dedups && !usage.walk.unique;
        let follows = Links::followed(usage.walk.follow != Follow::Never);
        let watched = Watched::new(if may_repeat { &roots } else { &[] }, follows);
        let identity = if dedups { Fields::NLINK | Fields::INO } else { Fields::empty() };
        let is_alone = usage.walk.threads == NonZeroUsize::new(1);
        let count = Count {
            fields: Fields::SIZE | Fields::BLOCKS | identity | observer.fields() | watched.fields(),
            has_turns: usage.walk.unique && usage.walk.order.shape().is_some() && is_alone,
            usage: &usage,
            watched,
            top: Arc::default(),
            links: Mutex::default(),
            extents: Mutex::default(),
            frees: usage.frees.then(Frees::default),
            waiting: Mutex::default(),
            stopped: false.into(),
        };
        let (observer, unfreed, stats) = count.run(observer, roots.chunks(size));
        let Unfreed { held_by_snapshots, hides_overwritten } = unfreed;
        let mut total = *lock(&count.top.own);
        total += *lock(&count.top.below);
        (observer, Report { total: total.shown(), held_by_snapshots, hides_overwritten, stats })
    }
}
