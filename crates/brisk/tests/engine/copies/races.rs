//! What a killed copy leaves, and what other processes can do while one runs. `BRISK_ROUNDS=200`
//! makes so many rounds instead of a few.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use brisk::FileType;
use brisk::copy::{Backup, Begun, Copy, Observer, Pair, Report, Specials, Step, Update};

use super::{archive, assert_same, copied, following, held, plain, run, set_mode};
use crate::oracle::Dice;
use crate::tree::{files, grow};

/// Changes a source when its copy begins, and when 64 MiB of it are copied.
struct Meddler<'a>(&'a Path, &'a (dyn Fn(&Path) + Sync), bool, AtomicU64);

impl Observer for Meddler<'_> {
    fn wants_begun(&self) -> bool {
        true
    }

    fn begun(&self, begun: &Begun<'_>) {
        if begun.file_type == FileType::File && !self.2 {
            self.1(self.0);
        }
    }

    fn progressed(&self, so_far: &Report) {
        if so_far.bytes > 0 && self.2 {
            self.3.fetch_max(so_far.left, Ordering::Relaxed);
            self.1(self.0);
        }
    }
}

#[test]
fn sources_that_grow_shrink_and_vanish() {
    let scratch = testkit::scratch();
    let [from, to] = ["from", "to"].map(|name| scratch.path().join(name));
    let [grow, shrink, vanish]: [&(dyn Fn(&Path) + Sync); 3] = [
        &|path| fs::write(path, "longer than before").expect("writable"),
        &|path| {
            let file = File::options().write(true).open(path);
            file.and_then(|file| file.set_len(1)).expect("shrinks");
        },
        &|path| drop(fs::remove_file(path)),
    ];
    let cases =
        [(grow, Some(&b"longer than before"[..])), (shrink, Some(&b"b"[..])), (vanish, None)];
    for (change, left) in cases {
        fs::write(&from, "before").expect("writable");
        let pair = Pair::new(from.clone(), to.clone());
        let report = plain().run([pair], &Meddler(&from, change, false, AtomicU64::new(0)));
        let steps: Vec<Step> = report.failures.iter().map(|failure| failure.step).collect();
        assert_eq!(steps, if left.is_none() { vec![Step::Open] } else { Vec::new() });
        assert_eq!(fs::read(&to).ok().as_deref(), left);
        let _ = fs::remove_file(&to);
    }
    // What has begun ends with what is there: a shorter file, or all of one without a name.
    let large = vec![b'x'; (64 << 20) + 5];
    for (change, length) in [(shrink, 64 << 20), (vanish, large.len())] {
        fs::write(&from, &large).expect("writable");
        let pair = Pair::new(from.clone(), to.clone());
        let meddler = Meddler(&from, change, true, AtomicU64::new(0));
        assert!(plain().run([pair], &meddler).is_complete());
        assert_eq!(meddler.3.into_inner(), 5, "what was left after 64 MiB");
        assert_eq!(fs::metadata(&to).expect("copied").len(), length as u64);
        fs::remove_file(&to).expect("there");
    }
    assert_eq!(fs::read_dir(scratch.path()).expect("readable").count(), 0);
}

/// What is in the source's place when the copy of it is done was not copied.
#[test]
fn nothing_is_removed_for_a_source_that_was_replaced() {
    let scratch = testkit::scratch();
    let [from, to] = ["from", "to"].map(|name| scratch.path().join(name));
    for dir in [from.join("d"), to.join("d")] {
        fs::create_dir_all(&dir).expect("directories");
        fs::write(dir.join("kept"), "text").expect("writable");
    }
    let replace = |path: &Path| {
        fs::rename(path.join("d"), path.join("d.old")).expect("renamed");
        fs::create_dir(path.join("d")).expect("a directory");
    };
    let copy = Copy { delete: true, ..archive() };
    let meddler = Meddler(&from, &replace, false, AtomicU64::new(0));
    let report = copy.run([Pair::new(from.clone(), to.clone())], &meddler);
    let steps: Vec<Step> = report.failures.iter().map(|failure| failure.step).collect();
    assert_eq!(steps, [Step::Replaced]);
    assert_eq!(fs::read(to.join("d/kept")).expect("kept"), b"text");
}

/// Stops the copy when its first file begins.
#[derive(Default)]
struct Stopper(AtomicBool);

impl Observer for Stopper {
    fn wants_begun(&self) -> bool {
        true
    }

    fn begun(&self, begun: &Begun<'_>) {
        self.0.fetch_or(begun.file_type == FileType::File, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn a_stopped_copy_counts_the_directories_that_it_has_made() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/a/ t/a/b/ t/a/b/f t/c/");
    let [from, to] = ["t", "to"].map(|name| scratch.path().join(name));
    let report = plain().run([Pair::new(from.clone(), to.clone())], &Stopper::default());
    let is_dir = |path: &&PathBuf| to.join(path).is_dir();
    let made = held(&to).0.keys().filter(is_dir).count();
    assert!(report.stopped && made >= 3, "{made}");
    assert_eq!(report.directories, made as u64);
    let report = copied(&Copy { dry_run: true, ..plain() }, &from, &scratch.path().join("other"));
    assert_eq!(report.directories, 4);
}

/// A copy that the test kills: its paths are the words.
#[test]
#[ignore = "a part of another test"]
fn child() {
    let words = std::env::var("BRISK_CHILD").expect("run by another test");
    let (from, to) = words.split_once('\n').expect("two paths");
    let copy = Copy { update: Update::Changed, ..archive() };
    assert!(run(&copy, from.as_ref(), to.as_ref()).is_complete());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the other process is killed at a random moment")]
fn a_killed_copy_leaves_no_part_of_a_file_and_is_gone_on_with() {
    let scratch = testkit::scratch();
    let root = scratch.path().join("t");
    fs::create_dir_all(root.join("sub/deep")).expect("directories");
    for at in 0..400 {
        let dir = ["", "sub", "sub/deep"][at % 3];
        let text = vec![b'a' + (at % 26) as u8; at * 97];
        fs::write(root.join(dir).join(format!("f{at}")), text).expect("written");
    }
    let expected = held(&root).0;
    let mut dice = Dice::new(4);
    let own = std::env::current_exe().expect("the path of this binary");
    for round in 0..testkit::rounds(12, 12) {
        let to = scratch.path().join(format!("to{round}"));
        if round % 2 == 0 {
            fs::create_dir(&to).expect("a directory");
        }
        let words = format!("{}\n{}", root.display(), to.display());
        let mut command = Command::new(&own);
        command.args(["--exact", "copies::races::child", "--ignored"]).env("BRISK_CHILD", words);
        let mut child = command.stdout(Stdio::null()).spawn().expect("started");
        std::thread::sleep(Duration::from_millis(5 + dice.below(60) as u64));
        child.kill().and_then(|()| child.wait()).expect("killed");
        if to.exists() {
            for (path, kept) in held(&to).0 {
                let is_own = expected.get(&path).is_some_and(|it| it.7 == kept.7);
                let is_temporary = path.to_str().expect("ASCII").contains(".brisk-tmp-");
                assert!(is_own || is_temporary, "{} is not whole", path.display());
            }
        }
        copied(&Copy { update: Update::Changed, ..archive() }, &root, &to);
        assert_same(&root, &to, "after going on");
    }
    let names = fs::read_dir(scratch.path()).expect("it can be read").flatten();
    assert_eq!(names.count(), testkit::rounds(12, 12) as usize + 1, "nothing else is left");
}

/// Swaps `path` for a link to `other`, or `other` itself, and back, while a copy runs.
fn swapping(path: &Path, swap: impl Fn() + Sync, mut round: impl FnMut(u64)) {
    let is_over = AtomicBool::new(false);
    let beside = path.with_extension("beside");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                if fs::rename(path, &beside).is_ok() {
                    swap();
                    std::thread::yield_now();
                    let _ = fs::remove_file(path);
                    let _ = fs::rename(&beside, path);
                }
            }
        });
        for at in 0..testkit::rounds(60, 60) {
            round(at);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn nothing_is_written_through_a_link_swapped_in() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    grow(scratch.path(), "t/ t/d/ t/d/e/ outside/ to/ to/d/ to/d/e/");
    files(&path("t/d/e"), 40, 10);
    files(&path("t/d"), 40, 10);
    let swap = || drop(symlink(path("outside"), path("to/d")));
    swapping(&path("to/d"), swap, |_| drop(run(&plain(), &path("t"), &path("to"))));
    assert_eq!(fs::read_dir(path("outside")).expect("there").count(), 0);
}

#[test]
fn a_source_swapped_for_a_link_or_a_pipe_is_not_read() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    grow(scratch.path(), "t/ t/f:10 pipe|");
    fs::write(path("secret"), "secret").expect("written");
    let turn = AtomicBool::new(false);
    let swap = || {
        if turn.fetch_xor(true, Ordering::Relaxed) {
            let _ = symlink(path("secret"), path("t/f"));
        } else {
            let _ = fs::hard_link(path("pipe"), path("t/f"));
        }
    };
    swapping(&path("t/f"), swap, |at| {
        let to = path(&format!("to{at}"));
        let _ = run(&plain(), &path("t"), &to);
        let copy = to.join("f");
        let is_file = fs::symlink_metadata(&copy).is_ok_and(|meta| meta.is_file());
        assert!(!is_file || fs::read(&copy).expect("a file") == b"xxxxxxxxxx");
    });
}

/// Where other users may rename, they can give the name of a tree that a killed copy left to another
/// directory of this user.
#[test]
fn a_left_tree_is_touched_only_where_no_other_user_may_rename() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    grow(scratch.path(), "t/ t/sub/ t/sub/f:3 to/");
    let mut hash = DefaultHasher::new();
    CString::new("sub").expect("no NUL").hash(&mut hash);
    let left = format!("to/.brisk-tmp-{:016x}", hash.finish());
    let resuming = Copy { update: Update::Changed, ..archive() };
    for (mode, copy, stays) in [
        (0o777, plain(), true),
        (0o775, resuming.clone(), true),
        (0o1777, resuming.clone(), false),
        (0o755, plain(), false),
    ] {
        let _ = fs::create_dir(path(&left));
        fs::write(path(&left).join("precious"), "").expect("writable");
        set_mode(&path("to"), mode);
        copied(&copy, &path("t"), &path("to"));
        assert_eq!(path(&left).join("precious").exists(), stays, "{mode:o}");
        assert_eq!(fs::read_dir(path("to/sub")).expect("copied").count(), 1, "{mode:o}");
        fs::remove_dir_all(path("to/sub")).expect("removed");
    }
}

#[test]
fn a_sparse_source_that_shrinks_gets_no_zeros() {
    let scratch = testkit::scratch();
    let [from, to] = ["from", "to"].map(|name| scratch.path().join(name));
    fs::write(&from, vec![b'x'; 65 << 20]).expect("writable");
    let open = || File::options().write(true).open(&from).expect("writable");
    open().set_len(1 << 30).expect("a hole");
    let shrink = |_: &Path| open().set_len(1).expect("shrinks");
    let meddler = Meddler(&from, &shrink, true, AtomicU64::new(0));
    assert!(plain().run([Pair::new(from.clone(), to.clone())], &meddler).is_complete());
    assert_eq!(fs::metadata(&to).expect("copied").len(), 64 << 20);
}

/// Stops a copy when it has asked so often, or as soon as bytes were copied.
struct Stopping {
    asked: AtomicU64,
    most: u64,
}

impl Observer for Stopping {
    fn progressed(&self, so_far: &Report) {
        if so_far.bytes > 0 {
            self.asked.store(self.most, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

#[test]
fn a_file_in_which_a_copy_is_stopped_is_no_failure() {
    let scratch = testkit::scratch();
    let [from, to] = ["from", "to"].map(|name| scratch.path().join(name));
    fs::write(&from, vec![b'x'; 65 << 20]).expect("writable");
    let stopping = Stopping { asked: AtomicU64::new(0), most: 1000 };
    let report = plain().run([Pair::new(from, to.clone())], &stopping);
    assert!(report.stopped && !to.exists());
    assert_eq!(report.failed, 0, "{:?}", report.failures);
}

/// Neither without a writer nor with one that writes nothing.
#[test]
fn a_copy_that_waits_for_a_pipe_can_be_stopped() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "pipe|");
    let [from, to] = ["pipe", "to"].map(|name| scratch.path().join(name));
    let copy = Copy { specials: Specials::Read, ..plain() };
    let mut writer = None;
    for _ in 0..2 {
        let stopping = Stopping { asked: AtomicU64::new(0), most: 4 };
        let report = copy.run([Pair::new(from.clone(), to.clone())], &stopping);
        assert!(report.stopped && !to.exists());
        assert_eq!(report.failed, 0, "{:?}", report.failures);
        writer = Some(File::options().read(true).write(true).open(&from).expect("a pipe"));
    }
    drop(writer);
}

/// Neither without a reader nor with one that reads nothing.
#[test]
fn a_copy_to_a_pipe_can_be_stopped() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "pipe|");
    let [from, to] = ["from", "pipe"].map(|name| scratch.path().join(name));
    fs::write(&from, vec![b'x'; 1 << 20]).expect("writable");
    let mut reader = None;
    for _ in 0..2 {
        let stopping = Stopping { asked: AtomicU64::new(0), most: 4 };
        let report = plain().run([Pair::new(from.clone(), to.clone())], &stopping);
        assert!(report.stopped);
        assert_eq!(report.failed, 0, "{:?}", report.failures);
        reader = Some(File::options().read(true).write(true).open(&to).expect("a pipe"));
    }
    drop(reader);
}

/// Below the destination a pipe that has a reader gets everything, however slowly that reads.
#[test]
fn a_pipe_below_the_destination_is_written_to() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "s/ d/ d/pipe|");
    let path = |name: &str| scratch.path().join(name);
    fs::write(path("s/pipe"), vec![b'x'; 1 << 20]).expect("writable");
    let mut reader = File::options().read(true).write(true).open(path("d/pipe")).expect("a pipe");
    std::thread::scope(|scope| {
        let read = scope.spawn(move || {
            // Byte by byte, so that the pipe fills.
            let bytes = (0..1 << 20).map(|_| reader.read_exact(&mut [0]));
            bytes.collect::<io::Result<()>>()
        });
        let report = run(&following(), &path("s"), &path("d"));
        assert!(report.is_complete(), "{:?}", report.failures);
        read.join().expect("read").expect("all");
    });
}

/// Names the backup after the one that another process has just made.
struct CountingOn(AtomicU64, u64);

impl Observer for CountingOn {
    fn backup_name(&self, _: &Backup<'_>) -> io::Result<Option<OsString>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed).min(self.1);
        Ok(Some(format!("f.~{number}~").into()))
    }
}

#[test]
fn a_numbered_backup_that_another_process_has_made_stays() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "n f f.~1~");
    let path = |name: &str| scratch.path().join(name);
    fs::write(path("f.~1~"), "precious").expect("writable");
    let copy = Copy { backup: true, numbered: true, ..plain() };
    for (most, copied) in [(1, false), (2, true)] {
        let naming = CountingOn(AtomicU64::new(1), most);
        let report = copy.run([Pair::new(path("n"), path("f"))], &naming);
        assert_eq!(report.is_complete(), copied, "{:?}", report.failures);
        assert!(report.failures.iter().all(|failure| failure.step == Step::Backup));
        assert_eq!((path("f").exists(), path("f.~2~").exists()), (true, copied));
        assert_eq!(fs::read(path("f.~1~")).expect("there"), b"precious");
    }
}
