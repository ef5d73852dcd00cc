//! Depth, width, and scarce resources.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use testkit::{Installation, brisk, peak, stderr};

fn dir(at: &OwnedFd, name: &str) -> OwnedFd {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty()).unwrap()
}

/// A chain of directories that is too long for any path, with side branches now and then.
fn chain(root: &Path, levels: usize, branches: bool) {
    fs::create_dir(root).unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = openat(CWD, root, flags, Mode::empty()).unwrap();
    let mode = Mode::from_raw_mode(0o755);
    for level in 0..levels {
        mkdirat(&at, "d", mode).unwrap();
        if branches && level % 100 == 50 {
            for name in ["a", "z"] {
                mkdirat(&at, name, mode).unwrap();
                let side = dir(&at, name);
                mkdirat(&side, "x", mode).unwrap();
                let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
                drop(openat(&side, "f", flags, mode).unwrap());
            }
        }
        at = dir(&at, "d");
    }
}

fn removed(before: &[&str], tree: &Path, more: &[&str]) {
    let words = [before, &[brisk(), "rm", "-rf"], more].concat();
    let output = Command::new(words[0]).args(&words[1..]).arg(tree).output().unwrap();
    assert!(output.status.success(), "{before:?} {more:?}: {}", stderr(&output));
    assert!(fs::symlink_metadata(tree).is_err(), "{before:?} {more:?}");
}

/// A directory in memory, if possible: only depth and width matter.
fn place() -> tempfile::TempDir {
    testkit::scratch()
}

#[test]
fn a_hundred_thousand_levels() {
    let place = place();
    let tree = place.path().join("deep");
    chain(&tree, 100_000, true);
    removed(&["prlimit", "--nofile=32:32"], &tree, &[]);
}

#[test]
fn a_deep_tree_by_several_workers_and_few_handles() {
    let place = place();
    for limit in ["--nofile=12:12", "--nofile=16:16", "--nofile=32:32", "--nofile=64:64"] {
        for threads in ["1", "2", "4"] {
            let tree = place.path().join("deep");
            chain(&tree, 1_500, true);
            removed(&["prlimit", limit], &tree, &["--threads", threads]);
        }
    }
}

/// Wide directories in a chain: those above are half read while those below are removed.
#[test]
fn a_chain_of_wide_directories_with_few_handles() {
    let place = place();
    for threads in ["1", "4"] {
        let tree = place.path().join("wide");
        let mut at = tree.clone();
        for _ in 0..30 {
            fs::create_dir(&at).unwrap();
            for file in 0..700 {
                fs::write(at.join(format!("{file:0250}")), "").unwrap();
            }
            for side in 0..40 {
                fs::create_dir(at.join(format!("side{side:0245}"))).unwrap();
            }
            at.push("!");
        }
        removed(&["prlimit", "--nofile=32:32"], &tree, &["--threads", threads]);
    }
}

#[test]
fn the_longest_names() {
    let place = Installation::new();
    let tree = place.path("t/names");
    let name = "é".repeat(127) + "x";
    assert_eq!(name.len(), 255);
    // Paths that are longer than the system accepts in one piece.
    let mut at = tree.clone();
    for _ in 0..14 {
        at.push(&name);
    }
    fs::create_dir_all(&at).unwrap();
    fs::write(at.join(&name), "").unwrap();
    removed(&[], &tree, &[]);
}

/// A directory with so many files.
fn flat(files: usize) -> tempfile::TempDir {
    let place = place();
    let tree = place.path().join("flat");
    fs::create_dir(&tree).unwrap();
    for file in 0..files {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        let path = tree.join(format!("a-rather-ordinary-name-{file}"));
        drop(openat(CWD, &path, flags, Mode::from_raw_mode(0o644)).unwrap());
    }
    place
}

/// One very large directory takes at most 6 MiB more than a small one: the names alone are as much.
/// (`scripts/bench rm-flat` has a million files.)
#[test]
fn a_huge_directory_in_little_memory() {
    let peak_of = |files| {
        let place = flat(files);
        let peak = peak(place.path(), &[brisk(), "rm", "-rf", "flat"]);
        assert!(!place.path().join("flat").exists());
        peak
    };
    let (small, large) = (peak_of(10), peak_of(200_000));
    assert!(large < small + (6 << 10), "{small} KiB, {large} KiB");
}
