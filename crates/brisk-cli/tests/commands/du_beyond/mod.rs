//! `brisk du` beyond GNU du: the tree of these tests, and how they run it.

mod filters;
mod frees;
mod interrupted;
mod lines;
mod links;
mod memory;
mod objects;
mod page;
mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use testkit::{brisk, stdout};

fn du(dir: &Path, words: &[&str]) -> Output {
    Command::new(brisk()).arg("du").args(words).current_dir(dir).output().unwrap()
}

fn lines(dir: &Path, words: &[&str]) -> Vec<String> {
    let output = du(dir, words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    stdout(&output).lines().map(str::to_owned).collect()
}

/// `t`: a large directory, a small one, an old one, and hard links across them.
fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let t = place.path().join("t");
    for dir in ["large/in", "small", "old"] {
        fs::create_dir_all(t.join(dir)).unwrap();
    }
    for (name, size) in [
        ("large/a.bin", 900_000),
        ("large/in/b.bin", 400_000),
        ("small/c.rs", 9_000),
        ("old/d.rs", 7_000),
    ] {
        fs::write(t.join(name), vec![7; size]).unwrap();
    }
    fs::hard_link(t.join("small/c.rs"), t.join("large/in/link.rs")).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in ["old/d.rs", "old"] {
        fs::File::open(t.join(name)).unwrap().set_modified(then).unwrap();
    }
    place
}
