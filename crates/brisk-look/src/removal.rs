//! Removal of the chosen items, with one [`Remove`] each. An item must still be the file that was
//! shown.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use brisk::remove::{Failure, Observer, Remove, Report, Why};
use brisk::usage::Sums;
use brisk::{Cancel, Walk};
use brisk_commands::internal::{cannot, quoted, unnumbered};
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
    /// The sums of a file. Those of a directory are in the tree.
    pub sums: Sums,
}

impl Chosen {
    pub fn name(&self) -> &[u8] {
        split(&self.path).1
    }
}

/// The outcome for one item.
#[derive(Debug)]
pub struct Outcome {
    pub item: Chosen,
    pub is_gone: bool,
    /// The path of each entry that was not removed, and the message that says why.
    pub failures: Vec<(Vec<u8>, String)>,
    /// How many entries were not removed; there may be fewer messages.
    pub failed: u64,
}

/// The progress of a removal, and the handle that stops it.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of entries that were removed.
    pub removed: AtomicU64,
    pub stop: Cancel,
}

/// Follows the removal of one item.
struct Following<'a> {
    removed: &'a AtomicU64,
    /// How many entries of earlier items were removed.
    before: u64,
}

impl Observer for Following<'_> {
    fn progressed(&self, so_far: &Report) {
        self.removed.store(self.before + so_far.files + so_far.directories, Relaxed);
    }
}

/// Removes these items one after the other, and reports each outcome.
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
    // What ignore rules or filters leave out stays, and so do the directories above it.
    let is_gone = report.is_complete() && path.symlink_metadata().is_err();
    let failures = report.failures.iter();
    let failures = failures.map(|it| (it.path().as_os_str().as_encoded_bytes().to_vec(), told(it)));
    Outcome { item, is_gone, failures: failures.collect(), failed: report.failed }
}

fn swapped(path: &Path) -> String {
    format!("cannot remove {}: the name now belongs to another file", quoted(path))
}

fn told(failure: &Failure) -> String {
    match failure.why() {
        Why::Swapped => swapped(failure.path()),
        Why::System(error) => cannot("remove", failure.path(), error),
        _ => unnumbered(failure),
    }
}
