//! What a comparison of two states says: about one edit, and about many.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use brisk::{Fields, FileType, Flow};
use brisk_state::{
    Change, ChangeKind, Compared, Diff, Difference, Input, Reads, Rescan, State, Tree, Watch,
};
use tempfile::TempDir;
use testkit::{Random, tree};

/// A tree, and two states of it.
struct Case {
    scratch: TempDir,
}

impl Case {
    fn new() -> Case {
        let case = Case { scratch: TempDir::new().expect("a scratch directory") };
        fs::create_dir_all(case.path("a/b")).expect("directories");
        fs::create_dir_all(case.path("q/empty")).expect("directories");
        for file in ["top", "a/one", "a/two", "a/b/deep", "q/r"] {
            fs::write(case.path(file), file).expect("a file");
        }
        case
    }

    fn path(&self, below: &str) -> PathBuf {
        self.scratch.path().join("tree").join(below)
    }

    fn state(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Writes a state of the tree, which is unrelated to all others.
    fn look(&self, name: &str) {
        let report = Rescan::over([self.path("")]).run().expect("an answer");
        report.write(&self.state(name)).expect("a state");
    }

    /// Writes a state of the tree that follows on another one.
    fn follow(&self, since: &str, name: &str) -> Vec<Change> {
        let old = State::load(&self.state(since));
        let rescan = Rescan { old, ..Rescan::over([self.path("")]) };
        let report = rescan.run().expect("an answer");
        report.write(&self.state(name)).expect("a state");
        report.changes.to_vec()
    }

    fn between(&self, old: &str, new: &str) -> Diff {
        let open = |name| Input::open(&self.state(name)).expect("a state");
        Diff::between(open(old), open(new))
    }

    /// A state of the tree, whose files may be read.
    fn live(&self, name: &str) -> Input {
        let mut input = Input::open(&self.state(name)).expect("a state");
        input.live = Some(self.path(""));
        input
    }

    /// What an edit looks like, in states that are unrelated and in states that follow each other.
    fn after(&self, edit: impl FnOnce()) -> Vec<String> {
        self.look("old");
        edit();
        self.look("new");
        self.follow("old", "next");
        let found = lines(self.between("old", "new"));
        assert_eq!(lines(self.between("old", "next")), found);
        found
    }
}

fn all(mut diff: Diff) -> (Vec<Difference>, Compared) {
    let mut found = Vec::new();
    let compared = diff.run(&mut |difference| {
        found.push(difference.clone());
        Flow::Continue
    });
    (found, compared.expect("an answer"))
}

fn lines(diff: Diff) -> Vec<String> {
    all(diff).0.iter().map(line).collect()
}

fn line(difference: &Difference) -> String {
    let Difference { change, whole, .. } = difference;
    let end = if *whole { "/" } else { "" };
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let from = change.from.as_ref().map(|from| format!(" {}{end}", text(&from.path)));
    let from = from.unwrap_or_default();
    format!("{}{from} {}{end}", change.kind.letter(), text(&change.place.path))
}

#[test]
fn nothing() {
    let case = Case::new();
    assert_eq!(case.after(|| {}), [""; 0]);
}

/// As a walk, a comparison reports no error for what is gone when its turn comes.
#[test]
fn a_file_that_vanishes_before_it_is_read_has_other_contents() {
    let case = Case::new();
    case.look("states");
    for gone in ["a/one", "a/b"] {
        let path = case.path(gone);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("gone");
    }
    let old = Case::new();
    old.look("states");
    let mut diff = Diff::between(old.live("states"), case.live("states"));
    diff.content = true;
    let (found, compared) = all(diff);
    let lines: Vec<_> = found.iter().map(line).collect();
    assert_eq!((lines, compared.has_unknown), (vec!["M a/b/deep".into(), "M a/one".into()], false));
}

#[test]
fn each_kind_of_edit() {
    let case = Case::new();
    let path = |below| case.path(below);
    let write = |below, text: &str| fs::write(path(below), text).expect("a file");
    let rename = |from, to| fs::rename(path(from), path(to)).expect("renamed");
    assert_eq!(case.after(|| write("a/new", "")), ["A a/new"]);
    assert_eq!(case.after(|| write("a/new", "1")), ["M a/new"]);
    assert_eq!(case.after(|| fs::remove_file(path("a/new")).expect("removed")), ["D a/new"]);
    assert_eq!(case.after(|| rename("a/one", "a/b/moved")), ["R a/one a/b/moved"]);
    assert_eq!(case.after(|| rename("a", "z")), ["R a/ z/"]);
    let replaced = || {
        fs::remove_file(path("z/two")).expect("removed");
        fs::create_dir_all(path("z/two/three")).expect("directories");
    };
    assert_eq!(case.after(replaced), ["T z/two", "A z/two/three/"]);
    assert_eq!(case.after(|| fs::remove_dir_all(path("z")).expect("removed")), ["D z/"]);
    let added = || {
        fs::create_dir_all(path("n/m")).expect("directories");
        write("n/m/x", "x");
    };
    assert_eq!(case.after(added), ["A n/"]);
    let back = || {
        fs::remove_dir_all(path("n/m")).expect("removed");
        write("n/m", "x");
    };
    assert_eq!(case.after(back), ["T n/m", "D n/m/x"]);
}

#[test]
fn edits_in_a_directory_that_moved() {
    let case = Case::new();
    let edit = || {
        fs::rename(case.path("a"), case.path("z")).expect("renamed");
        fs::write(case.path("z/one"), "longer").expect("a file");
        fs::remove_file(case.path("z/two")).expect("removed");
        fs::write(case.path("z/new"), "").expect("a file");
        fs::rename(case.path("q/r"), case.path("z/r")).expect("renamed");
        fs::rename(case.path("z/b/deep"), case.path("q/deep")).expect("renamed");
    };
    let expected = ["D a/two", "R a/b/deep q/deep", "R a/ z/", "A z/new", "M z/one", "R q/r z/r"];
    assert_eq!(case.after(edit), expected);
}

#[test]
fn directories_trade_places() {
    let case = Case::new();
    let edit = || {
        fs::rename(case.path("a"), case.path("t")).expect("renamed");
        fs::rename(case.path("q"), case.path("a")).expect("renamed");
        fs::rename(case.path("t"), case.path("q")).expect("renamed");
    };
    // The names stay, so what is in them is compared.
    let expected = ["R q/empty/ a/empty/", "R q/r a/r"];
    let expected = [&expected[..], &["R a/b/ q/b/", "R a/one q/one", "R a/two q/two"]].concat();
    assert_eq!(case.after(edit), expected);
}

#[test]
fn a_moved_directory_goes_out_of_one_that_is_gone_into_one_that_is_new() {
    let case = Case::new();
    let edit = || {
        fs::create_dir(case.path("new")).expect("a directory");
        fs::write(case.path("new/x"), "x").expect("a file");
        fs::rename(case.path("a/b"), case.path("new/b")).expect("renamed");
        fs::remove_file(case.path("new/b/deep")).expect("removed");
        fs::remove_dir_all(case.path("a")).expect("removed");
    };
    assert_eq!(case.after(edit), ["D a/", "D a/b/deep", "A new/", "R a/b/ new/b/"]);
}

#[test]
fn copies_are_compared_by_what_copies_keep() {
    let case = Case::new();
    let copy = case.state("copy");
    let cp = |from: &Path| {
        let status = std::process::Command::new("cp").arg("-a").args([from, &copy]).status();
        assert!(status.expect("cp runs").success());
    };
    cp(&case.path(""));
    let look = |root: &Path, name| {
        let report = Rescan::over([root]).run().expect("an answer");
        report.write(&case.state(name)).expect("a state");
    };
    look(&case.path(""), "old");
    look(&copy, "new");
    assert_eq!(lines(case.between("old", "new")), [""; 0]);
    fs::rename(copy.join("a"), copy.join("z")).expect("renamed");
    fs::rename(copy.join("q/r"), copy.join("s")).expect("renamed");
    fs::write(copy.join("top"), "other").expect("a file");
    look(&copy, "new");
    let expected = ["R q/r s", "M top", "R a/ z/"];
    assert_eq!(lines(case.between("old", "new")), expected);
    fs::write(copy.join("z/one"), "other").expect("a file");
    look(&copy, "new");
    // The directory is not the same any more: what is in it was renamed file by file.
    let expected = ["D a/", "R q/r s", "M top", "A z/", "R a/b/ z/b/", "R a/two z/two"];
    assert_eq!(lines(case.between("old", "new")), expected);
}

#[test]
fn contents_decide() {
    let case = Case::new();
    let look = |name| {
        let rescan = Rescan { content: true, ..Rescan::over([case.path("")]) };
        let report = rescan.run().expect("an answer");
        report.write(&case.state(name)).expect("a state");
    };
    testkit::pass_ticks();
    look("old");
    let one = fs::File::options().write(true).open(case.path("a/one")).expect("a file");
    one.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    fs::write(case.path("a/two"), "A/TWO").expect("a file");
    look("new");
    assert_eq!(lines(case.between("old", "new")), ["M a/two"]);
    // One side has no digest, but is there to be read.
    case.look("plain");
    assert_eq!(lines(case.between("old", "plain")), ["M a/one", "M a/two"]);
    let live = case.live("plain");
    let old = Input::open(&case.state("old")).expect("a state");
    assert_eq!(lines(Diff::between(old, live)), ["M a/two"]);
}

/// Waits, in the first call of each thread, for a call of another one.
#[derive(Debug, Default)]
struct Rendezvous {
    threads: Mutex<HashSet<ThreadId>>,
    another: Condvar,
}

impl Watch for Rendezvous {
    fn read(&self, _: &Reads) {
        let mut threads = self.threads.lock().expect("no panic");
        if threads.insert(thread::current().id()) {
            self.another.notify_all();
            let few = |threads: &mut HashSet<ThreadId>| threads.len() < 2;
            let waited = self.another.wait_timeout_while(threads, Duration::from_secs(30), few);
            assert!(!waited.expect("no panic").1.timed_out(), "one worker reads alone");
        }
    }
}

#[test]
fn files_are_read_by_several_workers() {
    let case = Case::new();
    case.look("one");
    for workers in [None, NonZeroUsize::new(2)] {
        let rendezvous = Arc::new(Rendezvous::default());
        let is_alone = workers.is_none()
            && thread::available_parallelism().expect("a number") == NonZeroUsize::MIN;
        let mut diff = Diff::between(case.live("one"), case.live("one"));
        diff.content = true;
        diff.threads = workers;
        if !is_alone {
            diff.watch = rendezvous;
        }
        assert_eq!(lines(diff), [""; 0]);
    }
}

#[test]
fn damage_is_told_before_the_first_line() {
    let case = Case::new();
    case.look("old");
    // The answer depends on each block: one that both states have is not read.
    fs::remove_dir_all(case.path("a")).expect("removed");
    fs::write(case.path("q/r"), "other").expect("a file");
    case.look("new");
    let whole = fs::read(case.state("old")).expect("the state");
    for at in (0..whole.len()).step_by(5) {
        let mut other = whole.clone();
        other[at] ^= 1;
        fs::write(case.state("old"), &other).expect("a state");
        let told = Input::open(&case.state("old")).map(|old| {
            let new = Input::open(&case.state("new")).expect("a state");
            let mut count = 0;
            let compared = Diff::between(old, new).run(&mut |_| {
                count += 1;
                Flow::Continue
            });
            (compared.map(|_| ()).map_err(|why| why.to_string()), count)
        });
        if let Ok((compared, count)) = told {
            assert_eq!((compared.err().as_deref(), count), (Some("the state is damaged"), 0));
        }
    }
    for cut in (0..whole.len()).step_by(5) {
        fs::write(case.state("old"), &whole[..cut]).expect("a state");
        assert!(Input::open(&case.state("old")).is_err(), "cut at {cut}");
    }
}

/// A state with one directory of this many files; those of `changed` are longer.
fn flat(count: u32, changed: impl Fn(u32) -> bool) -> Input {
    let mut tree = Tree::new(&std::env::temp_dir(), vec![b"/r".to_vec()]).expect("a state");
    let mut push = |path: &str, file_type: FileType, size| {
        let file_type = (Fields::TYPE, file_type.mode_bits().into());
        let meta = [file_type, (Fields::SIZE, size), (Fields::MTIME, 1_000_000_001)];
        let meta = meta.into_iter().collect();
        tree.push(0, path.as_bytes(), &meta, None, None).expect("an entry");
    };
    push("", FileType::Directory, 0);
    push("d", FileType::Directory, 0);
    for at in 0..count {
        push(&format!("d\0{at:09}"), FileType::File, 1 + u64::from(changed(at)));
    }
    push("e", FileType::Directory, 0);
    Input::of(tree.finish().expect("a state")).expect("a state")
}

#[test]
fn a_large_directory_is_read_by_pages() {
    let old = flat(20_000, |_| false);
    let new = flat(20_001, |at| at % 1000 == 7);
    let found = lines(Diff::between(old, new));
    let mut expected: Vec<String> = (0..20).map(|at| format!("M d/{:09}", at * 1000 + 7)).collect();
    expected.push("A d/000020000".to_owned());
    assert_eq!(found, expected);
}

/// One edit at random. Some have no effect.
fn edit(root: &Path, random: &mut Random) {
    let all = tree(root);
    let one = &all[random.below(all.len())];
    let other = &all[random.below(all.len())];
    let name = ["x", "y", "\u{e9}", "new\nline", "-z"][random.below(5)];
    let below = if other.is_dir() { other.join(name) } else { other.with_file_name(name) };
    let _ = match random.below(8) {
        0 => fs::write(&below, "new"),
        1 => fs::create_dir(&below),
        2 | 3 => fs::rename(one, &below),
        4 => fs::rename(one, other),
        5 if one != root => fs::remove_file(one).or_else(|_| fs::remove_dir_all(one)),
        6 => fs::hard_link(one, &below),
        _ => fs::write(one, "more than before"),
    };
}

/// Renamed entries as deleted and added ones, so that both answers can be compared: which of several
/// links was renamed is not defined.
fn expanded<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<String> {
    let mut found = Vec::new();
    for change in changes {
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        let path = text(&change.place.path);
        match &change.from {
            Some(from) => {
                found.push(format!("D {}", text(&from.path)));
                found.push(format!("A {path}"));
            }
            None => {
                let differs = match change.kind {
                    ChangeKind::Modified | ChangeKind::TypeChanged => {
                        format!(" {:?}", change.differs)
                    }
                    _ => String::new(),
                };
                found.push(format!("{} {path}{differs}", change.kind.letter()));
            }
        }
    }
    found.sort();
    found
}

/// Each line of the short form, and what it stands for, is what was listed entry by entry.
fn check_whole(short: &[Difference], each: &[Difference]) {
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    for one in each {
        let path = text(&one.change.place.path);
        let is_told = short.iter().any(|told| {
            let place = text(&told.change.place.path);
            let from = told.change.from.as_ref().map(|from| text(&from.path) + "/");
            let is_below = told.whole
                && (path.starts_with(&(place.clone() + "/"))
                    || from.is_some_and(|from| path.starts_with(&from)));
            is_below || place == path
        });
        assert!(
            is_told,
            "{path} is in no line of {:?}",
            short.iter().map(line).collect::<Vec<_>>()
        );
    }
    assert!(short.len() <= each.len());
}

#[test]
fn rounds_of_random_edits_say_what_a_rescan_says() {
    let case = Case::new();
    let seed = 0x9e37_79b9_7f4a_7c15;
    let mut random = Random(seed);
    case.look("old");
    for round in 0..testkit::rounds(50, 150) {
        for _ in 0..1 + random.below(6) {
            edit(&case.path(""), &mut random);
        }
        let changes = case.follow("old", "next");
        case.look("new");
        for new in ["next", "new"] {
            let mut diff = case.between("old", new);
            diff.each = true;
            let (each, compared) = all(diff);
            assert_eq!(compared, Compared::default());
            let told = expanded(each.iter().map(|one| &one.change));
            assert_eq!(told, expanded(changes.iter()), "round {round}, {new}");
            let renamed = |kind: ChangeKind| kind == ChangeKind::Renamed;
            let renames = changes.iter().filter(|change| renamed(change.kind)).count();
            assert!(each.iter().filter(|one| renamed(one.change.kind)).count() >= renames);
            let mut diff = case.between("old", new);
            diff.each = true;
            diff.renames = false;
            let plain = all(diff).0;
            assert_eq!(expanded(plain.iter().map(|one| &one.change)), told, "round {round}");
            check_whole(&all(case.between("old", new)).0, &each);
        }
        fs::rename(case.state("new"), case.state("old")).expect("accepted");
    }
}
