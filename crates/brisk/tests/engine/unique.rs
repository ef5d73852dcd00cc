//! Each file once: the chunks in which entries come, and several roots that lead to the same files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use brisk::{
    Directory, Entry, Error, Fields, FileType, Flow, Order, Parallel, Select, Shape, Visitor, Walk,
};

/// Counts how often each path below the roots is delivered, and the most entries of a call.
#[derive(Default)]
struct Counting {
    times: BTreeMap<String, u32>,
    most: usize,
    /// Whether directories are entered without being delivered.
    files_alone: bool,
}

impl Visitor for Counting {
    type State = ();

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        match self.files_alone && entry.file_type() == FileType::Directory {
            true => Select::Enter,
            false => Select::Take(Fields::empty()),
        }
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.most = self.most.max(entries.len());
        for entry in entries {
            let path = entry.path().display().to_string();
            *self.times.entry(path).or_default() += 1;
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

impl Parallel for Counting {
    fn fork(&self, _: usize) -> Self {
        Counting { files_alone: self.files_alone, ..Counting::default() }
    }

    fn merge(&mut self, other: Self) {
        self.most = self.most.max(other.most);
        for (path, times) in other.times {
            *self.times.entry(path).or_default() += times;
        }
    }
}

/// 600 files, 300 subdirectories with a file each, and a second link to each of ten files.
fn grown() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a scratch directory");
    let tree = place.path();
    for at in 0..600 {
        fs::write(tree.join(format!("f{at}")), "").expect("a file");
    }
    for at in 0..300 {
        fs::create_dir(tree.join(format!("d{at}"))).expect("a directory");
        fs::write(tree.join(format!("d{at}/g")), "").expect("a file");
    }
    for at in 0..10 {
        fs::hard_link(tree.join(format!("f{at}")), tree.join(format!("d{at}/l"))).expect("a link");
    }
    place
}

fn walked(walk: Walk, files_alone: bool, threads: usize) -> Counting {
    let visitor = Counting { files_alone, ..Counting::default() };
    let threads = std::num::NonZeroUsize::new(threads);
    walk.unique(true).threads(threads).visit_parallel(visitor).0
}

const ORDERS: [Order; 5] = [
    Order::Unordered,
    Order::Breadth,
    Order::Depth(Shape::Pre),
    Order::Depth(Shape::Post),
    Order::Sorted(Shape::Pre),
];

#[test]
fn chunks_stay_whole() {
    let place = grown();
    for order in ORDERS {
        for files_alone in [false, true] {
            let found = walked(Walk::new(place.path()).order(order), files_alone, 1);
            let what = format!("{order:?}, files alone: {files_alone}");
            let directories = if files_alone { 0 } else { 301 };
            assert_eq!(found.times.len(), 900 + directories, "{what}");
            assert!(found.times.values().all(|times| *times == 1), "{what}");
            // In depth-first orders a chunk ends with each directory.
            if matches!(order, Order::Unordered | Order::Breadth) {
                assert!(found.most >= 100, "{what}: at most {} at once", found.most);
            }
        }
    }
}

/// Files with one link are met once because their directories are. A root that is not delivered is
/// delivered where another root leads to it.
#[test]
fn roots_that_overlap_bring_each_file_once() {
    let place = grown();
    let tree = place.path();
    let d5 = tree.join("d5");
    let g7 = tree.join("d7/g");
    let roots: [&[&Path]; 4] =
        [&[tree, tree], &[&d5, tree, &d5], &[tree, &g7], &[&g7, &tree.join("f300"), tree]];
    for roots in roots {
        for order in ORDERS {
            for (threads, min_depth) in [(1, 0), (4, 0), (1, 1), (4, 1)] {
                let walk = Walk::over(roots).order(order).min_depth(min_depth);
                let found = walked(walk, false, threads);
                let what = format!("{roots:?} {order:?} {threads} {min_depth}");
                assert_eq!(found.times.len(), 1_201 - min_depth, "{what}");
                assert!(found.times.values().all(|times| *times == 1), "{what}");
            }
        }
    }
}
