//! Directories as handles: those that a walk lends to its visitor, and those that the caller gives.

use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use brisk::{
    Act, Backend, Cancel, Directory, Enter, Entry, Error, Fields, Flow, Follow, Leaving, Mounts,
    Outcome, Parallel, Unvisited, Visitor, Walk,
};
use rustix::fs::{Mode as Permissions, OFlags, SeekFrom, open, seek};

use crate::record::{MODES, Mode, ORDERS, Rules, post, run};
use crate::tree::grow;

/// What stands in the directory that is given as a handle.
const TREE: &str = "d/ d/a/ d/a/f:3 d/a/s/ d/a/s/g d/b/ d/b/h d/l->a d/up->a/s";

/// A tree whose root was opened and then renamed. Another directory has its old path, so that a
/// walk that went by the path would find other entries.
struct Renamed {
    place: tempfile::TempDir,
    handle: OwnedFd,
    inode: u64,
}

impl Renamed {
    fn new(flags: OFlags) -> Renamed {
        let place = testkit::scratch();
        grow(place.path(), TREE);
        let old = place.path().join("d");
        let handle = open(&old, flags | OFlags::DIRECTORY, Permissions::empty()).expect("it opens");
        let inode = fs::metadata(&old).expect("it is there").ino();
        fs::rename(&old, place.path().join("moved")).expect("a new name");
        grow(place.path(), "d/ d/a/ d/a/decoy d/decoy d/b->a");
        Renamed { place, handle, inode }
    }

    /// The path that it had, by which it is shown.
    fn shown(&self) -> std::path::PathBuf {
        self.place.path().join("d")
    }

    fn walk(&self) -> Walk {
        Walk::over::<&Path>([]).root_at(&self.handle, self.shown())
    }
}

/// The entries that a walk finds, without the place; it may report no errors.
fn signs(walk: Walk, mode: Mode, place: &Path, fields: Fields) -> Vec<String> {
    let what = format!("{walk:?} {mode:?}");
    let lingers = mode != Mode::Serial;
    let outcome = run(walk, mode, Rules { fields, lingers, ..Rules::default() });
    assert_eq!(outcome.errors, Vec::<String>::new(), "{what}");
    assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
    let prefix = format!("{}/", place.display());
    outcome.sorted_signs().into_iter().map(|sign| sign.replace(&prefix, "")).collect()
}

fn sorted(expected: &str) -> Vec<String> {
    let mut expected: Vec<_> = expected.split_whitespace().map(str::to_owned).collect();
    expected.sort();
    expected
}

const WHOLE: &str = "d/ d/a/ d/a/f d/a/s/ d/a/s/g d/b/ d/b/h d/l@ d/up@";

#[test]
fn a_renamed_directory_is_walked_by_its_handle_in_every_way() {
    for flags in [OFlags::RDONLY, OFlags::PATH] {
        let given = Renamed::new(flags);
        let at = given.place.path();
        for order in ORDERS.into_iter().chain(ORDERS.into_iter().filter_map(post)) {
            for mode in MODES {
                // With few handles, directories are reached again from the root.
                for limit in [1000, 0] {
                    let walk = || given.walk().order(order).handle_limit(limit);
                    assert_eq!(signs(walk(), mode, at, Fields::empty()), sorted(WHOLE));
                    let one = walk().mounts(Mounts::SameDevice).unique(true);
                    assert_eq!(signs(one, mode, at, Fields::SIZE), sorted(WHOLE));
                }
            }
        }
    }
}

#[test]
fn links_below_a_handle_are_followed_from_there_and_loops_are_found() {
    let given = Renamed::new(OFlags::PATH);
    let moved = given.place.path().join("moved");
    std::os::unix::fs::symlink("..", moved.join("a/back")).expect("a link");
    for order in ORDERS {
        for mode in [Mode::Serial, Mode::Threads(4), Mode::Iter] {
            let walk = given.walk().order(order).follow(Follow::Always).max_depth(30);
            let outcome = run(walk, mode, Rules::default());
            let shown = given.shown();
            let loops = ["a/back", "l/back"].map(|path| shown.join(path));
            let loops = loops.map(|path| format!("FollowLoop {}", path.display()));
            assert_eq!(outcome.errors, loops, "{order:?} {mode:?}");
            assert_eq!(outcome.found.len(), 9 + 3 + 1, "{:?}", outcome.sorted_signs());
        }
    }
}

#[test]
fn metadata_is_that_of_the_given_directory() {
    let given = Renamed::new(OFlags::RDONLY);
    for order in ORDERS {
        let walk = given.walk().order(order).max_depth(0);
        let fields = Fields::INO | Fields::DEV | Fields::SIZE | Fields::ACCESS;
        let outcome = run(walk, Mode::Serial, Rules { fields, ..Rules::default() });
        let meta = outcome.found[0].meta.as_ref().expect("it was asked for");
        assert_eq!(meta.identity.map(|(_, inode)| inode), Some(given.inode), "{order:?}");
        assert!(meta.filled.contains(fields), "{order:?}: {:?}", meta.filled);
    }
}

/// Asks about roots by the means that an entry has.
struct Asker;

impl Visitor for Asker {
    type State = ();

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        assert!(dir.as_fd().is_none(), "the place above the roots has no handle");
        let [root] = entries else { panic!("{entries:?}") };
        assert!(!root.is_followed_link(), "a directory is not a link");
        assert!(!root.is_empty_dir().expect("it can be read"), "the decoy was asked");
        assert!(root.may_execute().expect("the system tells"));
        assert!(root.may_write().expect("the system tells"));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

impl Parallel for Asker {
    fn fork(&self, _: usize) -> Self {
        Asker
    }

    fn merge(&mut self, _: Self) {}
}

#[test]
fn an_entry_of_a_given_directory_asks_that_directory() {
    let given = Renamed::new(OFlags::RDONLY);
    let decoy = given.shown();
    fs::remove_dir_all(&decoy).expect("the decoy");
    fs::create_dir(&decoy).expect("an empty one");
    given.walk().max_depth(0).visit(Asker);
}

#[test]
fn the_position_of_the_callers_descriptor_stays_where_it_is() {
    let given = Renamed::new(OFlags::RDONLY);
    let mut space = Vec::with_capacity(4096);
    let mut listing = rustix::fs::RawDir::new(&given.handle, space.spare_capacity_mut());
    let first = listing.next().expect("an entry").expect("it can be read");
    let first = first.file_name().to_owned();
    let before = seek(&given.handle, SeekFrom::Current(0)).expect("a position");
    assert!(before > 0, "{first:?} was read");
    assert_eq!(
        signs(given.walk(), Mode::Serial, given.place.path(), Fields::empty()),
        sorted(WHOLE)
    );
    assert_eq!(seek(&given.handle, SeekFrom::Current(0)).expect("a position"), before);
    // The handle may be closed once the walk is made.
    let walk = given.walk();
    let Renamed { place, handle, .. } = given;
    drop(handle);
    assert_eq!(signs(walk, Mode::Adaptive, place.path(), Fields::empty()), sorted(WHOLE));
}

#[test]
fn handles_that_cannot_be_walked_are_errors_and_the_others_are_walked() {
    let given = Renamed::new(OFlags::RDONLY);
    let shown = given.shown();
    let file = File::open(given.place.path().join("moved/a/f")).expect("a file");
    let open = |path: &Path| format!("Open {}", path.display());
    let errors = |walk: Walk| {
        let outcome = run(walk, Mode::Serial, Rules::default());
        (outcome.errors, outcome.found.len())
    };
    assert_eq!(errors(given.walk().root_at(&file, "file")), (vec!["Open file".to_owned()], 9 + 1));
    assert_eq!(errors(given.walk().backend(Backend::Portable)), (vec![open(&shown)], 0));
    assert_eq!(errors(given.walk().root_at(&given.handle, "")), (vec!["Open ".to_owned()], 9));
    let nul = (vec!["Open a\0b".to_owned()], 9);
    assert_eq!(errors(given.walk().root_at(&given.handle, "a\0b")), nul);
    // One path for two roots.
    assert_eq!(errors(given.walk().root_at(&file, &shown)), (vec![open(&shown); 2], 0));
    let stat = vec![format!("Stat {}", shown.display())];
    assert_eq!(errors(given.walk().root(&shown)), (stat, 9));
    assert_eq!(errors(given.walk().root_at(&given.handle, "other")), (vec![], 18));
}

#[test]
fn nothing_is_removed_below_a_handle() {
    let given = Renamed::new(OFlags::RDONLY);

    struct All(Vec<std::io::ErrorKind>);

    impl Visitor for All {
        type State = ();

        fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            let _ = entries.iter().try_for_each(Entry::unlink);
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            self.0.push(std::io::Error::from(error).kind());
            Flow::Continue
        }
    }

    impl Parallel for All {
        fn fork(&self, _: usize) -> Self {
            All(Vec::new())
        }

        fn merge(&mut self, other: Self) {
            self.0.extend(other.0);
        }
    }

    impl Act for All {
        const REMOVES: bool = true;

        fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
            let _ = dir.remove();
            Flow::Continue
        }
    }

    let (all, _) = given.walk().act(All(Vec::new()));
    assert_eq!(all.0, [std::io::ErrorKind::Unsupported]);
    let place = given.place.path();
    assert!(place.join("moved/a/f").exists() && place.join("d/a/decoy").exists());
}

#[test]
fn a_walk_of_a_handle_goes_on_where_it_was_cancelled() {
    let given = Renamed::new(OFlags::PATH);
    let cancel = Cancel::new();
    cancel.at_boundary();
    let outcome = run(given.walk().cancelled_by(&cancel), Mode::Serial, Rules::default());
    assert_eq!(outcome.found.len(), 1, "{:?}", outcome.signs());
    let unvisited = cancel.take_unvisited();
    assert_eq!(unvisited, [Unvisited::new(given.shown(), "", false)]);
    let at = given.place.path();
    for (unvisited, expected) in [
        (unvisited, "d/a/ d/a/f d/a/s/ d/a/s/g d/b/ d/b/h d/l@ d/up@"),
        (vec![Unvisited::new(given.shown(), "a/s", false)], "d/a/s/g"),
        (vec![], ""),
    ] {
        for mounts in [Mounts::Cross, Mounts::SameDevice] {
            let walk = given.walk().mounts(mounts).resume(unvisited.clone());
            assert_eq!(signs(walk, Mode::Serial, at, Fields::SIZE), sorted(expected));
        }
    }
}

/// Notes which directory the handle is of that each call gets.
#[derive(Default)]
struct Handles {
    opened: usize,
    entries: usize,
    is_native: bool,
}

impl Handles {
    fn check(&self, dir: &Directory<'_>) {
        let Some(handle) = dir.as_fd() else {
            return assert!(!self.is_native, "{:?} is open", dir.path());
        };
        let own = rustix::fs::fstat(handle).expect("it is open");
        let path = fs::metadata(dir.path()).expect("it is there");
        assert_eq!((own.st_ino, own.st_dev), (path.ino(), path.dev()), "{:?}", dir.path());
    }
}

impl Visitor for Handles {
    type State = ();

    fn needs(&self) -> brisk::Needs {
        brisk::Needs { leave: true, ..brisk::Needs::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        assert!(entry.directory().as_fd().is_none());
        Enter::Read(())
    }

    fn opened(&mut self, dir: &Directory<'_>, (): &mut ()) -> Enter<()> {
        self.check(dir);
        self.opened += 1;
        Enter::Read(())
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        if entries[0].depth() > 0 {
            self.check(dir);
            self.entries += 1;
        }
        Flow::Continue
    }

    fn leave(&mut self, dir: &Directory<'_>, (): &(), (): &(), _: Outcome) -> Flow {
        assert!(dir.as_fd().is_none());
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

#[test]
fn a_visitor_borrows_the_handle_of_the_directory_that_is_open() {
    let place = testkit::scratch();
    grow(place.path(), TREE);
    for (backend, is_native) in [(Backend::Native, true), (Backend::Portable, false)] {
        let walk = Walk::new(place.path().join("d")).backend(backend);
        let (handles, _) = walk.visit(Handles { is_native, ..Handles::default() });
        assert_eq!((handles.opened, handles.entries), (4, 4), "{backend:?}");
    }
}

/// A state that the caller has kept, and what is found with it.
struct Again {
    kept: &'static str,
    found: Vec<(String, usize)>,
}

impl Visitor for Again {
    type State = &'static str;

    fn enter(&mut self, entry: &Entry<'_>, _: &&'static str) -> Enter<&'static str> {
        assert_eq!((entry.name(), entry.depth()), (b"shown".as_slice(), 0));
        Enter::Read(self.kept)
    }

    fn entries(
        &mut self,
        dir: &Directory<'_>,
        state: &&'static str,
        entries: &[Entry<'_>],
    ) -> Flow {
        assert_eq!((dir.path(), *state), (Path::new("shown"), "kept"));
        let found = |entry: &Entry<'_>| (entry.path().display().to_string(), entry.depth());
        self.found.extend(entries.iter().map(found));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

#[test]
fn one_directory_is_read_again_with_the_callers_state_and_few_calls() {
    let given = Renamed::new(OFlags::RDONLY);
    let walk = Walk::at(given.handle.as_fd(), "shown").max_depth(1);
    let (mut again, stats) = walk.visit(Again { kept: "kept", found: Vec::new() });
    again.found.sort();
    let expected = ["shown/a", "shown/b", "shown/l", "shown/up"].map(|path| (path.to_owned(), 1));
    assert_eq!(again.found, expected);
    let calls = stats.calls;
    assert!((1..=2).contains(&calls.read), "{calls:?}");
    assert_eq!((calls.open, calls.total() - calls.read), (1, 1), "{calls:?}");
    assert_eq!((stats.directories, stats.entries, stats.peak_workers), (1, 1 + 4, 1));
}
