//! Trees that change while they are walked: no entry from outside is ever delivered, and none that
//! stays is lost.

use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use brisk::filter::{Expr, Filter, Test};
use brisk::{
    Directory, Enter, Entry, Error, Fields, Flow, Follow, Needs, Operation, Order, Parallel,
    Select, Visitor, Walk,
};
use testkit::Mounted;

use crate::oracle::Dice;
use crate::record::{Mode, ORDERS, Outcome, Rules, SORTED, in_time, post, run};
use crate::tree::grow;

/// The link that replaces a directory of the tree leads here: the same names, and entries that must
/// not be seen.
const VICTIM: &str = "victim/ victim/in/ victim/in/deep/ victim/in/deep/victim-c victim/in/victim-b \
    victim/victim-a victim/victim-d/ victim/victim-d/victim-e";

/// `swap` is a directory or a link to the victim, in turns.
const TREE: &str = "tree/ tree/swap/ tree/swap/in/ tree/swap/in/deep/ tree/swap/in/deep/c \
    tree/swap/in/b tree/swap/a tree/churn/ tree/churn/keep";

/// Directories that do not change, among those that do.
fn grow_untouched(tree: &Path) -> usize {
    let mut count = 0;
    for place in ["", "churn"] {
        for at in 0..6 {
            let dir = tree.join(place).join(format!("{}-untouched-{at}", at * 3 % 7));
            fs::create_dir(&dir).expect("a directory");
            grow(&dir, "f g s/ s/h s/t/ s/t/i");
            count += 7;
        }
    }
    count
}

/// One change: a file, a directory, a rename, or the swap.
struct Changer {
    place: PathBuf,
    dice: Dice,
    is_link: bool,
    swaps: usize,
}

impl Changer {
    fn change(&mut self) {
        let churn = self.place.join("tree/churn");
        let path = |at: usize| churn.join(format!("x{at}"));
        let one = path(self.dice.below(12));
        let other = path(self.dice.below(12));
        // Any of these may find that the last change left nothing to do.
        let _ = match self.dice.below(8) {
            0 => fs::write(&one, "").ok(),
            1 => fs::create_dir(&one).and_then(|()| fs::write(one.join("y"), "")).ok(),
            2 => fs::remove_file(&one).ok(),
            3 => fs::remove_dir_all(&one).ok(),
            4 => fs::rename(&one, &other).ok(),
            5 => symlink("../../victim", &one).ok(),
            _ => {
                self.swap();
                None
            }
        };
    }

    fn swap(&mut self) {
        let [swap, dir, link] = ["tree/swap", "dir", "link"].map(|name| self.place.join(name));
        let (aside, instead) = if self.is_link { (link, dir) } else { (dir, link) };
        fs::rename(&swap, aside).expect("out of the way");
        fs::rename(instead, &swap).expect("in its place");
        self.is_link = !self.is_link;
        self.swaps += 1;
    }
}

fn check(outcome: &Outcome, untouched: usize, limit: Option<usize>, what: &str) {
    let mut times: HashMap<&Path, usize> = HashMap::new();
    for found in &outcome.found {
        let path = found.path.to_str().expect("an ordinary path");
        assert!(!path.contains("victim-"), "{what}: {path}");
        if path.contains("-untouched-") {
            *times.entry(&found.path).or_default() += 1;
        }
    }
    assert_eq!(times.len(), untouched, "{what}");
    assert!(times.values().all(|&times| times == 1), "{what}: {times:?}");
    // An entry that is gone is not an error, and neither is one that has changed its type. But what is
    // in the directory cannot be entered once that is a link, and its handle was given up.
    let is_lost = |error: &String| error.starts_with("Reopen ") && error.contains("/tree/swap");
    let others: Vec<_> = outcome.errors.iter().filter(|error| !is_lost(error)).collect();
    assert_eq!(others, Vec::<&String>::new(), "{what}");
    assert!(limit.is_some() || outcome.errors.is_empty(), "{what}");
    assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
}

/// Walks again and again until a walk began after the last swap, which left the directory in its
/// place. Returns how often `in` was met.
fn walk_on(
    place: &Path,
    order: Order,
    limit: Option<usize>,
    done: &AtomicBool,
    untouched: usize,
) -> usize {
    let mut met = 0;
    let modes = [Mode::Serial, Mode::Threads(4), Mode::Iter, Mode::ParallelIter];
    let mut walks = 0;
    loop {
        let is_last = done.load(Ordering::Acquire) && walks >= 15;
        let mode = modes[walks % modes.len()];
        let fields = if walks / 4 % 2 == 0 { Fields::empty() } else { Fields::SIZE };
        let shaped = post(order).filter(|_| walks / 8 % 2 == 1).unwrap_or(order);
        let walk = Walk::new(place.join("tree")).order(shaped);
        let walk = limit.map_or(walk.clone(), |limit| walk.handle_limit(limit));
        let what = format!("{order:?} {mode:?} {fields:?} {limit:?}");
        let rules = Rules { fields, ..Rules::default() };
        let outcome = in_time(&what, move || run(walk, mode, rules));
        check(&outcome, untouched, limit, &what);
        met += outcome.found.iter().filter(|found| found.path.ends_with("swap/in")).count();
        if is_last {
            return met;
        }
        walks += 1;
    }
}

#[test]
fn a_tree_that_changes_shows_nothing_else_and_loses_nothing() {
    changing(None, 2_000);
}

/// If no handles can be kept, directories are opened again from the root down.
#[test]
fn a_tree_that_changes_with_few_handles() {
    changing(Some(0), 3_000);
}

fn changing(limit: Option<usize>, swaps: usize) {
    for order in ORDERS {
        let place = tempfile::tempdir().expect("a scratch directory");
        grow(place.path(), VICTIM);
        grow(place.path(), TREE);
        symlink(place.path().join("victim"), place.path().join("link")).expect("a link");
        let untouched = grow_untouched(&place.path().join("tree"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let change = || {
                let place = place.path().to_owned();
                let dice = Dice::new(4711);
                let mut changer = Changer { place, dice, is_link: false, swaps: 0 };
                while changer.swaps < swaps {
                    changer.change();
                }
                done.store(true, Ordering::Release);
            };
            Builder::new().spawn_scoped(scope, change).expect("a thread");
            let met = walk_on(place.path(), order, limit, &done, untouched);
            assert!(met > 0, "{order:?}: the directory was not met");
        });
    }
}

/// Swaps a directory for a link to the victim at the worst moment, once.
struct Swapper<'a> {
    place: &'a Path,
    at: At,
    swaps: &'a AtomicUsize,
    names: Vec<PathBuf>,
    fields: Fields,
    /// No handle is kept.
    gives_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// The directory was listed, and is about to be opened.
    Enter,
    /// The directory is open, and its child is about to be opened.
    EnterBelow,
    /// The visitor selects from the directory's entries; their stats follow.
    Select,
    /// The directory's entries were delivered; those below it follow.
    Entries,
    /// The entries of the directory's child were delivered.
    EntriesBelow,
}

impl Swapper<'_> {
    fn reach(&self, at: At) {
        if at == self.at && self.swaps.fetch_add(1, Ordering::SeqCst) == 0 {
            let [swap, aside] = ["tree/swap", "aside"].map(|name| self.place.join(name));
            fs::rename(&swap, aside).expect("out of the way");
            symlink(self.place.join("victim"), swap).expect("a link in its place");
        }
    }
}

impl Visitor for Swapper<'_> {
    type State = ();

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        match entry.name() {
            b"swap" => self.reach(At::Enter),
            b"in" => self.reach(At::EnterBelow),
            _ => {}
        }
        Enter::Read(())
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if entry.directory().path().ends_with("swap") {
            self.reach(At::Select);
        }
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.names.extend(entries.iter().map(Entry::path));
        for (dir, at) in [("swap", At::Entries), ("swap/in", At::EntriesBelow)] {
            if entries.iter().any(|entry| entry.directory().path().ends_with(dir)) {
                self.reach(at);
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        assert_eq!(error.operation(), Operation::Reopen, "{error}");
        assert!(self.gives_up && error.path().ends_with("tree/swap"), "{error}");
        Flow::Continue
    }
}

impl Parallel for Swapper<'_> {
    fn fork(&self, _: usize) -> Self {
        Swapper { names: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Self) {
        self.names.extend(other.names);
    }
}

/// The same without chance: the swap comes exactly between two steps.
#[test]
fn a_directory_swapped_for_a_link_between_two_steps() {
    for order in ORDERS {
        for at in [At::Enter, At::EnterBelow, At::Select, At::Entries, At::EntriesBelow] {
            for threads in [1, 4] {
                for limit in [0, 100] {
                    for fields in [Fields::empty(), Fields::SIZE] {
                        let place = tempfile::tempdir().expect("a scratch directory");
                        grow(place.path(), VICTIM);
                        grow(place.path(), TREE);
                        let swaps = AtomicUsize::new(0);
                        let names = Vec::new();
                        let place = place.path();
                        let gives_up = limit == 0;
                        let visitor = Swapper { place, at, swaps: &swaps, names, fields, gives_up };
                        let walk = Walk::new(place.join("tree")).order(order);
                        let walk = walk.threads(NonZeroUsize::new(threads)).handle_limit(limit);
                        let (visitor, _) = walk.visit_parallel(visitor);
                        let what = format!("{order:?} {at:?} {threads} {limit} {fields:?}");
                        let names: Vec<_> =
                            visitor.names.iter().filter_map(|path| path.to_str()).collect();
                        assert!(swaps.load(Ordering::SeqCst) > 0, "{what}: {names:?}");
                        let outside = names.iter().find(|name| name.contains("victim"));
                        assert_eq!(outside, None, "{what}");
                        assert!(names.iter().any(|name| name.ends_with("churn/keep")), "{what}");
                        // An open directory is read to its end.
                        let inside = names.iter().any(|name| name.ends_with("swap/a"));
                        assert_eq!(inside, at != At::Enter, "{what}: {names:?}");
                    }
                }
            }
        }
    }
}

/// Removes each file that it selects, so that the request for the file's metadata finds nothing.
#[derive(Default)]
struct Remover {
    wants_word: bool,
    taken: usize,
    errors: Vec<String>,
}

impl Visitor for Remover {
    type State = ();

    fn needs(&self) -> Needs {
        Needs { vanished: self.wants_word, ..Needs::default() }
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if entry.depth() > 0 {
            fs::remove_file(entry.path()).expect("a file");
        }
        Select::Take(Fields::SIZE)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.taken += entries.iter().filter(|entry| entry.depth() > 0).count();
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.to_string());
        Flow::Continue
    }
}

impl Parallel for Remover {
    fn fork(&self, _: usize) -> Self {
        Remover::default()
    }

    fn merge(&mut self, _: Self) {}
}

#[test]
fn what_vanishes_is_an_error_to_a_visitor_that_wants_to_hear_of_it() {
    for wants_word in [false, true] {
        let place = tempfile::tempdir().expect("a directory");
        grow(place.path(), "a b c");
        let remover = Remover { wants_word, ..Remover::default() };
        let (remover, _) = Walk::new(place.path()).visit(remover);
        let expected = if wants_word { 3 } else { 0 };
        assert_eq!((remover.taken, remover.errors.len()), (expected, expected));
        assert!(remover.errors.iter().all(|error| error.starts_with("cannot stat '")));
    }
}

/// A server that goes by paths says of an open directory that it is none.
#[test]
fn what_was_in_a_directory_that_is_a_file_on_the_server_has_vanished() {
    let test = "what_was_in_a_directory_that_is_a_file_on_the_server_has_vanished";
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let [dir, aside] = ["dir", "aside"].map(|name| scratch.path().join(name));
    grow(scratch.path(), "dir/ dir/sub/ dir/sub/a");
    // The kernel would find out about the directory itself.
    let flags = format!("--mirror {} --latency 0 --attr-timeout 3600s", dir.display());
    let Some(mount) = Mounted::new(test, &flags) else { return };
    let sub = dir.join("sub");
    let replaces = Test::name("replaces", move |name| {
        if name == b"a" {
            fs::rename(&sub, &aside).expect("renamed");
            fs::write(&sub, "").expect("a file");
        }
        true
    });
    let stats = Test::meta("stats", |_| Fields::SIZE, |_, _| true);
    let tests = [replaces, stats].map(Expr::Test);
    let walk = Walk::new(mount.path()).filter(Filter::new(Expr::All(tests.into())));
    let found: Result<Vec<_>, _> = walk.into_iter().collect();
    assert_eq!(found.expect("no error").len(), 2);
}

/// Moves a directory out of the tree when the directory's file is met.
struct Mover<'a> {
    from: &'a Path,
    to: &'a Path,
    names: Vec<String>,
}

impl Visitor for Mover<'_> {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == "bottom" {
                fs::rename(self.from, self.to).expect("out of the tree");
            }
            self.names.push(name);
        }
        Flow::Continue
    }

    fn error(&mut self, _: Error) -> Flow {
        Flow::Continue
    }
}

/// The way back up from a directory that was moved leads elsewhere, and is not taken.
#[test]
fn the_way_up_from_a_directory_that_was_moved_is_not_taken() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let place = scratch.path();
    let deep = place.join("tree").join("d/".repeat(60));
    fs::create_dir_all(deep.join("d/e")).expect("a deep tree");
    fs::write(deep.join("d/e/bottom"), "").expect("a file");
    fs::create_dir_all(deep.join("z")).expect("the next directory");
    fs::write(deep.join("z/inside"), "").expect("a file");
    fs::create_dir_all(place.join("elsewhere/z")).expect("a directory elsewhere");
    fs::write(place.join("elsewhere/z/outside"), "").expect("a file");
    let from = deep.join("d");
    let to = place.join("elsewhere/d");
    let mover = Mover { from: &from, to: &to, names: Vec::new() };
    let walk = Walk::new(place.join("tree")).order(SORTED).handle_limit(0);
    let (mover, stats) = walk.visit(mover);
    assert!(to.exists(), "nothing was moved");
    assert_eq!(mover.names.last().map(String::as_str), Some("inside"));
    assert_eq!(stats.errors, 0);
}

/// Removes the link through which the walk came.
struct Unlinker {
    link: PathBuf,
    depth: usize,
    errors: Vec<Operation>,
}

impl Visitor for Unlinker {
    type State = ();

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        if entries.iter().any(|entry| entry.name() == b"f") {
            let _ = fs::remove_file(&self.link);
        }
        self.depth = self.depth.max(dir.depth());
        if self.depth < 100 { Flow::Continue } else { Flow::Stop }
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.operation());
        Flow::Continue
    }
}

/// No path leads to the directories above then, so they cannot be compared any more.
#[test]
fn a_loop_whose_way_in_is_gone_ends() {
    for order in ORDERS {
        let place = tempfile::tempdir().expect("a scratch directory");
        grow(place.path(), "foo/ foo/e/ foo/e/A/ foo/e/A/f lib/");
        symlink("../..", place.path().join("foo/e/A/n")).expect("a link");
        let link = place.path().join("lib/esc");
        symlink("../foo/e/A", &link).expect("a link");
        let walk = Walk::new(place.path().join("lib")).follow(Follow::Always).order(order);
        let (visitor, _) = walk.visit(Unlinker { link, depth: 0, errors: Vec::new() });
        assert!(visitor.depth < 10, "{order:?}: {}", visitor.depth);
        assert!(visitor.errors.contains(&Operation::FollowLoop), "{order:?}: {:?}", visitor.errors);
    }
}
