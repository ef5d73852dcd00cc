//! The way back to a directory whose handle was given up, while another process moves directories:
//! from below, from above, or an error that names what was not visited.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use brisk::remove::{Failure, Observer, Question, Remove};
use brisk::{
    Act, Directory, Entry, Error, FileType, Flow, Leaving, Operation, Order, Parallel, Shape,
    Visitor, Walk,
};

use crate::record::ORDERS;
use crate::tree::grow;

/// Two directories in `a`, of which either may come first. Files of other directories than `a`, at
/// every level above it.
const TREE: &str = "t/ t/1/ t/1/2/ t/1/2/a/ t/1/2/a/x/ t/1/2/a/x/z/ t/1/2/a/x/z/now \
    t/1/2/a/y/ t/1/2/a/y/z/ t/1/2/a/y/z/now t/1/2/b/ t/1/2/b/c/ t/1/2/b/c/g t/1/d/ t/1/d/h \
    t/e/ t/e/i out/";
const A: &str = "t/1/2/a";

/// A directory so many levels above a file, and where it is moved.
type Move = (usize, &'static str);

/// One rename: the way back to `2` by `..` leads elsewhere, the way from above does not.
const ONE: &[Move] = &[(3, "out/a")];
/// Neither way leads back to `a`, in which the other directory waits.
const BOTH: &[Move] = &[(2, "out/first"), (3, "out/a")];

/// A tree in which directories are moved as soon as a file called `now` is met.
struct Moving {
    place: tempfile::TempDir,
    moves: Mutex<Vec<Move>>,
}

impl Moving {
    fn new(moves: &[Move]) -> Moving {
        Moving::of(TREE, moves)
    }

    fn of(tree: &str, moves: &[Move]) -> Moving {
        let place = tempfile::tempdir().expect("a scratch directory");
        grow(place.path(), tree);
        Moving { place, moves: Mutex::new(moves.to_vec()) }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    fn meet(&self, path: &Path) {
        if path.ends_with("now") {
            for (levels, to) in self.moves.lock().expect("no panic").drain(..) {
                let from = path.ancestors().nth(levels).expect("it is deep enough");
                fs::rename(from, self.at(to)).expect("it is there");
            }
        }
    }

    /// The names of the files that are left.
    fn left(&self) -> BTreeSet<String> {
        let all = testkit::listed(self.place.path());
        let files = all.into_iter().filter(|path| Path::new(path).is_file());
        files.filter_map(|path| Some(Path::new(&path).file_name()?.to_str()?.to_owned())).collect()
    }

    /// The walk of a tree whose handles are all given up.
    fn walk(&self) -> Walk {
        Walk::new(self.at("t")).handle_limit(0)
    }
}

/// Meets files, removes them if it acts, and records errors.
struct Files<'a> {
    moving: &'a Moving,
    removes: bool,
    met: BTreeSet<String>,
    errors: Vec<(Operation, PathBuf)>,
}

impl<'a> Files<'a> {
    fn new(moving: &'a Moving, removes: bool) -> Files<'a> {
        Files { moving, removes, met: BTreeSet::new(), errors: Vec::new() }
    }
}

impl Visitor for Files<'_> {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries.iter().filter(|entry| entry.file_type() == FileType::File) {
            self.moving.meet(&entry.path());
            self.met.insert(String::from_utf8_lossy(entry.name()).into_owned());
            if self.removes {
                entry.unlink().expect("it was just listed");
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push((error.operation(), error.path().to_owned()));
        Flow::Continue
    }
}

impl Parallel for Files<'_> {
    fn fork(&self, _: usize) -> Self {
        Files::new(self.moving, self.removes)
    }

    fn merge(&mut self, other: Self) {
        self.met.extend(other.met);
        self.errors.extend(other.errors);
    }
}

impl Act for Files<'_> {
    const REMOVES: bool = true;

    fn leaving(&mut self, _: &Leaving<'_>, (): &(), (): &()) -> Flow {
        Flow::Continue
    }
}

/// Removes everything, perhaps with questions.
struct All<'a> {
    moving: &'a Moving,
    asks: bool,
    failed: Mutex<Vec<PathBuf>>,
}

impl Observer for All<'_> {
    fn wants_removed(&self) -> bool {
        true
    }

    fn removed(&self, path: &[u8], _: FileType) {
        self.moving.meet(Path::new(OsStr::from_bytes(path)));
    }

    fn asks(&self) -> bool {
        self.asks
    }

    fn ask(&self, _: &Question<'_>) -> io::Result<bool> {
        Ok(true)
    }

    fn failed(&self, failure: &Failure) {
        self.failed.lock().expect("no panic").push(failure.path().to_owned());
    }
}

fn names(words: &str) -> BTreeSet<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_moved_directory_costs_no_file_of_another() {
    let moving = Moving::new(ONE);
    let (files, _) = moving.walk().act(Files::new(&moving, true));
    assert_eq!((moving.left(), files.errors), (names(""), vec![]));
    for asks in [false, true] {
        let moving = Moving::new(ONE);
        let all = All { moving: &moving, asks, failed: Mutex::default() };
        let report = Remove::new(Walk::new(moving.at("t")).handle_limit(0)).run(&all);
        assert_eq!((moving.left(), report.failed), (names(""), 0), "{report:?}");
        assert!(!moving.at("t").exists());
    }
}

#[test]
fn a_directory_without_a_way_back_is_named() {
    let moving = Moving::new(BOTH);
    let (files, _) = moving.walk().act(Files::new(&moving, true));
    assert_eq!(moving.left(), names("now"));
    assert_eq!(files.errors, [(Operation::Reopen, moving.at(A))]);
    for asks in [false, true] {
        let moving = Moving::new(BOTH);
        let all = All { moving: &moving, asks, failed: Mutex::default() };
        let report = Remove::new(Walk::new(moving.at("t")).handle_limit(0)).run(&all);
        assert_eq!(moving.left(), names("now"), "{report:?}");
        let failed = all.failed.into_inner().expect("no panic");
        assert!(failed.contains(&moving.at(A)), "{failed:?}");
        assert!(!report.is_complete());
    }
}

/// Two directories of one level: once both were read, what is in them waits to be entered.
const LEVEL: &str = "t/ t/a/ t/a/now t/a/x/ t/a/x/f t/b/ t/b/now t/b/x/ t/b/x/f out/ other/";

/// Moves the first directory of a level away when the second is read.
struct Level<'a> {
    moving: &'a Moving,
    is_replaced: bool,
    first: Option<PathBuf>,
    files: Files<'a>,
}

impl Visitor for Level<'_> {
    type State = ();

    fn entries(&mut self, dir: &Directory<'_>, state: &(), entries: &[Entry<'_>]) -> Flow {
        if entries.iter().any(|entry| entry.name() == b"now")
            && let Some(first) = self.first.replace(dir.path().to_owned())
        {
            fs::rename(&first, self.moving.at("out/first")).expect("it was read");
            if self.is_replaced {
                fs::rename(self.moving.at("other"), &first).expect("the name is free");
            }
            self.first = Some(first);
        }
        self.files.entries(dir, state, entries)
    }

    fn error(&mut self, error: Error) -> Flow {
        self.files.error(error)
    }
}

#[test]
fn a_walk_that_reads_names_what_it_did_not_enter() {
    for is_replaced in [false, true] {
        let moving = Moving::of(LEVEL, &[]);
        let files = Files::new(&moving, false);
        let level = Level { moving: &moving, is_replaced, first: None, files };
        let (level, _) = moving.walk().order(Order::Breadth).visit(level);
        let first = level.first.expect("both were read");
        assert_eq!(level.files.met, names("now f"));
        assert_eq!(level.files.errors, [(Operation::Reopen, first)], "{is_replaced}");
    }
}

/// Entries of the directory that was moved may be met or not, all others are.
#[test]
fn a_walk_that_reads_comes_back_from_above() {
    for order in ORDERS.into_iter().chain([Order::Sorted(Shape::SiblingsFirst)]) {
        let moving = Moving::new(ONE);
        let (files, _) = moving.walk().order(order).visit(Files::new(&moving, false));
        assert!(files.met.is_superset(&names("now g h i")), "{order:?}: {:?}", files.met);
    }
}

#[test]
fn a_root_that_is_open_is_not_removed_by_its_path() {
    let scratch = testkit::scratch();
    let tree = scratch.path().join("t");
    fs::create_dir(&tree).expect("a directory");
    let open = fs::File::open(&tree).expect("it exists");
    let report = Remove::new(Walk::over::<&Path>([]).root_at(&open, &tree)).run(&());
    assert_eq!((report.failed, tree.exists()), (1, true));
    // What has cancelled a walk before removes nothing.
    let cancel = brisk::Cancel::new();
    cancel.now();
    let report = Remove::new(Walk::new(&tree).cancelled_by(&cancel)).run(&());
    assert!(report.stopped && tree.exists());
    assert!(Remove::new(Walk::new(&tree)).run(&()).is_complete() && !tree.exists());
}
