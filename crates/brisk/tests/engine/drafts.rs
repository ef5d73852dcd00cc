//! Drafts: entries that a visitor of an ordered walk formats before their turn. Other kinds of
//! walks do not know of them.

use std::num::NonZeroUsize;

use brisk::filter::{Expr, Filter, Test};
use brisk::{Directory, Entry, Error, Flow, InTurn, Order, Parallel, Shape, Stats, Visitor, Walk};

use crate::tree::grow;

const TREE: &str = "a/ a/b/ a/b/c a/d e";
const PATHS: [&str; 5] = ["a", "a/b", "a/b/c", "a/d", "e"];

/// Writes down the paths of all entries, and of those that were drafted.
#[derive(Default)]
struct Drafter {
    paths: Vec<String>,
    adopted: usize,
    /// The name of what is pruned.
    prunes: &'static str,
}

impl Drafter {
    fn prune(&self, entry: &Entry<'_>) {
        if entry.name() == self.prunes.as_bytes() {
            entry.prune();
        }
    }
}

fn path(entry: &Entry<'_>) -> String {
    entry.path().to_str().expect("an ordinary path").to_owned()
}

impl Visitor for Drafter {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        entries.iter().for_each(|entry| self.prune(entry));
        self.paths.extend(entries.iter().map(path));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

impl Parallel for Drafter {
    fn fork(&self, _: usize) -> Self {
        Drafter { prunes: self.prunes, ..Drafter::default() }
    }

    fn merge(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.adopted += other.adopted;
    }
}

impl InTurn for Drafter {
    fn drafts(&self) -> bool {
        true
    }

    fn draft(&mut self, entries: &[Entry<'_>], out: &mut Vec<u8>) {
        for entry in entries {
            // The directory is open.
            assert!(entry.may_write().is_ok(), "{entry:?}");
            self.prune(entry);
            out.extend_from_slice(path(entry).as_bytes());
            out.push(b'\n');
        }
    }

    fn adopt(&mut self, (): &(), draft: &[u8]) -> Flow {
        let paths = std::str::from_utf8(draft).expect("ordinary paths").lines();
        self.paths.extend(paths.map(str::to_owned));
        self.adopted += 1;
        Flow::Continue
    }
}

/// One of the ways to walk.
type Way = fn(Walk, Drafter) -> (Drafter, Stats);

/// (Before the mend, `visit` and `visit_parallel` delivered one entry of four, and a draft's entries
/// had no directory.)
#[test]
fn no_kind_of_walk_loses_an_entry() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    let ways: [Way; 3] = [Walk::visit, Walk::visit_parallel, Walk::visit_in_turn];
    for (at, way) in ways.into_iter().enumerate() {
        for shape in [Shape::Pre, Shape::SiblingsFirst] {
            for threads in [1, 3] {
                let walk = Walk::new(place.path()).min_depth(1).order(Order::Sorted(shape));
                let walk = walk.threads(NonZeroUsize::new(threads));
                let (mut drafter, _) = way(walk, Drafter::default());
                drafter.paths.sort();
                let expected = PATHS.map(|path| place.path().join(path).display().to_string());
                assert_eq!(drafter.paths, expected, "{at} {shape:?} {threads}");
                let drafts = at == 2 && shape == Shape::SiblingsFirst;
                assert_eq!(drafter.adopted > 0, drafts, "{at} {shape:?} {threads}");
            }
        }
    }
}

/// (A draft once was of the last chunk of a large directory, and a visitor that kept it as the whole
/// directory lost the others.)
#[test]
fn a_draft_is_of_a_whole_directory() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let small = "small/1 small/2 small/3";
    let large: String = (0..20_000).map(|number| format!("large/{number} ")).collect();
    grow(place.path(), &format!("small/ large/ {small} {large}"));
    for order in [Order::Depth(Shape::SiblingsFirst), Order::Sorted(Shape::SiblingsFirst)] {
        let walk = Walk::new(place.path()).min_depth(1).order(order);
        let (drafter, _) = walk.visit_in_turn(Drafter::default());
        assert_eq!(drafter.paths.len(), 20_005, "{order:?}");
        // That of `small` and that of the root.
        assert_eq!(drafter.adopted, 2, "{order:?}");
    }
}

/// In pre-order a draft has a piece for each directory that is entered, also where the visitor
/// prunes a directory, or where the filter lets through only what is in it.
#[test]
fn drafts_of_pre_order_are_delivered_in_order() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let large: String = (0..9_000).map(|number| format!(" k/{number}")).collect();
    grow(place.path(), &format!("a b/ b/1 b/c/ b/c/2 b/d e/ e/3 f g/ g/h/ g/h/4 g/i/ j k/{large}"));
    let digits = Expr::from(Test::name("[0-9]", |name| name[0].is_ascii_digit()));
    for filter in [None, Some(Filter::new(digits))] {
        for prunes in ["", "b", "c", "h", "i"] {
            for threads in [0, 1, 3] {
                let walk = || {
                    let walk = Walk::new(place.path()).order(Order::Depth(Shape::Pre));
                    let walk = walk.threads(NonZeroUsize::new(threads));
                    filter.iter().cloned().fold(walk, Walk::filter)
                };
                let (drafter, drafted) =
                    walk().visit_in_turn(Drafter { prunes, ..Drafter::default() });
                let (expected, stats) = walk().visit(Drafter { prunes, ..Drafter::default() });
                assert_eq!(drafter.paths, expected.paths, "{prunes} {threads}");
                assert_eq!(drafted.taken, stats.taken, "{prunes} {threads}");
                assert!(drafter.adopted > 0 && expected.adopted == 0);
            }
        }
    }
}
