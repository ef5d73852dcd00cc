//! Visitors behind a pointer: the same walk as with a visitor whose type is known.

use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use brisk::{
    Directory, DropState, DynVisitor, Enter, Entry, Error, Fields, Flow, Flushed, Listing, Needs,
    Order, Outcome, Select, Shape, Stats, Walk,
};

use crate::chunks::{ALL_ORDERS, is_settled};
use crate::record::{in_time, linger};
use crate::tree::{bushy, files, grow};

/// What the visitor does.
#[derive(Clone, Copy, Default)]
struct Rules {
    /// How many forks can be made.
    forks: usize,
    selects: bool,
    needs: Needs,
    stop_after: Option<usize>,
    /// Directories of this name are pruned when they are handed on.
    pruned: Option<&'static str>,
    /// Directories of this name are refused in `enter`.
    refused: Option<&'static str>,
    /// Directories of this name are refused in `opened`.
    shut: Option<&'static str>,
    /// Files of this name are dropped in `select`.
    dropped: Option<&'static str>,
    lingers: bool,
}

/// What all forks share.
#[derive(Default)]
struct Log {
    /// The path of each directory that was entered; its state is its place here, counted from 1.
    entered: Mutex<Vec<PathBuf>>,
    /// The places of the states that were dropped.
    dropped: Mutex<Vec<u64>>,
    found: AtomicUsize,
    needs: AtomicUsize,
    selects: AtomicUsize,
    selected: AtomicUsize,
    listed: AtomicUsize,
    forks: AtomicUsize,
}

/// Writes down what is handed to it. A directory's state is a place in the log, above a bit that
/// `opened` sets.
struct Probe {
    rules: Rules,
    log: Arc<Log>,
    found: Vec<(PathBuf, Fields)>,
    left: Vec<(PathBuf, Outcome)>,
    errors: Vec<PathBuf>,
    threads: Vec<ThreadId>,
    merged: usize,
    lingers: usize,
}

impl Probe {
    fn new(rules: Rules, log: Arc<Log>) -> Probe {
        let (found, left, errors, threads) = Default::default();
        let lingers = if rules.lingers { 6 } else { 0 };
        Probe { rules, log, found, left, errors, threads, merged: 0, lingers }
    }

    /// The path that a state stands for.
    fn path_of(&self, state: u64) -> PathBuf {
        match (state >> 1) as usize {
            0 => PathBuf::new(),
            place => self.log.entered.lock().expect("a list")[place - 1].clone(),
        }
    }
}

fn is(name: Option<&str>, path: &Path) -> bool {
    name.is_some() && path.file_name().and_then(|name| name.to_str()) == name
}

impl DynVisitor for Probe {
    fn entries(&mut self, dir: &Directory<'_>, state: u64, entries: &[Entry<'_>]) -> Flow {
        assert_eq!(self.path_of(state), dir.path());
        assert_eq!(state & 1 == 1, state != 0, "{dir:?} was not opened");
        self.threads.push(std::thread::current().id());
        for entry in entries {
            if is(self.rules.pruned, &entry.path()) {
                entry.prune();
            }
            let fields = entry.meta().map_or(Fields::empty(), brisk::Meta::filled);
            self.found.push((entry.path(), fields));
        }
        let before = self.log.found.fetch_add(entries.len(), SeqCst);
        match self.rules.stop_after {
            Some(most) if before + entries.len() >= most => Flow::Stop,
            _ => Flow::Continue,
        }
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.path().to_owned());
        Flow::Continue
    }

    fn needs(&self) -> Needs {
        self.log.needs.fetch_add(1, SeqCst);
        self.rules.needs
    }

    fn selects(&self) -> bool {
        self.log.selects.fetch_add(1, SeqCst);
        self.rules.selects
    }

    fn drop_state(&self) -> Option<DropState> {
        let log = Arc::clone(&self.log);
        Some(Arc::new(move |state| log.dropped.lock().expect("a list").push(state >> 1)))
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: u64) -> Enter<u64> {
        assert_eq!(self.path_of(parent), entry.directory().path());
        if is(self.rules.refused, &entry.path()) {
            return Enter::Prune;
        }
        let mut entered = self.log.entered.lock().expect("a list");
        entered.push(entry.path());
        Enter::Read((entered.len() as u64) << 1)
    }

    fn opened(&mut self, dir: &Directory<'_>, state: &mut u64) -> Enter<()> {
        assert_eq!(self.path_of(*state), dir.path());
        if is(self.rules.shut, dir.path()) {
            return Enter::Prune;
        }
        *state |= 1;
        Enter::Read(())
    }

    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, state: &mut u64) {
        assert_eq!(self.path_of(*state), dir.path());
        assert!(names.names().next().is_some());
        self.log.listed.fetch_add(1, SeqCst);
    }

    fn select(&mut self, state: u64, entry: &Entry<'_>) -> Select {
        assert!(self.rules.selects, "select is not wanted");
        assert_eq!(state == 0, entry.depth() == 0);
        self.log.selected.fetch_add(1, SeqCst);
        let name = entry.file_name().to_str();
        if name == self.rules.dropped { Select::Drop } else { Select::Take(Fields::SIZE) }
    }

    fn leave(&mut self, dir: &Directory<'_>, state: u64, parent: u64, outcome: Outcome) -> Flow {
        let path = self.path_of(state);
        assert_eq!(path, dir.path());
        let above = self.path_of(parent);
        assert!(parent == 0 || path.parent() == Some(&above), "{path:?} {above:?}");
        self.left.push((path, outcome));
        Flow::Continue
    }

    fn flush(&mut self, _: bool) -> Flushed {
        if self.lingers > 0 {
            self.lingers -= 1;
            linger(Duration::from_micros(2200));
        }
        Flushed::default()
    }

    fn fork(&self, worker: usize) -> Option<Box<dyn DynVisitor>> {
        assert!(worker > 0, "the calling thread's visitor is number 0");
        if self.log.forks.fetch_add(1, SeqCst) >= self.rules.forks {
            return None;
        }
        Some(Box::new(Probe { lingers: 0, ..Probe::new(self.rules, Arc::clone(&self.log)) }))
    }

    fn merge(&mut self, other: Box<dyn DynVisitor>) {
        let other: Box<dyn Any> = other;
        let mut other = other.downcast::<Probe>().expect("a fork of this visitor");
        self.found.append(&mut other.found);
        self.left.append(&mut other.left);
        self.errors.append(&mut other.errors);
        self.threads.append(&mut other.threads);
        self.merged += 1 + other.merged;
    }
}

/// Walks, and checks what holds whatever the rules.
fn run(walk: Walk, rules: Rules) -> (Box<Probe>, Stats) {
    let probe = Probe::new(rules, Arc::default());
    let (visitor, stats) = in_time("a walk", move || walk.visit_dyn(Box::new(probe)));
    let visitor: Box<dyn Any> = visitor;
    let probe = visitor.downcast::<Probe>().expect("the visitor that was given");
    let count = |counter: &AtomicUsize| counter.load(SeqCst);
    assert_eq!((count(&probe.log.needs), count(&probe.log.selects)), (1, 1), "asked once");
    assert_eq!(count(&probe.log.forks).min(rules.forks), probe.merged, "forks are merged");
    assert_eq!(stats.taken, probe.found.len() as u64);
    let entered = probe.log.entered.lock().expect("a list").len() as u64;
    let mut dropped = std::mem::take(&mut *probe.log.dropped.lock().expect("a list"));
    dropped.sort_unstable();
    assert!(dropped.into_iter().eq(0..=entered), "each state is dropped once");
    if rules.forks == 0 {
        let here = probe.threads.first().copied();
        assert!(probe.threads.iter().all(|&thread| Some(thread) == here), "serial");
        assert_eq!(stats.peak_workers, 1);
    }
    (probe, stats)
}

/// A visitor that can be forked as often as the walk wants.
fn parallel() -> Rules {
    Rules { forks: usize::MAX, ..Rules::default() }
}

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 3, 2);
    files(place.path(), 2000, 40);
    grow(place.path(), "other/ other/f:3 other/below/ other/below/g");
    place
}

/// The paths that the walk's own iterator yields.
fn iterated(walk: Walk) -> Vec<PathBuf> {
    walk.into_iter().map(|entry| entry.expect("an entry").into_path()).collect()
}

fn paths(probe: &Probe) -> Vec<PathBuf> {
    probe.found.iter().map(|found| found.0.clone()).collect()
}

fn sorted(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths
}

/// The walks over a tree in every order, on one thread and on four, and serial ones.
fn walks(place: &Path) -> impl Iterator<Item = (Walk, Order, usize)> {
    ALL_ORDERS.into_iter().flat_map(move |order| {
        let walk = Walk::new(place).order(order);
        [(1, 0), (1, usize::MAX), (4, usize::MAX)].map(|(threads, forks)| {
            (walk.clone().threads(NonZeroUsize::new(threads)), order, forks)
        })
    })
}

#[test]
fn a_dyn_visitor_sees_what_an_iterator_yields() {
    let place = place();
    for (walk, order, forks) in walks(place.path()) {
        let expected = iterated(walk.clone());
        let (probe, _) = run(walk, Rules { forks, lingers: forks > 0, ..parallel() });
        if is_settled(order) {
            assert!(paths(&probe) == expected, "{order:?}, {forks} forks");
        } else {
            assert!(sorted(paths(&probe)) == sorted(expected), "{order:?}, {forks} forks");
        }
        assert_eq!(probe.log.listed.load(SeqCst), 0);
        assert!(probe.left.is_empty(), "leave is not needed");
    }
}

/// Four threads really walk, or the tests above would compare serial walks with serial walks.
#[test]
fn forks_of_a_dyn_visitor_work() {
    let place = place();
    let walk = Walk::new(place.path()).threads(NonZeroUsize::new(4));
    let is_shared = (0..20).any(|_| {
        let (probe, stats) = run(walk.clone(), Rules { lingers: true, ..parallel() });
        stats.peak_workers > 1 && probe.threads.iter().any(|&thread| thread != probe.threads[0])
    });
    assert!(is_shared);
}

#[test]
fn every_directory_that_is_entered_is_left_once() {
    let place = place();
    for (walk, order, forks) in walks(place.path()) {
        let needs = Needs { leave: true, listing: true, ..Needs::default() };
        let rules = Rules { forks, needs, ..parallel() };
        let (probe, stats) = run(walk, rules);
        let mut left: Vec<_> = probe.left.iter().map(|left| left.0.clone()).collect();
        left.sort();
        let entered = sorted(probe.log.entered.lock().expect("a list").clone());
        assert_eq!(left, entered, "{order:?}, {forks} forks");
        assert_eq!(left.len(), 40 + 2, "{order:?}");
        assert!(probe.left.iter().all(|left| left.1 == Outcome::Complete), "{order:?}");
        assert_eq!(probe.log.listed.load(SeqCst), left.len(), "{order:?}");
        assert_eq!(stats.directories, left.len() as u64);
    }
}

#[test]
fn a_dyn_visitor_stops_the_walk() {
    let place = place();
    let all = iterated(Walk::new(place.path())).len();
    for (walk, order, forks) in walks(place.path()) {
        let (probe, _) = run(walk, Rules { forks, stop_after: Some(1), ..parallel() });
        assert!((1..all).contains(&probe.found.len()), "{order:?} {}", probe.found.len());
    }
}

#[test]
fn a_dyn_visitor_prunes_and_refuses() {
    let place = place();
    let all = sorted(iterated(Walk::new(place.path())));
    let within = place.path().join("other");
    let is_below = |path: &PathBuf| path.starts_with(&within) && *path != within;
    let expected: Vec<_> = all.iter().filter(|path| !is_below(path)).cloned().collect();
    let other = Some("other");
    for (walk, order, forks) in walks(place.path()) {
        let needs = Needs { leave: true, ..Needs::default() };
        let rules = Rules { forks, needs, ..parallel() };
        let of = |rules| {
            let (probe, _) = run(walk.clone(), rules);
            let mut entered = probe.log.entered.lock().expect("a list").clone();
            entered.retain(|path| !is(rules.shut, path));
            let left = probe.left.iter().map(|left| left.0.clone()).collect();
            assert_eq!(sorted(left), sorted(entered), "{order:?}");
            sorted(paths(&probe))
        };
        assert!(of(Rules { refused: other, ..rules }) == expected, "{order:?}: enter");
        assert!(of(Rules { shut: other, ..rules }) == expected, "{order:?}: opened");
        // After what is below a directory, it is too late to prune the directory.
        let is_late = matches!(order, Order::Depth(Shape::Post) | Order::Sorted(Shape::Post));
        let expected = if is_late { &all } else { &expected };
        assert!(of(Rules { pruned: other, ..rules }) == *expected, "{order:?}: entries");
    }
}

#[test]
fn entries_are_selected_only_on_request() {
    let place = place();
    let all = iterated(Walk::new(place.path()));
    let dropped = Some("000");
    for (walk, order, forks) in walks(place.path()) {
        let needs = Needs::fields(Fields::SIZE);
        let (probe, _) = run(walk.clone(), Rules { forks, needs, dropped, ..parallel() });
        assert_eq!(probe.log.selected.load(SeqCst), 0, "{order:?}");
        assert_eq!(probe.found.len(), all.len(), "{order:?}");
        assert!(probe.found.iter().all(|found| found.1.contains(Fields::SIZE)), "{order:?}");
        let (probe, stats) = run(walk, Rules { forks, dropped, selects: true, ..parallel() });
        let kept = all.iter().filter(|path| !is(dropped, path)).count();
        assert_eq!(probe.log.selected.load(SeqCst), all.len(), "{order:?}");
        assert_eq!((probe.found.len(), stats.taken), (kept, kept as u64), "{order:?}");
        assert!(probe.found.iter().all(|found| found.1.contains(Fields::SIZE)), "{order:?}");
    }
}

#[test]
fn errors_reach_a_dyn_visitor() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let missing = place.path().join("missing");
    for forks in [0, usize::MAX] {
        let (probe, stats) = run(Walk::new(&missing), Rules { forks, ..parallel() });
        assert_eq!((&probe.errors, stats.errors), (&vec![missing.clone()], 1));
    }
}

/// A visitor of the two calls that are required: all others have an answer.
#[test]
fn two_calls_are_enough() {
    struct Least(usize);

    impl DynVisitor for Least {
        fn entries(&mut self, _: &Directory<'_>, state: u64, entries: &[Entry<'_>]) -> Flow {
            assert_eq!(state, 0);
            self.0 += entries.len();
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            panic!("{error}");
        }
    }

    let place = place();
    let walk = Walk::new(place.path());
    let expected = iterated(walk.clone()).len();
    let (visitor, stats) = walk.threads(NonZeroUsize::new(4)).visit_dyn(Box::new(Least(0)));
    let visitor: Box<dyn Any> = visitor;
    assert_eq!(visitor.downcast_ref::<Least>().map(|least| least.0), Some(expected));
    assert_eq!(stats.peak_workers, 1);
}

/// The first fork says that the walk is parallel; a later refusal is a fault of the visitor's.
#[test]
fn a_visitor_that_refuses_a_later_fork_panics() {
    let place = place();
    let walk = Walk::new(place.path()).threads(NonZeroUsize::new(4));
    let panics = (0..50).any(|_| {
        let probe = Probe::new(Rules { forks: 1, lingers: true, ..parallel() }, Arc::default());
        let walk = walk.clone();
        catch_unwind(AssertUnwindSafe(|| walk.visit_dyn(Box::new(probe)))).is_err()
    });
    assert!(panics);
}
