//! What trees take, summed up: GNU du and GNU find are the oracles.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use brisk::filter::{Expr, Filter, Test};
use brisk::usage::{Apparent, HardLinks, Observer, Sums, Total, Usage};
use brisk::{
    Directory, Entry, Error, Fields, Flow, Follow, Meta, Mounts, Order, Outcome, Shape, Timestamp,
    Walk,
};

use testkit::{LoopMount, is_root, left_out};

use crate::child::succeed;

/// What was delivered: path, own sums, sums with subdirectories.
type Line = (PathBuf, Sums, Sums);

/// Remembers what is delivered.
#[derive(Default)]
pub struct Lines {
    lines: Vec<Line>,
    incomplete: Vec<PathBuf>,
    errors: Vec<Error>,
    /// Which time is read.
    time: Fields,
    /// What directories and other entries take, one by one.
    told: Sums,
}

impl Observer for Lines {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        assert!(!total.answered);
        if total.outcome != Outcome::Complete {
            self.incomplete.push(total.path.to_owned());
        }
        self.lines.push((total.path.to_owned(), total.own, total.all));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }

    fn fields(&self) -> Fields {
        self.time
    }

    fn time(&self, meta: &Meta) -> Option<Timestamp> {
        match self.time {
            Fields::MTIME => meta.mtime(),
            Fields::ATIME => meta.atime(),
            _ => meta.ctime(),
        }
    }

    fn opened(&mut self, _: &Directory<'_>, sums: Sums) {
        self.told += sums;
    }

    fn file(&mut self, _: &Entry<'_>, sums: Sums) -> Flow {
        self.told += sums;
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Self {
        Lines { time: self.time, ..Lines::default() }
    }

    fn merge(&mut self, other: Self) {
        self.lines.extend(other.lines);
        self.incomplete.extend(other.incomplete);
        self.errors.extend(other.errors);
        self.told += other.told;
    }
}

/// The directories of which not all counts, sorted, and the number of errors.
pub fn incomplete(walk: Walk) -> (Vec<PathBuf>, usize) {
    let (mut lines, _) = Usage::new(walk).run(Lines::default());
    lines.incomplete.sort();
    (lines.incomplete, lines.errors.len())
}

fn write(path: impl AsRef<Path>, size: usize) {
    fs::write(path, vec![7; size]).expect("a file");
}

/// Hard links across directories and within one, links that lead up, a sparse file, a deep chain, a
/// wide directory, hostile names, empty directories, a pipe.
fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a scratch directory");
    let t = place.path().join("t");
    let deep = t.join(["deep"; 60].join("/"));
    for dir in ["b/inner", "a/z", "c", "empty/empty", "wide", "a.b"].map(|dir| t.join(dir)) {
        fs::create_dir_all(dir).expect("a directory");
    }
    fs::create_dir_all(&deep).expect("a chain");
    write(t.join("b/inner/x"), 70_000);
    for link in ["a/z/x", "c/x", "a/x", "a.b/x", "c/y", "x"] {
        fs::hard_link(t.join("b/inner/x"), t.join(link)).expect("a link");
    }
    write(t.join("c/own"), 5_000);
    fs::hard_link(t.join("c/own"), t.join("c/again")).expect("a link");
    write(deep.join("file"), 1);
    fs::hard_link(deep.join("file"), t.join("b/file")).expect("a link");
    (0..1_500).for_each(|number| write(t.join(format!("wide/{number}")), number));
    let sparse = fs::File::create(t.join("sparse")).expect("a file");
    sparse.set_len(1 << 30).expect("a sparse file");
    symlink("..", t.join("a/up")).expect("a link");
    symlink("nowhere", t.join("dangling")).expect("a link");
    for name in [&b"new\nline"[..], b"\xff\xfe", b" ", b"-x", b"tab\t"] {
        let dir = t.join(OsStr::from_bytes(name));
        fs::create_dir(&dir).expect("a directory");
        write(dir.join(OsStr::from_bytes(name)), 300);
    }
    assert!(Command::new("mkfifo").arg(t.join("pipe")).status().is_ok_and(|s| s.success()));
    place
}

/// What GNU du prints: each path with its number, in order.
fn du(place: &Path, words: &[&str]) -> Vec<(u64, PathBuf)> {
    let mut command = Command::new("du");
    let output = command.arg("-0").args(words).current_dir(place).output().expect("GNU du");
    let lines = output.stdout.split(|&byte| byte == 0).filter(|line| !line.is_empty());
    let told = lines.map(|line| {
        let mut parts = line.splitn(2, |&byte| byte == b'\t');
        let number = parts.next().and_then(|number| std::str::from_utf8(number).ok());
        let number = number.and_then(|number| number.parse().ok()).expect("a number");
        (number, PathBuf::from(OsStr::from_bytes(parts.next().expect("a path"))))
    });
    told.collect()
}

/// The rule for apparent sizes of the GNU du that is installed.
fn apparent() -> Apparent {
    let output = Command::new("du").arg("--version").output().expect("GNU du").stdout;
    let text = String::from_utf8_lossy(&output);
    let version = text.lines().next().and_then(|line| line.rsplit(' ').next());
    let mut numbers = version.expect("a version").split('.').map(|n| n.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < (9, 2) { Apparent::All } else { Apparent::Contents }
}

fn threads(walk: Walk, count: usize) -> Walk {
    walk.threads(std::num::NonZero::new(count))
}

/// A walk as GNU du's.
fn like_du(roots: &[PathBuf]) -> Walk {
    Walk::over(roots).order(Order::Depth(Shape::Post)).follow(Follow::Never)
}

/// As GNU du prints it, with this one of the sums.
fn shown(place: &Path, lines: &[Line], number: fn(&Line) -> u64) -> Vec<(u64, PathBuf)> {
    let below = |path: &Path| path.strip_prefix(place).expect("below").to_owned();
    lines.iter().map(|line| (number(line), below(&line.0))).collect()
}

#[test]
fn called_as_du_the_sums_and_their_order_are_gnu_du_s() {
    let place = tree();
    let root = [place.path().join("t")];
    type Number = fn(&Line) -> u64;
    let table: [(&[&str], HardLinks, Number); 8] = [
        (&["-B1"], HardLinks::FirstMet, |line| line.2.allocated),
        (&["-b"], HardLinks::FirstMet, |line| line.2.apparent),
        (&["--inodes"], HardLinks::FirstMet, |line| line.2.entries),
        (&["-B1", "-S"], HardLinks::FirstMet, |line| line.1.allocated),
        (&["-b", "-S"], HardLinks::FirstMet, |line| line.1.apparent),
        (&["--inodes", "-S"], HardLinks::FirstMet, |line| line.1.entries),
        (&["-B1", "-l"], HardLinks::Each, |line| line.2.allocated),
        (&["--inodes", "-l", "-S"], HardLinks::Each, |line| line.1.entries),
    ];
    for (words, links, number) in table {
        for count in [1, 8] {
            let usage = Usage::new(threads(like_du(&root), count));
            let usage = Usage { links, apparent: apparent(), ..usage };
            let (mut lines, report) = usage.run(Lines::default());
            let expected = du(place.path(), &[words, &["t"]].concat());
            let mut found = shown(place.path(), &lines.lines, number);
            if count > 1 {
                // Each worker has lines of its own.
                found.sort_by_key(|(_, path)| expected.iter().position(|line| line.1 == *path));
            }
            assert_eq!(found, expected, "{words:?}, {count} threads");
            let last = lines.lines.iter().max_by_key(|line| line.2.entries);
            assert_eq!(last.map(|line| line.2), Some(report.total));
            assert_eq!(lines.told, report.total);
            assert!(lines.errors.pop().is_none());
        }
    }
}

/// What GNU find tells of each entry, added up by brisk's rule: a file with several links counts in
/// the first of their directories.
fn by_find(root: &Path) -> BTreeMap<PathBuf, (u64, u64, u64)> {
    let format = "%i %n %b %s %y %p\\0";
    let output = Command::new("find").arg(root).args(["-printf", format]).output().expect("find");
    let mut entries = Vec::new();
    for line in output.stdout.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let parts: Vec<_> = line.splitn(6, |&byte| byte == b' ').collect();
        let numbers: Vec<u64> = parts[..4]
            .iter()
            .filter_map(|part| std::str::from_utf8(part).ok()?.parse().ok())
            .collect();
        let path = PathBuf::from(OsStr::from_bytes(parts[5]));
        let dir = if parts[4] == b"d" { path } else { path.parent().expect("one").to_owned() };
        entries.push((dir, numbers, parts[4][0]));
    }
    entries.sort();
    let mut seen = std::collections::BTreeSet::new();
    let mut sums = BTreeMap::<PathBuf, (u64, u64, u64)>::new();
    for (dir, numbers, kind) in entries {
        if kind != b'd' && numbers[1] > 1 && !seen.insert(numbers[0]) {
            continue;
        }
        let size = if matches!(kind, b'f' | b'l') { numbers[3] } else { 0 };
        for above in dir.ancestors().take_while(|above| above.starts_with(root)) {
            let sum = sums.entry(above.to_owned()).or_default();
            *sum = (sum.0 + numbers[2] * 512, sum.1 + size, sum.2 + 1);
        }
    }
    sums
}

#[test]
fn by_sorted_order_every_walk_has_the_sums_that_find_s_lines_add_up_to() {
    let place = tree();
    let root = place.path().join("t");
    let expected = by_find(&root);
    let orders = [Order::Unordered, Order::Breadth, Order::Sorted(Shape::Pre)];
    for order in orders.into_iter().chain([Order::Depth(Shape::Post)]) {
        for count in [1, 8, 8, 8] {
            let walk = threads(Walk::new(&root).order(order), count);
            let (lines, report) = Usage::new(walk).run(Lines::default());
            let found = lines
                .lines
                .iter()
                .map(|(path, _, all)| (path.clone(), (all.allocated, all.apparent, all.entries)));
            assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{order:?}, {count} threads");
            assert_eq!(lines.lines.len(), expected.len());
            assert_eq!(report.total.entries, expected[&root].2);
            if count == 1 {
                let place = |path: &Path| lines.lines.iter().position(|line| line.0 == path);
                assert!(place(&root.join("b/inner")) < place(&root.join("b")));
            }
        }
    }
}

#[test]
fn roots_in_each_other_count_once_as_in_gnu_du() {
    let place = tree();
    let table: [&[&str]; 9] = [
        &["t/b", "t"],
        &["t", "t/b"],
        &["t", "t"],
        &["t/b/inner", "t/b", "t/a", "t", "t/c"],
        &["t/c", "t/a", "t/b/inner"],
        &["t/wide/7", "t/wide"],
        &["t/wide", "t/wide/7"],
        &["t/", "t/b/."],
        &["t/b/inner/x", "t/c"],
    ];
    for roots in table {
        for (rule, words) in [(HardLinks::FirstMet, &["-b"][..]), (HardLinks::Each, &["-b", "-l"])]
        {
            let paths: Vec<_> = roots.iter().map(|root| place.path().join(root)).collect();
            let usage = Usage::new(threads(like_du(&paths), 1));
            let usage = Usage { links: rule, apparent: apparent(), ..usage };
            let (lines, report) = usage.run(Lines::default());
            let words = [words, &["-c"], roots].concat();
            let mut expected = du(place.path(), &words);
            let total = expected.pop().expect("the total");
            // GNU du prints files that are roots, which an observer sees one by one.
            expected.retain(|(_, path)| place.path().join(path).is_dir());
            assert_eq!(
                shown(place.path(), &lines.lines, |line| line.2.apparent),
                expected,
                "{words:?}"
            );
            assert_eq!(report.total.apparent, total.0, "{words:?}");
        }
        let totals = [1, 8].map(|count| {
            let paths = roots.iter().map(|root| place.path().join(root));
            Usage::new(threads(Walk::over(paths), count)).run(Lines::default()).1.total
        });
        assert_eq!(totals[0], totals[1]);
    }
    // The second root does not count in the first, because the filter leaves it out there.
    let paths = [place.path().join("t"), place.path().join("t/b/inner")];
    let named = Expr::from(Test::name("b", |name| name == b"b"));
    let filter = Filter::new(!Expr::All(vec![named, Expr::Prune]));
    let (lines, _) = Usage::new(Walk::over(paths).filter(filter)).run(Lines::default());
    let expected = du(place.path(), &["--inodes", "--exclude=b", "t", "t/b/inner"]);
    assert_eq!(lines.lines.len(), expected.len());
}

#[test]
fn the_newest_time_is_gnu_du_s() {
    let place = tree();
    let t = place.path().join("t");
    // Reading a directory does not change a time of access that is later than its other times.
    let later =
        "touch -d 2040-01-02T03:04:05 b/inner/x wide; find -type d -exec touch -ad 2041-01-01 {} +";
    let made = Command::new("sh").args(["-c", later]).current_dir(&t).status();
    assert!(made.is_ok_and(|status| status.success()));
    for (word, field) in [
        ("--time", Fields::MTIME),
        ("--time=atime", Fields::ATIME),
        ("--time=ctime", Fields::CTIME),
    ] {
        let words = [word, "--time-style=+%s", "-l", "t"];
        let walk = threads(like_du(std::slice::from_ref(&t)), 1);
        let (lines, _) = Usage { links: HardLinks::Each, ..Usage::new(walk) }
            .run(Lines { time: field, ..Lines::default() });
        // After the number comes the time, and then the path.
        let expected = du(place.path(), &words).into_iter().map(|(_, rest)| rest);
        let found = lines.lines.iter().map(|(path, _, all)| {
            let path = path.strip_prefix(place.path()).expect("below").as_os_str();
            let mut line = all.newest.map_or(0, |time| time.secs).to_string().into_bytes();
            line.push(b'\t');
            line.extend_from_slice(path.as_bytes());
            PathBuf::from(OsStr::from_bytes(&line))
        });
        assert!(found.eq(expected), "{word}");
    }
}

#[test]
fn an_entry_costs_one_statx() {
    let place = tree();
    // The counts of one worker are exact.
    let usage = Usage::new(threads(Walk::new(place.path().join("t")), 1));
    let (lines, report) = usage.run(Lines::default());
    let directories = lines.lines.len() as u64;
    let calls = report.stats.calls;
    // The root's type is asked for, and directories are asked about by their handles.
    assert_eq!(calls.stat, 1 + report.stats.taken);
    assert_eq!(report.stats.entries, report.stats.taken + directories);
    assert_eq!(calls.visitor, directories);
}

#[test]
fn links_that_are_followed_count_what_they_lead_to_once() {
    let place = tree();
    let t = place.path().join("t");
    // GNU du reports a link that leads nowhere, and one that leads up; so does an observer.
    for link in ["a/up", "dangling"] {
        fs::remove_file(t.join(link)).expect("it goes");
    }
    symlink("../wide", t.join("a/other")).expect("a link");
    let walk = like_du(std::slice::from_ref(&t)).follow(Follow::Always);
    let usage = Usage::new(threads(walk, 1));
    let usage = Usage { links: HardLinks::FirstMet, apparent: apparent(), ..usage };
    let (lines, _) = usage.run(Lines::default());
    let number = |line: &Line| line.2.apparent;
    assert_eq!(shown(place.path(), &lines.lines, number), du(place.path(), &["-bL", "t"]));
}

/// Neither hangs nor panics where processes come and go.
#[test]
fn the_sums_of_proc_have_an_end() {
    let walk = threads(Walk::new("/proc").mounts(Mounts::SameDevice), 4);
    let (lines, report) = Usage::new(walk).run(Lines::default());
    assert!(
        report.total.entries > 100 && lines.lines.iter().any(|line| line.0 == Path::new("/proc"))
    );
}

/// As a user who may not read one directory: it is named once, and counts with its own entry.
#[test]
fn a_directory_that_cannot_be_read_is_one_error() {
    let place = tree();
    let t = place.path().join("t");
    let path = t.to_str().expect("text");
    let closed = |mode| Command::new("chmod").args([mode, "b"]).current_dir(&t).status();
    assert!(closed("000").is_ok_and(|status| status.success()));
    let user = ["setpriv", "--reuid=65534", "--clear-groups"];
    let before: &[&str] = if is_root() { &user } else { &[] };
    if is_root() {
        let open =
            Command::new("chmod").args(["755", place.path().to_str().expect("text")]).status();
        assert!(open.is_ok_and(|status| status.success()));
    }
    succeed(before, "sums_what_can_be_read", &[path]);
    assert!(closed("755").is_ok_and(|status| status.success()));
}

/// The part of the test above that runs as the other user.
pub fn sum_what_can_be_read(root: &Path) {
    for (count, rule) in [(1, HardLinks::FirstMet), (4, HardLinks::FirstSorted)] {
        let walk = threads(like_du(&[root.to_owned()]), count);
        let (lines, report) = Usage { links: rule, ..Usage::new(walk) }.run(Lines::default());
        let errors: Vec<_> = lines.errors.iter().map(Error::path).collect();
        assert_eq!(errors, [root.join("b")]);
        let closed = lines.lines.iter().find(|line| line.0 == root.join("b"));
        assert_eq!(closed.map(|line| line.2.entries), Some(1));
        let expected = du(root.parent().expect("one"), &["-B1", "-s", "t"]);
        assert_eq!(report.total.allocated, expected[0].0);
    }
}

/// How many entries were read and not delivered.
#[derive(Default)]
struct Held {
    selected: Arc<AtomicUsize>,
    handed_on: usize,
    most: usize,
}

impl Observer for Held {
    fn directory(&mut self, _: &Total<'_>) -> Flow {
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }

    fn file(&mut self, _: &Entry<'_>, _: Sums) -> Flow {
        self.most = self.most.max(self.selected.load(Relaxed) - self.handed_on);
        self.handed_on += 1;
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Held {
        Held::default()
    }

    fn merge(&mut self, _: Held) {}
}

/// On tmpfs fts does not sort, so a piece of a large directory is held and not 100,000 entries.
#[test]
fn a_large_directory_is_counted_in_pieces_where_fts_does_not_sort() {
    let name = "a_large_directory_is_counted_in_pieces_where_fts_does_not_sort";
    let Ok(place) = tempfile::TempDir::new_in("/dev/shm") else {
        return left_out(name, "there is no /dev/shm");
    };
    for number in 0..40_000 {
        fs::write(place.path().join(format!("{number}")), "").expect("a file");
    }
    let walk = threads(Walk::new(place.path()).order(Order::Depth(Shape::Post)), 1);
    let held = Held::default();
    let selected = Arc::clone(&held.selected);
    let counts = Test::name("*", move |_| selected.fetch_add(1, Relaxed) < usize::MAX);
    let (held, report) = Usage::new(walk.filter(Filter::new(counts.into()))).run(held);
    assert_eq!((report.total.entries, held.handed_on), (40_001, 40_000));
    assert!(held.most < 15_000, "{} entries were held", held.most);
}

#[test]
fn extents_that_files_share_count_once() {
    let name = "extents_that_files_share_count_once";
    for kind in ["xfs", "btrfs"] {
        let Some(mounted) = LoopMount::new(name, kind, "-q") else { continue };
        let t = mounted.path().join("t");
        fs::create_dir_all(t.join("copies")).expect("a directory");
        write(t.join("file"), 8 << 20);
        write(t.join("alone"), 1 << 20);
        let script = "sync && cp --reflink=always file copies/1 \
            && cp --reflink=always file copies/2 \
            && dd if=/dev/zero of=copies/2 bs=1M count=1 conv=notrunc status=none \
            && ln copies/1 copies/link && ln copies/1 before && sync";
        let copied = Command::new("sh").args(["-c", script]).current_dir(&t).status();
        assert!(copied.is_ok_and(|status| status.success()), "{kind}");
        let sum = |reflinks, order, count| {
            let walk = threads(Walk::new(&t).order(order), count);
            let (lines, report) = Usage { reflinks, ..Usage::new(walk) }.run(Lines::default());
            assert_eq!(lines.lines.len(), 2);
            let own = || lines.lines.iter().map(|line| line.1.allocated);
            assert_eq!(own().sum::<u64>(), report.total.allocated);
            // The one directory has two files of 1 MiB and of 8 MiB; a file moves as a whole.
            assert!(own().all(|own| own >= 1 << 20), "{:?}", lines.lines);
            report.total.allocated
        };
        let all = sum(false, Order::Unordered, 1);
        for count in [1, 4] {
            for order in [Order::Unordered, Order::Sorted(Shape::Pre)] {
                // Two copies of 8 MiB, one of them with 1 MiB of its own.
                assert_eq!(all - sum(true, order, count), 15 << 20, "{kind} {order:?} {count}");
            }
        }
    }
}

#[test]
fn a_directory_that_is_delivered_was_seen_whole() {
    struct Outcomes(Vec<Outcome>);
    impl Observer for Outcomes {
        fn directory(&mut self, total: &Total<'_>) -> Flow {
            self.0.push(total.outcome);
            if self.0.len() == 3 { Flow::Stop } else { Flow::Continue }
        }
        fn error(&mut self, error: Error) -> Flow {
            panic!("{error}");
        }
        fn fork(&self, _: usize) -> Self {
            Outcomes(Vec::new())
        }
        fn merge(&mut self, other: Self) {
            self.0.extend(other.0);
        }
    }
    let place = tree();
    let walk = threads(like_du(&[place.path().join("t")]), 1);
    let (outcomes, _) = Usage::new(walk).run(Outcomes(Vec::new()));
    assert_eq!(outcomes.0, [Outcome::Complete; 3]);
}
