//! Scarce resources: six descriptors, little memory, small stacks, in trees that are deep and wide.
//! A command that ends with 0 has done all of its work.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use crate::outcome::Failure;
use crate::removals;
use crate::round::Round;
use crate::seed::Seed;
use crate::watched::End;

const COMMANDS: [&[&str]; 9] = [
    &["rm", "-rf"],
    &["rm", "-rf", "--threads=4"],
    &["find", "-u", "--delete", "."],
    &["find", "-u", "."],
    &["find", "-u", "-j4", "."],
    &["find", "-u", "--order=sorted", "."],
    &["find", "-u", "--order=breadth", "."],
    &["find", "-u", "--order=depth", "-j3", "."],
    &["ls", "-1R"],
];

pub fn round(round: &mut Round) {
    let levels = round.seed.pick(&[3, 30, 300, 700]);
    for _ in 0..2 {
        let words = round.seed.pick(&COMMANDS);
        let entries = chain(&round.path("t/deep"), levels);
        let limit = limit(&mut round.seed);
        let mut command = round.brisk(&["prlimit", &limit], words);
        let ended = round.run(command.arg("deep"));
        round.strikes(1);
        let what = format!("{words:?} of {levels} levels with {limit}");
        if ended.end == End::Exit(0) {
            let wrong = if words.contains(&"--delete") {
                // The user's directory itself is not listed, and stays.
                fs::read_dir(round.path("t/deep")).unwrap().next().is_some()
            } else if words[0] == "rm" {
                fs::symlink_metadata(round.path("t/deep")).is_ok()
            } else {
                words[0] == "find" && ended.stdout.lines().count() != entries
            };
            if wrong {
                round.note(Failure::Lie, &format!("{what}: exit 0"));
            }
        }
        round.check_victim(&what);
        removals::clear(&round.path("t"));
    }
}

fn limit(seed: &mut Seed) -> String {
    if seed.one_in(3) {
        // Each thread reserves address space for its stack and its part of the heap.
        let bytes = seed.between(200, 900) << 20;
        format!("--as={bytes}:{bytes}")
    } else if seed.one_in(6) {
        "--stack=262144:262144".to_owned()
    } else {
        let few = seed.between(6, 24);
        format!("--nofile={few}:{few}")
    }
}

/// A chain of directories with two files in each and now and then a side branch. Returns the number
/// of entries.
fn chain(root: &Path, levels: usize) -> usize {
    let mode = Mode::from_raw_mode(0o755);
    mkdirat(CWD, root, mode).unwrap();
    let mut at = open(CWD, root);
    let mut entries = 1;
    for level in 0..levels {
        let mut names = vec!["d"];
        if level % 10 == 5 {
            names.extend(["a", "z"]);
        }
        for name in &names {
            mkdirat(&at, *name, mode).unwrap();
        }
        for file in ["f", "g"] {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            drop(openat(&at, file, flags, mode).unwrap());
        }
        entries += names.len() + 2;
        at = open(&at, Path::new("d"));
    }
    // The user's directory itself is not listed.
    entries - 1
}

fn open(at: impl std::os::fd::AsFd, path: &Path) -> OwnedFd {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty()).unwrap()
}
