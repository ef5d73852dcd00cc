//! Cancelling from outside: at once, and at a boundary from which another walk goes on.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brisk::{
    Cancel, Directory, Enter, Entry, Error, Flow, Order, Parallel, Unvisited, Visitor, Walk,
};

use crate::record::{ORDERS, in_time, linger};
use crate::tree::bushy;

/// Cancels once this number of entries was delivered.
#[derive(Clone)]
struct Canceller {
    cancel: Cancel,
    how: fn(&Cancel),
    after: usize,
    slow: bool,
    count: Arc<AtomicUsize>,
    found: Arc<Mutex<Vec<PathBuf>>>,
}

impl Canceller {
    fn new(how: fn(&Cancel), after: usize, slow: bool) -> Canceller {
        let (count, found) = Default::default();
        Canceller { cancel: Cancel::new(), how, after, slow, count, found }
    }

    fn found(&self) -> Vec<PathBuf> {
        self.found.lock().expect("a list").clone()
    }
}

impl Visitor for Canceller {
    type State = ();

    fn opened(&mut self, _: &Directory<'_>, (): &mut ()) -> Enter<()> {
        if self.slow {
            linger(Duration::from_micros(300));
        }
        Enter::Read(())
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.found.lock().expect("a list").extend(entries.iter().map(Entry::path));
        let before = self.count.fetch_add(entries.len(), Ordering::SeqCst);
        if before + entries.len() >= self.after {
            (self.how)(&self.cancel);
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

impl Parallel for Canceller {
    fn fork(&self, _: usize) -> Self {
        self.clone()
    }

    fn merge(&mut self, _: Self) {}
}

fn run(walk: Walk, canceller: &Canceller) -> Vec<Unvisited> {
    let walk = walk.cancelled_by(&canceller.cancel);
    let visitor = canceller.clone();
    in_time("a walk that is cancelled", move || walk.visit_parallel(visitor));
    canceller.cancel.take_unvisited()
}

#[test]
fn what_is_handed_back_and_what_was_seen_are_the_whole_tree() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 4, 2);
    let mut all: Vec<_> =
        Walk::new(place.path()).into_iter().map(|entry| entry.expect("one").into_path()).collect();
    all.sort();
    let mut in_two_parts = 0;
    for moment in 0..30 {
        for (threads, slow) in [(1, false), (8, false), (1, true), (8, true)] {
            for order in [Order::Unordered, Order::Breadth] {
                let after = 1 + moment * moment * all.len() / 900;
                let canceller = Canceller::new(Cancel::at_boundary, after, slow);
                let walk = Walk::new(place.path()).order(order);
                let walk = walk.threads(NonZeroUsize::new(threads));
                // Directories are then handed back without a handle of their parent.
                let walk = if moment % 2 == 0 { walk.handle_limit(8) } else { walk };
                let unvisited = run(walk.clone(), &canceller);
                in_two_parts += usize::from(!unvisited.is_empty());
                let rest = Canceller::new(|_| {}, usize::MAX, false);
                assert_eq!(run(walk.resume(unvisited), &rest), []);
                let mut found = [canceller.found(), rest.found()].concat();
                found.sort();
                assert_eq!(found, all, "{moment} {threads} {slow} {order:?}");
            }
        }
    }
    assert!(in_two_parts > 150, "{in_two_parts}");
}

#[test]
fn a_walk_that_is_cancelled_now_ends_in_any_order() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 4, 2);
    for order in ORDERS {
        for threads in [1, 8] {
            let canceller = Canceller::new(Cancel::now, 20, true);
            let walk = Walk::new(place.path()).order(order);
            let unvisited = run(walk.threads(NonZeroUsize::new(threads)), &canceller);
            assert_eq!(unvisited, [], "{order:?}");
            let found = canceller.found().len();
            assert!(found < 500, "{order:?} {threads}: {found} entries");
        }
    }
}

#[test]
fn resumed_directories_keep_their_depth_and_the_settings_of_the_walk() {
    let place = tempfile::tempdir().expect("a scratch directory");
    crate::tree::grow(place.path(), "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/b/c/d/ r/a/b/c/d/g");
    let root = place.path().join("r");
    let unvisited =
        vec![Unvisited::new(&root, "a/b", false), Unvisited::new(&root, "a/b/c/d", false)];
    let walk = Walk::new("elsewhere").max_depth(4).resume(unvisited);
    let mut found: Vec<_> = walk
        .into_iter()
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.path().strip_prefix(&root).expect("below").to_owned(), entry.depth()))
        .collect();
    found.sort();
    let expected = [("a/b/c", 3), ("a/b/c/d", 4), ("a/b/c/d/g", 5), ("a/b/c/f", 4)];
    assert_eq!(found, expected.map(|(path, depth)| (PathBuf::from(path), depth)));
}
