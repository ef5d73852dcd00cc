//! A call that is refused for one file is still used for other files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Installation, left_out, stderr, stdout};

/// Runs the program while some of its system calls fail. The log holds the traced ones.
fn injected(at: &Path, inject: &[&str], words: &[&str]) -> Option<(Output, String)> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("timeout");
    command.args(["60", "strace", "-f", "-o"]).arg(log.path());
    for inject in inject {
        command.args(["-e", inject]);
    }
    let output = command.arg(testkit::brisk()).args(words).current_dir(at).output().unwrap();
    if stderr(&output).contains("strace: ") {
        left_out("denied", "strace cannot run here");
        return None;
    }
    Some((output, fs::read_to_string(log.path()).unwrap()))
}

/// Only statx reports the time of creation: with the older call no file passes the filter.
#[test]
fn a_file_whose_stat_is_refused_does_not_switch_statx_off() {
    let place = Installation::new();
    let tree = place.path("t");
    for dir in ["1", "2", "3"] {
        fs::create_dir(tree.join(dir)).unwrap();
        for file in 0..20 {
            fs::write(tree.join(dir).join(file.to_string()), "").unwrap();
        }
    }
    if fs::metadata(tree.join("1")).unwrap().created().is_err() {
        return left_out("denied", "this file system keeps no time of creation");
    }
    for error in ["EPERM", "ENOSYS"] {
        // The first calls are the loader's; of those after them one in forty fails.
        let inject = format!("inject=statx:error={error}:when=20+40");
        let words = ["find", "-j1", "-tf", "--created-within=1week", ".", "."];
        let Some((output, _)) = injected(&tree, &[&inject], &words) else { return };
        let lines = stdout(&output).lines().count();
        assert!(lines >= 57, "{error}: {lines} of 60: {}", stderr(&output));
        assert!(stderr(&output).contains("cannot stat '"), "{error}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{error}");
    }
}

/// With --one-file-system the walk alone asks about directories whose names do not match.
#[test]
fn a_directory_on_an_unknown_device_is_reported_and_entered() {
    let place = Installation::new();
    let tree = place.path("t");
    for dir in 0..60 {
        fs::create_dir(tree.join(dir.to_string())).unwrap();
        fs::write(tree.join(dir.to_string()).join("file"), "").unwrap();
    }
    let words = ["find", "-j1", "--one-file-system", "file"];
    let inject = "inject=statx:error=EIO:when=20+40";
    let Some((output, _)) = injected(&tree, &[inject], &words) else { return };
    assert_eq!(stdout(&output).lines().count(), 60, "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot stat '"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_directory_that_is_refused_does_not_switch_openat2_off() {
    let place = Installation::new();
    // After EPERM the directory is tried once more, without O_NOATIME.
    for (error, when) in [("EPERM", "1..2"), ("ENOSYS", "1")] {
        let tree = place.path("t/tree");
        for dir in 0..10 {
            fs::create_dir_all(tree.join(format!("{dir}/below"))).unwrap();
        }
        let inject = format!("inject=openat2:error={error}:when={when}");
        let words = ["rm", "-rf", "--threads=1", "tree"];
        let Some((output, log)) = injected(&place.path("t"), &["trace=openat2", &inject], &words)
        else {
            return;
        };
        let opened = log.lines().filter(|line| !line.contains(" = -1 ")).count();
        assert!(opened >= 15, "{error}: {log}");
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{error}: {told}");
        assert_eq!(told.lines().count(), 1, "{error}: {told}");
    }
}

/// For the immutable file in another user's directory, faccessat2 itself answers EPERM.
#[test]
fn a_file_that_refuses_writing_does_not_switch_faccessat2_off() {
    let test = "a_file_that_refuses_writing_does_not_switch_faccessat2_off";
    if !testkit::is_root() {
        return left_out(test, "only root can become another user");
    }
    let script = "\
        mkdir d; touch d/a d/b d/c d/e; chmod -R 777 d; cd d\n\
        setpriv --reuid=65534 --clear-groups strace -f -o ../log -e trace=faccessat2 \\\n\
          -e inject=faccessat2:error=EPERM:when=1 \"$B\" rm -i --threads=1 a b c e 2>../out || true\n\
        [ $(grep -c 'AT_EACCESS) = 0' ../log) = 3 ] || { cat ../log ../out; exit 1; }\n\
        [ $(grep -c 'cannot remove .*: Operation not permitted' ../out) = 1 ]";
    Installation::new().succeeds(test, script);
}

/// Where the calls are missing altogether, the older ones are used as before.
#[test]
fn a_call_that_every_file_refuses_is_done_without() {
    let place = Installation::new();
    for error in ["EPERM", "ENOSYS"] {
        let tree = place.path("t/tree");
        for dir in 0..10 {
            fs::create_dir_all(tree.join(format!("{dir}/below"))).unwrap();
        }
        let inject = format!("inject=openat2,statx:error={error}");
        let words = ["rm", "-rf", "tree"];
        let Some((output, log)) = injected(&place.path("t"), &["trace=openat2", &inject], &words)
        else {
            return;
        };
        assert!(output.status.success(), "{error}: {}", stderr(&output));
        assert!(!tree.exists(), "{error}");
        // Once by each worker at most, and one probe.
        assert!(log.matches("openat2(").count() <= 8, "{error}: {log}");
    }
}
