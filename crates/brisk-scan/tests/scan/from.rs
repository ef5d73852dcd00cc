//! `--from`: the rows of a table, in order, and with sums.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use brisk_table::{Column, Scan};
use testkit::{left_out, obedient, stderr};

use crate::{printed, scan, tree};

/// The lines of a table in JSON, sorted.
fn lines(dir: &Path, words: &[&str]) -> Vec<String> {
    let text = printed(dir, &[&["-o", "-", "--as", "jsonl"], words].concat());
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// A larger tree: directories with many files, and many with few.
fn grow(top: &Path) {
    for directory in 0..300 {
        let dir = top.join(format!("many/{}/{directory}!", directory % 7));
        fs::create_dir_all(&dir).unwrap();
        for file in 0..directory % 13 {
            fs::write(dir.join(format!("{file} of {directory}")), vec![b'x'; file * 700]).unwrap();
        }
    }
    fs::create_dir(top.join(OsStr::from_bytes(b"bytes \xff"))).unwrap();
    fs::write(top.join(OsStr::from_bytes(b"bytes \xff/in \xfe")), "x").unwrap();
}

#[test]
fn rows_and_sums_are_those_of_a_scan() {
    let place = tree();
    let dir = place.path();
    grow(&dir.join("t"));
    std::os::unix::fs::symlink("t/a", dir.join("l")).unwrap();
    let out = tempfile::tempdir().unwrap();
    let plain = out.path().join("plain.parquet");
    let plain = plain.to_str().unwrap();
    let more = ["--hash", "blake3", "--columns", "+name,parent"];
    // The first reading moves times of access.
    printed(dir, &[&["-o", plain], &more[..], &["."]].concat());
    for roots in [&["t"][..], &["t/"], &["./t", "t/a-b"], &["t", "./t/a", "t/a", "l"], &["."]] {
        printed(dir, &[&["-o", plain], &more[..], roots].concat());
        let expected = lines(dir, &[&more[..], roots].concat());
        assert_eq!(lines(dir, &["--from", plain]), expected, "{roots:?}");
        let expected = lines(dir, &[&["--sums"], &more[..], roots].concat());
        assert_eq!(lines(dir, &["--from", plain, "--sums"]), expected, "{roots:?}");
        // The sums of a table are no columns that it keeps, and are no hindrance.
        let sums = out.path().join("sums.parquet");
        let sums = sums.to_str().unwrap();
        printed(dir, &["--from", plain, "--sums", "-o", sums]);
        assert_eq!(lines(dir, &["--from", sums, "--sums"]), expected, "{roots:?}");
    }
    let some = ["--columns", "path,below_bytes,user"];
    assert_eq!(lines(dir, &[&["--from", plain], &some[..]].concat()), lines(dir, &some));
    let added = lines(dir, &["--from", plain, "--columns", "+below_entries"]);
    let has = |key: &str| added.iter().any(|row| row.contains(key));
    assert!(has("below_entries") && has("blake3") && !has("below_bytes"));
}

#[test]
fn a_data_set_is_as_one_table() {
    let place = tree();
    let dir = place.path();
    grow(&dir.join("t"));
    // The first reading moves times of access.
    printed(dir, &["-o", "x.parquet", "t"]);
    let roots = ["t", "t/a"];
    let begun = ["--continue", "--budget-entries=40", "-o", "out/"];
    printed(dir, &[&begun[..], &roots].concat());
    assert!(fs::read_dir(dir.join("out")).unwrap().count() > 10);
    let expected = lines(dir, &[&["--sums"], &roots[..]].concat());
    assert_eq!(lines(dir, &["--from", "out", "--sums"]), expected);
    printed(dir, &["--from", "out/", "-o", "y.parquet"]);
    printed(dir, &[&["-o", "z.parquet"], &roots[..]].concat());
    for key in ["roots", "absolute_roots", "unread", "errors", "host", "version", "file_systems"] {
        let get = |name| {
            let file = fs::File::open(dir.join(name)).unwrap();
            Scan::of(file, &[]).unwrap().get(&format!("brisk.{key}")).map(str::to_owned)
        };
        assert_eq!(get("y.parquet"), get("z.parquet"), "{key}");
    }
    // A data set without rows.
    printed(dir, &["--continue", "-o", "none/", "-e", "none", "t"]);
    assert_eq!(lines(dir, &["--from", "none"]), [""; 0]);
}

#[test]
fn rows_come_in_order() {
    let place = tree();
    grow(&place.path().join("t"));
    let paths = |words: &[&str]| {
        let words = [words, &["-o", "-", "--as", "csv", "--columns", "path"]].concat();
        printed(place.path(), &words)
    };
    // As it is made, a table this small is one row group, and in order.
    printed(place.path(), &["-o", "whole.parquet", "t"]);
    let expected = paths(&["--from", "whole.parquet"]);
    assert_eq!(expected, paths(&["-j1", "t"]));
    printed(place.path(), &["--from", "whole.parquet", "-o", "again.parquet"]);
    assert_eq!(paths(&["--from", "again.parquet"]), expected);
    let open = |name: &str| {
        let file = fs::File::open(place.path().join(name)).unwrap();
        Scan::of(file, &[Column::Path]).unwrap()
    };
    for key in ["roots", "absolute_roots", "unread", "volumes", "began", "host", "version"] {
        let get = |name| open(name).get(&format!("brisk.{key}")).map(str::to_owned);
        assert_eq!(get("again.parquet"), get("whole.parquet"), "{key}");
        assert!(get("again.parquet").is_some(), "{key}");
    }
}

#[test]
fn what_could_not_be_read_has_its_row() {
    let Some(mut command) = obedient(testkit::brisk_scan()) else {
        return left_out("an unreadable directory", "root cannot give up its rights");
    };
    let place = tree();
    let closed = place.path().join("t/a");
    testkit::run("chmod", &["0", closed.to_str().unwrap()]);
    let words = ["scan", "-o", "x.parquet", "t"];
    let output = command.args(words).current_dir(place.path()).output().unwrap();
    testkit::run("chmod", &["755", closed.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let rows = lines(place.path(), &["--from", "x.parquet", "--sums"]);
    let closed: Vec<_> = rows.iter().filter(|row| row.contains("\"path\":\"t/a\"")).collect();
    assert!(matches!(closed[..], [row] if row.contains("\"below_entries\":0")), "{closed:?}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let place = tree();
    printed(place.path(), &["-o", "x.parquet", "--columns", "path,type,user", "t"]);
    printed(place.path(), &["-o", "less.parquet", "--columns", "path,type", "t"]);
    fs::write(place.path().join("torn.parquet"), "PAR1").unwrap();
    for (words, code, why) in [
        (&["--from", "x.parquet", "t"][..], 2, "--from takes no directories and no filters"),
        (&["--from", "x.parquet", "-e", "rs"], 2, "--from takes no directories and no filters"),
        (&["--from", "x.parquet", "--hash", "blake3"], 2, "--from"),
        (
            &["--from", "less.parquet", "--sums"],
            1,
            "'less.parquet': the table has no column 'size'",
        ),
        (&["--from", "x.parquet"], 1, "'x.parquet': the table has no column 'uid'"),
        (&["--from", "torn.parquet"], 1, "'torn.parquet': the table is damaged"),
        (&["--from", "none"], 1, "'none': No such file or directory"),
        (&["--from", "t"], 1, "'t': 't' is not a data set of brisk scan"),
    ] {
        let output = scan(place.path(), &[words, &["-o", "y.csv"]].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?} {told}");
        assert!(told.contains(why) && told.lines().count() < 3, "{words:?} {told}");
        assert!(!place.path().join("y.csv").exists());
    }
}
