//! `brisk bench`: every method is listed and agrees; the page renders in a browser, if there is one.

#![cfg(target_os = "linux")]

use std::fs;
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
    for wanted in ["brisk find -u --order sorted", "find ", "the pace chose", "203 entries"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}

/// Debian's chromium, headless: the page is whole, shows every method, and complains of nothing.
#[test]
fn the_page_renders_in_a_browser() {
    let place = tree();
    let page = place.path().with_extension("html");
    bench(&["attrs", "--runs=1", "--html", page.to_str().expect("UTF-8")], place.path());
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
        println!("left out: the page in a browser (chromium is not installed)");
        return;
    };
    let (dom, log) =
        (String::from_utf8_lossy(&rendered.stdout), String::from_utf8_lossy(&rendered.stderr));
    assert!(dom.contains("</html>") && dom.contains("class=\"bar\""), "{dom}\n{log}");
    for name in METHODS {
        assert!(dom.contains(name), "{name}");
    }
    assert!(!log.contains("CONSOLE"), "{log}");
}
