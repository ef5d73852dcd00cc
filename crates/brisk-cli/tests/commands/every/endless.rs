//! A directory without an end: an order that need not hold it does not, and an order that must hold
//! it reports that it is full.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use testkit::{Mounted, brisk, stderr};

/// A file system with a directory that never ends.
const ENDLESS: &str = "--flat 10 --endless --latency 0";

/// The peak memory of a process so far, in KiB, without the pages of the program itself: a
/// development build has twice as many of them.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let [peak, program] = ["VmHWM:", "RssFile:"].map(|field| {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    });
    peak - program
}

/// The most that is for entries, in KiB: 16 MiB with the program's own 4 MiB.
const MOST: u64 = 12 << 10;

/// Reads this number of lines of an endless listing. Returns the memory that the process took, in
/// KiB.
fn stream(mounted: &Mounted, words: &str, lines: usize) -> u64 {
    let mut child = Command::new(brisk())
        .args(words.split(' '))
        .current_dir(mounted.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let found = BufReader::new(child.stdout.take().unwrap()).split(b'\n').take(lines).count();
    let peak = peak(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(found, lines, "{words}");
    peak
}

#[test]
fn an_endless_directory_streams_in_every_order_but_sorted() {
    let Some(mounted) = Mounted::new("endless", ENDLESS) else { return };
    for words in ["find -u", "find -u --order depth", "find -u --order breadth", "ls -U1"] {
        let peak = stream(&mounted, words, 600_000);
        assert!(peak <= MOST, "{words}: {peak} KiB");
    }
}

#[test]
fn same_names_for_ever_stream_too() {
    let Some(mounted) = Mounted::new("endless", "--flat 10 --endless-same --latency 0") else {
        return;
    };
    let peak = stream(&mounted, "find -u", 600_000);
    assert!(peak <= MOST, "{peak} KiB");
}

/// Each worker has had a large buffer of entries in its turn, and keeps little of the memory for
/// them. (Seen to fail: 24 workers took 100 MiB.)
#[test]
fn many_endless_directories_stream_through_many_workers() {
    let flags = "--nested 3,3,3 --endless=dir-001 --latency 0";
    let Some(mounted) = Mounted::new("endless", flags) else { return };
    let peak = stream(&mounted, "find -u -j24", 8_000_000);
    assert!(peak <= 5 * MOST, "{peak} KiB");
}

const UNSORTED: &[&str] = &[" MiB of entries cannot be sorted in memory", "--order=none", "ls -U1"];

/// With a limit on memory, so that the bound is reached soon. The old program had no bound, and
/// ended for want of memory.
fn bounded(flags: &str, words: &str, code: i32, parts: &[&str]) {
    let Some(mounted) = Mounted::new("endless", &format!("{ENDLESS} {flags}")) else { return };
    let script = format!("ulimit -v 150000 && exec {} {words}", brisk());
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(mounted.path())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{words}: {told}");
    for part in parts {
        assert!(told.contains(part), "{words}: {told}");
    }
    assert_eq!(told.lines().count(), 1, "{words}: {told}");
}

#[test]
fn an_endless_directory_cannot_be_sorted() {
    bounded("", "find -u --order sorted", 1, UNSORTED);
}

#[test]
fn results_without_end_cannot_be_sorted() {
    let Some(mounted) = Mounted::new("endless", ENDLESS) else { return };
    let script = format!("ulimit -v 150000 && exec {} find -u --sort name", brisk());
    let mut command = Command::new("sh");
    let output = command.args(["-c", &script]).current_dir(mounted.path()).output().unwrap();
    let told = stderr(&output);
    assert_eq!(told, "brisk: the results do not fit in memory: they cannot be sorted\n");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
}

#[test]
fn an_endless_directory_cannot_be_listed_in_order() {
    bounded("", "ls", 2, UNSORTED);
}

#[test]
fn an_endless_directory_cannot_be_put_in_columns() {
    bounded("", "ls -U -C", 2, UNSORTED);
}

/// Files that are listed as directories, so that their names wait for the next level. With two
/// workers: the stacks of more do not fit below the limit on memory.
#[test]
fn an_endless_level_cannot_be_held() {
    bounded(
        "--lying-types",
        "find -u -j2 --order breadth",
        1,
        &[" MiB of directories wait to be read"],
    );
}
