//! The numbers of directories: unique and without gaps in a walk, and their parents' with them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use brisk::{
    Directory, Enter, Entry, Error, Flow, Needs, Outcome, Parallel, Unvisited, Visitor, Walk,
};

use crate::record::{Mode, ORDERS, linger, post};
use crate::tree::{bushy, grow};

/// By path: a directory's number and its parent's.
type Ids = BTreeMap<PathBuf, (u64, Option<u64>)>;

/// Notes the numbers of directories, and checks that every call tells the same ones.
#[derive(Clone, Default)]
struct Numbers(Arc<Mutex<Ids>>);

impl Numbers {
    fn check(&self, dir: &Directory<'_>) {
        let ids = self.0.lock().expect("the numbers");
        let path = dir.path().to_owned();
        assert_eq!(ids.get(&path), Some(&(dir.id(), dir.parent_id())), "{path:?}");
    }
}

impl Visitor for Numbers {
    /// The directory's number.
    type State = u64;

    fn needs(&self) -> Needs {
        Needs { leave: true, ..Needs::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &u64) -> Enter<u64> {
        assert_eq!(entry.directory().id(), *parent);
        Enter::Read(0)
    }

    fn opened(&mut self, dir: &Directory<'_>, state: &mut u64) -> Enter<()> {
        *state = dir.id();
        let mut ids = self.0.lock().expect("the numbers");
        let before = ids.insert(dir.path().to_owned(), (dir.id(), dir.parent_id()));
        assert!(before.is_none(), "{:?} is opened twice", dir.path());
        drop(ids);
        linger(std::time::Duration::from_micros(50));
        Enter::Read(())
    }

    fn entries(&mut self, dir: &Directory<'_>, state: &u64, entries: &[Entry<'_>]) -> Flow {
        assert_eq!(dir.id(), *state);
        if entries[0].depth() > 0 {
            self.check(dir);
        } else {
            assert_eq!((dir.id(), dir.parent_id()), (0, None));
        }
        Flow::Continue
    }

    fn leave(&mut self, dir: &Directory<'_>, state: &u64, parent: &u64, _: Outcome) -> Flow {
        assert_eq!((dir.id(), dir.parent_id()), (*state, Some(*parent)));
        self.check(dir);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

impl Parallel for Numbers {
    fn fork(&self, _: usize) -> Self {
        self.clone()
    }

    fn merge(&mut self, _: Self) {}
}

fn numbers(walk: Walk, mode: Mode) -> Ids {
    let numbers = Numbers::default();
    let _ = match mode {
        Mode::Threads(count) => {
            walk.threads(std::num::NonZeroUsize::new(count)).visit_parallel(numbers.clone())
        }
        _ => walk.visit(numbers.clone()),
    };
    let ids = numbers.0.lock().expect("the numbers");
    ids.clone()
}

#[test]
fn directories_have_numbers_and_know_their_parents_in_every_order() {
    let place = tempfile::tempdir().expect("a scratch directory");
    for root in ["one", "two"] {
        std::fs::create_dir(place.path().join(root)).expect("a root");
        bushy(&place.path().join(root), 3, 4, 2);
    }
    let roots = ["one", "two"].map(|root| place.path().join(root));
    for order in ORDERS.into_iter().chain(ORDERS.into_iter().filter_map(post)) {
        for mode in [Mode::Serial, Mode::Threads(2), Mode::Threads(8)] {
            let ids = numbers(Walk::over(&roots).order(order), mode);
            let what = format!("{order:?} {mode:?}");
            assert_eq!(ids.len(), 2 * (1 + 4 + 16 + 64), "{what}");
            let mut all: Vec<_> = ids.values().map(|(id, _)| *id).collect();
            all.sort_unstable();
            let has_gaps = !all.iter().copied().eq(1..=ids.len() as u64);
            assert!(!has_gaps || mode != Mode::Serial, "{what}");
            all.dedup();
            assert!(all.len() == ids.len() && all[0] > 0, "{what}");
            for (path, (id, parent_id)) in &ids {
                let parent = path.parent().and_then(|parent| ids.get(parent));
                let expected = parent.map_or(0, |(id, _)| *id);
                assert_eq!(*parent_id, Some(expected), "{what}: {path:?}");
                let is_above = expected < *id || mode != Mode::Serial;
                assert!(is_above, "{what}: {path:?} is entered before its parent");
            }
        }
    }
}

#[test]
fn directories_above_resumed_ones_have_numbers_too_and_are_not_left() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/d/ r/a/d/g");
    let root = place.path().join("r");
    let unvisited = ["a/b", "a/d"].map(|below| Unvisited::new(&root, below, false));

    /// Notes which directories are left, with their numbers and their parents'.
    struct Left(Vec<(PathBuf, u64, Option<u64>)>);

    impl Visitor for Left {
        type State = ();

        fn needs(&self) -> Needs {
            Needs { leave: true, ..Needs::default() }
        }

        fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
            Flow::Continue
        }

        fn leave(&mut self, dir: &Directory<'_>, (): &(), (): &(), _: Outcome) -> Flow {
            self.0.push((dir.path().to_owned(), dir.id(), dir.parent_id()));
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            panic!("{error}");
        }
    }

    let (left, _) = Walk::new(&root).resume(unvisited.to_vec()).visit(Left(Vec::new()));
    let mut left = left.0;
    left.sort();
    let paths: Vec<_> =
        left.iter().map(|(path, ..)| path.strip_prefix(&root).expect("below")).collect();
    assert_eq!(paths, ["a/b", "a/b/c", "a/d"].map(std::path::Path::new));
    let parents: Vec<_> = left.iter().map(|(_, _, parent)| *parent).collect();
    assert_eq!(parents, [Some(2), Some(left[0].1), Some(2)]);
    let mut ids: Vec<_> = left.iter().map(|(_, id, _)| *id).collect();
    ids.sort_unstable();
    assert_eq!(ids, [3, 4, 5]);
}
