//! What listers need of an ordered walk: siblings first, an order of their own, `.` and `..`.

use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::path::Path;

use brisk::{
    Directory, Entry, Error, Fields, Flow, InTurn, Order, Parallel, Select, Shape, Visitor, Walk,
};

use crate::tree::{files, grow};

/// Writes down a walk as `ls -R` would print it: `dir: names;` for each directory.
#[derive(Default)]
struct Lister {
    listed: String,
    by_size: bool,
    pruned: &'static str,
    stops_at: &'static str,
}

impl Visitor for Lister {
    type State = ();

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if entry.depth() == 0 {
            return Select::Enter;
        }
        Select::Take(if self.by_size { Fields::SIZE } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            self.listed += &format!(" {}", entry.file_name().display());
            if entry.name() == self.pruned.as_bytes() {
                entry.prune();
            }
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.listed += &format!("[{:?}] ", error.operation());
        Flow::Continue
    }
}

impl Parallel for Lister {
    fn fork(&self, _: usize) -> Self {
        Lister { by_size: self.by_size, ..Lister::default() }
    }

    fn merge(&mut self, other: Self) {
        assert!(other.listed.is_empty(), "only the calling thread hands on");
    }
}

impl InTurn for Lister {
    fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
        if level > 0 {
            return 0;
        }
        let size = entry.meta().and_then(|meta| meta.size()).unwrap_or(0);
        if self.by_size { u64::MAX - size } else { 0 }
    }

    fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        b.name().cmp(a.name())
    }

    fn begin(&mut self, dir: &Directory<'_>, (): &()) -> Flow {
        self.listed += &format!("{}:", dir.path().display());
        let stops = !self.stops_at.is_empty() && dir.path().ends_with(self.stops_at);
        if stops { Flow::Stop } else { Flow::Continue }
    }

    fn end(&mut self, _: &Directory<'_>, (): &()) -> Flow {
        self.listed += "; ";
        Flow::Continue
    }
}

/// The same with one thread, with several, and with as many as pay.
fn in_every_mode(walk: &Walk, lister: impl Fn() -> Lister) -> String {
    let (serial, _) = walk.clone().threads(NonZeroUsize::new(1)).visit_in_turn(lister());
    let (adaptive, _) = walk.clone().visit_in_turn(lister());
    assert_eq!(serial.listed, adaptive.listed);
    for threads in [2, 8] {
        let walk = walk.clone().threads(NonZeroUsize::new(threads));
        assert_eq!(serial.listed, walk.visit_in_turn(lister()).0.listed, "{threads} threads");
    }
    serial.listed
}

fn tree(spec: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().expect("a directory");
    grow(place.path(), spec);
    let root = place.path().join("r");
    (place, root)
}

fn relative(listed: &str, root: &Path) -> String {
    listed.replace(&root.display().to_string(), "r")
}

const TREE: &str = "r/ r/a/ r/a/x r/a/s/ r/a/s/y r/b/ r/c:9 r/d:5 r/e/ r/e/z:1 r/l->a";

#[test]
fn siblings_come_before_what_is_in_subdirectories() {
    let (_place, root) = tree(TREE);
    let walk = Walk::new(&root).order(Order::Sorted(Shape::SiblingsFirst));
    let listed = in_every_mode(&walk, Lister::default);
    assert_eq!(relative(&listed, &root), "r: l e d c b a; r/e: z; r/b:; r/a: x s; r/a/s: y; ");
}

#[test]
fn without_it_each_directory_comes_after_its_entry() {
    let (_place, root) = tree(TREE);
    let listed = in_every_mode(&Walk::new(&root).order(Order::Sorted(Shape::Pre)), Lister::default);
    assert_eq!(relative(&listed, &root), "r: l er/e: z d c br/b: ar/a: x sr/a/s: y");
}

#[test]
fn ranks_may_come_from_metadata() {
    let (_place, root) = tree("r/ r/a:1 r/b:3 r/c:2 r/d:3");
    let walk = Walk::new(&root).order(Order::Sorted(Shape::SiblingsFirst));
    let listed = in_every_mode(&walk, || Lister { by_size: true, ..Lister::default() });
    assert_eq!(relative(&listed, &root), "r: d b c a; ");
}

#[test]
fn names_that_differ_late_are_in_order() {
    let place = tempfile::tempdir().expect("a directory");
    let mut expect = Vec::new();
    for length in [1, 8, 9, 16, 31, 32, 33, 40, 100] {
        for last in ["", "a", "b", "\u{ff}", "\u{1}"] {
            let name = format!("{}{last}", "x".repeat(length));
            std::fs::write(place.path().join(&name), "").expect("a file");
            expect.push(name);
        }
    }
    expect.sort();
    expect.dedup();
    let walk = Walk::new(place.path()).order(Order::Sorted(Shape::Pre)).min_depth(1);
    let names = walk.into_iter().map(|entry| entry.expect("an entry").file_name().to_owned());
    let expect: Vec<_> = expect.into_iter().map(std::ffi::OsString::from).collect();
    assert_eq!(names.collect::<Vec<_>>(), expect);
}

#[test]
fn a_pruned_directory_is_listed_and_not_entered() {
    let (_place, root) = tree(TREE);
    let walk = Walk::new(&root).order(Order::Sorted(Shape::SiblingsFirst));
    let listed = in_every_mode(&walk, || Lister { pruned: "a", ..Lister::default() });
    assert_eq!(relative(&listed, &root), "r: l e d c b a; r/e: z; r/b:; ");
}

#[test]
fn stopping_at_a_directory_hands_nothing_more_on() {
    let (_place, root) = tree(TREE);
    let walk = Walk::new(&root).order(Order::Sorted(Shape::SiblingsFirst));
    let (lister, _) = walk.visit_in_turn(Lister { stops_at: "b", ..Lister::default() });
    let listed = relative(&lister.listed, &root);
    assert!(
        listed.starts_with("r: l e d c b a; r/e: z; r/b:") && !listed.contains("r/a"),
        "{listed}"
    );
}

#[test]
fn an_unreadable_directory_does_not_begin() {
    let place = tempfile::tempdir().expect("a directory");
    let (lister, _) = Walk::new(place.path().join("missing"))
        .order(Order::Sorted(Shape::SiblingsFirst))
        .visit_in_turn(Lister::default());
    assert_eq!(lister.listed, "[Stat] ");
}

#[test]
fn a_huge_directory_in_its_own_order_comes_in_chunks_and_then_what_is_below() {
    let place = tempfile::tempdir().expect("a directory");
    files(place.path(), 6000, 20);
    grow(place.path(), "first/ first/f last/ last/g");
    let walk = Walk::new(place.path()).order(Order::Depth(Shape::SiblingsFirst));
    let listed = in_every_mode(&walk, Lister::default);
    let (own, below) = listed.split_once("; ").expect("two parts");
    assert_eq!(own.split(' ').count(), 6002 + 1);
    assert_eq!(below.matches(';').count(), 2, "{below}");
    assert!(below.contains("first: f; ") && below.contains("last: g; "), "{below}");
}

#[test]
fn dots_are_handed_on_and_never_entered() {
    let (_place, root) = tree("r/ r/a/ r/a/x r/!");
    let walk = Walk::new(&root).order(Order::Sorted(Shape::SiblingsFirst)).dots(true);
    let listed = in_every_mode(&walk, Lister::default);
    assert_eq!(relative(&listed, &root), "r: a .. . !; r/a: x .. .; ");
    for order in [Order::Unordered, Order::Breadth, Order::Depth(Shape::Pre)] {
        let (lister, _) = Walk::new(&root).order(order).dots(true).visit(Lister::default());
        assert_eq!(lister.listed.matches(" ..").count(), 2, "{order:?}: {}", lister.listed);
    }
}

#[test]
fn a_root_that_is_known_to_be_a_directory_is_not_asked_about() {
    let (_place, root) = tree("r/ r/a/ r/a/x r/l->a");
    let link = root.join("l");
    let walk = Walk::over::<&Path>([]).directory(&link).order(Order::Sorted(Shape::Pre));
    let (lister, stats) = walk.visit_in_turn(Lister::default());
    assert_eq!(relative(&lister.listed, &root), "r/l: x");
    assert_eq!(stats.calls.stat, 0);
}
