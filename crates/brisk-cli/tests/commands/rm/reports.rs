//! `--explain`, which removes nothing, and `--stats`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use testkit::{Installation, brisk, listed, stderr, stdout};

/// A directory with two files and a directory that holds a third.
fn planted() -> Installation {
    let place = Installation::new();
    fs::create_dir_all(place.path("t/tree/a")).unwrap();
    for file in ["t/tree/1", "t/tree/2", "t/tree/a/3"] {
        fs::write(place.path(file), "12345").unwrap();
    }
    fs::write(place.path("t/list"), "tree\0").unwrap();
    place
}

fn command(place: &Installation, words: &[&str]) -> Command {
    let mut command = Command::new(brisk());
    command.args(words).current_dir(place.path("t")).env("XDG_STATE_HOME", place.path("state"));
    command
}

fn rm(place: &Installation, words: &[&str]) -> Output {
    command(place, &[&["rm"], words].concat()).output().unwrap()
}

fn explained(place: &Installation, words: &[&str]) -> String {
    let output = rm(place, &[&["--explain"], words].concat());
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()), "{words:?}");
    stderr(&output)
}

/// How many requests of a kind `rm` makes, as `--stats=json` counts them.
fn calls(words: &[&str], kind: &str) -> u64 {
    let told = stderr(&rm(&planted(), &[&["--stats=json"], words].concat()));
    // Questions come before the object, on the same line.
    let object = &told[told.find('{').unwrap()..];
    let object: serde_json::Value = serde_json::from_str(object).unwrap();
    object["stats"]["calls"][kind].as_u64().unwrap()
}

#[test]
fn explaining_removes_nothing_and_makes_no_journal() {
    let place = planted();
    let before = listed(&place.path("."));
    for words in [
        &["-rf", "tree"][..],
        &["-rfv", "tree", "nowhere"],
        &["list"],
        &["-d", "tree/a"],
        &["-rf", "--keep-root", "tree"],
        &["-rf", "--cross-mounts", "--threads=2", "tree"],
        &["-rf", "--background", "tree"],
        &["-rf", "--files0-from=list"],
        &["-rf", "--files0-from=-"],
        &["-r", "--older-than=0s", "--stats", "--json", "tree"],
        &["-r", "--dry-run", "tree"],
        &["--finish"],
        &["-f"],
    ] {
        let told = explained(&place, words);
        assert!(told.starts_with("Nothing is removed: "), "{words:?}: {told}");
        assert_eq!(listed(&place.path(".")), before, "{words:?}");
    }
}

#[test]
fn explaining_asks_no_question() {
    let place = planted();
    for words in [["rm", "--explain", "-ri", "tree"], ["rm", "--explain", "-rI", "tree"]] {
        let mut child =
            command(&place, &words).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command that asks nothing may have ended by now.
        let _ = child.stdin.take().unwrap().write_all("y\n".repeat(9).as_bytes());
        let told = stderr(&child.wait_with_output().unwrap());
        assert!(!told.contains('?') && place.path("t/tree/a/3").exists(), "{words:?}: {told}");
    }
}

/// What cannot be used is refused with `--explain` as without it.
#[test]
fn an_unusable_command_line_is_not_explained() {
    let place = planted();
    for words in [&["rm", "--explain"][..], &["rm", "--explain", "--finish", "--list"]] {
        let output = command(&place, words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
    }
}

/// Each option of the explanation, with a line that only this option brings.
#[test]
fn each_option_is_explained() {
    let place = planted();
    let plain = explained(&place, &["-r", "tree"]);
    assert!(plain.contains("Nothing else is requested for any entry.\n"), "{plain}");
    assert!(plain.contains("as many workers as pay off"), "{plain}");
    for (words, line) in [
        (&["tree"][..], "A directory is refused"),
        (&["-d", "tree"], "A directory is removed if it is empty; none is read"),
        (&["-r", "--older-than=30d", "tree"], "--older-than needs mtime of all entries.\n"),
        (&["-r", "--dry-run", "tree"], "--dry-run needs nlink, uid, ino, size, blocks, dev of all"),
        (&["-ri", "tree"], "A question needs mode, size of all entries.\n"),
        (&["-rI", "tree"], "One question is asked before"),
        (&["-r", "--cross-mounts", "tree"], "--cross-mounts: "),
        (&["-r", "--keep-root", "tree"], "--keep-root: "),
        (&["-r", "--background", "tree"], "--background: "),
        (&["-r", "--preserve-root=all", "tree"], "--preserve-root=all: "),
        (&["-r", "--no-preserve-root", "tree"], "--no-preserve-root: "),
        (&["-r", "--files0-from=list"], "--files0-from: "),
        (&["-r", "--threads=3", "tree"], "by exactly 3 workers"),
        (&["-rv", "tree"], "each path is finished before the next"),
        (&["--finish"], "--finish: "),
    ] {
        let told = explained(&place, words);
        assert!(told.contains(line) && !plain.contains(line), "{words:?}: {told}");
    }
    let undone = explained(&place, &["-r", "--cross-mounts", "--one-file-system", "tree"]);
    assert_eq!(undone, plain);
}

/// The explanation and the requests that a removal makes agree on what is asked of entries.
#[test]
fn what_is_explained_is_what_happens() {
    let place = planted();
    // Before a question the visitor itself asks, when the entry's turn comes.
    for (words, asks, whose) in [
        (&["-r", "tree"][..], false, "stat"),
        (&["-rf", "--keep-root", "tree"], false, "stat"),
        (&["-r", "--older-than=30d", "tree"], true, "stat"),
        (&["-r", "--dry-run", "tree"], true, "stat"),
        (&["-ri", "tree/1", "tree/2", "tree/a/3"], true, "other"),
    ] {
        let told = explained(&place, words);
        assert_eq!(told.contains("Nothing else is requested for any entry.\n"), !asks, "{told}");
        let count = calls(words, whose);
        assert!(if asks { count >= 3 } else { count == 0 }, "{words:?}: {count}");
    }
}

#[test]
fn stats_as_json_go_to_standard_error() {
    let output = rm(&planted(), &["-rv", "--stats=json", "tree"]);
    assert_eq!(stdout(&output).lines().count(), 5);
    let told = stderr(&output);
    let object: serde_json::Value = serde_json::from_str(&told).unwrap();
    let counts = ["files", "directories", "failed"].map(|key| object[key].as_u64());
    assert_eq!(counts, [Some(3), Some(2), Some(0)], "{told}");
    assert_eq!(object["stats"]["errors"].as_u64(), Some(0), "{told}");
    let output = rm(&planted(), &["-r", "--stats=text", "tree"]);
    assert!(stderr(&output).starts_with("removed 3 files and 2 directories\n"));
    assert_eq!(rm(&planted(), &["-r", "--stats=yaml", "tree"]).status.code(), Some(2));
}
