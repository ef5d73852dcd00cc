//! Removing what was chosen: one [`Remove`] for each item, which must still be the file that was
//! shown.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use brisk::remove::{Failure, Observer, Remove, Report, Why};
use brisk::usage::Sums;
use brisk::{Cancel, Walk};
use brisk_cli::internal::{cannot, quoted, unnumbered};
use brisk_sys::paths::bytes_to_path;

use crate::listing::{Shown, is_still};
use crate::tree::{Id, split};

/// What is to be removed.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The directory that holds it.
    pub dir: Id,
    pub path: Vec<u8>,
    pub shown: Shown,
    /// What a file takes; a directory's sums are the tree's.
    pub sums: Sums,
}

impl Chosen {
    pub fn name(&self) -> &[u8] {
        split(&self.path).1
    }
}

/// What became of an item.
#[derive(Debug)]
pub struct Outcome {
    pub item: Chosen,
    pub is_gone: bool,
    /// The path of each entry that stays, and the message that says why.
    pub failures: Vec<(Vec<u8>, String)>,
    /// How many entries stay; this may be more than there are messages.
    pub failed: u64,
}

/// How far a removal is, and what stops it.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of entries that were removed.
    pub removed: AtomicU64,
    pub stop: Cancel,
}

/// Follows the removal of one item.
struct Following<'a> {
    removed: &'a AtomicU64,
    /// How many entries of other items were removed before.
    before: u64,
}

impl Observer for Following<'_> {
    fn progressed(&self, so_far: &Report) {
        self.removed.store(self.before + so_far.files + so_far.directories, Relaxed);
    }
}

/// Removes these items one after the other, and tells each outcome.
pub fn run(walk: &Walk, items: Vec<Chosen>, progress: &Progress, tell: impl Fn(Outcome)) {
    for item in items {
        if progress.stop.is_cancelled() {
            break;
        }
        tell(one(walk, item, progress));
    }
}

fn one(walk: &Walk, item: Chosen, progress: &Progress) -> Outcome {
    let path: PathBuf = bytes_to_path(&item.path).into();
    let stays = match is_still(&path, &item.shown) {
        Ok(true) => None,
        Ok(false) => Some(swapped(&path)),
        Err(error) => Some(cannot("remove", &path, &error)),
    };
    if let Some(why) = stays {
        let failures = vec![(item.path.clone(), why)];
        return Outcome { item, is_gone: false, failures, failed: 1 };
    }
    let mut remove = Remove::new(walk.clone().root(&path).cancelled_by(&progress.stop));
    remove.only = Some(item.shown.file);
    let removed = &progress.removed;
    let before = removed.load(Relaxed);
    let report = remove.run(&Following { removed, before });
    removed.store(before + report.files + report.directories, Relaxed);
    // What rules or filters left out stays, and so does its directory.
    let is_gone = report.is_complete() && path.symlink_metadata().is_err();
    let failures = report.failures.iter();
    let failures = failures.map(|it| (it.path().as_os_str().as_encoded_bytes().to_vec(), told(it)));
    Outcome { item, is_gone, failures: failures.collect(), failed: report.failed }
}

fn swapped(path: &Path) -> String {
    format!("cannot remove {}: another file has this name since it was shown", quoted(path))
}

fn told(failure: &Failure) -> String {
    match failure.why() {
        Why::Swapped => swapped(failure.path()),
        Why::System(error) => cannot("remove", failure.path(), error),
        _ => unnumbered(failure),
    }
}
