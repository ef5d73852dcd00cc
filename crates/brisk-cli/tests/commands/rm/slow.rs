//! Storage that is slow, fails, or tells no types (slowfs), and interrupts meanwhile.

#![expect(clippy::disallowed_methods, reason = "another process is waited for")]

use std::process::{Command, Stdio};
use std::time::Duration;

use testkit::{Mounted, brisk, listed, stderr};

/// A slowfs from which entries can be removed. Its root is the mount point: it is emptied, not
/// removed.
struct Removable(Mounted);

impl Removable {
    fn new(test: &str, flags: &str) -> Option<Removable> {
        Mounted::new(test, &format!("--removable {flags}")).map(Removable)
    }

    fn rm(&self, words: &[&str]) -> Command {
        let mut command = Command::new(brisk());
        command.args(["rm", "-rf", "--keep-root"]).args(words).arg(self.0.path());
        command
    }

    fn left(&self) -> Vec<String> {
        listed(self.0.path())
    }
}

#[test]
fn a_slow_tree_gets_many_workers() {
    let flags = "--nested 2,12,6 --plain --latency 1ms";
    for (words, least, most) in [(&["--threads=1"][..], 1, 1), (&[], 4, 128)] {
        let Some(mounted) = Removable::new("a_slow_tree_gets_many_workers", flags) else { return };
        let output = mounted.rm(words).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(mounted.left().len(), 1);
        let at_once = mounted.0.finish().get("peak_waiting");
        assert!((least..=most).contains(&at_once), "{words:?}: {at_once} requests at once");
    }
}

#[test]
fn types_that_are_not_told() {
    let flags = "--nested 2,4,20 --links 30 --latency 0 --unknown-types";
    let Some(mounted) = Removable::new("types_that_are_not_told", flags) else { return };
    let output = mounted.rm(&[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(mounted.left().len(), 1);
}

#[test]
fn what_fails_is_named_and_the_rest_goes() {
    let flags = "--nested 2,3,5 --plain --latency 0 --eio-remove file-003 --eio-readdir dir-001";
    let Some(mounted) = Removable::new("what_fails_is_named_and_the_rest_goes", flags) else {
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

/// The interrupt key: the removal stops, reports how far it came, and the same command removes the
/// rest.
#[test]
fn an_interrupt_stops_cleanly() {
    let flags = "--nested 2,10,10 --plain --latency 5ms";
    let Some(mounted) = Removable::new("an_interrupt_stops_cleanly", flags) else { return };
    // A shell that runs the tests in the background may have interrupts ignored, which is
    // inherited.
    let child = Command::new("env")
        .args(["--default-signal=INT", brisk(), "rm", "-rf", "--keep-root", "--threads=2"])
        .arg(mounted.0.path())
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
