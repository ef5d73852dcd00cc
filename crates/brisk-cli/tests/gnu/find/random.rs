//! Random lines on a random tree.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use testkit::{Random, expressions};

use super::lines::{Line, line};
use super::place::{Outcome, Place, Whose};

/// How many differences are cut down and shown.
const SHOWN: usize = 5;

/// Makes the tree of a seed: one of the usual kind, and what gives trouble.
fn plant(tree: &Path, seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    expressions::plant(tree, &mut random);
    let user = rustix::process::geteuid().as_raw();
    std::os::unix::fs::chown(tree, Some(user), None).unwrap();
    fs::set_permissions(tree, fs::Permissions::from_mode(0o755)).unwrap();
    for (target, name) in
        [("gone", "dangling"), ("a", "ld"), ("..", "a/up"), ("a/up", "up"), ("b.rs/x", "notdir")]
    {
        // A random entry may be there.
        let _ = symlink(target, tree.join(name));
    }
    fs::write(tree.join(std::ffi::OsStr::from_bytes(b"\xff\x01'")), "x").unwrap();
    fs::File::create(tree.join("big")).unwrap().set_len(5_000_000_000).unwrap();
    // Only root may make one.
    let _ = mknodat(CWD, tree.join("null"), FileType::CharacterDevice, Mode::RUSR, makedev(1, 3));
    for (name, mode) in [("closed", 0), ("blind", 0o311)] {
        let dir = tree.join(name);
        fs::create_dir_all(dir.join("in/deep")).unwrap();
        fs::write(dir.join("f"), "1").unwrap();
        fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// The place, and which tree is planted in it.
struct Bench {
    place: Place,
    seed: u64,
    /// Whether the tree is as it was planted.
    is_whole: bool,
}

impl Bench {
    fn plant(&mut self) {
        let seed = self.seed;
        self.place.replant(|tree| plant(tree, seed));
        self.is_whole = true;
    }

    /// Makes the tree whole. The first to read a directory, or to follow a link, changes its access
    /// time.
    fn settle(&mut self) {
        if !self.is_whole {
            self.plant();
            let mut find: Command = self.place.command(Whose::Gnus, "find");
            find.args(["-L", ".", "-xtype", "l"]).output().unwrap();
            let mut find = self.place.command(Whose::Gnus, "find");
            find.args([".", "-xtype", "f", "-lname", "x"]).output().unwrap();
        }
    }

    fn both(&mut self, line: &Line) -> (Outcome, Outcome) {
        if !line.mutates {
            self.settle();
            return (self.place.run(Whose::Gnus, line), self.place.run(Whose::Ours, line));
        }
        self.plant();
        let theirs = self.place.run(Whose::Gnus, line);
        self.plant();
        let ours = self.place.run(Whose::Ours, line);
        self.is_whole = false;
        (theirs, ours)
    }

    /// What differs. A minute that ends between the two makes a difference once, so only what
    /// differs three times differs.
    fn difference(&mut self, line: &Line) -> Option<String> {
        let mut text = None;
        for _ in 0..3 {
            let (theirs, ours) = self.both(line);
            if theirs == ours {
                return None;
            }
            text = Some(theirs.difference(&ours));
        }
        text
    }

    /// The line without the words that make no difference.
    fn cut(&mut self, line: &Line) -> Line {
        let mut least = line.clone();
        for width in [8, 4, 2, 1, 3, 2, 1] {
            let mut at = 0;
            while at + width <= least.words.len() {
                let mut less = least.clone();
                less.words.drain(at..at + width);
                let differs = less.is_comparable() && self.difference(&less).is_some();
                if differs { least = less } else { at += 1 }
            }
        }
        for at in (0..least.env.len()).rev() {
            let mut less = least.clone();
            less.env.remove(at);
            if self.difference(&less).is_some() {
                least = less;
            }
        }
        least
    }
}

/// Compares lines on the tree of a seed.
pub fn check(seed: u64, lines: usize) -> Result<(), Failed> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
    let mut bench = Bench { place: Place::new(), seed, is_whole: false };
    let mut differ: Vec<Line> = Vec::new();
    for _ in 0..lines {
        let line = line(&mut random);
        if bench.difference(&line).is_some() {
            differ.push(line);
        }
    }
    if differ.is_empty() {
        return Ok(());
    }
    let mut text = format!("{} of {lines} differ\n", differ.len());
    for line in differ.iter().take(SHOWN) {
        let least = bench.cut(line);
        let how = bench.difference(&least).unwrap_or_default();
        text += &format!("{least}\n{how}");
    }
    Err(text.into())
}
