//! Storage that is slow, fails, or tells no types (slowfs), and interrupts while it is.

#![expect(clippy::disallowed_methods, reason = "another process is waited for")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::place::{BRISK, left_out, listed, stderr, stdout};

/// The slowfs binary: `$SLOWFS`, or built on the spot.
fn binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        if let Some(path) = std::env::var_os("SLOWFS") {
            return path.into();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "slowfs", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
            .status();
        assert!(built.is_ok_and(|status| status.success()), "cargo build -p slowfs");
        Path::new(BRISK).with_file_name("slowfs")
    };
    BINARY.get_or_init(find).clone()
}

struct Mounted {
    child: Child,
    place: tempfile::TempDir,
}

impl Mounted {
    fn new(test: &str, flags: &str) -> Option<Mounted> {
        if !Path::new("/dev/fuse").exists() {
            left_out(test, "there is no /dev/fuse");
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let mut child = Command::new(binary())
            .arg("--removable")
            .args(flags.split_whitespace())
            .arg(place.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            left_out(test, "slowfs cannot mount, or cannot remove");
            let _ = child.wait();
            return None;
        }
        Some(Mounted { child, place })
    }

    /// The root is where it is mounted: it is emptied, not removed.
    fn rm(&self, words: &[&str]) -> Command {
        let mut command = Command::new(BRISK);
        command.args(["rm", "-rf", "--keep-root"]).args(words).arg(self.place.path());
        command
    }

    fn left(&self) -> Vec<String> {
        listed(self.place.path())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.place.path()).status();
        let _ = self.child.wait();
    }
}

#[test]
fn a_slow_tree_gets_many_workers() {
    let test = "a_slow_tree_gets_many_workers";
    let flags = "--nested 2,12,6 --plain --latency 1ms";
    let Some(one) = Mounted::new(test, flags) else { return };
    let wall = |mounted: &Mounted, words: &[&str]| {
        let output = mounted.rm(&[words, &["--json"]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(mounted.left().len(), 1);
        let text = stdout(&output);
        let wall = text.split("\"wall_seconds\":").nth(1).unwrap();
        wall.split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let slow = wall(&one, &["--threads=1"]);
    let many = Mounted::new(test, flags).unwrap();
    let fast = wall(&many, &[]);
    assert!(slow / fast > 5.0, "{slow:.2} s by one worker, {fast:.2} by as many as pay");
}

#[test]
fn types_that_are_not_told() {
    let flags = "--nested 2,4,20 --links 30 --latency 0 --unknown-types";
    let Some(mounted) = Mounted::new("types_that_are_not_told", flags) else { return };
    let output = mounted.rm(&[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(mounted.left().len(), 1);
}

#[test]
fn what_fails_is_named_and_the_rest_goes() {
    let flags = "--nested 2,3,5 --plain --latency 0 --eio-remove file-003 --eio-readdir dir-001";
    let Some(mounted) = Mounted::new("what_fails_is_named_and_the_rest_goes", flags) else {
        return;
    };
    let output = mounted.rm(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.lines().all(|line| line.ends_with("Input/output error")), "{told}");
    assert!(told.contains("file-003': ") && told.contains("dir-001': "), "{told}");
    let left = mounted.left();
    assert!(
        !left.iter().any(|path| path.ends_with("file-000") && !path.contains("dir-001")),
        "{left:?}"
    );
    assert!(left.iter().any(|path| path.ends_with("dir-000/file-003")), "{left:?}");
}

/// The interrupt key: it stops, says how far it came, and the same command does the rest.
#[test]
fn an_interrupt_stops_cleanly() {
    let flags = "--nested 2,10,10 --plain --latency 5ms";
    let Some(mounted) = Mounted::new("an_interrupt_stops_cleanly", flags) else { return };
    // Whoever runs the tests in the background may have interrupts ignored, which is inherited.
    let child = Command::new("env")
        .args(["--default-signal=INT", BRISK, "rm", "-rf", "--keep-root", "--threads=2"])
        .arg(mounted.place.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let told = stderr(&output);
    let count: u64 = told.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    let all = 1 + 10 + 100 + 111 * 10;
    assert_eq!(mounted.left().len() as u64 + count, all, "{told}");
    let output = mounted.rm(&[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(mounted.left().len(), 1);
}
