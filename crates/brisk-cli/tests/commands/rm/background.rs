//! `--background`: the command returns, the removal follows, and no tree is lost whenever a process
//! is killed.

#![expect(clippy::disallowed_methods, reason = "another process is waited for")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use testkit::{Installation, brisk, left_out, listed, stderr};

struct Background {
    place: Installation,
}

impl Background {
    fn new() -> Background {
        let background = Background { place: Installation::new() };
        fs::write(background.place.path("t/bystander"), "").unwrap();
        background
    }

    fn plant(&self) {
        for dir in ["tree/a/b", "tree/c"] {
            fs::create_dir_all(self.at(dir)).unwrap();
            for file in 0..5 {
                fs::write(self.at(dir).join(file.to_string()), "").unwrap();
            }
        }
    }

    fn at(&self, below: &str) -> PathBuf {
        self.place.path("t").join(below)
    }

    fn journal(&self) -> PathBuf {
        self.place.path("state/brisk/rm")
    }

    fn command(&self, before: &[&str], words: &[&str]) -> Command {
        let all = [before, &[brisk(), "rm"], words].concat();
        let mut command = Command::new(all[0]);
        command
            .args(&all[1..])
            .current_dir(self.at(""))
            .env("XDG_STATE_HOME", self.place.path("state"));
        command
    }

    fn rm(&self, words: &[&str]) -> Output {
        self.command(&[], words).output().unwrap()
    }

    /// The entries beside the bystander.
    fn left(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.at(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| name != "bystander");
        names
    }

    fn records(&self) -> usize {
        let entries = fs::read_dir(self.journal()).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".json")).count()
    }

    /// Waits until no process works any more.
    fn settle(&self) {
        let began = Instant::now();
        while !self.left().is_empty() || self.records() > 0 {
            let left = self.left();
            let records = self.records();
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "{left:?} and {records} records are left"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(self.at("bystander").exists());
    }
}

#[test]
fn it_returns_and_the_rest_happens() {
    let background = Background::new();
    background.plant();
    fs::write(background.at("file"), "").unwrap();
    let output = background.rm(&["-rf", "--background", "tree", "file", "nope"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!background.at("tree").exists() && !background.at("file").exists());
    background.settle();
}

#[test]
fn what_is_refused_is_said_at_once() {
    let background = Background::new();
    background.plant();
    let output = background.rm(&["-r", "--background", "nope", ".", "tree"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("'nope': No such file"), "{}", stderr(&output));
    background.settle();
    background.plant();
    let output = background.rm(&["--background", "tree"]);
    assert!(
        stderr(&output)
            .contains("cannot remove 'tree': Is a directory; -r removes it, and all in it\n"),
        "{}",
        stderr(&output)
    );
    assert!(background.at("tree/a/b/0").exists());
}

/// Killed at each system call of the command and of the process that it leaves behind: a tree that
/// was not renamed is whole, and the next process finishes a tree that was renamed.
#[test]
fn killed_at_every_step() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("killed_at_every_step", "there is no strace");
    }
    let background = Background::new();
    let whole = {
        background.plant();
        listed(&background.at("tree")).len()
    };
    // Every call that changes anything or starts a process.
    let calls = "openat,flock,write,fsync,renameat2,statx,clone3,clone,vfork,execve,setsid,unlinkat,unlink,openat2,\
                 getdents64,close";
    let mut survived = 0;
    for when in 1..400 {
        background.plant();
        let inject = format!("inject={calls}:signal=KILL:when={when}");
        let before = ["strace", "-f", "-o", "/dev/null", "-e", &inject];
        // strace -f waits for the detached process too.
        let _ = background.command(&before, &["-rf", "--background", "tree"]).output().unwrap();
        if background.at("tree").exists() {
            assert_eq!(listed(&background.at("tree")).len(), whole, "killed at {when}");
            fs::remove_dir_all(background.at("tree")).unwrap();
        }
        assert!(background.left().len() <= 1, "{:?}", background.left());
        survived = if background.left().is_empty() && background.records() == 0 {
            survived + 1
        } else {
            0
        };
        let output = background.rm(&["--finish"]);
        assert!(output.status.success(), "killed at {when}: {}", stderr(&output));
        assert_eq!(background.left(), Vec::<String>::new(), "killed at {when}");
        assert_eq!(background.records(), 0, "killed at {when}");
        assert!(background.at("bystander").exists());
        if survived > 12 && when > 60 {
            return;
        }
    }
}

/// The record and its directory are on the disk before the tree is renamed.
#[test]
fn the_record_is_written_out_first() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("the_record_is_written_out_first", "there is no strace");
    }
    let background = Background::new();
    background.plant();
    let log = background.place.path("log");
    let before = ["strace", "-o", log.to_str().unwrap(), "-e", "trace=write,fsync,renameat2"];
    let output = background.command(&before, &["-rf", "--background", "tree"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(&log).unwrap();
    let calls: Vec<_> = text.lines().filter_map(|line| Some(line.split_once('(')?.0)).collect();
    assert_eq!(calls, ["write", "fsync", "fsync", "renameat2"]);
}

/// A leftover that the journal names is removed. A directory that only looks like one stays, and so
/// does a directory that took the leftover's place.
#[test]
fn a_name_is_no_reason_to_remove_anything() {
    let background = Background::new();
    let lookalike = background.at(".brisk-rm-00112233445566778899aabbccddeeff");
    fs::create_dir(&lookalike).unwrap();
    background.plant();
    // Killed right after the rename: a leftover with its record.
    let before =
        ["strace", "-f", "-o", "/dev/null", "-e", "inject=clone3,clone,vfork:signal=KILL:when=1"];
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("a_name_is_no_reason_to_remove_anything", "there is no strace");
    }
    let _ = background.command(&before, &["-rf", "--background", "tree"]).output().unwrap();
    let left = background.left();
    assert_eq!((left.len(), background.records()), (2, 1), "{left:?}");
    let leftover = left.iter().find(|name| !lookalike.ends_with(name)).unwrap();
    fs::rename(background.at(leftover), background.at("rescued")).unwrap();
    fs::create_dir(background.at(leftover)).unwrap();
    fs::write(background.at(leftover).join("mine"), "").unwrap();
    let output = background.rm(&["--finish"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("swapped"), "{}", stderr(&output));
    assert!(background.at(leftover).join("mine").exists() && background.at("rescued").exists());
    // Once it is back in its place, the next process in the background finishes it.
    fs::remove_dir_all(background.at(leftover)).unwrap();
    fs::rename(background.at("rescued"), background.at(leftover)).unwrap();
    background.plant();
    assert!(background.rm(&["-rf", "--background", "tree"]).status.success());
    let began = Instant::now();
    while background.records() > 0 && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(background.left().len(), 1, "{:?}", background.left());
    assert!(lookalike.exists());
}

/// No other process touches a record that a process works on.
#[test]
fn a_locked_record_is_left_alone() {
    let background = Background::new();
    background.plant();
    fs::create_dir_all(background.journal()).unwrap();
    let record = background.journal().join("brisk-rm-x.json");
    fs::write(&record, "{\"version\":1,\"targets\":[]}").unwrap();
    let file = fs::File::open(&record).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let _ = background.rm(&["--finish"]);
    assert!(record.exists());
    drop(file);
    assert!(background.rm(&["--finish"]).status.success());
    assert!(!record.exists());
}

/// A journal that other users can write to is not believed.
#[test]
fn a_journal_that_others_can_write_to() {
    use std::os::unix::fs::PermissionsExt;
    let background = Background::new();
    background.plant();
    fs::create_dir_all(background.journal()).unwrap();
    fs::set_permissions(background.journal(), fs::Permissions::from_mode(0o777)).unwrap();
    let output = background.rm(&["-rf", "--background", "tree"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("other users can write to it"), "{}", stderr(&output));
    assert!(background.at("tree/a/b/0").exists());
}
