//! Removing what was chosen, on a thread of its own: one [`Remove`] for each item, which must still
//! be the file that was shown.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use brisk::Walk;
use brisk::remove::{Failure, Observer, Remove, Report, Why};
use brisk::usage::Sums;
use brisk_cli_sys::signals;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;

use brisk_cli::internal::{cannot, quoted, unnumbered};

use crate::listing::{Shown, is_still};
use crate::tree::Id;

/// The most failures that are told of one item.
const MAX_TOLD: usize = 100;

/// What is to be removed.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The directory that holds it.
    pub dir: Id,
    pub name: Box<[u8]>,
    pub path: Vec<u8>,
    pub shown: Shown,
    /// What a file takes; a directory's sums are the tree's.
    pub sums: Sums,
}

impl Chosen {
    /// Whether it is this entry.
    pub fn is(&self, dir: Id, name: &[u8]) -> bool {
        self.dir == dir && *self.name == *name
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

/// How far a removal is, and whether it shall stop.
#[derive(Debug, Default)]
pub struct Progress {
    /// Entries of items that are done.
    done: AtomicU64,
    /// Entries of the item that is being removed.
    now: AtomicU64,
    is_stopped: AtomicBool,
}

impl Progress {
    /// The removal shall stop.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    /// The number of entries that were removed.
    pub fn removed(&self) -> u64 {
        self.done.load(Relaxed) + self.now.load(Relaxed)
    }
}

/// Follows the removal of one item.
struct Following<'a> {
    progress: &'a Progress,
    failures: Mutex<Vec<(Vec<u8>, String)>>,
}

impl Observer for Following<'_> {
    fn failed(&self, failure: &Failure) {
        let mut failures = lock(&self.failures);
        if failures.len() < MAX_TOLD {
            let path = failure.path().as_os_str().as_encoded_bytes().to_vec();
            failures.push((path, told(failure)));
        }
    }

    fn progressed(&self, so_far: &Report) {
        self.progress.now.store(so_far.files + so_far.directories, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.progress.is_stopped.load(Relaxed) || signals::interrupted()
    }
}

/// Removes these items one after the other; returns at once. Each outcome is told, and `None` at the
/// end.
///
/// # Errors
/// The system starts no thread.
pub fn start(
    walk: &Walk,
    items: Vec<Chosen>,
    tell: impl Fn(Option<Outcome>) + Send + 'static,
) -> io::Result<Arc<Progress>> {
    let progress = Arc::new(Progress::default());
    let shared = Arc::clone(&progress);
    let walk = walk.clone();
    let remove = move || {
        for item in items {
            if shared.is_stopped.load(Relaxed) {
                break;
            }
            tell(Some(one(&walk, item, &shared)));
        }
        tell(None);
    };
    std::thread::Builder::new().name("remove".into()).spawn(remove)?;
    Ok(progress)
}

fn one(walk: &Walk, item: Chosen, progress: &Progress) -> Outcome {
    let path: PathBuf = bytes_to_path(&item.path).into();
    let following = Following { progress, failures: Mutex::default() };
    match is_still(&path, &item.shown) {
        Ok(true) => {}
        same => {
            let why = match same {
                Err(error) => cannot("remove", &path, &error),
                Ok(_) => swapped(&path),
            };
            let failures = vec![(item.path.clone(), why)];
            return Outcome { item, is_gone: false, failures, failed: 1 };
        }
    }
    let mut remove = Remove::new(walk.clone().root(&path));
    remove.only = Some(item.shown.file);
    let report = remove.run(&following);
    progress.done.fetch_add(report.files + report.directories, Relaxed);
    progress.now.store(0, Relaxed);
    // What rules or filters left out stays, and so does its directory.
    let is_gone = report.is_complete() && path.symlink_metadata().is_err();
    let failures = following.failures.into_inner().unwrap_or_default();
    Outcome { item, is_gone, failures, failed: report.failed }
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
