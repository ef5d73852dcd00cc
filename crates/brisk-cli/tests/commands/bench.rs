//! `brisk bench`: every method is listed and agrees with the others.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use testkit::{Installation, is_root, stderr};

const METHODS: [&str; 9] = [
    "getdents64 alone",
    "getdents64 + statx, SIZE and MTIME",
    "getdents64 + statx, everything",
    "getdents64 + fstatat",
    "readdir + lstat of the path",
    "std::filesystem: readdir + stat of the path",
    "std::fs read_dir + DirEntry::metadata",
    "std::fs read_dir + symlink_metadata of the path",
    "brisk",
];

fn bench(words: &[&str], dir: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
    let output = command.arg("bench").args(words).arg(dir).output();
    let output = output.expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a scratch directory");
    for at in 0..200_usize {
        fs::write(place.path().join(format!("f{at}")), "x".repeat(at)).expect("a file");
    }
    fs::create_dir(place.path().join("d")).expect("a directory");
    fs::write(place.path().join("d/<b>&"), "").expect("a file");
    fs::hard_link(place.path().join("f1"), place.path().join("d/f1")).expect("a second link");
    std::os::unix::fs::symlink("f1", place.path().join("l")).expect("a link");
    place
}

#[test]
fn every_way_of_asking_is_listed_and_agrees() {
    let place = tree();
    let text = bench(&["attrs", "--runs=2"], place.path());
    assert!(!text.contains("DISAGREEMENT"), "{text}");
    let json = bench(&["attrs", "--runs=2", "--json"], place.path());
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["entries"], 202);
    let methods = report["methods"].as_array().expect("a list");
    for name in METHODS {
        assert!(text.contains(name), "{name} in {text}");
        let method = methods.iter().find(|method| method["name"] == name).expect(name);
        assert_eq!(method["seconds"].as_array().map(Vec::len), Some(3), "{name}");
    }
}

/// A table for each number of files, and directories that are gone afterwards.
#[test]
fn directories_are_made_for_each_number_of_files() {
    let place = tree();
    let words = ["attrs", "--runs=2", "--files=30,20"];
    let text = bench(&words, &place.path().join("d"));
    for files in [20, 30] {
        let heading = format!("\n{files} files. Name, type, size and time\n");
        let (_, table) = text.split_once(&heading).expect(&heading);
        let mut rows = table.split("\n\n").next().expect("a table").lines();
        let columns: Vec<&str> = rows.next().expect("a heading").split_whitespace().collect();
        assert_eq!(columns, ["first", "min", "median", "max", "ratio", "calls/entry"]);
        assert_eq!(rows.count(), METHODS.len() - 1, "{table}");
    }
    assert!(text.contains("20 files. One enumeration with buffers of several sizes"), "{text}");
    let left = fs::read_dir(place.path()).expect("readable").flatten();
    assert!(left.map(|it| it.file_name()).all(|name| !name.as_encoded_bytes().starts_with(b".")));
    let json = bench(&[&words[..], &["--json"]].concat(), &place.path().join("d"));
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["entries"], 50);
}

#[test]
fn programs_list_the_same_tree() {
    let place = tree();
    let text = bench(&["walk", "--runs=1"], place.path());
    assert!(!text.contains("DISAGREEMENT"), "{text}");
    for wanted in [
        "brisk find -u --order=sorted . DIR",
        "\nfind DIR ",
        "204 entries",
        if crate::bench_calls::is_installed("sbcl") { "\nsbcl " } else { "" },
    ] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}

/// A directory with programs of these names, each a link to the installed program, or a script. For
/// a program that is not installed, another one stands in.
fn installed(programs: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a scratch directory");
    for (name, stands_for) in programs {
        let path = place.path().join(name);
        fs::write(&path, format!("#!/bin/sh\nexec /usr/bin/env PATH=/usr/bin:/bin {stands_for}\n"))
            .expect("a script");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("a mode");
    }
    place
}

/// The JSON report of a measurement with these programs alone.
fn report(words: &[&str], dir: &Path, programs: &[(&str, &str)]) -> serde_json::Value {
    let bin = installed(programs);
    let output = Command::new(env!("CARGO_BIN_EXE_brisk"))
        .args(["bench", words[0], "--runs=2", "--json"])
        .args(&words[1..])
        .arg(dir)
        .env("PATH", bin.path())
        .output()
        .expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The methods' names in the order of the report, with their groups; each was measured twice.
fn methods(report: &serde_json::Value) -> Vec<(&str, &str)> {
    let methods = report["methods"].as_array().expect("a list");
    for method in methods {
        assert_eq!(method["failure"], serde_json::Value::Null, "{method}");
        assert_eq!(method["seconds"].as_array().map(Vec::len), Some(3), "{method}");
        assert!(method["first_seconds"].as_f64().is_some_and(|time| time > 0.0), "{method}");
        assert!(method["median_seconds"].as_f64().is_some_and(|time| time > 0.0), "{method}");
    }
    methods
        .iter()
        .map(|method| {
            (method["group"].as_str().expect("text"), method["name"].as_str().expect("text"))
        })
        .collect()
}

#[test]
fn a_directory_is_listed_by_every_program_there_is() {
    let place = tree();
    let programs = [
        ("ls", "ls \"$@\""),
        ("eza", "true"),
        ("lsd", "true"),
        ("strace", "false"),
        ("rm", "false"),
    ];
    let report = report(&["ls"], place.path(), &programs);
    assert_eq!(report["entries"], 202);
    assert_eq!(report["disagreements"], serde_json::json!([]));
    let names = "Names, one a line";
    let colors = "Names in colours";
    let details = "Details: -l";
    let mut listed = methods(&report);
    listed.retain(|(_, name)| !name.starts_with("brisk"));
    // Within a group, the fastest comes first.
    listed.sort_by_key(|(group, name)| ([names, colors, details].map(|it| it != *group), *name));
    let expected = [
        (names, "eza -1a DIR"),
        (names, "ls -1A DIR"),
        (names, "lsd -1A DIR"),
        (colors, "eza -1a --color=always DIR"),
        (colors, "ls -1A --color=always DIR"),
        (colors, "lsd -1A --color=always DIR"),
        (details, "eza -la DIR"),
        (details, "ls -lA DIR"),
        (details, "lsd -lA DIR"),
    ];
    assert_eq!(listed, expected);
    for group in [names, colors, details] {
        assert!(methods(&report).iter().any(|it| it.0 == group && it.1.starts_with("brisk")));
    }
}

#[test]
fn a_program_that_lists_something_else_is_named() {
    let place = tree();
    let bin = installed(&[("ls", "echo surprise")]);
    let output = Command::new(env!("CARGO_BIN_EXE_brisk"))
        .args(["bench", "ls", "--runs=1"])
        .arg(place.path())
        .env("PATH", bin.path())
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("DISAGREEMENT: ls -1A DIR lists 1 entries, and brisk 202"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

/// Everything that a reader needs to repeat the measurement.
#[test]
fn a_report_has_the_date_the_range_and_the_command_lines() {
    let place = tree();
    let dir = place.path().to_str().expect("UTF-8");
    let report = report(&["ls"], place.path(), &[("ls", "ls \"$@\"")]);
    assert!(report["machine"]["date"].as_str().is_some_and(|date| date.ends_with(" UTC")));
    let methods = report["methods"].as_array().expect("a list");
    let ls = methods.iter().find(|method| method["name"] == "ls -1A DIR").expect("there");
    assert_eq!(ls["command"], serde_json::json!(["ls", "-1A", dir]));
    assert!(ls["peak_bytes"].as_f64() > Some(0.0) && ls["ratio"].as_f64() > Some(0.0), "{ls}");
    for method in methods {
        let seconds = |name: &str| method[name].as_f64().expect("a number");
        let least = seconds("min_seconds");
        let most = seconds("max_seconds");
        assert!(least <= seconds("median_seconds") && seconds("median_seconds") <= most);
        let runs = method["seconds"].as_array().expect("a list");
        assert!(runs.contains(&least.into()) && runs.contains(&most.into()), "{method}");
    }
    let text = bench(&["ls", "--runs=1"], place.path());
    let columns = ["first", "min", "median", "max", "ratio", "user", "system", "MiB"];
    assert!(text.lines().any(|line| line.split_whitespace().eq(columns)), "{text}");
}

#[test]
fn commands_of_the_user_s_own_are_hyperfine_s() {
    let output = Command::new(env!("CARGO_BIN_EXE_brisk"))
        .args(["bench", "run", "--", "true", "--", "false"])
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "brisk: to compare commands of your own, use hyperfine(1)\n");
}

/// The caches are the whole machine's, so they stay unless the user says otherwise.
#[test]
fn caches_are_dropped_only_where_that_is_asked_for_and_allowed() {
    let place = Installation::new();
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    for (option, code, errors) in [
        ("", 0, ""),
        (
            "--drop-caches",
            1,
            "brisk: cannot drop caches by '/proc/sys/vm/drop_caches': Permission denied\n",
        ),
    ] {
        let script = format!("{user} ../bin/brisk bench attrs --runs=1 {option}");
        let output =
            Command::new("sh").args(["-c", &script]).current_dir(place.path("t")).output().unwrap();
        assert_eq!((output.status.code(), &*stderr(&output)), (Some(code), errors), "{script}");
    }
}

/// util-linux's script(1) provides the terminal, whose text it copies to its own output.
#[test]
fn progress_is_shown_on_a_terminal_and_erased() {
    let command = "\"$BRISK\" bench ls --runs=2 . >/dev/null";
    let output = Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .env("BRISK", env!("CARGO_BIN_EXE_brisk"))
        .output()
        .expect("script is installed");
    let shown = String::from_utf8_lossy(&output.stdout);
    let rounds = ["round 1 of 3", "round 3 of 3"];
    for wanted in rounds {
        assert!(shown.contains(&format!("\r\x1b[Kbrisk bench: {wanted}")), "{shown:?}");
    }
    assert!(shown.ends_with("\r\x1b[K"), "{shown:?}");
}
