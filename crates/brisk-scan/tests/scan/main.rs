//! `brisk scan`: what is in the table, in each form, and what becomes of the file.
//!
//! `readers.rs` runs other programs' readers on the table, and the queries of docs/scan.md.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod dataset;
mod from;
mod readers;
mod table;
mod target;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

use testkit::brisk_scan;

/// A tree with every type that this user may make, and with hostile names, as `t` in a directory of
/// its own.
fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let top = place.path().join("t");
    for directory in ["a/b/c", "a-b", "empty", ".hidden", "a b"] {
        fs::create_dir_all(top.join(directory)).unwrap();
    }
    for (name, size) in [
        (&b"a/file"[..], 5),
        (b"a/b/deep.rs", 70_000),
        (b"a/b/c/not \xff utf-8", 1),
        (b"a-b/new\nline", 2),
        (b"a b/quote\"comma,", 3),
        (b".hidden/x", 4),
        (b"zero", 0),
    ] {
        fs::write(top.join(OsStr::from_bytes(name)), vec![b'x'; size]).unwrap();
    }
    std::os::unix::fs::symlink("a/file", top.join("link")).unwrap();
    let target = OsStr::from_bytes(b"no \xfe such");
    std::os::unix::fs::symlink(target, top.join("dangling")).unwrap();
    fs::hard_link(top.join("a/file"), top.join("a/b/again")).unwrap();
    testkit::run("mkfifo", &[top.join("pipe").to_str().unwrap()]);
    let old = std::time::UNIX_EPOCH - std::time::Duration::from_millis(1500);
    fs::File::open(top.join("zero")).unwrap().set_modified(old).unwrap();
    place
}

/// Runs `brisk scan` in a directory, without `brisk`, which only starts this program.
fn scan(dir: &Path, words: &[&str]) -> Output {
    Command::new(brisk_scan()).arg("scan").args(words).current_dir(dir).output().unwrap()
}

/// Runs `brisk scan`, which must succeed; returns what it prints.
fn printed(dir: &Path, words: &[&str]) -> Vec<u8> {
    let output = scan(dir, words);
    let told = testkit::stderr(&output);
    assert!(output.status.success() && told.is_empty(), "{words:?}: {}\n{told}", output.status);
    output.stdout
}

/// What `find -printf` says of `t`, each line ended by a zero byte, sorted.
fn found(dir: &Path, format: &str) -> Vec<Vec<u8>> {
    let output = Command::new("find")
        .args(["t", "-printf", &format!("{format}\\0")])
        .current_dir(dir)
        .output()
        .unwrap();
    let mut lines: Vec<_> = output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    lines.pop();
    lines.sort();
    lines
}
