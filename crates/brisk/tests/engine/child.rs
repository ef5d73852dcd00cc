//! Parts of tests that need a process of their own: a limit, another user, a mount, a measurement.
//!
//! The binary runs itself, for one test of this list. Each of these tests is ignored, so that it
//! runs only when another test asks for it. Its parameters come in `BRISK_CHILD`, a list of words.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brisk::{Order, Walk};

use crate::record::{Mode, ORDERS, Outcome, Rules, run};

/// The words before the child's command: `prlimit --nofile=32`, or none.
pub fn run_child(before: &[&str], child: &str, words: &[&str]) -> Output {
    let own = std::env::current_exe().expect("the path of this binary");
    let name = format!("child::{child}");
    let line = before.iter().map(PathBuf::from).chain([own]).collect::<Vec<_>>();
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).args(["--exact", &name, "--ignored", "--nocapture"]);
    command.arg("--test-threads=1").env("BRISK_CHILD", words.join("\n"));
    command.output().unwrap_or_else(|error| panic!("{before:?}: {error}"))
}

/// Runs a child that must succeed. Returns its output.
pub fn succeed(before: &[&str], child: &str, words: &[&str]) -> String {
    let output = run_child(before, child, words);
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{before:?} {child} {words:?}\n{out}\n{err}");
    assert!(out.contains("1 passed"), "{child} did not run: {out}");
    out.into_owned()
}

fn words() -> Vec<String> {
    let words = std::env::var("BRISK_CHILD").expect("run by another test");
    words.split('\n').map(str::to_owned).collect()
}

/// The peak memory of this process, in KiB.
pub fn peak_kib() -> u64 {
    status_kib("VmHWM:")
}

/// A line of this process's status, in KiB.
fn status_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux reports it");
    let line = status.lines().find(|line| line.starts_with(name)).expect("Linux reports it");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

fn order_named(name: &str) -> Order {
    *ORDERS.iter().find(|order| format!("{order:?}") == name).expect("an order")
}

fn mode_named(name: &str) -> Mode {
    match name {
        "serial" => Mode::Serial,
        "iter" => Mode::Iter,
        "adaptive" => Mode::Adaptive,
        number => Mode::Threads(number.parse().expect("a number of threads")),
    }
}

fn check(outcome: &Outcome, entries: usize, what: &str) {
    assert_eq!(outcome.errors, Vec::<String>::new(), "{what}");
    assert_eq!(outcome.found.len(), entries, "{what}");
    assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
}

/// ROOT ENTRIES MODE ORDER…: walks and counts; nothing may fail.
#[test]
#[ignore = "run by other tests"]
fn count() {
    let words = words();
    let root = Path::new(&words[0]);
    let entries = words[1].parse().expect("a number");
    let mode = mode_named(&words[2]);
    for order in &words[3..] {
        let walk = Walk::new(root).order(order_named(order));
        let outcome = run(walk, mode, Rules { lingers: true, ..Rules::default() });
        check(&outcome, entries, order);
    }
}

/// ROOT MODE ORDER: walks with a visitor that keeps nothing, and prints the peak of memory.
/// Without pages of the binary: code that runs for the first time is not what the walk holds.
#[test]
#[ignore = "run by other tests"]
fn measure() {
    let words = words();
    let walk = Walk::new(&words[0]).order(order_named(&words[2]));
    let before = (peak_kib(), status_kib("RssFile:"));
    let entries = match words[1].as_str() {
        "iter" => walk.into_iter().filter(Result::is_ok).count(),
        mode => crate::limits::count_only(walk, mode_named(mode)),
    };
    let peak = peak_kib() - before.0;
    let code = status_kib("RssFile:").saturating_sub(before.1);
    println!("measured: {entries} entries, {} KiB", peak.saturating_sub(code));
}

/// PLACE LEVELS: makes a chain of directories of that depth, beyond any path's length.
#[test]
#[ignore = "run by other tests"]
fn dig() {
    let words = words();
    std::env::set_current_dir(&words[0]).expect("the place");
    let levels: usize = words[1].parse().expect("a number");
    let name = words[2].as_str();
    for _ in 0..levels {
        std::fs::create_dir(name).expect("a level");
        std::env::set_current_dir(name).expect("the level");
    }
    crate::tree::grow(Path::new("."), &words[3]);
}

/// PART PLACE: mounts; the mounts end with the namespace.
#[test]
#[ignore = "run by other tests"]
fn mounted() {
    let words = words();
    crate::mounts::mounted(&words[0], Path::new(&words[1]));
}

/// ROOT: sums as a user who may not read all.
#[test]
#[ignore = "run by other tests"]
fn sums_what_can_be_read() {
    crate::usage::sum_what_can_be_read(Path::new(&words()[0]));
}

/// ROOT ENTRIES: walks and removes while another thread takes all descriptors again and again.
#[test]
#[ignore = "run by other tests"]
fn starved() {
    let words = words();
    crate::limits::walk_starved(Path::new(&words[0]), words[1].parse().expect("a number"));
}

/// ROOT ENTRIES LIMIT: walks with few descriptors, and reports how many were open.
#[test]
#[ignore = "run by other tests"]
fn few_descriptors() {
    let words = words();
    let number = |at: usize| words[at].parse().expect("a number");
    crate::limits::walk_with_few(Path::new(&words[0]), number(1), number(2));
}
