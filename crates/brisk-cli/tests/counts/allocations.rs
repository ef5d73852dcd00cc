//! What the engine allocates: a little for each directory, nothing for an entry.
//!
//! Measured as the difference between trees that differ in one number only, with one thread, whose
//! allocations are counted.

use std::fs::{self, File};

use brisk::{Directory, Entry, Error, Flow, Order, Shape, Visitor, Walk};
use brisk_cli_sys::allocations;
use tempfile::TempDir;

/// The most allocations for a directory, by order. The fraction is for buffers that grow by
/// doubling.
const PER_DIRECTORY: [(Order, f64); 4] = [
    (Order::Unordered, 4.1),
    (Order::Depth(Shape::Pre), 7.1),
    (Order::Breadth, 4.1),
    (Order::Sorted(Shape::Pre), 7.1),
];

/// The allocations for reading one directory of 100 entries again; more entries cost those of a
/// vector that doubles.
const AGAIN: u64 = 40;

/// Counts entries, and allocates nothing.
struct Counter(u64);

impl Visitor for Counter {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.0 += entries.len() as u64;
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        unreachable!("{error}")
    }
}

fn tree(directories: usize, files: usize) -> TempDir {
    let root = TempDir::new().unwrap();
    for directory in 0..directories {
        let path = root.path().join(format!("d{directory:04}"));
        fs::create_dir(&path).unwrap();
        for file in 0..files {
            File::create(path.join(format!("f{file:04}"))).unwrap();
        }
    }
    root
}

/// The allocations of one walk: the least of three walks.
fn of_walk(tree: &TempDir, order: Order) -> u64 {
    let once = |_| {
        let walk = Walk::new(tree.path()).order(order);
        let before = allocations();
        let (counter, _) = walk.visit(Counter(0));
        let made = allocations() - before;
        assert!(counter.0 > 0);
        made
    };
    (0..3).map(once).min().unwrap()
}

/// The allocations of reading one directory again, by its handle: the least of three.
fn of_reading_again(tree: &TempDir) -> u64 {
    let handle = File::open(tree.path()).unwrap();
    let once = |_| {
        let before = allocations();
        let (counter, stats) = Walk::at(&handle, ".").max_depth(1).visit(Counter(0));
        let made = allocations() - before;
        assert_eq!((counter.0, stats.directories), (stats.taken, 1));
        made
    };
    (0..3).map(once).min().unwrap()
}

#[test]
fn an_entry_allocates_nothing_and_a_directory_little() {
    let small = tree(100, 10);
    let filled = tree(100, 90);
    let wide = tree(300, 10);
    for (order, most) in PER_DIRECTORY {
        let [small, filled, wide] = [&small, &filled, &wide].map(|tree| of_walk(tree, order));
        assert_eq!(small, filled, "{order:?}: 8,000 entries more");
        let each = (wide - small) as f64 / 200.0;
        assert!(each <= most, "{order:?}: {each} allocations a directory, committed {most}");
        assert!(each > most - 1.0, "{order:?}: {each} a directory now: lower the number here");
    }
    assert_eq!(of_reading_again(&small), AGAIN, "reading one directory again");
}
