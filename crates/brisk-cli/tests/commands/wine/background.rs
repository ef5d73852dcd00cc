//! `rm --background` and `--finish` on Windows: the command returns, another process removes, and no
//! tree is lost whenever a process is killed.
//!
//! The journal is that of the user of Wine's prefix, so one of these tests runs at a time.

#![expect(clippy::disallowed_methods, reason = "another process is waited for")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use testkit::listed;

use super::{file_calls, scratch, tree, windows};

static JOURNAL: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    JOURNAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The files of the journal, without its log.
fn records() -> Vec<PathBuf> {
    let place = std::env::var_os("WINE_PLACE").map_or_else(
        || {
            let command = std::env::var("BRISK_WINDOWS").expect("scripts/test sets it");
            let runner = command.split_whitespace().next().expect("a program").to_owned();
            Path::new(&runner).parent().expect("tools/wine").join("../../target/wine")
        },
        PathBuf::from,
    );
    let mut records = Vec::new();
    for user in fs::read_dir(place.join("prefix/drive_c/users")).expect("users").flatten() {
        let journal = user.path().join("AppData/Local/brisk/rm");
        let files = fs::read_dir(journal).into_iter().flatten().flatten();
        records.extend(files.map(|file| file.path()).filter(|path| !path.ends_with("log")));
    }
    records
}

/// The processes that remove in the background.
fn removers() -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("processes").flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        if line.contains("brisk.exe\0rm\0---finish-record\0") {
            found.extend(entry.file_name().into_string());
        }
    }
    found
}

fn kill_removers() {
    while let Some(process) = removers().pop() {
        Command::new("kill").args(["-KILL", &process]).status().expect("kill");
    }
}

/// What lies in `dir`, without the bystander.
fn left(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("readable").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.retain(|name| name != "bystander");
    names
}

fn plant(dir: &Path) {
    for inner in 0..20 {
        let inner = dir.join(format!("tree/{inner}"));
        fs::create_dir_all(&inner).expect("directories");
        for name in 0..20 {
            fs::write(inner.join(name.to_string()), "").expect("a file");
        }
    }
}

#[test]
#[ignore = "run by scripts/test under Wine"]
fn it_returns_and_the_rest_happens() {
    let _alone = alone();
    let place = tree();
    let dir = place.path();
    fs::write(dir.join("bystander"), "").expect("a file");
    let mut command = windows(dir);
    command.args([
        "rm",
        "-rf",
        "--background",
        "dir 3",
        "dir 4\\inner.d",
        "dir 5/inner.d/file-1.txt",
    ]);
    // Wine hands its own standard error down, whatever the program asks for.
    let status = command.stderr(Stdio::null()).stdout(Stdio::piped()).output().expect("started");
    assert!(status.status.success(), "{status:?}");
    for gone in ["dir 3", "dir 4/inner.d", "dir 5/inner.d/file-1.txt"] {
        assert!(!dir.join(gone).exists(), "{gone}");
    }
    let began = Instant::now();
    let is_set_aside = |dir: &Path| left(dir).iter().any(|name| name.starts_with(".brisk-rm-"));
    while is_set_aside(dir) || is_set_aside(&dir.join("dir 4")) || !records().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?} and {:?}", left(dir), records());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(dir.join("bystander").exists() && dir.join("dir 5/inner.d/file-2.txt").exists());
}

/// What the command does before it returns does not depend on the size of the tree.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn a_large_tree_costs_no_call_more() {
    let _alone = alone();
    let place = scratch();
    let dir = place.path();
    fs::create_dir(dir.join("empty")).expect("a directory");
    plant(dir);
    let count = |name| file_calls(dir, &["rm", "-rf", "--background", name]);
    let before = count("empty");
    let calls = count("tree");
    assert!(calls.contains_key("ntdll.NtSetInformationFile"), "{calls:?}");
    for (name, count) in calls {
        // The name of the record is random, and Wine itself opens files and waits as it pleases; the
        // tree has 421 entries.
        let more = count.saturating_sub(before.get(&name).copied().unwrap_or(0));
        assert!(more < 100, "{name} was called {more} times more than for an empty directory");
    }
}

/// Killed at 50 moments, the command, the process that it leaves behind, and `--finish`: a tree that
/// was not renamed is whole, and the next `--finish` removes one that was.
#[test]
#[ignore = "run by scripts/test under Wine"]
fn killed_at_any_moment() {
    let _alone = alone();
    let place = scratch();
    let dir = place.path();
    fs::write(dir.join("bystander"), "x").expect("a file");
    plant(dir);
    let whole = listed(&dir.join("tree")).len();
    let mut found = 0;
    for round in 0..50_u64 {
        plant(dir);
        // The first rounds spread over the command's own run, the others over what comes after it.
        let pause = |round: u64| std::thread::sleep(Duration::from_millis(round * 97 % 400));
        let start = |words: &[&str]| {
            let mut command = windows(dir);
            command
                .args(words)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("started")
        };
        let mut child = start(&["rm", "-rf", "--background", "tree"]);
        if round % 2 == 0 {
            pause(round);
            child.kill().expect("killed");
            child.wait().expect("ended");
        } else {
            child.wait().expect("ended");
            pause(round / 8);
        }
        kill_removers();
        if dir.join("tree").exists() {
            assert_eq!(listed(&dir.join("tree")).len(), whole, "round {round}");
            fs::remove_dir_all(dir.join("tree")).expect("removed");
        }
        assert!(left(dir).len() <= 1, "round {round}: {:?}", left(dir));
        found += left(dir).len();
        let mut child = start(&["rm", "--finish"]);
        pause(round + 1);
        let _ = child.kill();
        child.wait().expect("ended");
        let output = windows(dir).args(["rm", "--finish"]).output().expect("started");
        assert!(output.status.success(), "round {round}: {output:?}");
        assert_eq!(left(dir), Vec::<String>::new(), "round {round}");
        assert_eq!(records(), Vec::<PathBuf>::new(), "round {round}");
        assert_eq!(fs::read(dir.join("bystander")).expect("there"), b"x", "round {round}");
    }
    println!("{found} of 50 kills left a tree that --finish found");
}
