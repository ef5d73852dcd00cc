//! Deep trees with few descriptors: in every order, the time grows in proportion to the depth.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use testkit::{brisk, stderr};

/// A scratch directory with chains of directories. GNU rm removes it, because `std` would hold one
/// descriptor for each level.
struct Deep(PathBuf);

impl Deep {
    fn new() -> Deep {
        Deep(testkit::scratch().keep())
    }

    /// Makes a chain in a directory `top`, with these empty directories in each of its levels.
    fn chain(self, top: &str, levels: usize, beside: &[&str]) -> Deep {
        let make = |dir: &OwnedFd, name: &str| mkdirat(dir, name, Mode::RWXU).unwrap();
        let open = |dir: &OwnedFd, name: &str| {
            openat(dir, name, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty()).unwrap()
        };
        let mut dir = openat(CWD, &self.0, OFlags::PATH, Mode::empty()).unwrap();
        make(&dir, top);
        dir = open(&dir, top);
        for _ in 0..levels {
            beside.iter().for_each(|name| make(&dir, name));
            make(&dir, "d");
            dir = open(&dir, "d");
        }
        self
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        let _ = Command::new("rm").arg("-rf").arg(&self.0).status();
    }
}

/// Runs a program with this number of descriptors.
fn with(descriptors: u32, program: &str, words: &str, place: &Deep) -> Output {
    let script = format!("ulimit -n {descriptors} && exec {program} {words}");
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{words}: {}", stderr(&output));
    output
}

/// The time of a run, and the number of lines.
fn timed(descriptors: u32, program: &str, words: &str, place: &Deep) -> (Duration, usize) {
    let began = Instant::now();
    let output = with(descriptors, program, words, place);
    (began.elapsed(), output.stdout.iter().filter(|&&byte| byte == b'\n').count())
}

/// How many times as long as the first a run may take. A walk whose time grows with the square of the
/// depth takes 50 to 200 times as long. Workers that hand each level to one another take up to 4
/// times as long in a test build, and longer on a busy machine.
const FACTOR: u32 = 20;

/// None of these takes longer than [`FACTOR`] times the first, at least in one of three runs, and all
/// print as many lines.
fn within(descriptors: u32, place: &Deep, first: (Duration, usize), all: &[&str]) {
    for words in all {
        let is_quick = || {
            let (took, lines) = timed(descriptors, brisk(), words, place);
            assert_eq!(lines, first.1, "{words}");
            took < first.0 * FACTOR
        };
        assert!((0..3).any(|_| is_quick()), "{words} is slow, where {:?} will do", first.0);
    }
}

const NAMES: &str = "--format {/}";

#[test]
fn every_order_is_quick_in_a_chain_deeper_than_there_are_descriptors() {
    let place = Deep::new().chain("t", 6000, &[]);
    let first = timed(256, brisk(), &format!("find -u {NAMES}"), &place);
    let orders = ["depth", "sorted", "breadth", "depth -j1", "sorted -j1", "sorted -j3"];
    let all = orders.map(|order| format!("find -u {NAMES} --order {order}"));
    within(256, &place, first, &all.each_ref().map(String::as_str));
}

#[test]
fn sixteen_descriptors_are_enough_for_a_chain() {
    let place = Deep::new().chain("t", 4000, &[]);
    let first = timed(256, brisk(), &format!("find -u {NAMES}"), &place);
    let all = ["depth", "sorted"].map(|order| format!("find -u {NAMES} --order {order}"));
    within(16, &place, first, &all.each_ref().map(String::as_str));
}

#[test]
fn a_chain_with_directories_beside_it_is_quick_on_the_way_back_up() {
    let place = Deep::new().chain("t", 4000, &["a", "z"]);
    let first = timed(256, "find", ". -mindepth 1 -printf '%f\\n'", &place);
    let orders = ["none", "none -j1", "depth", "breadth", "sorted", "sorted -j1"];
    let all = orders.map(|order| format!("find -u {NAMES} --order {order}"));
    within(64, &place, first, &all.each_ref().map(String::as_str));
}

#[test]
fn ls_of_a_chain_is_quick() {
    let place = Deep::new().chain("t", 6000, &[]);
    let first = timed(256, "find", "t -print -print -printf '\\n'", &place);
    within(64, &place, (first.0, 3 * 6000 + 1), &["ls -R t"]);
}

#[test]
fn what_is_printed_of_a_chain_is_what_find_prints() {
    let place = Deep::new().chain("t", 700, &["a"]).chain("u", 300, &["z"]);
    let sorted = |output: Output| {
        let mut lines: Vec<Vec<u8>> = output.stdout.split(|&b| b == b'\n').map(Vec::from).collect();
        lines.sort_unstable();
        lines
    };
    let expected = sorted(with(256, "find", "t u -mindepth 1 -printf '%p/\\n'", &place));
    for order in ["none", "depth", "breadth", "sorted", "sorted --threads 4"] {
        let found = with(32, brisk(), &format!("find -u --order {order} . t u"), &place);
        assert!(sorted(found) == expected, "{order}");
    }
}
