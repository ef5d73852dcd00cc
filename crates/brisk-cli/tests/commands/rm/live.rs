//! Servers whose positions count the entries that are left: a listing that goes on after removals
//! leaves entries out, and the directory has to be read again.

use std::process::{Command, Output};

use testkit::{Mounted, brisk, listed, stderr};

/// More entries than several buffers hold.
const FILES: usize = 7_000;

fn mounted(test: &str, flags: &str) -> Option<Mounted> {
    Mounted::new(test, &format!("--plain --latency 0 --removable --live-offsets {flags}"))
}

fn run(words: &[&str], mounted: &Mounted) -> Output {
    Command::new(brisk()).args(words).arg(mounted.path()).output().unwrap()
}

const COMMANDS: [&[&str]; 4] = [
    &["rm", "-rf", "--keep-root"],
    &["rm", "-rf", "--keep-root", "--threads=1"],
    &["find", "-u", "-t", "f", "--delete", "."],
    &["find", "-u", "-t", "f", "-j1", "--delete", "."],
];

#[test]
fn a_directory_that_stays_is_read_until_nothing_is_left() {
    let test = "a_directory_that_stays_is_read_until_nothing_is_left";
    for words in COMMANDS {
        let Some(mounted) = mounted(test, &format!("--flat {FILES}")) else { return };
        let output = run(words, &mounted);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        assert_eq!(listed(mounted.path()).len(), 1, "{words:?}");
    }
}

/// What does not match stays, and is no reason to read on for ever.
#[test]
fn what_stays_is_met_once() {
    let test = "what_stays_is_met_once";
    let Some(mounted) = mounted(test, &format!("--flat {FILES}")) else { return };
    let output = run(&["find", "-u", "--delete", "[1-9]$"], &mounted);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(listed(mounted.path()).len(), 1 + FILES / 10);
}

/// Each failure is told once, however often the directory is read.
#[test]
fn what_cannot_be_removed_is_named_once() {
    let test = "what_cannot_be_removed_is_named_once";
    for words in COMMANDS {
        let flags = format!("--flat {FILES} --eio-remove file-0007 --eio-remove file-6000");
        let Some(mounted) = mounted(test, &flags) else { return };
        let output = run(words, &mounted);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {told}");
        assert_eq!(told.lines().count(), 2, "{words:?}: {told}");
        assert_eq!(listed(mounted.path()).len(), 1 + 2, "{words:?}");
    }
}

/// Directories that stay are entered once, though the files beside them are removed and their
/// directory is read again.
#[test]
fn a_directory_that_stays_is_entered_once() {
    const DIRS: usize = 2_500;
    let test = "a_directory_that_stays_is_entered_once";
    let Some(mounted) = mounted(test, &format!("--nested 1,{DIRS},3")) else { return };
    let output = run(&["find", "-u", "-t", "f", "--delete", "--stats=json", "."], &mounted);
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    assert!(told.contains(&format!("\"directories\":{},", DIRS + 1)), "{told}");
    assert_eq!(listed(mounted.path()).len(), DIRS + 1);
}
