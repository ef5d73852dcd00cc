//! The process: messages, exit codes, signals, unmounting.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Counts, can_mount};

use crate::support::{mount, slowfs};
use tempfile::TempDir;

/// Runs to the end with these arguments.
fn run(args: &[&str], mountpoint: &Path) -> Output {
    slowfs().args(args).arg(mountpoint).output().expect("slowfs runs")
}

/// Whether the kernel still lists a mount there.
fn mounted(path: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").expect("/proc is there");
    mounts.contains(&format!(" {} ", path.display()))
}

#[test]
fn a_bad_mount_point_is_one_line_and_exit_1() {
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("written");
    let missing = dir.path().join("missing");
    for (path, why) in [(&missing, "No such file or directory"), (&file, "not a directory")] {
        let output = run(&["--flat", "1"], path);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = String::from_utf8(output.stderr).expect("UTF-8");
        let start = format!("slowfs: {}: {why}", path.display());
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn usage_errors_are_exit_2() {
    let dir = TempDir::new().expect("a temporary directory");
    let cases: [&[&str]; 11] = [
        &[],
        &["--flat", "1", "--dirs", "2", "--files", "3"],
        &["--dirs", "2"],
        &["--flat", "1", "--latency", "1h"],
        &["--flat", "1", "--links", "101"],
        &["--flat", "1", "--plain", "--links", "1"],
        &["--flat", "1", "--readdirplus", "--unknown-types"],
        &["--flat", "1", "--readdirplus", "--lying-types"],
        &["--flat", "1", "--unknown-types", "--lying-types"],
        &["--flat", "1", "--eintr-remove", "file-000"],
        &["--nested", "1,2"],
    ];
    for case in cases {
        let output = run(case, dir.path());
        assert_eq!(output.status.code(), Some(2), "{case:?} {output:?}");
    }
    let output = run(&["--nested", "100,100,1"], dir.path());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn signals_and_fusermount_end_it_cleanly() {
    if !can_mount("signals_and_fusermount_end_it_cleanly") {
        return;
    }
    for how in ["INT", "TERM", "unmount"] {
        let mount = mount("--dirs 2 --files 3 --latency 1ms");
        let path = mount.path().components().collect::<std::path::PathBuf>();
        assert!(mounted(&path));
        assert!(mount.path().join("dir-001/file-002").exists());
        if how == "unmount" {
            let status = Command::new("fusermount3").arg("-u").arg(&path).status();
            assert!(status.expect("fusermount3 runs").success());
        } else {
            mount.signal(how);
        }
        let output = mount.wait();
        assert_eq!(output.status.code(), Some(0), "{how} {output:?}");
        assert!(!mounted(&path), "{how}");
        let counts = Counts(String::from_utf8(output.stderr).expect("UTF-8"));
        assert_eq!(counts.0.lines().count(), 1, "{counts:?}");
        assert_eq!(counts.get("lookup"), 2, "{counts:?}");
    }
}

#[test]
fn a_busy_mount_ends_too() {
    if !can_mount("a_busy_mount_ends_too") {
        return;
    }
    let mount = mount("--dirs 2 --files 3 --latency 0");
    let path = mount.path().components().collect::<std::path::PathBuf>();
    let held = fs::File::open(mount.path().join("dir-001")).expect("a directory");
    mount.signal("TERM");
    let output = mount.wait();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!mounted(&path));
    drop(held);
}

#[test]
fn counters_go_to_a_file_and_come_early_on_sigusr1() {
    if !can_mount("counters_go_to_a_file_and_come_early_on_sigusr1") {
        return;
    }
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("counters.json");
    let mount = mount(&format!("--flat 3 --latency 0 --counters {}", file.display()));
    mount.signal("USR1");
    assert!(mount.path().join("file-001").exists());
    let output = mount.finish();
    assert_eq!(output.0, "", "nothing on stderr");
    let counts = Counts(fs::read_to_string(&file).expect("the file"));
    assert_eq!(counts.get("lookup"), 1, "{counts:?}");
}
