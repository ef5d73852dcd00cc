//! Removals by age, while other processes change the tree.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use brisk::remove::{Observer, Remove};
use brisk::{FileType, Walk};

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
