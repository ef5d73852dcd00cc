//! What a terminal shows while trees are removed.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use testkit::{Mounted, brisk};

/// Begins the terminal's line anew and clears it.
const CLEAR: &str = "\r\x1b[K";

/// The bytes that a terminal receives, to which both output and messages go.
fn on_terminal(mut command: Command) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    // If a process of another test inherited the terminal, its output would not end.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs: OwnedFd = open(&name, flags, Mode::empty()).unwrap();
    command.stdin(Stdio::null()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // The command value holds the other end. The read ends only when that is closed.
    drop(command);
    let mut printed = Vec::new();
    // A terminal whose other end is closed reports an error at the end.
    let _ = File::from(ours).read_to_end(&mut printed);
    child.wait().unwrap();
    String::from_utf8(printed).unwrap()
}

/// What a user reads: the lines that stay, the last one unended, and the texts that were cleared.
fn seen(printed: &str) -> (Vec<String>, Vec<String>) {
    let mut lines = Vec::new();
    let mut cleared = Vec::new();
    for line in printed.split("\r\n") {
        let mut pieces: Vec<&str> = line.split(CLEAR).collect();
        let last = pieces.pop().unwrap();
        cleared.extend(pieces.iter().filter(|piece| !piece.is_empty()).map(ToString::to_string));
        lines.push(last.to_owned());
    }
    (lines, cleared)
}

/// Whether this is a number with a comma between groups of three digits.
fn is_number(text: &str) -> bool {
    let mut groups = text.split(',');
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap();
    (1..=3).contains(&first.len())
        && digits(first)
        && groups.all(|group| group.len() == 3 && digits(group))
}

#[test]
fn progress_is_a_line_of_its_own_and_leaves_nothing() {
    let test = "progress_is_a_line_of_its_own_and_leaves_nothing";
    let flags = "--removable --nested 2,8,24 --plain --latency 300us --eio-remove file-003";
    let Some(mounted) = Mounted::new(test, flags) else { return };
    let mut command = Command::new(brisk());
    command.args(["rm", "-rv", "--keep-root", "--progress=always", "--threads=4"]);
    command.arg(mounted.path());
    let printed = on_terminal(command);
    let (mut lines, pictures) = seen(&printed);
    assert_eq!(lines.pop().as_deref(), Some(""), "the line is cleared at the end");
    for whole in &lines {
        let message = whole.starts_with("brisk: cannot remove '");
        let removed = whole.starts_with("removed ");
        let ends = whole.ends_with('\'') || whole.ends_with("': Input/output error");
        assert!((message || removed) && ends, "{whole:?}");
        assert!(!whole.contains("a second"), "{whole:?}");
    }
    assert!(lines.len() > 1_500, "{} lines", lines.len());
    assert!(lines.iter().any(|line| line.starts_with("brisk: ")), "no message was printed");
    assert!(pictures.len() > 3, "{pictures:?}");
    for picture in &pictures {
        let text = picture.strip_suffix(" a second").unwrap_or_else(|| panic!("{picture:?}"));
        let (gone, rate) = text.split_once(" removed, ").unwrap();
        let (gone, noun) = gone.split_once(' ').unwrap();
        assert!(is_number(gone) && is_number(rate), "{picture:?}");
        assert_eq!(noun, if gone == "1" { "entry" } else { "entries" }, "{picture:?}");
    }
    assert!(pictures.iter().any(|picture| picture.contains(',')), "{pictures:?}");
}
