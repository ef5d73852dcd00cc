//! An attacker who may write to the tree swaps its directories and files for links to a victim,
//! thousands of times while root changes modes and owners of the tree.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::outcome::Failure;
use crate::removals::{self, few_descriptors};
use crate::round::Round;
use crate::seed::Seed;
use crate::swapper::{self, SWAPPED};

/// How often a round changes a tree that is attacked.
const TREES: usize = 2;
/// How often each tree is changed.
const RUNS: usize = 6;

const WORDS: [&[&str]; 6] = [
    &["chmod", "-R", "--always", "u+rwX,go="],
    &["chmod", "-R", "0755"],
    &["chmod", "-Rf", "--dry-run", "0"],
    &["chown", "-R", "--always", "12345:12345"],
    &["chown", "-Rc", "12346:12346"],
    &["chgrp", "-R", "--always", "12347"],
];

pub fn round(round: &mut Round) {
    for _ in 0..TREES {
        let before =
            if round.seed.one_in(2) { few_descriptors(&mut round.seed) } else { Vec::new() };
        let before: Vec<_> = before.iter().map(String::as_str).collect();
        let threads = round.seed.pick(&["1", "2", "7", "16"]);
        let lines: Vec<_> = (0..RUNS).map(|_| round.seed.pick(&WORDS)).collect();
        attacked(round, &before, threads, &lines);
    }
}

/// Changes a tree in these ways, one after the other, while it is attacked. Returns how many of the
/// victim's entries were changed.
fn attacked(round: &mut Round, before: &[&str], threads: &str, lines: &[&[&str]]) -> usize {
    let here = round.path("t");
    for at in 0..SWAPPED {
        plant(&here.join(format!("tree/d{at}")));
        for (link, target) in [("l", "victim"), ("m", "victim/s")] {
            symlink(round.path(target), here.join(format!("{link}{at}"))).unwrap();
        }
    }
    let victim = owners(&round.path("victim"));
    let done = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| swapper::attack(&here, &done, &swaps));
        // The messages do not matter: the attacker can keep anything from being changed.
        for words in lines {
            let mut command = round.brisk(before, &[words, &["-j", threads, "tree"][..]].concat());
            round.run(&mut command);
        }
        done.store(true, Ordering::Relaxed);
    });
    round.strikes(swaps.load(Ordering::Relaxed));
    let now = owners(&round.path("victim"));
    let changed: Vec<_> = victim.iter().zip(&now).filter(|(old, new)| old != new).collect();
    if let Some(((path, ..), _)) = changed.first() {
        let what = format!("{} was changed by one of {lines:?}", path.display());
        round.note(Failure::Loss, &what);
    }
    round.check_victim(&format!("{lines:?}"));
    removals::clear(&here);
    changed.len()
}

/// 200 rounds of each command, with few workers and with many, and 12 descriptors. With
/// `BRISK_BINARY`, another program can be compared, which is given `-j` and a number too.
#[test]
#[ignore = "run by hand, for minutes"]
fn two_hundred_rounds_of_each() {
    let mut sum = 0;
    let chmod: &[&str] = &["chmod", "-R", "--always", "u+rwX,go="];
    for words in [chmod, &["chown", "-R", "--always", "5:5"]] {
        for threads in ["2", "16"] {
            let name = format!("{words:?} with {threads} workers");
            let mut round = Round::new(Seed::of(1, 1, 0), name.clone());
            let before = ["prlimit", "--nofile=12:12"];
            let each = (0..200).map(|_| attacked(&mut round, &before, threads, &[words; 3]));
            let hurt: Vec<_> = each.filter(|changed| *changed > 0).collect();
            let entries: usize = hurt.iter().sum();
            let rounds = hurt.len();
            println!("{name}: {entries} entries of the victim changed, in {rounds} rounds");
            println!("{}", round.outcome);
            sum += entries;
        }
    }
    assert_eq!(sum, 0);
}

/// Plants a directory with the victim's names. No file is a hard link to one of the victim's, which
/// the change may well reach.
fn plant(at: &Path) {
    for sub in ["s/t", "d0/s/t", "d1/s"] {
        let dir = at.join(sub);
        fs::create_dir_all(&dir).unwrap();
        for file in 0..8 {
            fs::write(dir.join(format!("f{file}")), "content").unwrap();
        }
    }
}

/// The path, owners, mode and time of the last change of everything below a directory.
type Owners = Vec<(PathBuf, [u32; 3], i64, i64)>;

fn owners(root: &Path) -> Owners {
    let mut all = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let ids = [meta.uid(), meta.gid(), meta.mode()];
        all.push((path, ids, meta.ctime(), meta.ctime_nsec()));
    }
    all.sort();
    all
}
