//! `--files0-from`: what to remove, from a list.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use testkit::{brisk, stderr, stdout};

/// Runs `brisk rm` in a new directory that holds the files `a` to `e` and the directory `d/e`.
/// Returns what it printed, and the names of what is left.
fn rm(words: &[&str], list: &[u8]) -> (Output, Vec<String>) {
    let place = testkit::scratch();
    for name in ["a", "b", "c"] {
        fs::write(place.path().join(name), "").unwrap();
    }
    fs::create_dir_all(place.path().join("d/e")).unwrap();
    fs::write(place.path().join("list"), list).unwrap();
    let mut child = Command::new(brisk())
        .arg("rm")
        .args(words)
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end before it has read its input.
    let _ = child.stdin.take().unwrap().write_all(list);
    let output = child.wait_with_output().unwrap();
    let names = fs::read_dir(place.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = names.filter(|name| name != "list").collect();
    left.sort_unstable();
    (output, left)
}

#[test]
fn names_come_from_a_file_or_from_standard_input() {
    for words in [&["-r", "--files0-from=list"][..], &["-r", "--files0-from", "-"]] {
        let (output, left) = rm(words, b"a\0d\0c\0");
        assert_eq!(left, ["b"], "{}", stderr(&output));
        assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    }
    let (output, left) = rm(&["-v", "--files0-from=-"], b"c\0nope\0a\0");
    assert_eq!(
        (left, stdout(&output)),
        (vec!["b".into(), "d".into()], "removed 'c'\nremoved 'a'\n".into())
    );
    assert_eq!(output.status.code(), Some(1));
    let (output, left) = rm(&["--files0-from=-"], b"");
    assert!(output.status.success() && left.len() == 4 && stderr(&output).is_empty());
}

/// A name like an option, a newline, bytes that are not UTF-8: a list has names alone.
#[test]
fn every_name_is_a_name() {
    let (output, left) = rm(&["-f", "--files0-from=-"], b"-r\0--\0a\nb\0x\xff\0~\0b\0");
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(left, ["a", "c", "d"]);
}

#[test]
fn an_empty_name_is_refused() {
    let (output, left) = rm(&["-f", "--files0-from=-"], b"a\0\0b\0");
    assert_eq!(stderr(&output), "brisk: -:2: invalid zero-length file name\n");
    assert_eq!((output.status.code(), left), (Some(1), vec!["c".into(), "d".into()]));
}

/// What wrote the list was stopped within a path: the half of a path is a path as well.
#[test]
fn half_a_name_removes_nothing() {
    let (output, left) = rm(&["-rf", "--files0-from=list"], b"a\0b\0d");
    assert_eq!(stderr(&output), "brisk: list:3: no NUL behind the name: not removing it\n");
    assert_eq!((output.status.code(), left), (Some(1), vec!["c".into(), "d".into()]));
    // A list of lines is one long name.
    let (output, left) = rm(&["-rf", "--files0-from=list"], b"a\nb\n");
    assert_eq!((output.status.code(), left.len()), (Some(1), 4));
    let (output, _) = rm(&["-f", "--files0-from=list"], &vec![b'x'; 3 << 20]);
    assert_eq!(stderr(&output), "brisk: list:1: no NUL behind the name: not removing it\n");
}

#[test]
fn a_list_that_cannot_be_read_is_named() {
    let (output, left) = rm(&["-rf", "--files0-from=no list"], b"");
    assert_eq!(
        stderr(&output),
        "brisk: cannot open 'no list' for reading: No such file or directory\n"
    );
    assert_eq!((output.status.code(), left.len()), (Some(1), 4));
    let (output, _) = rm(&["-rf", "--files0-from=."], b"");
    assert_eq!(stderr(&output), "brisk: .: read error: Is a directory\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_list_stands_alone() {
    let (output, left) = rm(&["--files0-from=list", "b"], b"a\0");
    assert_eq!((output.status.code(), left.len()), (Some(2), 4));
    let first = "brisk: extra operand 'b'\nfile operands cannot be combined with --files0-from\n";
    assert!(stderr(&output).starts_with(first), "{}", stderr(&output));
}

/// Half a million names, none of which exists: 60 MB of text, and a removal that holds few of them.
#[test]
fn a_long_list_is_not_held() {
    let place = testkit::scratch();
    let text = "n".repeat(119) + "\0";
    fs::write(place.path().join("list"), text.repeat(500_000)).unwrap();
    let script = format!("ulimit -v 60000; exec {} rm -f --threads=1 --files0-from=list", brisk());
    let output =
        Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().unwrap();
    assert!(output.status.success(), "{:?} {}", output.status, stderr(&output));
}
