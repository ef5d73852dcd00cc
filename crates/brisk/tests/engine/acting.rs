//! What a visitor that acts gets: each entry by its directory's handle, and each directory once
//! more, by its parent's, after everything below it.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use brisk::{
    Act, At, Directory, Entry, Error, Fields, Flow, Follow, Leaving, Needs, Order, Outcome,
    Parallel, Select, Shape, Visitor, Walk,
};
use rustix::fs::{AtFlags, Mode, statat};

use crate::tree::{files, grow};

const TREE: &str = "t/ t/a/ t/a/b/ t/a/b/c/ t/a/b/c/f t/a/b/g t/a/h t/d/ t/e/ t/e/i t/l->d";

/// What was told of a path: when, and whether the path was a directory that was left.
type Told = (String, bool);

/// Writes down each entry and each directory that is left. The inode behind handle and name must be
/// that of the path.
struct Recorder<'a> {
    told: &'a Mutex<Vec<Told>>,
    errors: Vec<String>,
    /// Changes modes: those of directories when they are left.
    mode: Option<u32>,
    marks: &'a str,
}

impl Recorder<'_> {
    fn tell(&self, path: &Path, at: At<'_>, is_left: bool, follows: bool) {
        let flags = if follows { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let stat = statat(at.as_fd(), at.name(), flags).expect("it is there");
        let expected = if follows { fs::metadata(path) } else { fs::symlink_metadata(path) };
        let expected = expected.expect("it is there");
        assert_eq!((stat.st_dev, stat.st_ino), (expected.dev(), expected.ino()), "{path:?}");
        let path = path.to_str().expect("ASCII").to_owned();
        self.told.lock().expect("no panic").push((path, is_left));
        if let Some(mode) = self.mode.filter(|_| expected.is_file() || is_left) {
            let mode = Mode::from_raw_mode(mode);
            rustix::fs::chmodat(at.as_fd(), at.name(), mode, AtFlags::empty()).expect("it is ours");
        }
    }
}

impl Visitor for Recorder<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs { loops: true, ..Needs::fields(Fields::MODE) }
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(Fields::MODE)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            assert!(entry.meta().is_some_and(|meta| meta.mode().is_some()));
            if entry.name() == self.marks.as_bytes() {
                entry.mark();
            }
            let at = entry.at().expect("it is open");
            self.tell(&entry.path(), at, false, entry.is_followed_link());
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(format!("{:?} {}", error.operation(), error.path().display()));
        Flow::Continue
    }
}

impl Parallel for Recorder<'_> {
    fn fork(&self, _: usize) -> Self {
        Recorder { errors: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }
}

impl Act for Recorder<'_> {
    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        let at = dir.at().expect("its parent is open");
        let path = dir.directory().path();
        assert_eq!(dir.is_marked(), path.ends_with(self.marks), "{path:?}");
        self.tell(path, at, true, dir.is_followed_link());
        if dir.outcome() != Outcome::Complete {
            self.errors.push(format!("{:?} {}", dir.outcome(), path.display()));
        }
        Flow::Continue
    }
}

/// Walks, checks the order, and returns what was told of how many, and what went wrong.
fn record(walk: Walk, mode: Option<u32>) -> (usize, Vec<String>) {
    let told = Mutex::default();
    let recorder = Recorder { told: &told, errors: Vec::new(), mode, marks: "b" };
    let (Recorder { errors, .. }, _) = walk.act(recorder);
    let told = told.into_inner().expect("no panic");
    let mut at = BTreeMap::new();
    for (number, (path, is_left)) in told.iter().enumerate() {
        let twice = at.insert((Path::new(path), *is_left), number);
        assert_eq!(twice, None, "{path}");
    }
    for (&(path, is_left), number) in &at {
        if is_left {
            assert!(at[&(path, false)] < *number, "{path:?} is left after its entry");
        }
        let Some(parent) = path.parent() else { continue };
        if let Some(entry) = at.get(&(parent, false)) {
            assert!(entry < number && *number < at[&(parent, true)], "{path:?} is in between");
        }
    }
    (told.len(), errors)
}

/// The order is GNU find's, and each entry has its directory's handle when its turn comes.
#[test]
fn in_depth_order_entries_come_as_find_prints_them() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    files(&place.path().join("t/d"), 300, 60);
    let root = place.path().join("t");
    for (shape, option) in [(Shape::Pre, "-print"), (Shape::Post, "-depth")] {
        let found = Command::new("find").arg(&root).arg(option).output().expect("GNU find");
        let found = String::from_utf8(found.stdout).expect("ASCII");
        let walk = Walk::new(&root).follow(Follow::Never).order(Order::Depth(shape));
        each(&walk, |walk| {
            let told = Mutex::default();
            let recorder = Recorder { told: &told, errors: Vec::new(), mode: None, marks: "none" };
            let (Recorder { errors, .. }, _) = walk.act(recorder);
            assert_eq!(errors, [""; 0]);
            let told = told.into_inner().expect("no panic");
            let entries = told.iter().filter(|(_, is_left)| !is_left).map(|(path, _)| &**path);
            assert!(entries.eq(found.lines()), "{shape:?}");
        });
    }
}

/// Each number of workers, with handles and without.
fn each(walk: &Walk, check: impl Fn(Walk)) {
    for threads in [1, 2, 8] {
        for handles in [None, Some(4 * threads), Some(0)] {
            let walk = walk.clone().threads(NonZeroUsize::new(threads));
            check(match handles {
                Some(handles) => walk.handle_limit(handles),
                None => walk,
            });
        }
    }
}

#[test]
fn each_directory_comes_before_and_after_what_is_below_it() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    fs::create_dir(place.path().join("t/d/many")).expect("the name is free");
    files(&place.path().join("t/d/many"), 3000, 60);
    let root = place.path().join("t");
    let all = (3000 + 12 + 7, vec![]);
    each(&Walk::new(&root), |walk| assert_eq!(record(walk, None), all));
    let file = place.path().join("t/a/h");
    each(&Walk::over([file, root.join("e")]), |walk| assert_eq!(record(walk, None), (4, vec![])));
}

#[test]
fn links_are_followed_where_the_walk_follows_them() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), "t/ t/d/ t/d/f t/l->d to->t");
    let walk = Walk::new(place.path().join("to"));
    for (follow, told) in [(Follow::Never, 1), (Follow::Roots, 6), (Follow::Always, 8)] {
        each(&walk.clone().follow(follow), |walk| {
            assert_eq!(record(walk, None), (told, vec![]), "{follow:?}");
        });
    }
}

#[test]
fn a_root_that_the_caller_has_open_is_acted_on_by_its_handle() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    let dir = File::open(place.path().join("t")).expect("a directory");
    let walk = Walk::over::<&Path>([]).root_at(&dir, place.path().join("t"));
    each(&walk, |walk| assert_eq!(record(walk, None), (17, vec![])));
}

/// An owner may take access from itself: a directory changes after everything below it.
#[test]
fn directories_can_be_closed_when_they_are_left() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    let root = place.path().join("t");
    let (told, errors) = record(Walk::new(&root), Some(0));
    assert_eq!((told, errors), (17, vec![]));
    for path in ["", "a", "a/b", "a/b/c", "d", "e"] {
        let path = root.join(path);
        assert_eq!(fs::metadata(&path).expect("it is there").mode() & 0o777, 0, "{path:?}");
        fs::set_permissions(path, Permissions::from_mode(0o700)).expect("it is ours");
    }
}

/// One that is not read is left as well: here it leads back to a directory above it.
#[test]
fn a_directory_that_is_not_read_is_left() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), "t/ t/a/ t/a/b->.. t/a/f");
    let link = place.path().join("t/a/b");
    let errors = ["FollowLoop", "Unread"].map(|word| format!("{word} {}", link.display()));
    each(&Walk::new(place.path().join("t")).follow(Follow::Always), |walk| {
        assert_eq!(record(walk, None), (7, errors.to_vec()));
    });
}

/// Removes all that it meets.
struct All;

impl Visitor for All {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries.iter().filter(|entry| !entry.file_type().is_dir()) {
            entry.unlink().expect("it is there");
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        assert_eq!(std::io::Error::from(error).kind(), ErrorKind::Unsupported);
        Flow::Continue
    }
}

impl Parallel for All {
    fn fork(&self, _: usize) -> Self {
        All
    }

    fn merge(&mut self, _: Self) {}
}

impl Act for All {
    const REMOVES: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
        dir.remove().expect("it is empty");
        Flow::Continue
    }
}

#[test]
fn a_visitor_that_removes_removes_a_tree() {
    each(&Walk::over::<&Path>([]), |walk| {
        let place = tempfile::tempdir().expect("a scratch directory");
        grow(place.path(), TREE);
        walk.root(place.path().join("t")).act(All);
        assert!(!place.path().join("t").exists());
    });
}
