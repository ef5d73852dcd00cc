//! Random trees: GNU find lists their entries, and so does the other backend.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use brisk::{Backend, Fields, FileType, Follow, Mounts, Order, Walk};

use crate::record::{MODES, Mode, ORDERS, Outcome, Rules, in_time, post, run};

/// Random numbers that suffice for trees (xorshift), the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Bytes that file names rarely have, and beginnings that many share.
    fn name(&mut self) -> OsString {
        let mut name: Vec<u8> = match self.below(8) {
            0 => b"12345678".to_vec(),
            1 => vec![b'n'; 1 + self.below(250)],
            _ => Vec::new(),
        };
        for _ in 0..1 + self.below(5) {
            let usual = *self.pick(b"aabbcAB01-_.. ");
            let odd = 1 + self.below(255) as u8;
            name.push(if self.one_in(6) && odd != b'/' { odd } else { usual });
        }
        if name == b"." || name == b".." {
            name.push(b'x');
        }
        OsString::from_vec(name)
    }
}

/// A tree below `root`, which exists: all types that need no privilege.
fn grow(root: &Path, dice: &mut Dice) {
    let mut directories = vec![root.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    // With more links to directories, following links leads to millions of paths.
    let mut links_left = 3;
    for _ in 0..40 + dice.below(160) {
        let place = dice.pick(&directories).clone();
        let path = place.join(dice.name());
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match dice.below(16) {
            0..=4 => {
                fs::create_dir(&path).expect("a directory");
                directories.push(path);
            }
            5 => symlink("nowhere", &path).expect("a dangling link"),
            6 if links_left > 0 => {
                links_left -= 1;
                symlink(dice.pick(&directories), &path).expect("a link to a directory");
            }
            7 if !files.is_empty() => {
                symlink(dice.pick(&files), &path).expect("a link to a file");
            }
            8 if !files.is_empty() => {
                fs::hard_link(dice.pick(&files), &path).expect("a hard link");
            }
            9 if dice.one_in(4) => {
                let made = Command::new("mkfifo").arg("--").arg(&path).status();
                assert!(made.is_ok_and(|status| status.success()), "mkfifo");
            }
            10 => symlink(&path, &path).expect("a link to itself"),
            _ => {
                write(&path, dice);
                files.push(path);
            }
        }
    }
    if dice.one_in(3) {
        let wide = dice.pick(&directories).join("wide");
        grow_wide(&wide, dice);
    }
}

/// A directory of more than one buffer of records, with directories among them.
fn grow_wide(wide: &Path, dice: &mut Dice) {
    fs::create_dir(wide).expect("a directory");
    for at in 0..700 {
        let path = wide.join(format!("{at:0>200}"));
        if at % 50 == 0 {
            fs::create_dir(&path).expect("a directory");
            write(&path.join("f"), dice);
        } else {
            File::create(&path).expect("a file");
        }
    }
}

fn write(path: &Path, dice: &mut Dice) {
    let file = File::create(path).expect("a file");
    file.set_len(dice.next() % (1 << 33)).expect("a size");
    let time = Duration::new(dice.next() % (1 << 33), dice.below(1_000_000_000) as u32);
    let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + time);
    file.set_times(times).expect("a time");
}

/// How brisk and GNU find walk a tree.
#[derive(Clone, Copy, Debug)]
struct Way {
    follow: Follow,
    min_depth: usize,
    max_depth: usize,
    post_order: bool,
    one_file_system: bool,
}

impl Way {
    fn new(dice: &mut Dice) -> Way {
        let follow = *dice.pick(&[Follow::Never, Follow::Roots, Follow::Roots, Follow::Always]);
        let deepest = if follow == Follow::Always { 9 } else { 99 };
        Way {
            follow,
            min_depth: if dice.one_in(3) { dice.below(4) } else { 0 },
            max_depth: if dice.one_in(3) { dice.below(5) } else { deepest },
            post_order: dice.one_in(3),
            one_file_system: dice.one_in(4),
        }
    }

    fn walk(self, roots: &[PathBuf]) -> Walk {
        Walk::over(roots)
            .follow(self.follow)
            .min_depth(self.min_depth)
            .max_depth(self.max_depth)
            .mounts(if self.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
    }
}

/// One entry: type in find's spelling, depth, size, time of modification.
type View = (char, usize, u64, (i64, u32));

struct Printed {
    /// The paths in find's order.
    paths: Vec<PathBuf>,
    entries: BTreeMap<PathBuf, View>,
    loops: usize,
}

/// GNU find's output.
fn ask_find(way: Way, roots: &[PathBuf]) -> Printed {
    let mut find = Command::new("find");
    find.env("LC_ALL", "C").arg(match way.follow {
        Follow::Never => "-P",
        Follow::Roots => "-H",
        Follow::Always => "-L",
    });
    find.args(roots).args(["-mindepth", &way.min_depth.to_string()]);
    find.args(["-maxdepth", &way.max_depth.to_string()]);
    find.args(way.post_order.then_some("-depth")).args(way.one_file_system.then_some("-xdev"));
    let output = find.args(["-printf", r"%p\0%y\0%d\0%s\0%T@\0"]).output().expect("GNU find");
    let words: Vec<&[u8]> = output.stdout.split(|&byte| byte == 0).collect();
    let text = |word: &[u8]| String::from_utf8(word.to_vec()).expect("ASCII");
    let mut printed = Printed { paths: Vec::new(), entries: BTreeMap::new(), loops: 0 };
    for entry in words.chunks_exact(5) {
        let path = PathBuf::from(OsStr::from_bytes(entry[0]));
        let [kind, depth, size, time] = [1, 2, 3, 4].map(|at| text(entry[at]));
        let (secs, nanos) = time.split_once('.').expect("seconds and their fraction");
        let view = (
            kind.chars().next().expect("a letter"),
            depth.parse().expect("a depth"),
            size.parse().expect("a size"),
            // find prints ten digits.
            (secs.parse().expect("seconds"), nanos[..9].parse().expect("nanoseconds")),
        );
        printed.paths.push(path.clone());
        assert_eq!(printed.entries.insert(path, view), None, "find prints every path once");
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    printed.loops = errors.matches("File system loop detected").count();
    printed
}

fn letter(file_type: FileType) -> char {
    match file_type {
        FileType::File => 'f',
        FileType::Directory => 'd',
        FileType::Symlink => 'l',
        FileType::Fifo => 'p',
        other => panic!("there is no {other:?}"),
    }
}

fn check(outcome: &Outcome, printed: &Printed, way: Way, with_meta: bool, what: &str) {
    assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
    let mut entries: BTreeMap<PathBuf, View> = BTreeMap::new();
    for found in &outcome.found {
        let meta = found.meta.as_ref().filter(|_| with_meta);
        assert_eq!(meta.is_some(), with_meta, "{what}: {:?}", found.path);
        let asked = meta.map(|meta| (meta.size.expect("a size"), meta.mtime.expect("a time")));
        let printed = printed.entries.get(&found.path);
        let (size, time) =
            asked.or(printed.map(|printed| (printed.2, printed.3))).unwrap_or_default();
        let view = (letter(found.file_type), found.depth, size, time);
        let before = entries.insert(found.path.clone(), view);
        assert_eq!(before, None, "{what}: {:?} twice", found.path);
    }
    for (path, view) in &printed.entries {
        assert_eq!(entries.get(path), Some(view), "{what}: {path:?}");
    }
    let follows = way.follow == Follow::Always;
    let expected =
        |path: &Path| printed.entries.contains_key(path) || follows && in_loop(path, outcome);
    assert_eq!(entries.keys().find(|path| !expected(path)), None, "{what}: is too much");
    let loops = outcome.errors.iter().filter(|error| error.starts_with("FollowLoop"));
    assert_eq!((loops.count(), outcome.errors.len()), (printed.loops, printed.loops), "{what}");
}

/// Where links are followed, find does not print an entry that led it into a loop: a link to
/// itself, which is an entry here, or a directory that turns out, when opened, to be one of those
/// above it.
fn in_loop(path: &Path, outcome: &Outcome) -> bool {
    let to_itself = path.metadata().is_err_and(|error| brisk_sys::is_link_loop(&error));
    to_itself || outcome.errors.contains(&format!("FollowLoop {}", path.display()))
}

/// The orders that are fully defined: the directory's own, and by the bytes of the names.
fn check_order(outcome: &Outcome, order: Order, printed: &Printed, way: Way, what: &str) {
    let paths = || outcome.found.iter().map(|found| found.path.as_path());
    let names = |path: &Path| -> Vec<Vec<u8>> {
        let mut names: Vec<_> =
            path.components().map(|part| part.as_os_str().as_bytes().to_vec()).collect();
        // In post-order a directory comes after everything in it.
        names.extend(way.post_order.then(|| vec![0xff; 256]));
        names
    };
    match order {
        Order::Sorted(_) => assert!(paths().is_sorted_by_key(names), "{what}"),
        Order::Breadth => {
            assert!(outcome.found.is_sorted_by_key(|found| found.depth), "{what}");
        }
        Order::Unordered => {}
        Order::Depth(_) => {
            let paths = paths().filter(|path| printed.entries.contains_key(*path));
            assert!(paths.eq(printed.paths.iter().map(PathBuf::as_path)), "{what}");
        }
    }
}

fn one_tree(seed: u64) {
    let dice = &mut Dice::new(seed);
    let place = tempfile::tempdir().expect("a scratch directory");
    let roots = ["a", "b"].map(|name| place.path().join(name));
    let roots = &roots[..1 + dice.below(2)];
    for root in roots {
        fs::create_dir(root).expect("a root");
        grow(root, dice);
    }
    for _ in 0..2 {
        let way = Way::new(dice);
        let printed = ask_find(way, roots);
        let fields = if dice.one_in(2) { Fields::empty() } else { Fields::SIZE | Fields::MTIME };
        for order in ORDERS {
            let Some(shaped) = (if way.post_order { post(order) } else { Some(order) }) else {
                continue;
            };
            for mode in MODES {
                let backends = [Backend::Native, Backend::Portable];
                // Both in full with one thread; with more threads, one of them, drawn by lot.
                let other = *dice.pick(&backends);
                for backend in backends {
                    if mode.is_parallel() && backend != other {
                        continue;
                    }
                    let rules = Rules { fields, lingers: dice.one_in(4), ..Rules::default() };
                    let walk = way.walk(roots).order(shaped).backend(backend);
                    let what = format!("seed {seed}: {way:?} {order:?} {mode:?} {backend:?}");
                    let outcome = in_time("a random tree", move || run(walk, mode, rules));
                    check(&outcome, &printed, way, !fields.is_empty(), &what);
                    if backend == Backend::Native || mode == Mode::Serial {
                        check_order(&outcome, order, &printed, way, &what);
                    }
                }
            }
        }
    }
}

/// The same trees in every run, unless `BRISK_SEED` names another first one.
#[test]
fn random_trees_against_gnu_find() {
    let first = std::env::var("BRISK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for seed in first..first + 12 {
        one_tree(seed);
    }
}
