//! Limits: few handles, no threads, bounded memory.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use brisk::remove::Remove;
use brisk::{
    Backend, Directory, Entry, Error, Fields, Flow, Needs, Order, Parallel, Select, Visitor, Walk,
};
use testkit::{is_root, left_out};

use crate::child::{run_child, succeed};
use crate::chunks::{ALL_ORDERS, is_settled};
use crate::record::{DEPTH, Mode, ORDERS, Rules, in_time, run};
use crate::tree::{bushy, files};

/// Counts and keeps nothing.
#[derive(Default)]
struct Count {
    entries: usize,
    in_parts: usize,
}

impl Visitor for Count {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.entries += entries.len();
        self.in_parts += 1;
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        unreachable!("{error}")
    }
}

impl Parallel for Count {
    fn fork(&self, _: usize) -> Count {
        Count::default()
    }

    fn merge(&mut self, other: Count) {
        self.entries += other.entries;
    }
}

pub fn count_only(walk: Walk, mode: Mode) -> usize {
    let (count, _) = match mode {
        Mode::Serial => walk.visit(Count::default()),
        _ => walk.visit_parallel(Count::default()),
    };
    count.entries
}

/// Many directories at every level, and each level wider than the limit.
#[test]
fn few_handles_are_enough_for_a_bushy_tree() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 6, 2);
    let entries = 1 + (1..=4).map(|level| 6_usize.pow(level)).sum::<usize>() * 3 + 2;
    for limit in [0, 8] {
        for order in ORDERS {
            for mode in [Mode::Serial, Mode::Threads(2), Mode::Threads(8), Mode::Iter] {
                for backend in [Backend::Native, Backend::Portable] {
                    let walk = Walk::new(place.path()).order(order).handle_limit(limit);
                    let outcome = run(walk.backend(backend), mode, Rules::default());
                    assert_eq!(outcome.errors, Vec::<String>::new(), "{limit} {order:?} {mode:?}");
                    assert_eq!(outcome.found.len(), entries, "{limit} {order:?} {mode:?}");
                    assert_eq!(outcome.wrong, Vec::<String>::new(), "{limit} {order:?} {mode:?}");
                }
            }
        }
    }
    let root = place.path().to_str().expect("an ordinary path");
    for mode in ["serial", "8", "adaptive"] {
        let mut words = vec![root.to_owned(), entries.to_string(), mode.to_owned()];
        words.extend(ORDERS.map(|order| format!("{order:?}")));
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        succeed(&["prlimit", "--nofile=32:32"], "count", &words);
    }
}

/// A visitor for which requests look slow, so that batches and the watchdog keep directories open.
#[derive(Default)]
struct Slow {
    entries: usize,
    /// The most descriptors that were open at once.
    open: usize,
    errors: Vec<String>,
}

impl Visitor for Slow {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(Fields::SIZE)
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let nanos = if entry.name() == b"000" { 25_000_000 } else { 60_000 };
        std::thread::park_timeout(Duration::from_nanos(nanos));
        Select::Take(Fields::SIZE)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.entries += entries.len();
        // Counted without a descriptor.
        let is_open = |number: &i32| std::fs::read_link(format!("/proc/self/fd/{number}")).is_ok();
        self.open = self.open.max((0..64).filter(is_open).count());
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.to_string());
        Flow::Continue
    }
}

impl Parallel for Slow {
    fn fork(&self, _: usize) -> Slow {
        Slow::default()
    }

    fn merge(&mut self, other: Slow) {
        self.entries += other.entries;
        self.open = self.open.max(other.open);
        self.errors.extend(other.errors);
    }
}

/// Walks with 4 and 8 threads. With a `limit`, no more descriptors may be open.
pub fn walk_with_few(root: &Path, entries: usize, limit: usize) {
    let before = (0..64).filter(|n| Path::new(&format!("/proc/self/fd/{n}")).exists()).count();
    for order in [Order::Unordered, Order::Breadth] {
        for threads in [4, 8] {
            let walk = Walk::new(root).order(order).threads(NonZeroUsize::new(threads));
            let walk = if limit > 0 { walk.handle_limit(limit) } else { walk };
            let (slow, _) = walk.visit_parallel(Slow::default());
            let what = format!("{order:?} {threads}");
            assert_eq!(slow.errors, Vec::<String>::new(), "{what}");
            assert_eq!(slow.entries, entries, "{what}");
            let kept = slow.open - before;
            assert!(limit == 0 || kept <= limit, "{what}: {kept} of {limit}");
        }
    }
}

/// Batches of requests and what the watchdog takes over keep directories open too.
#[test]
fn batches_count_in_the_budget_of_handles() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 2, 6, 12);
    let entries = (1 + 6 + 36) * 12 + 6 + 36 + 1;
    let root = place.path().to_str().expect("an ordinary path");
    let entries = entries.to_string();
    succeed(&["prlimit", "--nofile=16:16"], "few_descriptors", &[root, &entries, "0"]);
    succeed(&[], "few_descriptors", &[root, &entries, "16"]);
}

/// Runs `work`. Once it `has_begun`, another thread holds every descriptor that is left, for 20 ms of
/// each 30.
fn while_starved(has_begun: impl Fn() -> bool + Sync, work: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !has_begun() && !is_done.load(Relaxed) {
                std::thread::yield_now();
            }
            while !is_done.load(Relaxed) {
                let held: Vec<_> =
                    std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
                std::thread::park_timeout(Duration::from_millis(20));
                drop(held);
                std::thread::park_timeout(Duration::from_millis(10));
            }
        });
        work();
        is_done.store(true, Relaxed);
    });
}

/// Walks and removes with one thread and with four, while the rest of the process holds all
/// descriptors most of the time.
pub fn walk_starved(root: &Path, entries: usize) {
    for threads in [1, 4] {
        let threads = NonZeroUsize::new(threads);
        for order in [Order::Unordered, Order::Breadth] {
            let mut slow = Slow::default();
            let walk = Walk::new(root).order(order).threads(threads).handle_limit(8);
            while_starved(|| true, || slow = walk.visit_parallel(Slow::default()).0);
            assert_eq!((slow.entries, slow.errors), (entries, Vec::new()), "{threads:?} {order:?}");
        }
        let copy = root.with_extension("copy");
        std::fs::create_dir(&copy).expect("a directory");
        bushy(&copy, 2, 4, 3);
        deepen(&copy);
        let removal = Remove::new(Walk::new(&copy).threads(threads).handle_limit(8));
        let mut told = Vec::new();
        // The roots of a removal are found before its walk.
        let changed = || copy.metadata().and_then(|meta| meta.modified()).ok();
        let before = changed();
        while_starved(
            || changed() != before,
            || told = removal.run(&()).failures.iter().map(ToString::to_string).collect(),
        );
        assert_eq!(told, Vec::<String>::new(), "{threads:?}");
        assert!(!copy.exists());
    }
}

/// Adds a chain of directories, each of whose parents is opened again when it is left.
fn deepen(root: &Path) {
    let mut path = root.to_owned();
    for level in 0..100 {
        path.push(level.to_string());
        std::fs::create_dir(&path).expect("a directory");
        std::fs::write(path.join("file"), "").expect("a file");
    }
}

/// An open waits where another thread of the process holds all descriptors for a while.
#[test]
fn a_walk_waits_for_descriptors_that_others_hold() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let root = place.path().join("tree");
    std::fs::create_dir(&root).expect("a directory");
    bushy(&root, 2, 4, 6);
    let entries = ((1 + 4 + 16) * 6 + 4 + 16 + 1).to_string();
    let root = root.to_str().expect("an ordinary path");
    succeed(&["prlimit", "--nofile=48:48"], "starved", &[root, &entries]);
}

/// A visitor may recurse as deeply in one of the walk's threads as in any other thread.
#[test]
fn visitors_have_the_stack_that_threads_have() {
    #[derive(Default)]
    struct Deep(u64);
    impl Visitor for Deep {
        type State = ();
        fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            self.0 += entries.iter().map(|_| u64::from(deep(400))).sum::<u64>();
            Flow::Continue
        }
        fn error(&mut self, error: Error) -> Flow {
            unreachable!("{error}")
        }
    }
    impl Parallel for Deep {
        fn fork(&self, _: usize) -> Deep {
            Deep(0)
        }
        fn merge(&mut self, other: Deep) {
            self.0 += other.0;
        }
    }
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 2, 6, 2);
    for stack in [None, Some(8 << 20)] {
        let walk = Walk::new(place.path()).threads(NonZeroUsize::new(4));
        let walk = stack.map_or(walk.clone(), |stack| walk.stack_size(stack));
        assert!(walk.visit_parallel(Deep(0)).0.0 > 100);
    }
}

/// Takes 2 KiB of stack for each level.
fn deep(levels: usize) -> u8 {
    let room = std::hint::black_box([1_u8; 2048]);
    if levels == 0 { room[0] } else { deep(levels - 1).min(room[levels]) }
}

/// What is delivered after a directory, or before what is in it, does not depend on handles.
#[test]
fn few_handles_do_not_change_the_order() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 4, 2);
    // More than one buffer, so that the directory is half read while those in it are.
    let wide = place.path().join("d1");
    files(&wide, 600, 200);
    bushy(&wide.join("d1"), 0, 0, 600);
    for order in ALL_ORDERS.into_iter().filter(|&order| is_settled(order)) {
        let many = Walk::new(place.path()).order(order);
        let expected = run(many.clone(), Mode::Serial, Rules::default()).signs();
        for mode in [Mode::Serial, Mode::Threads(2), Mode::Threads(8), Mode::Iter] {
            for backend in [Backend::Native, Backend::Portable] {
                let few = many.clone().handle_limit(8).backend(backend);
                let outcome = run(few, mode, Rules::default());
                let what = format!("{order:?} {mode:?} {backend:?}");
                assert_eq!(outcome.errors, Vec::<String>::new(), "{what}");
                assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
                assert!(outcome.signs() == expected, "{what}");
            }
        }
    }
}

/// A chain of directories, each of which has more than one buffer of entries: those above are half
/// read while those below are read.
fn wide_chain(place: &Path, levels: usize, count: usize) -> usize {
    let mut at = place.to_owned();
    for level in 0..=levels {
        if level > 0 {
            // A short name that sorts first, in a directory that holds little else yet.
            at.push("!");
            std::fs::create_dir(&at).expect("a level");
        }
        files(&at, count, 250);
    }
    1 + levels + (levels + 1) * count
}

#[test]
fn few_handles_are_enough_for_a_chain_of_wide_directories() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let entries = wide_chain(place.path(), 40, 600).to_string();
    let root = place.path().to_str().expect("an ordinary path");
    let failures: Vec<_> = ORDERS
        .iter()
        .flat_map(|order| ["serial", "iter", "8"].map(|mode| (format!("{order:?}"), mode)))
        .filter(|(order, mode)| {
            let words = [root, &entries, mode, order];
            !run_child(&["prlimit", "--nofile=32:32"], "count", &words).status.success()
        })
        .collect();
    assert!(failures.is_empty(), "{failures:?}");
}

/// Where the system refuses threads, the calling thread does all the work, and no entry is lost by
/// trying.
#[test]
fn no_threads_to_be_had() {
    if !is_root() {
        return left_out("no_threads_to_be_had", "another user is needed, so root is");
    }
    let place = tempfile::tempdir().expect("a scratch directory");
    let tree = place.path().join("tree");
    std::fs::create_dir(&tree).expect("a directory");
    bushy(&tree, 3, 4, 3);
    let entries = 1 + 3 + (4 + 16 + 64) * 4;
    let binary = place.path().join("tests");
    std::fs::copy(std::env::current_exe().expect("this binary"), &binary).expect("a copy");
    for path in [place.path(), &tree] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, mode).expect("open to all users");
    }
    for mode in ["8", "adaptive"] {
        let mut words = vec![tree.display().to_string(), entries.to_string(), mode.to_owned()];
        words.extend(ORDERS.map(|order| format!("{order:?}")));
        let output = std::process::Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "prlimit", "--nproc=1:1"])
            .arg(&binary)
            .args(["--exact", "child::count", "--ignored", "--nocapture", "--test-threads=1"])
            .env("BRISK_CHILD", words.join("\n"))
            .output()
            .expect("setpriv and prlimit");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            out.contains("1 passed"),
            "{mode}: {out}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn a_directory_of_100_000_files_streams() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let count = 100_000;
    files(place.path(), count, 20);
    let root = place.path().to_str().expect("an ordinary path");
    for order in [Order::Unordered, DEPTH, Order::Breadth] {
        for mode in ["serial", "iter", "8", "adaptive"] {
            let out = succeed(&[], "measure", &[root, mode, &format!("{order:?}")]);
            let line = out.lines().find(|line| line.contains("measured:")).expect("a measurement");
            let numbers: Vec<u64> =
                line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            assert_eq!(numbers[0], count as u64 + 1, "{order:?} {mode}");
            // 100,000 names with their positions take at least 5 MB. For a walk, 350 to 920 KiB are
            // measured, and 1,032 were once, on a busy machine.
            assert!(numbers[1] < 2048, "{order:?} {mode}: {line}");
        }
    }
}

/// The entries are delivered in parts, not at the end of the directory.
#[test]
fn a_large_directory_is_handed_on_in_chunks() {
    let place = tempfile::tempdir().expect("a scratch directory");
    files(place.path(), 10_000, 20);
    for order in [Order::Unordered, DEPTH, Order::Breadth] {
        let (count, _) = Walk::new(place.path()).order(order).visit(Count::default());
        assert_eq!(count.entries, 10_001);
        assert!(count.in_parts > 5, "{order:?}: {} parts", count.in_parts);
    }
}

/// The least time that a walk takes before a second worker is started: the length of the first
/// sample.
const FIRST_SAMPLE: Duration = Duration::from_micros(400);

/// On a small warm tree no second worker is started, unless a busy machine makes the walk long.
#[test]
fn a_small_tree_needs_one_worker() {
    let place = tempfile::tempdir().expect("a scratch directory");
    files(place.path(), 10, 3);
    for order in ORDERS {
        for _ in 0..20 {
            let root = place.path().to_owned();
            let stats = in_time("a small tree", move || {
                run(Walk::new(root).order(order), Mode::Adaptive, Rules::default()).stats()
            });
            let is_short = stats.wall < FIRST_SAMPLE;
            assert!(stats.peak_workers == 1 || !is_short, "{order:?}: {stats}");
        }
    }
}
