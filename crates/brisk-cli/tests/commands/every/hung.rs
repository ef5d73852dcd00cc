//! A request without an answer delays only the entry that it is about.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use testkit::{Mounted, brisk};

/// The most time that a line may take on a busy machine. Before the mend these lines never came.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first `count` lines, or fewer, of a search that does not end. The file system ends first: a
/// process that waits for it cannot be killed.
fn lines(mounted: Mounted, words: &str, count: usize) -> BTreeSet<String> {
    let mut child = Command::new(brisk())
        .args(words.split(' '))
        .current_dir(mounted.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, receiver) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    let read = move || {
        for line in out.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    };
    std::thread::Builder::new().spawn(read).unwrap();
    let mut found = BTreeSet::new();
    let mut twice = Vec::new();
    while found.len() < count
        && let Ok(line) = receiver.recv_timeout(PATIENCE)
    {
        if let Some(line) = found.replace(line) {
            twice.push(line);
        }
    }
    // Further lines come at once.
    while let Ok(line) = receiver.recv_timeout(Duration::from_millis(50)) {
        twice.push(line);
    }
    assert!(child.try_wait().unwrap().is_none(), "{words}: it ended");
    child.kill().unwrap();
    drop(mounted);
    child.wait().unwrap();
    assert!(twice.is_empty(), "{words}: {twice:?}");
    found
}

const FORMAT: &str = "--format {size}:{/}";

#[test]
fn a_hung_stat_holds_back_no_other_line_of_its_directory() {
    let flags = "--flat 1500 --latency 0 --hang file-0700";
    for order in ["", " --order none", " --order breadth", " -j2"] {
        let Some(mounted) = Mounted::new("hung", flags) else { return };
        let found = lines(mounted, &format!("find -u {FORMAT}{order}"), 1499);
        assert_eq!(found.len(), 1499, "{order}");
    }
}

#[test]
fn a_hung_stat_among_answers_from_memory_holds_back_no_other_line() {
    let flags =
        "--flat 1500 --latency 0 --attr-timeout 3600s --entry-timeout 3600s --hang file-1100";
    let Some(mounted) = Mounted::new("hung", flags) else { return };
    for number in (0..1500).filter(|&number| number != 1100) {
        std::fs::symlink_metadata(mounted.path().join(format!("file-{number:04}"))).unwrap();
    }
    let found = lines(mounted, &format!("find -u --order none {FORMAT}"), 1499);
    assert_eq!(found.len(), 1499);
}

#[test]
fn a_hung_stat_in_each_directory_holds_back_no_other_line() {
    let flags = "--dirs 30 --files 40 --latency 0 --hang file-020";
    let Some(mounted) = Mounted::new("hung", flags) else { return };
    let words = "find -u --order none --type f --size +0b --format {size}:{}";
    let found = lines(mounted, words, 30 * 39);
    assert_eq!(found.len(), 30 * 39);
}
