//! `brisk bench`: every method is listed and agrees with the others; the page renders in a browser,
//! if there is one.

#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const METHODS: [&str; 8] = [
    "getdents64 alone",
    "getdents64 + statx, SIZE and MTIME",
    "getdents64 + statx, everything",
    "getdents64 + fstatat",
    "readdir + lstat of the path",
    "std::fs read_dir + DirEntry::metadata",
    "std::fs read_dir + symlink_metadata of the path",
    "brisk",
];

fn bench(words: &[&str], dir: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
    let output = command.arg("bench").args(words).arg("--keep-caches").arg(dir).output();
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
    std::os::unix::fs::symlink("f1", place.path().join("l")).expect("a link");
    place
}

#[test]
fn every_way_of_asking_is_listed_and_agrees() {
    let place = tree();
    let json = place.path().with_extension("json");
    let text = bench(&["attrs", "--runs=2", "--json", json.to_str().expect("UTF-8")], place.path());
    assert!(!text.contains("DISAGREEMENT"), "{text}");
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(&json).expect("written")).expect("JSON");
    fs::remove_file(&json).expect("removed");
    assert_eq!(report["entries"], 202);
    let methods = report["methods"].as_array().expect("a list");
    for name in METHODS {
        assert!(text.contains(name), "{name} in {text}");
        let method = methods.iter().find(|method| method["name"] == name).expect(name);
        assert_eq!(method["seconds"].as_array().map(Vec::len), Some(2), "{name}");
    }
}

#[test]
fn programs_list_the_same_tree() {
    let place = tree();
    let text = bench(&["walk", "--runs=1"], place.path());
    assert!(!text.contains("DISAGREEMENT"), "{text}");
    for wanted in [
        "brisk find -u --order sorted",
        "brisk find -u, portable backend",
        "find ",
        "the pace chose",
        "203 entries",
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
    let json = bin.path().join("json");
    let output = Command::new(env!("CARGO_BIN_EXE_brisk"))
        .args(["bench", words[0], "--runs=2", "--keep-caches", "--json"])
        .arg(&json)
        .args(&words[1..])
        .arg(dir)
        .env("PATH", bin.path())
        .output()
        .expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&fs::read(&json).expect("written")).expect("JSON")
}

/// The methods' names in the order of the report, with their groups; each was measured twice.
fn methods(report: &serde_json::Value) -> Vec<(&str, &str)> {
    let methods = report["methods"].as_array().expect("a list");
    for method in methods {
        assert_eq!(method["failure"], serde_json::Value::Null, "{method}");
        assert_eq!(method["seconds"].as_array().map(Vec::len), Some(2), "{method}");
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
    let (names, colors, details) = ("Names, one a line", "Names in colours", "Details: -l");
    let mut listed = methods(&report);
    listed.retain(|(_, name)| !name.starts_with("brisk"));
    let expected = [
        (names, "ls -1A DIR"),
        (names, "eza -1a DIR"),
        (names, "lsd -1A DIR"),
        (colors, "ls -1A --color=always DIR"),
        (colors, "eza -1a --color=always DIR"),
        (colors, "lsd -1A --color=always DIR"),
        (details, "ls -lA DIR"),
        (details, "eza -la DIR"),
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
        .args(["bench", "ls", "--runs=1", "--keep-caches"])
        .arg(place.path())
        .env("PATH", bin.path())
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("DISAGREEMENT: ls -1A DIR lists other paths than brisk: 203"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

/// Debian's chromium, headless: the page is whole, shows every method, and reports no error.
#[test]
fn the_page_renders_in_a_browser() {
    let place = tree();
    for (kind, methods) in [("attrs", &METHODS[..]), ("ls", &["brisk ls -lA", "ls -1A DIR"])] {
        renders(kind, methods, place.path());
    }
}

fn renders(kind: &str, methods: &[&str], dir: &Path) {
    let page = dir.with_extension("html");
    bench(&[kind, "--runs=1", "--html", page.to_str().expect("UTF-8")], dir);
    let source = fs::read_to_string(&page).expect("written");
    assert!(!source.contains("http"), "the page needs nothing else");
    let profile = tempfile::tempdir().expect("a scratch directory");
    let rendered = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"])
        .args(["--window-size=390,844", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output();
    let _ = fs::remove_file(&page);
    let Ok(rendered) = rendered else {
        return testkit::left_out("the page in a browser", "there is no chromium");
    };
    let (dom, log) =
        (String::from_utf8_lossy(&rendered.stdout), String::from_utf8_lossy(&rendered.stderr));
    assert!(dom.contains("</html>") && dom.contains("class=\"bar\""), "{dom}\n{log}");
    for name in methods {
        assert!(dom.contains(name), "{name}");
    }
    assert!(!log.contains("CONSOLE"), "{log}");
}
