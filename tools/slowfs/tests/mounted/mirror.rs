//! A mirror shows what its directory holds at the moment.

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use testkit::{Mounted, can_mount, obedient};

use crate::support::{mount, names, slowfs};

/// A directory and its mirror.
struct Case {
    mount: Mounted,
    dir: TempDir,
}

impl Case {
    /// `None` where nothing can be mounted.
    fn new(test: &str, flags: &str) -> Option<Case> {
        can_mount(test).then(|| {
            let dir = TempDir::new().expect("a directory");
            let mount = mount(&format!("--mirror {} {flags}", dir.path().display()));
            Case { mount, dir }
        })
    }

    /// A path in the directory, and the same in the mirror.
    fn both(&self, below: &str) -> [PathBuf; 2] {
        [self.dir.path().join(below), self.mount.path().join(below)]
    }
}

#[test]
fn every_edit_is_seen_at_once() {
    let Some(case) = Case::new("every_edit_is_seen_at_once", "--latency 0") else { return };
    let [real, seen] = case.both("d/file");
    for round in 0..20 {
        fs::create_dir(case.dir.path().join("d")).expect("a directory");
        for text in ["one", "two", "three", ""] {
            fs::write(&real, text).expect("written");
            assert_eq!(fs::read_to_string(&seen).expect("read"), text, "round {round}");
            assert_eq!(fs::metadata(&seen).expect("stat").len(), text.len() as u64);
        }
        assert_eq!(names(&case.mount.path().join("d")), ["file"]);
        fs::remove_file(&real).expect("removed");
        assert!(fs::metadata(&seen).is_err());
        symlink(format!("to{round}"), &real).expect("a link");
        assert_eq!(fs::read_link(&seen).expect("a link"), PathBuf::from(format!("to{round}")));
        fs::remove_file(&real).expect("removed");
        fs::create_dir_all(real.join("below")).expect("directories");
        assert_eq!(names(&seen), ["below"], "a directory where a link was");
        fs::remove_dir_all(case.dir.path().join("d")).expect("removed");
        assert!(names(case.mount.path()).is_empty());
    }
    let refused = fs::write(case.mount.path().join("new"), "").expect_err("read-only");
    assert_eq!(refused.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
}

#[test]
fn metadata_are_the_directorys() {
    let test = "metadata_are_the_directorys";
    for (flags, keeps_inodes) in [("", false), ("--real-inodes", true)] {
        let Some(case) = Case::new(test, &format!("--latency 0 {flags}")) else { return };
        let [real, seen] = case.both("file");
        fs::write(&real, "contents").expect("written");
        fs::hard_link(&real, case.dir.path().join("link")).expect("a link");
        fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("chmod");
        let (real, seen) = (fs::metadata(&real).expect("stat"), fs::metadata(&seen).expect("stat"));
        let told = |meta: &fs::Metadata| {
            let times = (meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
            (meta.mode(), meta.nlink(), meta.uid(), meta.gid(), meta.len(), times)
        };
        assert_eq!(told(&real), told(&seen));
        assert_eq!(real.ino() == seen.ino(), keeps_inodes);
        let listed = case.mount.path().read_dir().expect("a directory").map(|entry| {
            let entry = entry.expect("an entry");
            let told = fs::metadata(entry.path()).expect("stat");
            std::os::unix::fs::DirEntryExt::ino(&entry) == told.ino()
        });
        assert_eq!(listed.collect::<Vec<_>>(), [true, true]);
    }
}

#[test]
fn made_up_numbers_stay_with_the_path() {
    let Some(case) = Case::new("made_up_numbers_stay_with_the_path", "--latency 0") else { return };
    let [real, seen] = case.both("file");
    fs::write(&real, "old").expect("written");
    let number = |path: &PathBuf| fs::metadata(path).expect("stat").ino();
    let (was, seen_was) = (number(&real), number(&seen));
    fs::write(case.dir.path().join("new"), "new").expect("written");
    fs::rename(case.dir.path().join("new"), &real).expect("renamed");
    assert!(number(&real) != was && number(&seen) == seen_was);
    assert_eq!(fs::read_to_string(&seen).expect("read"), "new");
    fs::rename(&real, case.dir.path().join("moved")).expect("renamed");
    assert!(number(&case.mount.path().join("moved")) != seen_was);
}

#[test]
fn mirrored_times_are_coarse_when_asked() {
    let test = "mirrored_times_are_coarse_when_asked";
    for (flag, step) in [("10ms", 10_000_000), ("1s", 1_000_000_000), ("2s", 2_000_000_000)] {
        let flags = format!("--latency 0 --timestamps {flag}");
        let Some(case) = Case::new(test, &flags) else { return };
        let [real, seen] = case.both("file");
        let file = File::create(&real).expect("a file");
        for nanos in [0, 1, 999_999_999, 1_234_567_890_u64] {
            let time = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_001, 0);
            file.set_modified(time + Duration::from_nanos(nanos)).expect("a time");
            let time = |path| {
                let meta = fs::metadata(path).expect("stat");
                i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec())
            };
            assert_eq!(time(&real) / step * step, time(&seen), "{flag}");
        }
    }
}

#[test]
fn each_request_takes_its_time() {
    let Some(case) = Case::new("each_request_takes_its_time", "--latency 20ms") else { return };
    fs::write(case.dir.path().join("file"), "").expect("written");
    let begun = Instant::now();
    fs::metadata(case.mount.path().join("file")).expect("stat");
    assert!(begun.elapsed() >= Duration::from_millis(20), "{:?}", begun.elapsed());
    assert_eq!(case.mount.finish().get("lookup"), 1);
}

#[test]
fn permissions_bind() {
    let Some(case) = Case::new("permissions_bind", "--latency 0") else { return };
    let Some(mut ls) = obedient("ls") else { return };
    fs::create_dir(case.dir.path().join("closed")).expect("a directory");
    fs::set_permissions(case.dir.path().join("closed"), Permissions::from_mode(0o0))
        .expect("chmod");
    let output = ls.arg(case.mount.path().join("closed")).output().expect("ls runs");
    assert!(!output.status.success(), "{output:?}");
}

#[test]
fn a_directory_that_is_read_while_it_changes_lists_what_stays_once() {
    let test = "a_directory_that_is_read_while_it_changes_lists_what_stays_once";
    let Some(case) = Case::new(test, "--latency 0") else { return };
    let stays: Vec<_> = (0..2000).map(|number| format!("stays{number:04}")).collect();
    stays.iter().for_each(|name| drop(File::create(case.dir.path().join(name)).expect("a file")));
    for round in 0..10 {
        let mut listed = Vec::new();
        for (at, entry) in case.mount.path().read_dir().expect("a directory").enumerate() {
            listed.push(entry.expect("an entry").file_name().into_string().expect("UTF-8"));
            if at % 100 == 0 {
                File::create(case.dir.path().join(format!("new{round}-{at}"))).expect("a file");
            }
        }
        listed.retain(|name| name.starts_with("stays"));
        listed.sort();
        assert!(listed == stays, "round {round}");
    }
}

#[test]
fn a_writable_mirror_passes_changes_on() {
    let test = "a_writable_mirror_passes_changes_on";
    let kept = "--readdirplus --entry-timeout 100s --attr-timeout 100s";
    for flags in ["", kept] {
        let flags = format!("--latency 0 --writable {flags}");
        let Some(case) = Case::new(test, &flags) else { return };
        let [real, seen] = case.both("d");
        fs::create_dir(&seen).expect("a directory");
        for round in 0..3 {
            fs::write(seen.join("file"), format!("contents {round}")).expect("written");
            fs::rename(seen.join("file"), seen.join("moved")).expect("renamed");
            assert_eq!(names(&real), ["moved"]);
            assert_eq!(names(&seen), ["moved"]);
            let contents = fs::read_to_string(seen.join("moved")).expect("read");
            assert_eq!(contents, format!("contents {round}"));
            assert!(fs::metadata(seen.join("file")).is_err());
            fs::rename(seen.join("moved"), seen.join("file")).expect("renamed");
            assert_eq!(fs::read_to_string(real.join("file")).expect("read"), contents);
            let file = File::options().write(true).open(seen.join("file")).expect("opened");
            file.set_len(3 + round).expect("cut");
            file.set_permissions(Permissions::from_mode(0o4640)).expect("a mode");
            let [read, change] = [1, 2].map(|it| UNIX_EPOCH + Duration::new(it, 1_000));
            let times = FileTimes::new().set_accessed(read).set_modified(change);
            file.set_times(times).expect("times");
            for path in [&real, &seen].map(|dir| dir.join("file")) {
                let meta = fs::metadata(path).expect("a file");
                assert_eq!((meta.len(), meta.mode() & 0o7777), (3 + round, 0o4640));
                assert_eq!(
                    (meta.accessed().ok(), meta.modified().ok()),
                    (Some(read), Some(change))
                );
            }
            fs::remove_file(seen.join("file")).expect("removed");
            assert!(names(&real).is_empty());
        }
        fs::remove_dir(&seen).expect("removed");
        assert!(!real.exists());
        let counts = case.mount.finish();
        assert_eq!((counts.get("create"), counts.get("write")), (3, 3), "{counts:?}");
        assert_eq!(counts.get("setattr"), 9, "{counts:?}");
        assert_eq!((counts.get("rename"), counts.get("unlink")), (6, 3), "{counts:?}");
        assert_eq!((counts.get("mkdir"), counts.get("rmdir")), (1, 1), "{counts:?}");
        assert_eq!(counts.get("readdirplus") > 0, flags.contains("plus"), "{counts:?}");
    }
}

#[test]
fn what_a_mirror_refuses() {
    let dir = TempDir::new().expect("a directory");
    let below = dir.path().join("below");
    fs::create_dir(&below).expect("a directory");
    let run = |flags: &str, at: &PathBuf| {
        let output = slowfs().args(flags.split_whitespace()).arg(at).output().expect("slowfs runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let mirror = format!("--mirror {}", dir.path().display());
    for other in ["--flat 1", "--eio x", "--plain", "--removable", "--duplicates", "--only close"] {
        let (code, message) = run(&format!("{mirror} {other}"), &below);
        assert_eq!(code, Some(2), "{other}: {message}");
    }
    assert_eq!(run("--flat 1 --real-inodes", &below).0, Some(2));
    assert_eq!(run("--flat 1 --writable", &below).0, Some(2));
    if !can_mount("what_a_mirror_refuses") {
        return;
    }
    let (code, message) = run(&mirror, &below);
    assert_eq!(code, Some(1));
    assert!(message.ends_with("below: in the tree that it would show\n"), "{message}");
    let (code, message) = run(&format!("{mirror}/missing"), &below);
    assert_eq!(code, Some(1));
    assert!(message.contains("missing: No such file"), "{message}");
}
