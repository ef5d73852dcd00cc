//! A file system that answers EINTR for ever holds up no more than the entry it answers it for.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Place, brisk, left_out, stderr, stdout};

/// Runs the program for ten seconds at most, with a system call that fails.
fn injected(at: &Path, inject: &str, words: &[&str]) -> Option<Output> {
    let inject = format!("inject={inject}");
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "10", "strace", "-f", "-o", "/dev/null", "-e", &inject, brisk()]);
    let output = command.args(words).current_dir(at).output().unwrap();
    if stderr(&output).contains("strace: ") {
        left_out("interrupted", "strace cannot run here");
        return None;
    }
    Some(output)
}

fn planted() -> Place {
    let place = Place::new();
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

/// What a signal interrupts, here five times in a row, is repeated without a word.
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
