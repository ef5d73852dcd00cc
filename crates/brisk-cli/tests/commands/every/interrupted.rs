//! A file system that always answers EINTR for one entry delays only that entry.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Installation, Mounted, brisk, left_out, stderr, stdout};

/// Runs the program for at most ten seconds, while a system call fails.
fn injected(at: &Path, inject: &str, words: &[&str]) -> Option<Output> {
    let inject = format!("inject={inject}");
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "60", "strace", "-f", "-o", "/dev/null", "-e", &inject, brisk()]);
    let output = command.args(words).current_dir(at).output().unwrap();
    if stderr(&output).contains("strace: ") {
        left_out("interrupted", "strace cannot run here");
        return None;
    }
    Some(output)
}

fn planted() -> Installation {
    let place = Installation::new();
    fs::create_dir_all(place.path("t/d/e")).unwrap();
    for name in ["t/d/a", "t/d/b", "t/d/e/c"] {
        fs::write(place.path(name), "").unwrap();
    }
    place
}

#[test]
fn a_call_that_is_always_interrupted_is_reported() {
    for (call, words, told) in [
        ("unlinkat", &["rm", "-rf", "d"], "cannot remove 'd/a': Interrupted system call"),
        ("openat2", &["rm", "-rf", "d"], "cannot remove 'd/e': Interrupted system call"),
        ("getdents64", &["rm", "-rf", "d"], "cannot remove 'd': Interrupted system call"),
        ("getdents64", &["find", ".", "d"], "cannot read directory 'd': Interrupted system call"),
        ("getdents64", &["ls", "-R", "d"], "Interrupted system call"),
        ("readlinkat", &["ls", "-l", "l"], "Interrupted system call"),
    ] {
        let place = planted();
        std::os::unix::fs::symlink("x", place.path("t/l")).unwrap();
        let inject = format!("{call}:error=EINTR");
        let Some(output) = injected(&place.path("t"), &inject, words) else { return };
        let code = output.status.code();
        assert!(matches!(code, Some(1 | 2)), "{call} {words:?}: {code:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(told), "{call} {words:?}: {}", stderr(&output));
    }
}

/// A stat: the loader and the standard library make others, before the walk.
#[test]
fn a_stat_that_is_always_interrupted_is_reported() {
    let place = planted();
    let inject = "statx:error=EINTR:when=8+";
    let Some(output) = injected(&place.path("t"), inject, &["ls", "-l", "d"]) else { return };
    assert!(matches!(output.status.code(), Some(1 | 2)), "{:?}", output.status);
    assert!(stderr(&output).contains("Interrupted system call"), "{}", stderr(&output));
}

/// A call that a signal interrupts, here five times in a row, is repeated silently.
#[test]
fn a_call_that_is_interrupted_a_few_times_succeeds() {
    for call in ["unlinkat", "openat2", "getdents64"] {
        let place = planted();
        let inject = format!("{call}:error=EINTR:when=1..5");
        let Some(output) = injected(&place.path("t"), &inject, &["rm", "-rf", "d"]) else {
            return;
        };
        assert!(output.status.success(), "{call}: {}", stderr(&output));
        assert_eq!(stdout(&output) + &stderr(&output), "", "{call}");
        assert!(!place.path("t/d").exists(), "{call}");
    }
}

/// The same by a file system, always and for one name.
#[test]
fn a_file_system_that_answers_eintr_holds_up_one_name_alone() {
    let test = "a_file_system_that_answers_eintr_holds_up_one_name_alone";
    let cases: &[(&str, &[&str], &str)] = &[
        ("--eintr-remove file-002", &["rm", "-rf"], "file-002': Interrupted system call"),
        ("--eintr-readdir dir-001", &["find", "."], "dir-001': Interrupted system call"),
        ("--eintr-opendir dir-001", &["find", "."], "dir-001': Interrupted system call"),
        ("--eintr file-002", &["find", "-S+0b", "."], "file-002': Interrupted system call"),
    ];
    for (fault, words, told) in cases {
        let flags = format!("--dirs 3 --files 4 --latency 0 --removable {fault}");
        let Some(mounted) = Mounted::new(test, &flags) else { return };
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "60", brisk()]).args(*words);
        let output = command.arg(mounted.path()).output().unwrap();
        assert!(stderr(&output).contains(told), "{fault}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{fault}: {}", stderr(&output));
        assert!(words[0] == "rm" || stdout(&output).contains("dir-002/file-001"), "{fault}");
    }
}

#[test]
fn a_signal_ends_a_removal_that_is_always_interrupted() {
    let test = "a_signal_ends_a_removal_that_is_always_interrupted";
    let flags = "--flat 1 --latency 20ms --removable --eintr-remove file-000";
    let Some(mounted) = Mounted::new(test, flags) else { return };
    let status = Command::new("timeout")
        .args(["-s", "TERM", "-k", "5", "0.1", brisk(), "rm", "-rf"])
        .arg(mounted.path().join("file-000"))
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    // 124: it ended after TERM; 137: it had to be killed.
    assert!(matches!(status.code(), Some(1 | 124)), "{status:?}");
}
