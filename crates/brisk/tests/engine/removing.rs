//! Removals by age, while other processes change the tree.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use brisk::filter::{Expr, Filter, Test};
use brisk::remove::{Observer, Remove};
use brisk::{FileType, Walk};

use crate::tree::grow;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Gives a file or a directory a time of 40 days ago.
fn make_old(path: &Path) {
    let time = SystemTime::now() - 40 * DAY;
    File::open(path).and_then(|file| file.set_modified(time)).expect("it is the test's own");
}

/// Another process, which adds an old file to a directory when everything in it is removed.
struct Adding {
    dir: PathBuf,
}

impl Observer for Adding {
    fn wants_removed(&self) -> bool {
        true
    }

    fn removed(&self, path: &[u8], _: FileType) {
        if path.ends_with(b"/first") {
            let late = self.dir.join("late");
            fs::write(&late, "").expect("a file");
            make_old(&late);
        }
    }
}

/// A directory that is read again has a new time, by what the removal itself has removed.
#[test]
fn a_directory_that_is_read_again_is_as_old_as_before() {
    let scratch = testkit::scratch();
    let dir = scratch.path().join("dir");
    fs::create_dir(&dir).expect("a directory");
    fs::write(dir.join("first"), "").expect("a file");
    make_old(&dir.join("first"));
    make_old(&dir);
    let limit = SystemTime::now() - 30 * DAY;
    let removal = Remove { older_than: Some(limit.into()), ..Remove::new(Walk::new(&dir)) };
    let report = removal.run(&Adding { dir: dir.clone() });
    assert_eq!((report.files, report.directories, report.spared), (2, 1, 0), "{report:?}");
    assert!(!dir.exists());
}

/// What a filter refuses stays, with the directories above it.
#[test]
fn a_dry_run_knows_which_earlier_root_would_stay() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "d/ d/keep d/x/ d/x/keep d/x/f");
    let roots = [scratch.path().join("d"), scratch.path().join("d/x")];
    let is_kept = Test::name("keep", |name| name == b"keep");
    let keeps = Filter::new(Expr::Not(Box::new(Expr::Test(is_kept))));
    let dry = Remove { dry_run: true, ..Remove::new(Walk::over(&roots).filter(keeps)) };
    for keep_roots in [false, true] {
        let report = Remove { keep_roots, ..dry.clone() }.run(&());
        assert!(report.is_complete(), "d/x stays: {report:?}");
    }
}

#[test]
fn a_removal_to_a_depth_is_refused_and_each_link_goes() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "d/ d/e/ d/e/f");
    let dir = scratch.path().join("d");
    fs::hard_link(dir.join("e/f"), dir.join("e/g")).expect("the name is free");
    let report = Remove::new(Walk::new(&dir).max_depth(1)).run(&());
    assert_eq!((report.failed, report.stats.directories), (1, 0), "{report:?}");
    assert!(dir.join("e/f").exists());
    let report = Remove::new(Walk::new(&dir).unique(true)).run(&());
    assert_eq!((report.files, report.directories, report.failed), (2, 2, 0), "{report:?}");
}
