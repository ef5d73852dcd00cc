//! A directory for which the file system answers ELOOP exists, and is reported.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Installation, Mounted, brisk, left_out, stderr, stdout};

/// Runs the program in `at`; opening `name` there fails with ELOOP.
fn looping(at: &Path, name: &str, words: &[&str]) -> Option<Output> {
    let mut command = Command::new("timeout");
    command.args(["60", "strace", "-f", "-o", "/dev/null", "-P", name]);
    command.args(["-e", "inject=openat,openat2:error=ELOOP", brisk()]);
    let output = command.args(words).current_dir(at).output().unwrap();
    let told = stderr(&output);
    if told.lines().any(|line| line.starts_with("strace: ") && !line.contains("Requested path")) {
        left_out("loops", "strace cannot run here");
        return None;
    }
    Some(output)
}

#[test]
fn a_directory_that_answers_eloop_is_reported() {
    let cases: &[(&[&str], &str)] = &[
        (&["find", ".", "d"], "cannot open directory 'd/real': Too many levels of symbolic links"),
        (&["find", "-L", ".", "d"], "cannot open directory 'd/real': Too many levels"),
        (&["find", "--order=sorted", ".", "d"], "cannot open directory 'd/real': Too many levels"),
        (&["rm", "-rf", "d"], "cannot remove 'd/real': Too many levels of symbolic links"),
    ];
    for (words, told) in cases {
        let place = Installation::new();
        fs::create_dir_all(place.path("t/d/real/below")).unwrap();
        fs::create_dir_all(place.path("t/d/other/below")).unwrap();
        let Some(output) = looping(&place.path("t"), "real", words) else { return };
        assert!(stderr(&output).contains(told), "{words:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(words[0] == "rm" || stdout(&output).contains("d/other/below"), "{words:?}");
        assert!(place.path("t/d/real/below").exists());
    }
}

/// The same by a file system, which takes part in following links too.
#[test]
fn a_directory_whose_file_system_answers_eloop_is_reported() {
    let test = "a_directory_whose_file_system_answers_eloop_is_reported";
    let flags = "--dirs 3 --files 2 --latency 0 --eloop dir-001";
    let Some(mounted) = Mounted::new(test, flags) else { return };
    for words in [&["find", "."][..], &["find", "-L", "."], &["ls", "-R"]] {
        let output = Command::new(brisk()).args(words).arg(mounted.path()).output().unwrap();
        let told = stderr(&output);
        assert!(told.contains("dir-001': Too many levels of symbolic links"), "{words:?}: {told}");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words:?}: {told}");
        assert!(stdout(&output).contains("file-001"), "{words:?}");
    }
}
