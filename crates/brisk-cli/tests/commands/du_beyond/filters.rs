//! Which files count: by name, size and age, rules, and mounts.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use testkit::{brisk, left_out, stdout};

use super::{lines, tree};

#[test]
fn filters_choose_files_and_age_chooses_directories() {
    let place = tree();
    assert_eq!(lines(place.path(), &["-bs", "--extension", "rs", "t"]), ["16000\tt"]);
    assert_eq!(lines(place.path(), &["-bs", "--size", "+500K", "t"]), ["900000\tt"]);
    assert_eq!(lines(place.path(), &["-b", "--older-than", "90d", "t"]), ["7000\tt/old"]);
    let groups = lines(place.path(), &["--apparent-size", "-B1", "--by", "extension", "t"]);
    assert_eq!(groups, ["1300000\t.bin", "16000\t.rs", "0\t(directories)"]);
}

#[test]
fn names_and_births_choose_files_too() {
    let place = tree();
    assert_eq!(lines(place.path(), &["-bs", "--match", "^[ab].*[.]bin$", "t"]), ["1300000\tt"]);
    assert_eq!(lines(place.path(), &["-bs", "--glob", "--match", "bin", "t"]), ["0\tt"]);
    let named = ["-b", "--glob", "--match", "c.*", "t/small/c.rs"];
    assert_eq!(lines(place.path(), &named), ["9000\tt/small/c.rs"]);
    let all = ["1316000\tt"];
    for (within, before) in
        [("--ctime-within=1d", "--ctime-before=1d"), ("--created-within=1d", "--created-before=1d")]
    {
        // Files of this day alone.
        assert_eq!(lines(place.path(), &["-bs", before, "t"]), ["0\tt"], "{before}");
        if within.starts_with("--ctime") {
            assert_eq!(lines(place.path(), &["-bs", within, "t"]), all, "{within}");
        }
    }
}

#[test]
fn a_directory_without_a_file_that_matches_is_not_listed() {
    let place = tree();
    let large = ["1300000\tt", "1300000\tt/large", "400000\tt/large/in"];
    assert_eq!(lines(place.path(), &["-b", "--extension", "bin", "t"]), large);
    fs::write(place.path().join("t/old/nothing"), "").unwrap();
    let empty = ["0\tt", "0\tt/old", "0\tt/old/nothing"];
    assert_eq!(lines(place.path(), &["-ab", "--size", "0", "t"]), empty);
    assert_eq!(lines(place.path(), &["-b", "--extension", "nope", "t"]), ["0\tt"]);
    // GNU's --exclude is no such filter, and objects are all there.
    assert_eq!(lines(place.path(), &["-b", "--exclude=*.*", "t"]).len(), 5);
    assert_eq!(lines(place.path(), &["--json", "--extension", "nope", "t"]).len(), 5);
    let script = format!("exec -a du {} -b --extension nope t", brisk());
    let mut as_du = Command::new("bash");
    let output = as_du.args(["-c", &script]).current_dir(place.path()).output().unwrap();
    assert_eq!(stdout(&output).lines().count(), 5);
}

/// As GNU du, which leaves the whole mount out.
#[test]
fn one_file_system_leaves_mounts_out() {
    let Some(way) = testkit::unshared() else { return left_out("mounts", "no mount namespace") };
    let place = tree();
    symlink(brisk(), place.path().join("du")).unwrap();
    let script = "mount -t tmpfs none t/small && echo x > t/small/new && du -ax t | sort > theirs \
        && ./du -ax t | sort > ours && cmp theirs ours && ! grep -q small ours";
    let mut command = Command::new(way[0]);
    let output = command.args(&way[1..]).args(["sh", "-c", script]).current_dir(place.path());
    let output = output.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn hidden_and_ignored_files_count_unless_they_are_left_out() {
    let place = tempfile::tempdir().unwrap();
    let tree = place.path().join("t");
    fs::create_dir_all(tree.join(".hidden")).unwrap();
    fs::create_dir_all(tree.join("out")).unwrap();
    for (name, size) in [(".hidden/a", 1), ("out/b", 10), ("c.log", 100), ("d", 1000)] {
        fs::write(tree.join(name), vec![b'x'; size]).unwrap();
    }
    fs::write(tree.join(".ignore"), "out/\n*.log\n").unwrap();
    let sum = |words: &[&str]| lines(place.path(), &[&["-bs", "t"], words].concat());
    let rules = 11;
    for (words, bytes) in [
        (&[][..], 1111 + rules),
        (&["--no-hidden"], 1110),
        (&["--ignore"], 1001 + rules),
        (&["--no-hidden", "--ignore"], 1000),
        (&["--no-hidden", "--hidden"], 1111 + rules),
        (&["--ignore", "--no-ignore"], 1111 + rules),
    ] {
        assert_eq!(sum(words), [format!("{bytes}\tt")], "{words:?}");
    }
    // A named directory counts, although it is hidden.
    assert_eq!(lines(place.path(), &["-bs", "--no-hidden", "t/.hidden"]), ["1\tt/.hidden"]);
}
