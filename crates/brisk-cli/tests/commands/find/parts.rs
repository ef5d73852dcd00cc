//! `find --parts`, `--part-size`, `--part-files`: lists for programs that copy.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use testkit::{Installation, Mounted, brisk, stderr, stdout};

/// 600 files of 0 to 99,999 bytes in 20 directories; the bytes are holes.
fn planted() -> Installation {
    let place = Installation::new();
    for at in 0..600_u64 {
        let dir = place.path(&format!("tree/{}", at % 20));
        fs::create_dir_all(&dir).unwrap();
        let file = File::create(dir.join(format!("a\nname {at}"))).unwrap();
        file.set_len(at * 7919 % 100_000).unwrap();
    }
    place
}

fn find(place: &Installation, words: &[&str]) -> Output {
    let words = [&["find", "-u", "-0"], words].concat();
    Command::new(brisk()).args(words).current_dir(place.path("tree")).output().unwrap()
}

/// The entries of each list that the command printed, checked to be all of the tree, none twice.
fn lists(place: &Installation, words: &[&str]) -> Vec<Vec<PathBuf>> {
    testkit::run("sh", &["-c", "rm -f \"$0\".*", place.path("list").to_str().unwrap()]);
    let output = find(place, &[&["--part-name=../list"], words].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let lists: Vec<Vec<PathBuf>> = stdout(&output)
        .split_terminator('\0')
        .enumerate()
        .map(|(at, name)| {
            assert_eq!(name, format!("../list.{}", at + 1));
            let list = fs::read_to_string(place.path("tree").join(name)).unwrap();
            list.split_terminator('\0').map(|path| place.path("tree").join(path)).collect()
        })
        .collect();
    let all = stdout(&find(place, &[]));
    let all: BTreeSet<PathBuf> =
        all.split_terminator('\0').map(|path| place.path("tree").join(path)).collect();
    assert_eq!(all.len(), 620);
    assert_eq!(lists.iter().flatten().cloned().collect::<BTreeSet<_>>(), all);
    assert_eq!(lists.iter().map(Vec::len).sum::<usize>(), all.len());
    lists
}

fn bytes(list: &[PathBuf]) -> u64 {
    let files = list.iter().map(|path| path.symlink_metadata().unwrap());
    files.filter(fs::Metadata::is_file).map(|meta| meta.len()).sum()
}

#[test]
fn lists_have_about_the_same_sum_of_sizes() {
    let place = planted();
    for threads in ["-j1", "-j4"] {
        let sums: Vec<u64> =
            lists(&place, &["--parts=7", threads]).iter().map(|list| bytes(list)).collect();
        assert_eq!(sums.len(), 7);
        let (least, most) = (sums.iter().min().unwrap(), sums.iter().max().unwrap());
        assert!(most - least <= least / 10, "{sums:?}");
    }
}

#[test]
fn lists_are_full_at_a_size_or_a_number() {
    let place = planted();
    let by_size = lists(&place, &["--part-size=1m"]);
    for list in &by_size {
        assert!(bytes(list) <= 1_000_000);
    }
    assert!(by_size.len() > 25 && by_size.len() < 35, "{}", by_size.len());
    let by_number = lists(&place, &["--part-files=100"]);
    let lengths: Vec<usize> = by_number.iter().map(Vec::len).collect();
    assert_eq!(lengths, [100, 100, 100, 100, 100, 100, 20]);
}

#[test]
fn lists_have_no_colours_and_a_result_limit_holds() {
    let place = planted();
    let words = ["--part-files=1k", "--color=always", "--hyperlink=always", "--part-name=../c"];
    assert!(find(&place, &words).status.success());
    assert!(!fs::read(place.path("c.1")).unwrap().contains(&0x1b));
    find(&place, &["--parts=2", "--max-results=5", "--part-name=../m"]);
    let count = |name| fs::read(place.path(name)).unwrap().iter().filter(|b| **b == 0).count();
    assert_eq!(count("m.1") + count("m.2"), 5);
}

#[test]
fn what_cannot_be_written_or_meant_is_said() {
    let place = planted();
    let unwritten = find(&place, &["--parts=2", "--part-name=nowhere/x"]);
    assert_eq!(stderr(&unwritten), "brisk: cannot write the lists: No such file or directory\n");
    assert_eq!(unwritten.status.code(), Some(1));
    for words in [["--parts=0", ""], ["--part-size=9Q", ""], ["--parts=2", "--quiet"]] {
        assert_eq!(find(&place, &words).status.code(), Some(2), "{words:?}");
    }
    for words in [["--part-name=x", "."], ["--overwrite", "."], ["--overwrite", "--part-name=x"]] {
        let refused = find(&place, &words);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(2), String::new()));
        assert!(stderr(&refused).contains(" needs '--parts', "), "{words:?}: {}", stderr(&refused));
    }
}

/// A program that takes all lists would take those of two searches, and a link may be another
/// user's.
#[test]
fn lists_that_are_there_are_replaced_only_on_request() {
    let place = planted();
    let run = |words: &[&str]| find(&place, &[&["--part-name=../list"], words].concat());
    assert!(run(&["--parts=3"]).status.success());
    let before = fs::read(place.path("list.1")).unwrap();
    for words in [["--parts=2", "-j1"], ["--part-files=9", "-tf"], ["--part-size=1k", "-td"]] {
        let refused = run(&words);
        let told = stderr(&refused);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(2), String::new()), "{told}");
        assert!(told.contains("'../list.") && told.contains("exists: use --overwrite"), "{told}");
    }
    assert_eq!(fs::read(place.path("list.1")).unwrap(), before);
    // All but the first are left: the names are those of any list.
    fs::remove_file(place.path("list.1")).unwrap();
    assert_eq!(run(&["--parts=1"]).status.code(), Some(2));
    let left = run(&["--parts=1", "--overwrite"]);
    assert_eq!((left.status.code(), stdout(&left)), (Some(1), "../list.1\0".to_owned()));
    assert!(stderr(&left).contains("'../list.2' is a list of an earlier search"));
    let all = fs::read(place.path("list.1")).unwrap();
    assert_eq!(all.iter().filter(|byte| **byte == 0).count(), 620);
    assert!(run(&["--parts=3", "--overwrite"]).status.success());

    let target = place.path("theirs");
    for there in [Some(&target), None] {
        fs::write(&target, "precious").unwrap();
        there.map_or_else(|| drop(fs::remove_file(&target)), drop);
        fs::remove_file(place.path("list.2")).unwrap();
        std::os::unix::fs::symlink(&target, place.path("list.2")).unwrap();
        let refused = run(&["--parts=3", "--overwrite"]);
        assert_eq!((refused.status.code(), stdout(&refused)), (Some(1), String::new()));
        let told = "brisk: cannot write the lists: '../list.2' is there\n";
        assert_eq!(stderr(&refused), told);
        assert_eq!(fs::read(&target).ok(), there.map(|_| b"precious".to_vec()));
        assert!(fs::read_link(place.path("list.2")).is_ok());
    }
}

#[test]
fn after_a_signal_only_full_lists_are_left() {
    let place = Installation::new();
    let slow = "--dirs 5000 --files 10 --latency 20ms";
    let Some(mounted) = Mounted::new("parts", slow) else { return };
    let mut child = Command::new("env")
        .args(["--default-signal=INT", brisk(), "find", "-u", "-0", "--part-files=100"])
        .arg("--base-directory")
        .arg(mounted.path())
        .arg("--part-name")
        .arg(place.path("list"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut names = Vec::new();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    told.read_until(0, &mut names).unwrap();
    testkit::run("kill", &["-INT", &child.id().to_string()]);
    told.read_to_end(&mut names).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(stderr(&output), "brisk: interrupted: some results are in no list\n");
    let left = fs::read_dir(place.path("")).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: BTreeSet<String> = left.filter(|name| !["bin", "t"].contains(&&**name)).collect();
    let names = String::from_utf8(names).unwrap();
    let named = names.split_terminator('\0').map(|name| name.rsplit('/').next().unwrap());
    assert!(left.len() < 400, "{} lists: the walk went on", left.len());
    assert_eq!(left, named.map(str::to_owned).collect());
}
