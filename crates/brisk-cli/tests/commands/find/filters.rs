//! Which entries are results.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::scene::{Scene, TREE, stderr, stdout};

#[test]
fn regexes_exclude_with_everything_below() {
    let scene = Scene::new(TREE);
    let kept = scene.sorted(&["find", "--exclude-regex", "^a/b$", "--exclude-regex", "^c"]);
    assert_eq!(kept, ["a-b", "a/", "a/a", "b/", "b/x"]);
    let kept = scene.lines(&["find", "--exclude-regex", "^b", "", "a"]);
    assert_eq!(kept, ["a/a"], "the path is the one below the search path");
}

#[test]
fn limits_on_change_and_birth_times() {
    let scene = Scene::new(&["a"]);
    for (flag, kept) in [
        ("--ctime-within=1h", 1),
        ("--ctime-before=1h", 0),
        ("--created-within=1h", 1),
        ("--created-before=1h", 0),
    ] {
        assert_eq!(scene.lines(&["find", flag]).len(), kept, "{flag}");
    }
}

#[test]
fn minimum_depth_does_not_open_what_is_ignored() {
    let scene = Scene::new(&[".hidden/a/b", "shown/a/b"]);
    assert_eq!(scene.lines(&["find", "--min-depth", "3"]), ["shown/a/b"]);
}

/// In names, `?` and a class stand for a character. fd 10.5 compares bytes.
#[test]
fn globs_match_characters() {
    let scene = Scene::new(&["é", "à", "z", "-", "test", "test2"]);
    for (glob, found) in [
        ("?", &["./-", "z", "à", "é"][..]),
        ("??", &[]),
        ("[!z]", &["./-", "à", "é"]),
        ("[é]*", &["é"]),
        ("[a\\-z]", &["./-", "z"]),
        ("test{,2}", &["test", "test2"]),
    ] {
        assert_eq!(scene.sorted(&["find", "-g", glob]), found, "{glob}");
        let mut left = scene.sorted(&["find"]);
        left.retain(|name| !found.contains(&name.as_str()));
        assert_eq!(scene.sorted(&["find", "-E", glob]), left, "{glob}");
    }
    let script = format!("exec -a fd {} -g '??'", env!("CARGO_BIN_EXE_brisk"));
    let fd = scene.prepared(Command::new("bash"), &["-c", &script]).output().unwrap();
    let mut lines = stdout(&fd);
    lines.sort();
    assert_eq!(lines, ["à", "é"]);
    // git's rules compare bytes.
    fs::write(scene.tree().join(".ignore"), "?\n").unwrap();
    assert_eq!(scene.sorted(&["find"]), ["test", "test2", "à", "é"]);
}

/// Byte strings as names: find must list them all.
#[cfg(target_os = "linux")]
#[test]
fn a_dot_matches_every_byte() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new(&["a", "\u{e9}"]);
    let names: [&[u8]; 4] = [b"\xff", b"\xc3", b"b\xfe.rs", b"\xffdir"];
    names.iter().for_each(|name| {
        fs::write(scene.tree().join(OsStr::from_bytes(name)), "").unwrap();
    });
    let link = scene.path("fd");
    symlink(env!("CARGO_BIN_EXE_brisk"), &link).unwrap();
    for (words, count) in [
        (&["."][..], 6),
        (&["", "."], 6),
        (&["^.$"], 4),
        (&["^[^x]+$"], 6),
        (&["^..rs$"], 0),
        (&["^b..rs$"], 1),
        (&["-i", "^B.\\.RS$"], 1),
        (&[r"^\W+$"], 2),
        (&[r"^\w+$"], 2),
        (&["-p", "tree/.$"], 4),
        (&["--and", "^.", "."], 6),
        (&["-g", "*"], 6),
        (&["-g", "b?.rs"], 1),
        (&["--exclude-regex", "^.$"], 2),
    ] {
        let own = scene.command(&[&["find"], words].concat()).output().unwrap();
        let as_fd = scene.prepared(Command::new(&link), words).output().unwrap();
        for output in [own, as_fd] {
            let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(lines, count, "{words:?}: {output:?}");
        }
    }
}

/// What the rules leave out, as git lists it, narrowed by filters.
#[test]
fn ignored_lists_what_rules_leave_out_and_nothing_else() {
    let scene = Scene::new(&[
        "a.log",
        "src/b.log",
        "src/c.rs",
        "build/out/x",
        "build/y",
        ".cache/d.log",
        ".cache/f",
        "keep/e",
        ".hid",
    ]);
    fs::write(scene.tree().join(".gitignore"), "*.log\nbuild\n").unwrap();
    fs::write(scene.tree().join("src/b.log"), "four").unwrap();
    fs::create_dir(scene.tree().join(".git")).unwrap();
    let all = [".cache/d.log", "a.log", "build/", "src/b.log"];
    for order in ["none", "sorted", "depth", "breadth"] {
        assert_eq!(scene.sorted(&["find", "--ignored", "--order", order]), all, "{order}");
    }
    for (words, expected) in [
        (&["-e", "log"][..], &[".cache/d.log", "a.log", "src/b.log"][..]),
        (&["-t", "d"], &["build/"]),
        (&["-S", "+1b"], &["src/b.log"]),
        (&["--format", "{size} {/}", "-t", "f", "b"], &["4 b.log"]),
        (&["--where", "-name 'b*' ! -size 0"], &["build/", "src/b.log"]),
        (&["--exclude", "keep"], &[".cache/d.log", "a.log", "build/", "keep/", "src/b.log"]),
        (&["--no-ignore-vcs"], &[]),
        (&["--count"], &["4"]),
    ] {
        let got = scene.sorted(&[&["find", "--ignored"], words].concat());
        assert_eq!(got, expected, "{words:?}");
    }
    // Without a repository the rules do not count.
    fs::remove_dir(scene.tree().join(".git")).unwrap();
    let told = scene.run(&["find", "--ignored"]);
    assert!(stderr(&told).contains("--no-require-git obeys it anywhere"), "{}", stderr(&told));
    assert_eq!(scene.sorted(&["find", "--ignored", "--no-require-git"]), all);
    fs::create_dir(scene.tree().join(".git")).unwrap();
    let git = scene.prepared(Command::new("sh"), &["-c", GIT]).output().unwrap();
    if git.status.success() {
        let mut listed = stdout(&git);
        listed.sort();
        assert_eq!(listed, all);
    }
    let refused = scene.run(&["find", "--ignored", "-u"]);
    assert!(stderr(&refused).contains("cannot be used with '--"), "{}", stderr(&refused));
}

const GIT: &str = "rmdir .git && git init -q . \
    && git ls-files --others --ignored --exclude-standard --directory";
