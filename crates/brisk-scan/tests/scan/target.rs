//! The file that is written: when it appears, what is left out, and what remains after a failure.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use testkit::{brisk_scan, left_out, obedient, stderr};

use crate::{printed, scan, tree};

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn paths(csv: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(csv).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn the_file_itself_and_the_one_that_it_replaces_are_left_out() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("d")).unwrap();
    fs::create_dir(place.path().join(".brisk-tmp-0123456789abcdef")).unwrap();
    let temporary = ".brisk-tmp-0123456789abcdee";
    for file in ["x.csv", "d/x.csv", "y", temporary, ".brisk-tmp-0123456789abcdef/f"] {
        fs::write(place.path().join(file), "old").unwrap();
    }
    for output in ["x.csv", "./d/../x.csv"] {
        printed(place.path(), &["-o", output, "--columns", "path", "."]);
        let mut told = paths(&fs::read(place.path().join("x.csv")).unwrap());
        told.sort();
        let directory = "./.brisk-tmp-0123456789abcdef";
        let expected = [".", directory, &format!("{directory}/f"), "./d", "./d/x.csv", "./y"];
        assert_eq!(told, expected, "{output}");
    }
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let place = tree();
    fs::write(place.path().join("real.csv"), "old").unwrap();
    std::os::unix::fs::symlink("real.csv", place.path().join("x.csv")).unwrap();
    printed(place.path(), &["-o", "x.csv", "--columns", "path", "t"]);
    assert!(place.path().join("x.csv").is_symlink());
    assert!(fs::read_to_string(place.path().join("real.csv")).unwrap_or_default() != "old");
}

#[test]
fn an_empty_tree_has_one_row_in_each_form() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    for form in ["parquet", "arrow", "csv", "jsonl"] {
        printed(place.path(), &["-o", &format!("x.{form}"), "t"]);
        assert!(place.path().join(format!("x.{form}")).metadata().unwrap().len() > 0);
        // No row at all.
        printed(place.path(), &["-o", &format!("y.{form}"), "-e", "none", "t"]);
    }
    let file = brisk_table::Scan::of(fs::File::open(place.path().join("y.parquet")).unwrap(), &[])
        .unwrap();
    assert_eq!(file.groups(), 0);
    assert_eq!(fs::read_to_string(place.path().join("x.csv")).unwrap().lines().count(), 2);
}

#[test]
fn a_directory_that_cannot_be_read_has_its_row() {
    let Some(mut command) = obedient(brisk_scan()) else {
        return left_out("an unreadable directory", "root cannot give up its rights");
    };
    let place = tree();
    let closed = place.path().join("t/a");
    testkit::run("chmod", &["0", closed.to_str().unwrap()]);
    let words = ["scan", "-o", "x.csv", "--columns", "path", "t"];
    let output = command.args(words).current_dir(place.path()).output().unwrap();
    testkit::run("chmod", &["755", closed.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "brisk: cannot open directory 't/a': Permission denied\n");
    let told = paths(&fs::read(place.path().join("x.csv")).unwrap());
    assert!(told.contains(&"t/a".to_owned()) && told.contains(&"t/zero".to_owned()));
    assert!(!told.iter().any(|path| path.starts_with("t/a/")));
}

#[test]
fn a_missing_root_replaces_no_table() {
    let place = tree();
    fs::write(place.path().join("x.csv"), "old").unwrap();
    for (root, why) in [("none", "No such file or directory"), ("t/zero", "Not a directory")] {
        let output = scan(place.path(), &["-o", "x.csv", "t", root]);
        assert_eq!(output.status.code(), Some(1));
        let told = format!("brisk: cannot scan '{root}': {why}; nothing was written\n");
        assert_eq!(stderr(&output), told);
    }
    assert_eq!(fs::read_to_string(place.path().join("x.csv")).unwrap(), "old");
    assert_eq!(names(place.path()), ["t", "x.csv"]);
}

#[test]
fn what_cannot_be_written_is_said() {
    let place = tree();
    for (words, code) in [
        (&["-o", "none/x.csv", "t"][..], 1),
        (&["-o", "t", "--as", "csv", "t"], 1),
        (&["-o", "x.txt", "t"], 2),
        (&["-o", "-", "t"], 2),
        (&["t"], 2),
        (&["-o", "x.csv", "-S", "frob", "t"], 2),
    ] {
        let output = scan(place.path(), words);
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        assert!(stderr(&output).starts_with("brisk: "), "{words:?}");
    }
    assert_eq!(names(place.path()), ["t"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for form in ["parquet", "arrow", "csv", "jsonl"] {
        let mut command = Command::new(brisk_scan());
        command.args(["scan", "-o", "-", "--as", form, "t"]).current_dir(place.path());
        let output = command.stdout(full.try_clone().unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{form}");
        assert_eq!(stderr(&output), "brisk: cannot write '-': No space left on device\n", "{form}");
    }
}

#[test]
fn a_pipe_is_written_as_it_is() {
    let place = tree();
    let pipe = place.path().join("p.csv");
    testkit::run("mkfifo", &[pipe.to_str().unwrap()]);
    let mut scan = Command::new(brisk_scan())
        .args(["scan", "-o", "p.csv", "--columns", "path", "-d", "0", "t"])
        .current_dir(place.path())
        .spawn()
        .unwrap();
    let mut told = String::new();
    fs::File::open(&pipe).unwrap().read_to_string(&mut told).unwrap();
    assert!(scan.wait().unwrap().success());
    assert_eq!(told, "path\nt\n");
}

#[test]
fn an_interrupted_scan_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        let place = tree();
        fs::write(place.path().join("x.parquet"), "old").unwrap();
        // Hashing this takes minutes.
        fs::File::create(place.path().join("t/large")).unwrap().set_len(1 << 42).unwrap();
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM", brisk_scan()]);
        command.args(["scan", "--hash=blake3", "-o", "x.parquet", "t"]).current_dir(place.path());
        let mut scan = command.stderr(Stdio::piped()).spawn().unwrap();
        while names(place.path()).len() < 3 {
            std::thread::yield_now();
        }
        testkit::run("kill", &[&format!("-{signal}"), &scan.id().to_string()]);
        let code = scan.wait().unwrap().code();
        let mut told = String::new();
        scan.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(code, Some(if signal == "INT" { 130 } else { 143 }));
        assert_eq!(told, "brisk: interrupted: nothing was written\n");
        assert_eq!(names(place.path()), ["t", "x.parquet"]);
        assert_eq!(fs::read_to_string(place.path().join("x.parquet")).unwrap(), "old");
    }
}
