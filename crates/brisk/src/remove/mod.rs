//! Removes whole trees: in parallel, by handles, and to the end whatever fails on the way.
//!
//! [`Remove`] says what is to be removed; [`Report`] says what was removed and what stays, and why.
//! An [`Observer`] follows the removal while it runs.
//!
//! On Linux and Windows each entry is removed by its parent's handle and its own name, never by a
//! path that another process might redirect meanwhile. The path that the caller gives is followed
//! once, up to the directory that holds its last component. From there on no link is followed, and
//! no mount point below a root is entered unless the caller allows that; a root may be one.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::Walk;
//! use brisk::remove::Remove;
//!
//! std::fs::create_dir_all(root.join("target/debug"))?;
//! std::fs::write(root.join("target/debug/main"), "")?;
//! std::os::unix::fs::symlink("/usr", root.join("target/link"))?;
//!
//! let report = Remove::new(Walk::new(root.join("target"))).run(&());
//! assert!(report.is_complete());
//! assert_eq!((report.files, report.directories), (2, 2));
//! assert!(!root.join("target").exists());
//! # Ok(())
//! # }
//! ```

mod above;
mod emptying;
mod observer;
mod remover;
pub(crate) mod report;
mod roots;
pub(crate) mod settings;
mod tally;

use std::path::Path;

pub use observer::{Observer, Question};
pub use report::{Failure, Freed, Report, Why};
pub use roots::Root;
pub use settings::{Directories, Preserve, Remove};
pub(crate) use tally::file_system_root;

use crate::drive::run::OpenParent;
use crate::{Backend, Follow, Mounts, Order, Shape, Walk};
use remover::Remover;
use roots::{RootBatch, Roots};
use tally::Tally;

impl Remove {
    /// Looks up the paths, and removes nothing. Returns the roots that [`run`](Remove::run) would
    /// remove, and reports paths that it would refuse to `observer`. Costs what [`Remove`] says for
    /// each path, and two statx more.
    #[must_use]
    pub fn inspect(&self, observer: &dyn Observer) -> Vec<Root> {
        let tally = Tally::new(self, observer);
        Roots::new(&tally).all(&self.walk.roots)
    }

    /// Removes the trees; meanwhile each worker calls `observer`, which may be `&()`. Failures are
    /// in the report; after a failure the removal goes on with the rest. If the observer
    /// [asks](Observer::asks), the calling thread removes alone, and calls the observer entry by
    /// entry in GNU rm's order: depth first, and a directory's entries as GNU's fts orders them.
    #[must_use]
    pub fn run(&self, observer: &dyn Observer) -> Report {
        self.run_over(self.walk.roots.iter().map(|root| &root.path), observer)
    }

    /// As [`run`](Remove::run), for these paths instead of the walk's roots. They are taken as they
    /// are needed, some thousands at a time at most.
    #[must_use]
    pub fn run_over<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
        observer: &dyn Observer,
    ) -> Report {
        let tally = Tally::new(self, observer);
        let mut roots = Roots::new(&tally);
        let mut paths = paths.into_iter().peekable();
        let walk = self.walk_in_parents();
        while !tally.is_stopped() && paths.peek().is_some() {
            let before = tally.progress();
            let RootBatch { parents, last_given, failed } = roots.next_batch(&mut paths);
            if tally.is_stopped() {
                break;
            }
            run_batch(&walk, &tally, parents);
            if let Some(why) = failed {
                tally.path_refused(&last_given, why);
            }
            if self.dry_run {
                observer.looked_at(&last_given, &tally.progress().since(&before));
            }
        }
        tally.into_report()
    }

    /// The walk over the roots that were looked up, and what is below them.
    fn walk_in_parents(&self) -> Walk {
        Walk {
            roots: Vec::new(),
            root_handles: None,
            dots: false,
            min_depth: 0,
            unique: false,
            mounts: if self.cross_mounts { Mounts::Cross } else { Mounts::SameMount },
            follow: Follow::Never,
            backend: Backend::Native,
            ..self.walk.clone()
        }
    }
}

fn run_batch(walk: &Walk, tally: &Tally<'_>, parents: Vec<OpenParent>) {
    if tally.asks {
        for parent in parents.into_iter().take_while(|_| !tally.is_stopped()) {
            // GNU rm asks in the order of fts.
            let walk = Walk { order: Order::Depth(Shape::Pre), as_fts: true, ..walk.clone() };
            let (_, stats) = walk.act_in_order(Some(parent), Remover::new(tally));
            tally.add(&stats);
        }
    } else if !parents.is_empty() {
        let (_, stats) = walk.clone().act_in_parents(Some(parents), Remover::new(tally));
        tally.add(&stats);
    }
}
