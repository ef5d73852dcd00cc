//! Trouble: directories that cannot be read, entries that vanish, loops.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use testkit::left_out;

use super::case::{Case, Place};
use super::gnu::Gnu;
use super::run::outcome;
use super::tree::Tree;

/// An ordinary user cannot read the directory: the message, the minor code, and the rest listed.
#[test]
fn an_unreadable_directory_does_not_end_the_listing() {
    let tree = Tree::new();
    let locked = tree.path().join("deep/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    if !has_other_user(&tree) {
        return left_out("an unreadable directory", "there is no other user");
    }
    let run = |words: &str| {
        let binary = tree.ls().display();
        let script = format!("exec {binary} {words}");
        let mut command = other_user();
        command.args(["-c", &script]).current_dir(tree.path()).env("LC_ALL", "C");
        command.output().unwrap()
    };
    let output = run("-R deep");
    let text = String::from_utf8_lossy(&output.stderr);
    let name = tree.ls().display();
    assert_eq!(text, format!("{name}: cannot open directory 'deep/locked': Permission denied\n"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("deep/z:\nup\n"));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("deep/locked:"));
    let output = run("deep/locked file");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "file\n");
}

/// A user who may read a directory but not enter it learns names and types alone: shown as by GNU
/// ls.
#[test]
fn entries_that_cannot_be_asked_about_are_shown_with_question_marks() {
    let Some(gnu) = Gnu::find("question marks") else { return };
    let tree = Tree::new();
    if !has_other_user(&tree) {
        return left_out("question marks", "there is no other user");
    }
    fs::set_permissions(tree.path().join("deep"), Permissions::from_mode(0o744)).unwrap();
    for words in
        ["-l deep", "-i deep", "-s deep", "-lR deep", "-F deep", "--color -t deep", "-liZ deep"]
    {
        let run = |program: &Path| {
            let script = format!("exec {} {words}", program.display());
            let mut command = other_user();
            command.args(["-c", &script]).current_dir(tree.path());
            let output = command.env("LC_ALL", "C").env("TERM", "xterm").output().unwrap();
            let text = String::from_utf8(output.stderr).unwrap();
            let own = format!("{}: ", program.display());
            let mut lines: Vec<String> =
                text.lines().map(|line| line.replacen(&own, "ls: ", 1)).collect();
            lines.sort();
            (String::from_utf8(output.stdout).unwrap(), lines, output.status.code())
        };
        assert_eq!(run(tree.ls()), run(gnu.path()), "{words}");
    }
}

/// A shell without privileges: the user nobody's, if the test runs as root.
fn other_user() -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new("sh");
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh"]);
    command
}

fn has_other_user(tree: &Tree) -> bool {
    // Only its owner may enter the scratch directory.
    let scratch = tree.path().parent().unwrap();
    fs::set_permissions(scratch, Permissions::from_mode(0o755)).unwrap();
    let status = other_user().args(["-c", "true"]).status();
    status.is_ok_and(|status| status.success())
}

/// With -L and -R a link that leads back up is named and not entered; the code is serious.
#[test]
fn a_loop_is_reported_and_not_entered() {
    let tree = Tree::new();
    symlink("..", tree.path().join("deep/a/b/up")).unwrap();
    let outcome = outcome(tree.ls(), &tree, &Case::new("-LR deep/a", Place::Pipe));
    let printed = String::from_utf8(outcome.printed).unwrap();
    assert!(printed.contains("deep/a/b/c:"), "{printed}");
    assert!(!printed.contains("up/b:"), "{printed}");
    assert_eq!(outcome.messages, ["ls: deep/a/b/up: not listing already-listed directory"]);
    assert_eq!(outcome.code, Some(2));
}

/// A reader that has gone is not a failure; a full device is.
#[test]
fn writing_may_fail() {
    let tree = Tree::new();
    let script = format!(
        "{} -R . | head -n 1; {} -R . > /dev/full",
        tree.ls().display(),
        tree.ls().display()
    );
    let output =
        Command::new("sh").args(["-c", &script]).current_dir(tree.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let name = tree.ls().display();
    assert_eq!(text, format!("{name}: write error: No space left on device\n"));
    assert_eq!(output.status.code(), Some(2));
}

/// Messages and hints repeat the name as it was typed.
#[test]
fn the_program_is_named_as_it_was_called() {
    let Some(gnu) = Gnu::find("the name in messages") else { return };
    let tree = Tree::new();
    for words in [&["nope"][..], &["--nope"], &["--sort=nope"]] {
        let run = |program: &Path| {
            let mut command = Command::new(program);
            command.arg0("/usr/local/../bin/ls").args(words).current_dir(tree.path());
            let output = command.env("LC_ALL", "C").output().unwrap();
            (String::from_utf8(output.stderr).unwrap(), output.status.code())
        };
        let theirs = run(gnu.path());
        let ours = run(tree.ls());
        assert!(theirs.0.starts_with("/usr/local/../bin/ls: "), "{theirs:?}");
        assert_eq!(theirs, ours, "{words:?}");
    }
}
