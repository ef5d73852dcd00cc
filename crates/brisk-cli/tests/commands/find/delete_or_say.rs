//! `brisk find --delete` removes the results that the same search lists, and reports each that it
//! did not remove.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use testkit::{brisk, listed, stderr, stdout};

/// A tree with empty and full directories, hidden and ignored entries, links.
fn plant() -> tempfile::TempDir {
    let place = testkit::scratch();
    let at = |path: &str| place.path().join(path);
    for dir in
        ["empty", "a/empty", "a/b/empty", "a/b/c/empty", ".hidden/empty", "a/skip/empty", "z"]
    {
        fs::create_dir_all(at(dir)).unwrap();
    }
    for file in
        ["f.o", "a/f.o", "a/b/f.o", "a/b/c/f.o", ".hidden/f.o", "a/skip/f.o", "a/b/x.c", "z/.h"]
    {
        fs::write(at(file), "").unwrap();
    }
    fs::write(at(".ignore"), "skip\n").unwrap();
    symlink("a", at("link")).unwrap();
    place
}

fn find(place: &Path, words: &[&str]) -> Output {
    let command = &mut Command::new(brisk());
    command.arg("find").arg("--no-config").args(words).current_dir(place).output().unwrap()
}

fn paths(root: &Path) -> BTreeSet<PathBuf> {
    let below = |path: String| Path::new(&path).strip_prefix(root).unwrap().to_owned();
    listed(root).into_iter().map(below).collect()
}

/// Compares what is removed with what the same words list.
fn goes_as_listed(words: &[&str]) {
    let place = plant();
    let before = paths(place.path());
    let told = stdout(&find(place.path(), words));
    let results: BTreeSet<PathBuf> =
        told.lines().map(|line| line.trim_end_matches('/').into()).collect();
    assert!(!results.is_empty(), "{words:?}");
    let output = find(place.path(), &[words, &["--delete"]].concat());
    let left = paths(place.path());
    let told = stderr(&output);
    for path in &before {
        let name = path.display();
        if !results.contains(path) {
            assert!(left.contains(path), "{words:?}: '{name}' was not listed and went");
        } else if left.contains(path) {
            let held = left.iter().any(|other| other.parent() == Some(path));
            assert!(held, "{words:?}: '{name}' was listed and stays, though empty");
            let line = told.lines().find(|line| line.contains(&format!("{name}': ")));
            assert!(
                line.is_some_and(|line| line.contains("not empty")),
                "{words:?}, {name}: {told}"
            );
        }
    }
    let stays = results.iter().filter(|path| left.contains(*path)).count();
    assert_eq!(told.lines().count(), stays, "{words:?}: {told}");
    assert_eq!(output.status.code(), Some(i32::from(stays > 0)), "{words:?}: {told}");
}

#[test]
fn delete_with_max_depth_removes_what_it_lists_or_says_what_stays() {
    for words in [
        &["-d", "1", "."][..],
        &["-d1", "-H", "."],
        &["-d", "2", "-u", "."],
        &["-u", "-d2", "-t", "d"],
        &["-d3", "e"],
    ] {
        goes_as_listed(words);
    }
}

#[test]
fn delete_with_exact_depth_removes_what_it_lists_or_says_what_stays() {
    for words in [
        &["--exact-depth", "1", "."][..],
        &["--exact-depth", "2", "-u", "."],
        &["--exact-depth=2", "e"],
    ] {
        goes_as_listed(words);
    }
}

#[test]
fn delete_with_prune_removes_what_it_lists_or_says_what_stays() {
    for words in [
        &["--prune", "^(a|empty)$"][..],
        &["--prune", "-u", "."],
        &["-u", "--prune", "-t", "e", "-t", "d"],
    ] {
        goes_as_listed(words);
    }
}

#[test]
fn delete_of_other_searches_removes_what_it_lists_or_says_what_stays() {
    for words in [
        &["-H", "."][..],
        &["-u", "."],
        &["--min-depth", "2", "."],
        &["-u", "--min-depth", "2", "-d", "3", "."],
        &["-u", "-t", "d"],
        &["-u", "-t", "e"],
        &["-e", "o", "-E", "b"],
        &["-u", "^(b|c|empty)$"],
        &["--one-file-system", "-u", "."],
    ] {
        goes_as_listed(words);
    }
}

/// Of two names of a file one is listed. Once that is removed, the other has one link, and would be
/// a first name.
#[test]
fn delete_with_unique_is_refused() {
    let place = plant();
    fs::hard_link(place.path().join("f.o"), place.path().join("g.o")).unwrap();
    let before = paths(place.path());
    let output = find(place.path(), &["--unique", "--delete", "-j1", "^[fg]"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("--delete") && told.contains("--unique") && told.contains("names"),
        "{told}"
    );
    assert_eq!(paths(place.path()), before);
}

/// While other processes work in the directory, a worker may be parked in the middle of it, and
/// gives the rest back. Before the mend, directories in that rest were entered twice.
#[test]
fn no_directory_is_entered_twice_when_entries_are_given_back() {
    const ENTRIES: usize = 15_000;
    const EVERY: usize = 20;
    let place = testkit::scratch();
    for round in 0..3 {
        let root = place.path().join("root");
        fs::create_dir(&root).unwrap();
        for at in 0..ENTRIES {
            if at % EVERY == 0 {
                fs::create_dir(root.join(format!("d{at}"))).unwrap();
            }
            fs::write(root.join(format!("{at}.o")), "").unwrap();
        }
        let output =
            beside_others(&root, || find(&root, &["-u", "-e", "o", "--delete", "--stats=json"]));
        let told = stderr(&output);
        let count = told.split("\"directories\":").nth(1).unwrap().split(',').next().unwrap();
        assert_eq!(count.parse::<usize>().unwrap(), 1 + ENTRIES / EVERY, "round {round}: {told}");
        assert!(output.status.success(), "{told}");
        fs::remove_dir_all(&root).unwrap();
    }
}

/// Runs `run` while two threads rename entries of the directory.
fn beside_others<R>(root: &Path, run: impl FnOnce() -> R) -> R {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let here = root.join(name);
            let there = root.join(format!("{name}-too"));
            fs::write(&here, "").unwrap();
            let over = &over;
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    fs::rename(&here, &there).unwrap();
                    fs::rename(&there, &here).unwrap();
                }
            });
        }
        let result = run();
        over.store(true, Ordering::Relaxed);
        result
    })
}
