//! Contents that decide: files are opened in the directory that lists them, and may be replaced
//! before they are.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use testkit::{brisk, left_out, obedient, stderr, stdout};

use super::scene::{Scene, code};

/// More components of 200 bytes than a path may have.
const DEEP: usize = 25;

#[test]
fn files_beyond_the_longest_path_are_compared_by_contents() {
    let scene = Scene::new();
    scene.script(&format!(
        "mkdir deep; echo 1 >deep/file; echo 2 >deep/touched; d=$(printf %0200d 0)
        for i in $(seq {DEEP}); do mkdir above; mv deep above/$d; mv above deep; done
        mv deep src"
    ));
    let run = || scene.lines("src --content --state s --save s");
    assert_eq!(run().len(), 5 + DEEP + 3);
    assert!(run().is_empty());
    scene.script("find src -name file -execdir sh -c 'echo 3 >file; touch touched' ';'");
    let told = run();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("M\t") && told[0].ends_with("/file"), "{told:?}");
    scene.lines("src --stamp t --state s");
    assert!(!scene.read("t").contains("\tf\t?"), "a file has no digest in the stamp");
}

#[test]
fn contents_of_a_renamed_file_differ_too() {
    let scene = Scene::new();
    scene.lines("src --content --state s --save s");
    scene.rename("src/a", "src/y");
    scene.write("src/y", "gamma");
    scene.rename("src/b", "src/z");
    let fields = scene.lines("src --content --state s --json").into_iter().filter_map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        Some((line["from"].as_str()?.to_owned(), line["fields"].take()))
    });
    let told: Vec<_> = fields
        .map(|(from, fields)| (from, fields.as_array().unwrap().contains(&"content".into())))
        .collect();
    assert_eq!(told, [("src/a".to_owned(), true), ("src/b".to_owned(), false)]);
}

/// A directory becomes a file and a directory again, over and over.
#[test]
fn what_is_replaced_during_a_run_is_not_unknown() {
    let scene = Scene::new();
    scene.script("mkdir src/d/e; echo >src/d/e/f; cp -r src/d src/d2");
    let is_over = AtomicBool::new(false);
    let replace = || {
        let [dir, kept] = ["src/d", "kept"].map(|path| scene.path(path));
        while !is_over.load(Relaxed) {
            fs::rename(&dir, &kept).unwrap();
            fs::write(&dir, "a file").unwrap();
            std::thread::yield_now();
            fs::remove_file(&dir).unwrap();
            fs::rename(&kept, &dir).unwrap();
            std::thread::yield_now();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(replace);
        for words in ["", "--content", "--no-shortcuts"] {
            for _ in 0..40 {
                let output = scene.changed(&format!("src --state s --save s {words}"));
                if code(&output) != Some(0) {
                    is_over.store(true, Relaxed);
                }
                assert_eq!(code(&output), Some(0), "{words}: {}", stderr(&output));
                assert!(!stdout(&output).contains("?\t"), "{words}");
            }
        }
        is_over.store(true, Relaxed);
    });
    scene.lines("src --state s --save s");
    assert!(scene.lines("src --state s --no-shortcuts").is_empty());
}

/// As if another process removed a file, or put a link in its place, once it was asked about.
#[test]
fn a_file_that_is_gone_before_it_is_opened_is_not_unknown() {
    if Command::new("strace").arg("-V").output().is_err() {
        let test = "a_file_that_is_gone_before_it_is_opened_is_not_unknown";
        return left_out(test, "there is no strace");
    }
    for (error, unknown) in [("ENOENT", None), ("ELOOP", None), ("EIO", Some("?\tsrc/a\n"))] {
        let scene = Scene::new();
        scene.lines("src --content --state s --save s");
        scene.write("src/a", error);
        let inject = format!("-P a -e trace=/^openat -e inject=/^openat:error={error}");
        let run = "\"$B\" changed src --content --state s --save s";
        let output = scene.sh(&format!("strace -f -o trace {inject} {run}"));
        assert!(scene.read("trace").contains("(INJECTED)"), "{error}: {}", scene.read("trace"));
        let told = stdout(&output);
        assert_eq!(code(&output), Some(if unknown.is_some() { 2 } else { 0 }), "{error}: {told}");
        assert_eq!(stderr(&output).is_empty(), unknown.is_none(), "{error}");
        assert_eq!(told, unknown.unwrap_or("M\tsrc/a\n"), "{error}");
        // The file is there all the same: now it has a digest.
        let later: &[&str] = if unknown.is_some() { &["M\tsrc/a"] } else { &[] };
        assert_eq!(scene.lines("src --content --state s --save s"), later, "{error}");
        scene.script("touch src/a");
        assert!(scene.lines("src --content --state s").is_empty(), "{error}");
    }
}

/// As if another entry had the name between two calls.
#[test]
fn a_link_that_is_replaced_before_it_is_read_is_not_unknown() {
    if Command::new("strace").arg("-V").output().is_err() {
        let test = "a_link_that_is_replaced_before_it_is_read_is_not_unknown";
        return left_out(test, "there is no strace");
    }
    let scene = Scene::new();
    scene.script("ln -s a src/link");
    scene.lines("src --state s --save s");
    scene.script("ln -sfn b src/link");
    let inject = "-P link -e trace=readlinkat -e inject=readlinkat:error=EINVAL:when=1";
    let output = scene.sh(&format!("strace -f -o trace {inject} \"$B\" changed src --state s"));
    assert!(scene.read("trace").contains("(INJECTED)"), "{}", scene.read("trace"));
    assert_eq!((stdout(&output), stderr(&output)), ("M\tsrc/link\n".to_owned(), String::new()));
}

#[test]
fn contents_of_what_a_filter_refuses_are_not_read() {
    let scene = Scene::new();
    scene.script("chmod 000 src/a");
    let Some(command) = obedient(brisk()) else {
        return left_out("contents_of_what_a_filter_refuses", "root cannot give up its rights");
    };
    let words = ["changed", "src", "-S", "+1k", "--content", "--state", "s", "--save", "s"];
    let output = scene.prepared(command, &words).output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (Some(0), String::new()));
}

/// What is not known is told as `?` in each run, and told when it is known.
#[test]
fn contents_that_cannot_be_read_are_never_accepted() {
    let test = "contents_that_cannot_be_read_are_never_accepted";
    let scene = Scene::new();
    let told = |mode: &str, edit: &str, exit: i32| {
        scene.script(&format!("{edit}; chmod {mode} src/a"));
        let command = obedient(brisk())?;
        let words = ["changed", "src", "-t", "f", "--content", "--state", "s", "--save", "s"];
        let output = scene.prepared(command, &words).output().unwrap();
        assert_eq!(code(&output), Some(exit), "{edit}: {}", stderr(&output));
        Some(stdout(&output).replace('\t', " ").lines().collect::<Vec<_>>().join(", "))
    };
    scene.script("rm -r src/b src/d");
    let Some(first) = told("000", "true", 2) else {
        return left_out(test, "root cannot give up its rights");
    };
    assert_eq!(first, "? src/a, A src/a");
    // (mode, what another process does, the exit code, what is told)
    for (mode, edit, exit, expected) in [
        ("000", "true", 2, "? src/a"),
        ("000", "echo edited >src/a", 2, "? src/a"),
        ("644", "true", 0, "M src/a"),
        ("644", "touch src/a", 0, ""),
        ("000", "echo again >src/a", 2, "? src/a"),
        ("644", "true", 0, "M src/a"),
        ("000", "touch src/a", 2, "? src/a"),
        ("644", "true", 0, ""),
        ("000", "rm src/a; echo >src/a", 2, "? src/a"),
        ("644", "true", 0, "M src/a"),
    ] {
        assert_eq!(told(mode, edit, exit).as_deref(), Some(expected), "{mode}, {edit}");
    }
}
