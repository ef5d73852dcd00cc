//! An attacker moves its own directories, deep in a tree that is removed with few descriptors. The
//! way back up from such a directory leads elsewhere. Files of other users lie beside that way, in
//! directories that are never moved: each must be gone, or the removal says that it is not
//! complete.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::outcome::Failure;
use crate::removals;
use crate::round::Round;
use crate::seed::Seed;
use crate::watched::End;

/// Levels, each with directories of other users.
const LEVELS: usize = 8;
const OTHERS: usize = 3;
const FILES: usize = 15;
/// The attacker's directories, in the last level.
const MOVED: usize = 2;
const TREES: usize = 4;

/// Each of these removes all files of the tree.
const WORDS: [&[&str]; 4] = [
    &["find", "-u", "--delete", "-t", "f", ".", "tree"],
    &["find", "-u", "--delete", "-t", "f", "-j2", ".", "tree"],
    &["rm", "-rf", "--older-than", "1d", "tree"],
    &["rm", "-rf", "tree"],
];

pub fn round(round: &mut Round) {
    for _ in 0..TREES {
        let deep = plant(&round.path("t/tree"));
        let words = round.seed.pick(&WORDS);
        let outside = round.path("t/outside");
        fs::create_dir(&outside).unwrap();
        let done = AtomicBool::new(false);
        let moves = AtomicU64::new(0);
        let mut seed = round.seed.clone();
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| attack(&deep, &outside, &mut seed, &done, &moves));
            let ended = round.run(&mut round.brisk(&["prlimit", "--nofile=12:12"], words));
            done.store(true, Ordering::Relaxed);
            ended
        });
        round.strikes(moves.load(Ordering::Relaxed));
        let left = others(&round.path("t/tree"));
        if left > 0 && ended.end == End::Exit(0) {
            let all = LEVELS * OTHERS * FILES;
            round.note(Failure::Lie, &format!("{left} of {all} files left, exit 0: {words:?}"));
        }
        round.check_victim(&format!("{words:?}"));
        removals::clear(&round.path("t"));
        round.seed.next();
    }
}

/// Makes the tree, all of it old. Returns its last level.
fn plant(tree: &Path) -> PathBuf {
    let files = |dir: PathBuf, name: &str, count: usize| {
        fs::create_dir_all(&dir).unwrap();
        (0..count).for_each(|at| fs::write(dir.join(format!("{name}{at}")), "").unwrap());
    };
    let mut level = tree.to_owned();
    for number in 0..LEVELS {
        level.push(number.to_string());
        (0..OTHERS).for_each(|at| files(level.join(format!("others{at}")), "other", FILES));
    }
    for number in 0..MOVED {
        files(level.join(format!("moved{number}/s/t")), "own", 60);
    }
    let touch = ["-exec", "touch", "-h", "-d", "3 days ago", "{}", "+"];
    assert!(Command::new("find").arg(tree).args(touch).status().unwrap().success());
    level
}

/// How many files of other users are left.
fn others(tree: &Path) -> usize {
    let all = testkit::listed(tree);
    all.iter().filter(|path| path.rsplit('/').next().is_some_and(is_others)).count()
}

fn is_others(name: &str) -> bool {
    name.starts_with("other") && !name.starts_with("others")
}

/// Moves directories out of the tree and back until it is told to stop.
fn attack(deep: &Path, outside: &Path, seed: &mut Seed, done: &AtomicBool, moves: &AtomicU64) {
    while !done.load(Ordering::Relaxed) {
        let number = seed.below(MOVED as u64);
        let here = deep.join(format!("moved{number}"));
        let there = outside.join(number.to_string());
        let flags = RenameFlags::NOREPLACE;
        let out = renameat_with(CWD, &here, CWD, &there, flags);
        for _ in 0..seed.pick(&[5, 50, 500]) {
            std::thread::yield_now();
        }
        let back = renameat_with(CWD, &there, CWD, &here, flags);
        moves.fetch_add(u64::from(out.is_ok()) + u64::from(back.is_ok()), Ordering::Relaxed);
    }
}
