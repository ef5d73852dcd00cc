//! Removals that wait for each other, as they do in the kernel on some file systems. Workers are
//! suspended in the middle of a directory, and other workers take over the rest, once.

use std::collections::HashSet;
use std::fs;
use std::sync::Mutex;
use std::thread::{ThreadId, sleep};
use std::time::{Duration, Instant};

use brisk::remove::{Observer, Remove};
use brisk::{FileType, Walk};

use crate::record::in_time;

const FILES: usize = 6_000;
/// The least time that each removal takes; removals run one after the other. It is slept, not spun:
/// beside other programs, two workers that spin are given more of the processor than one.
const EACH: Duration = Duration::from_micros(20);

/// How long directories are removed, one after the other, until a worker is seen to be suspended.
const PATIENCE: Duration = Duration::from_secs(20);

/// One lock around all removals.
#[derive(Default)]
struct Contended {
    /// The thread of each removal, and the name that was removed.
    removed: Mutex<Vec<(ThreadId, Vec<u8>)>>,
}

impl Observer for Contended {
    fn wants_removed(&self) -> bool {
        true
    }

    fn removed(&self, path: &[u8], file_type: FileType) {
        let mut removed = self.removed.lock().expect("no worker panicked");
        if !file_type.is_dir() {
            removed.push((std::thread::current().id(), path.to_vec()));
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a removal that takes time, not one that waits"
        )]
        sleep(EACH);
    }
}

/// Removes a directory. Returns whether a worker stopped before the end.
fn contended() -> bool {
    let scratch = testkit::scratch();
    let root = scratch.path().join("root");
    fs::create_dir(&root).expect("a directory");
    for at in 0..FILES {
        fs::write(root.join(format!("file-{at:05}")), "").expect("a file");
    }
    let watch = Contended::default();
    let report = Remove::new(Walk::new(&root)).run(&watch);
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories), (FILES as u64, 1));
    assert_eq!(report.stats.directories, 1, "what was left was not found by reading again");
    assert_eq!(report.stats.entries, FILES as u64 + 1, "what was given back is counted once");
    let removed = watch.removed.into_inner().expect("no worker panicked");
    let names: HashSet<_> = removed.iter().map(|(_, path)| path).collect();
    assert_eq!((removed.len(), names.len()), (FILES, FILES));
    let workers = |part: &[(ThreadId, Vec<u8>)]| -> HashSet<ThreadId> {
        part.iter().map(|(thread, _)| *thread).collect()
    };
    let early = workers(&removed[..FILES * 3 / 4]);
    let late = workers(&removed[FILES * 3 / 4..]);
    early.difference(&late).next().is_some()
}

/// More workers gain nothing, so some are suspended. How soon depends on the machine's other load:
/// each removal must be complete, and on a machine that is not overloaded one of many shows what
/// happens when a worker is suspended.
#[test]
fn a_benched_worker_leaves_nothing_behind_and_nothing_twice() {
    in_time("contended removal", || {
        let began = Instant::now();
        while !contended() {
            if began.elapsed() > PATIENCE {
                println!("left out: a suspended worker: the machine is too busy to show one");
                break;
            }
        }
    });
}
