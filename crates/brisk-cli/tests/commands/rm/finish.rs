//! `rm --finish` obeys its other options, and refuses those that mean nothing there.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use testkit::{stderr, stdout};

use super::journal::{Home, NAME, has_strace, plant, whole};

fn answered(home: &Home, words: &[&str], answers: &str) -> Output {
    let mut command = home.command(&[], words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that asks nothing has ended by then.
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn finish_with_dry_run_removes_nothing() {
    let home = Home::new();
    let tree = home.leave();
    let output = home.rm(&["--finish", "--dry-run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stdout(&output);
    assert!(told.contains("would remove 3 files and 3 directories"), "{told}");
    assert!(told.contains(&format!("'{}': 3 files and 3 directories", tree.display())), "{told}");
    assert!(whole(&tree) && home.record().exists());
}

#[test]
fn finish_refuses_what_means_nothing() {
    let home = Home::new();
    let tree = home.leave();
    plant(&home.at("tree"));
    for (words, says) in [
        (&["--older-than=30d"][..], "--finish cannot be used with --older-than"),
        (&["--keep-root"], "--finish cannot be used with --keep-root"),
        (&["-d"], "--finish cannot be used with --dir"),
        (&["--background"], "--finish cannot be used with --background"),
        (&["-r", "tree"], "--finish takes no files: extra operand 'tree'"),
        (&["--list", "-i"], "--list cannot be used with --interactive"),
        (&["--list", "--dry-run"], "--list cannot be used with --dry-run"),
    ] {
        home.ends_with(2, &[&["--finish"], words].concat(), says);
        assert!(whole(&tree) && whole(&home.at("tree")) && home.record().exists(), "{words:?}");
    }
    home.ends_with(2, &["-r", "--list", "tree"], "--list needs --finish");
    assert!(whole(&home.at("tree")));
    // Options that change nothing are accepted.
    assert!(home.rm(&["-rf", "--finish"]).status.success());
    assert!(!tree.exists());
}

#[test]
fn what_finish_asks_about_and_no_is_said_to_is_kept() {
    let home = Home::new();
    let tree = home.leave();
    let output = answered(&home, &["--finish", "-i"], "n\n");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("descend into directory"), "{}", stderr(&output));
    assert!(whole(&tree) && home.record().exists());
    let output = answered(&home, &["--finish", "-I"], "n\n");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("remove 1 tree that"), "{}", stderr(&output));
    assert!(whole(&tree) && home.record().exists());
    let output = answered(&home, &["--finish", "-i"], &"y\n".repeat(20));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!tree.exists() && !home.record().exists());
}

#[test]
fn finish_says_what_it_did() {
    let home = Home::new();
    home.leave();
    let output = home.rm(&["--finish", "-v", "--json", "--stats"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stdout(&output);
    assert_eq!(told.matches("{\"path\":").count(), 6, "{told}");
    assert!(told.contains("\"files\":3,\"directories\":3"), "{told}");
    assert!(stderr(&output).contains("removed 3 files and 3 directories"), "{}", stderr(&output));
}

#[test]
fn finish_lists_what_is_left() {
    let home = Home::new();
    assert!(home.rm(&["--finish", "--list"]).stdout.is_empty());
    let tree = home.leave();
    let output = home.rm(&["--finish", "--list"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stdout(&output);
    let date = |text: &str| text.len() == 10 && text.starts_with("20");
    let mut words = told.split(' ');
    assert!(words.next().is_some_and(date), "{told}");
    assert!(told.ends_with(&format!(" waiting '{}'\n", tree.display())), "{told}");
    // Another process works on the record.
    let file = fs::File::open(home.record()).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let told = stdout(&home.rm(&["--finish", "--list", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(object["state"], "running");
    assert_eq!(object["path"], tree.to_str().unwrap());
    drop(file);
    assert!(whole(&tree) && home.record().exists());
    assert!(tree.ends_with(NAME));
}

/// Looking for trees that are left makes no file or directory.
#[test]
fn without_a_journal_there_is_nothing_to_finish() {
    let home = Home::new();
    fs::remove_dir_all(home.place.path("state")).unwrap();
    for words in [&["--finish"][..], &["--finish", "--list"], &["--finish", "--dry-run"]] {
        let output = home.rm(words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    }
    assert!(!home.place.path("state").exists());
}

/// An interrupt ends the whole command, and the trees that are left stay in the journal.
#[test]
fn an_interrupted_finish_says_so() {
    if !has_strace("an_interrupted_finish_says_so") {
        return;
    }
    let home = Home::new();
    let tree = home.leave();
    // A shell that runs the tests in the background has interrupts ignored, which is inherited.
    let env = ["env", "--default-signal=INT"];
    let strace = ["strace", "-f", "-o", "/dev/null", "-e", "inject=unlinkat:signal=INT:when=1"];
    let before = [&env[..], &strace[..]].concat();
    let output = home.command(&before, &["--finish"]).output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted: "), "{}", stderr(&output));
    assert!(tree.exists() && home.record().exists());
    assert!(home.rm(&["--finish"]).status.success());
    assert!(!tree.exists() && !home.record().exists());
}

#[test]
fn a_list_that_cannot_be_written_is_a_failure() {
    let home = Home::new();
    home.leave();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = home.command(&[], &["--finish", "--list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.ends_with("cannot write to standard output: No space left on device\n"), "{told}");
}
