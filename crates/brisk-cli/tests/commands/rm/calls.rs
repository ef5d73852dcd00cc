//! Which system calls a removal makes.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use testkit::{Installation, brisk, left_out};

/// Calls by name.
fn calls(place: &Installation, tree: &str, more: &[&str]) -> BTreeMap<String, usize> {
    let log = place.path("log");
    let status = Command::new("strace")
        .args(["-f", "-o"])
        .arg(&log)
        .args([brisk(), "rm", "-rf"])
        .args(more)
        .arg(place.path(tree))
        // Cargo names directories there, and the loader looks at each of them.
        .env_remove("LD_LIBRARY_PATH")
        .status()
        .unwrap();
    assert!(status.success());
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(&log).unwrap().lines() {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        if let Some((name, _)) = call.split_once('(') {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// One unlinkat for each file; for each directory openat2, getdents64 up to the mark of the end or
/// until it returns 0, close, unlinkat.
#[test]
fn what_an_entry_costs() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("what_an_entry_costs", "there is no strace");
    }
    let place = Installation::new();
    let plant = |tree: &str, dirs: usize, files: usize| {
        for dir in 0..dirs {
            let dir = place.path(tree).join(format!("{}/{}", dir % 5, dir));
            fs::create_dir_all(&dir).unwrap();
            for file in 0..files {
                fs::write(dir.join(file.to_string()), "").unwrap();
            }
        }
    };
    plant("t/small", 5, 2);
    plant("t/large", 45, 6);
    let one = ["--threads=1"];
    let small = calls(&place, "t/small", &one);
    let large = calls(&place, "t/large", &one);
    let grown = |name: &str| {
        let count = |counts: &BTreeMap<String, usize>| counts.get(name).copied().unwrap_or(0);
        count(&large) - count(&small)
    };
    let dirs = 40;
    let files = 45 * 6 - 5 * 2;
    assert_eq!(grown("openat2"), dirs);
    assert!([dirs, 2 * dirs].contains(&grown("getdents64")), "{}", grown("getdents64"));
    assert_eq!(grown("unlinkat"), dirs + files);
    assert_eq!(grown("close"), dirs);
    for name in ["statx", "newfstatat", "fstat"] {
        let few = large.get(name).copied().unwrap_or(0);
        assert!(few < 20, "{name}: {few}");
    }
}

/// A tree of ten entries starts no thread.
#[test]
fn a_small_tree_needs_no_thread() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("a_small_tree_needs_no_thread", "there is no strace");
    }
    let place = Installation::new();
    fs::create_dir(place.path("t/ten")).unwrap();
    for file in 0..10 {
        fs::write(place.path(&format!("t/ten/{file}")), "").unwrap();
    }
    let counts = calls(&place, "t/ten", &[]);
    assert!(!counts.contains_key("clone") && !counts.contains_key("clone3"), "{counts:?}");
}
