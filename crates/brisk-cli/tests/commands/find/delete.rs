//! `brisk find --delete` removes exactly what the same command lists.

use std::fs;
use std::process::{Command, Output};

use testkit::{Installation, brisk, listed, stderr, stdout};

fn plant() -> Installation {
    let place = Installation::new();
    for dir in ["keep/old", "build/obj", "build/deep/obj"] {
        fs::create_dir_all(place.path("t").join(dir)).unwrap();
        for file in ["a.o", "b.c", ".hidden.o"] {
            fs::write(place.path("t").join(dir).join(file), "").unwrap();
        }
    }
    std::os::unix::fs::symlink("keep", place.path("t/obj-link.o")).unwrap();
    place
}

fn find(place: &Installation, words: &[&str]) -> Output {
    Command::new(brisk())
        .arg("find")
        .args(words)
        .current_dir(place.path("t"))
        .env("XDG_CONFIG_HOME", place.path("config"))
        .output()
        .unwrap()
}

#[test]
fn what_is_listed_is_what_goes() {
    for words in
        [&["-e", "o"][..], &["-u", "-e", "o"], &["-t", "f", ""], &["-u", "."], &["a", "build"]]
    {
        let place = plant();
        let before = listed(&place.path("t"));
        let told = stdout(&find(&place, words));
        let gone: Vec<_> = told.lines().map(|line| line.trim_end_matches('/')).collect();
        assert!(!gone.is_empty(), "{words:?}");
        let output = find(&place, &[words, &["--delete"]].concat());
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "");
        let left = listed(&place.path("t"));
        let root = format!("{}/", place.path("t").display());
        let expected: Vec<_> = before
            .into_iter()
            .filter(|path| !gone.contains(&path.strip_prefix(&root).unwrap_or("")))
            .collect();
        assert_eq!(left, expected, "{words:?}");
    }
}

/// A dry run lists the same, and what is told of the removal counts it.
#[test]
fn a_dry_run_lists_and_the_removal_tells_how_many_went() {
    let place = plant();
    let before = listed(&place.path("t"));
    let lists = stdout(&find(&place, &["-e", "o", "build"]));
    assert_eq!(stdout(&find(&place, &["-e", "o", "build", "--delete", "--dry-run"])), lists);
    let listed_lines = stdout(&find(&place, &["-u", "-e", "o"]));
    let dry = find(&place, &["-u", "-e", "o", "--delete", "--dry-run"]);
    assert_eq!((stdout(&dry), stderr(&dry)), (listed_lines.clone(), String::new()));
    assert_eq!(listed(&place.path("t")), before, "nothing went");
    let count = listed_lines.lines().count();
    let output = find(&place, &["-u", "-e", "o", "--delete", "--stats"]);
    assert_eq!(stderr(&output).lines().next(), Some(format!("removed {count} entries").as_str()));
    let shown = stderr(&find(&place, &["-u", ".", "--delete", "--progress=always"]));
    let rest = before.len() - 1 - count;
    assert!(shown.contains(&format!("removed {rest} entries\n")), "{shown}");
    let output = find(&place, &["-u", ".", "--delete"]);
    assert_eq!(stderr(&output), "", "a pipe is told nothing");
}

#[test]
fn what_chooses_nothing_removes_nothing() {
    let place = plant();
    let before = listed(&place.path("t"));
    for words in ["", "-u", "-d1 -E keep", "--prune", "--dry-run"] {
        let words: Vec<_> = words.split_whitespace().chain(["--delete"]).collect();
        let output = find(&place, &words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let why = "'--delete' needs a pattern or a filter; the pattern '.' matches every name";
        assert_eq!(stderr(&output), format!("brisk: {why}\n"), "{words:?}");
    }
    assert_eq!(listed(&place.path("t")), before);
    let output = find(&place, &["--delete", "."]);
    assert!(output.status.code() == Some(1) && !place.path("t/keep/old/a.o").exists());
}

#[test]
fn a_directory_that_is_not_empty_stays_and_is_named() {
    let place = plant();
    let output = find(&place, &["^obj$", "--delete"]);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("cannot remove") && told.contains("build/obj"), "{told}");
    assert!(place.path("t/build/obj/a.o").exists());
}

/// Configuration must not remove anything.
#[test]
fn configuration_cannot_delete() {
    let place = plant();
    fs::create_dir_all(place.path("config/brisk")).unwrap();
    let file = place.path("config/brisk/config.toml");
    fs::write(file, "[find]\noptions = ['--delete']\n").unwrap();
    let output = find(&place, &["a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("accepted only on the command line"), "{}", stderr(&output));
    assert!(place.path("t/keep/old/a.o").exists());
}

#[test]
fn a_mount_point_is_named_and_left() {
    let script = "mkdir -p a/m; mount -t tmpfs none a/m; touch a/m/f; \
        \"$B\" find -u --delete -e o . a; \"$B\" find -u --delete . a; ls a/m";
    let Some(output) = Installation::new().script("a_mount_point_is_named_and_left", script) else {
        return;
    };
    assert_eq!(stdout(&output), "f\n");
    let told = stderr(&output);
    let lines: Vec<&str> = told.lines().collect();
    let named = "brisk: not entering 'a/m': it is a mount point";
    assert_eq!(lines[..2], [named, named], "{told}");
    assert_eq!(lines[2], "brisk: cannot remove 'a/m': Device or resource busy", "{told}");
    assert_eq!(lines.len(), 3, "{told}");
}
