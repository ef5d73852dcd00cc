//! Lines by size, groups, and names for other programs.

use std::fs;
use std::process::Command;

use testkit::{brisk, stderr, stdout};

use super::{du, lines, tree};

#[test]
fn lines_are_sorted_by_size_and_top_cuts_them() {
    let place = tree();
    let all = lines(place.path(), &["-b", "t"]);
    let names: Vec<&str> = all.iter().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(names, ["t", "t/large", "t/large/in", "t/old", "t/small"]);
    assert_eq!(lines(place.path(), &["-b", "--top", "2", "t"]), all[..2]);
    assert_eq!(lines(place.path(), &["-b", "--min", "100K", "t"]), all[..3]);
}

/// Through a link, an option that GNU du does not have does what it does under brisk's name.
#[test]
fn a_link_ignores_no_option() {
    let place = tree();
    let as_du = |words: &str| {
        let script = format!("exec -a du {} {words}", brisk());
        let output =
            Command::new("bash").args(["-c", &script]).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
        stdout(&output)
    };
    assert_eq!(as_du("-ab --top 2 --extension bin t"), "1300000\tt\n1300000\tt/large\n");
    as_du("--html page t");
    let page = fs::read_to_string(place.path().join("page")).unwrap();
    assert!(page.contains("large"), "the page has rows");
}

#[test]
fn units_are_those_of_gnu() {
    let place = tree();
    for (size, all) in [("+878K", true), ("+879K", false), ("+900KB", true), ("+901KB", false)] {
        let file = ["-ab", "--size", size, "--min=1", "t/large/a.bin"];
        assert_eq!(!lines(place.path(), &file).is_empty(), all, "--size {size}");
        let file = ["-ab", "--min", &size[1..], "t/large/a.bin"];
        assert_eq!(!lines(place.path(), &file).is_empty(), all, "--min {size}");
    }
    for (words, told) in [
        (["--min", "2.9MB"], "brisk: --min takes whole numbers, not '2.9MB'\n"),
        (["--csv", "t"], "'--csv': brisk scan -o - --as csv prints entries as CSV\n"),
    ] {
        let refused = du(place.path(), &words);
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(2) && text.contains(told), "{text}");
    }
    let refused = du(place.path(), &["--size", "+1b"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn what_is_printed_for_rm_is_what_rm_removes() {
    let place = tree();
    let list = du(place.path(), &["--print0", "--older-than", "90d", "t"]);
    assert_eq!(list.stdout, b"t/old\0");
    for (words, why) in [
        (["--print0", "-c"], "--print0 cannot be used with --total\n"),
        (["--print0", "--by=type"], "--print0 cannot be used with --by\n"),
        (["--print0", "--json"], "--print0 cannot be used with --json\n"),
        (["--print0", "--html=page"], "--print0 cannot be used with --html\n"),
        (["--tree", "--json"], "--tree cannot be used with --json\n"),
        (["--tree", "--print0"], "--tree cannot be used with --null and --print0\n"),
        (["--tree", "--time"], "--tree cannot be used with --time\n"),
        (["--json", "-c"], "--json cannot be used with --total\n"),
        (["--json", "--top=1"], "--json cannot be used with --top without --by\n"),
        (["--json", "--html=page"], "--json cannot be used with --html\n"),
        (["--html", "-"], "--html needs a file"),
        (["--min", "-1"], "invalid --min argument"),
    ] {
        let refused = du(place.path(), &words);
        assert_eq!((refused.status.code(), &*refused.stdout), (Some(2), &b""[..]), "{words:?}");
        let said = stderr(&refused);
        assert!(said.starts_with(&format!("brisk: {why}")), "{words:?}: {said}");
    }
    let script = "$0 du --print0 --older-than 90d t | $0 rm -r --files0-from -";
    let words = ["-c", script, brisk()];
    assert!(Command::new("sh").args(words).current_dir(place.path()).status().unwrap().success());
    assert!(!place.path().join("t/old").exists() && place.path().join("t/small/c.rs").exists());
}

#[test]
fn a_sum_that_does_not_fit_is_the_largest_number() {
    let test = "a_sum_that_does_not_fit_is_the_largest_number";
    let Some(place) = testkit::huge_files(test) else { return };
    for rule in [&["-b"][..], &["-b", "-l"], &["-b", "-j4"]] {
        assert_eq!(lines(place.path(), &[rule, &["h"]].concat()), ["Infinity\th"], "{rule:?}");
    }
    let groups = lines(place.path(), &["-b", "--by", "type", "h"]);
    assert_eq!(groups, ["Infinity\tfile", "0\t(directories)"]);
    let object = lines(place.path(), &["--json", "h"]).pop().unwrap();
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(
        (&object["apparent"], &object["own_apparent"]),
        (&u64::MAX.into(), &u64::MAX.into())
    );
    let page = place.path().join("page");
    assert!(du(place.path(), &["-b", "--html", page.to_str().unwrap(), "h"]).status.success());
    assert!(fs::read_to_string(page).unwrap().contains(&format!("{},0,4", u64::MAX)));
    // Two of them fit.
    fs::remove_file(place.path().join("h/c")).unwrap();
    assert_eq!(lines(place.path(), &["-b", "h"]), [format!("{}\th", u64::MAX - 1)]);
}
