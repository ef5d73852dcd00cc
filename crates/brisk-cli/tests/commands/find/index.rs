//! `brisk find --index`: the results of a walk, from names that are kept in a file.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{Random, pass_ticks, tree};

use super::scene::{Scene, stderr, stdout};

/// A tree with ignore rules, and a place for the index beside it.
fn scene() -> Scene {
    let files = ["a/one.rs", "a/.hidden", "a/b/two.rs", "a/b/skipped", "a-b", "c/d/e/deep.rs"];
    let scene = Scene::new(&files);
    fs::write(scene.tree().join("a/.ignore"), "skipped\n").unwrap();
    scene
}

fn run(scene: &Scene, words: &[&str]) -> Output {
    scene.run(&[&["find"], words].concat())
}

fn lines(scene: &Scene, words: &[&str]) -> Vec<String> {
    let output = run(scene, words);
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "{words:?}");
    stdout(&output)
}

/// Compares a search with an index with one without.
fn check(scene: &Scene, words: &[&str]) {
    let plain = lines(scene, &[&["--order=sorted"], words].concat());
    let index = ["--index=../index", "--max-buffer-time=60000"];
    let indexed = lines(scene, &[&index, words].concat());
    assert_eq!(indexed, plain, "{words:?}");
}

/// Searches that need names alone, and searches that walk.
const SEARCHES: &[&[&str]] = &[
    &["-u"],
    &[],
    &["-H"],
    &["-I"],
    &["-H", "-E", "*.rs"],
    &["-e", "rs", "-t", "f"],
    &["-u", "--exclude-regex", "^a/b"],
    &["-u", "-d", "2"],
    &["-u", "--min-depth", "2", "--max-depth", "3"],
    &["-u", "-g", "a*", "--prune"],
    &["-u", "--format", "{/} {type} {depth}"],
    &["-u", "--count"],
    &["-u", "-X", "echo"],
    &["-u", "-S", "+1b"],
    &["-u", "", "c"],
];

#[test]
fn the_results_are_those_of_a_walk() {
    let scene = scene();
    let mut random = Random(4);
    for round in 0..8 {
        for words in SEARCHES {
            check(&scene, words);
        }
        edit(&scene.tree(), &mut random, round);
    }
}

fn edit(root: &Path, random: &mut Random, round: usize) {
    let all = tree(root);
    let any = &all[random.below(all.len())];
    let dir = if any.is_dir() { any } else { any.parent().unwrap() };
    let _ = match random.below(5) {
        0 => fs::create_dir(dir.join(format!("new{round}"))),
        1 => fs::write(dir.join(format!("new{round}.rs")), ""),
        2 => fs::write(dir.join(".ignore"), random.pick(&["skipped\n", "*.rs\n", ""])),
        3 if any != root => fs::rename(any, dir.join(format!("moved{round}"))),
        _ => fs::remove_file(any),
    };
}

#[test]
fn an_unchanged_tree_is_not_read() {
    let scene = scene();
    fs::remove_file(scene.tree().join("a/.ignore")).unwrap();
    pass_ticks();
    lines(&scene, &["--index=../index"]);
    let before = fs::metadata(scene.path("index")).unwrap().modified().unwrap();
    let output = run(&scene, &["--index=../index", "--stats=json"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("\"read\":0,"), "{text}");
    let after = fs::metadata(scene.path("index")).unwrap().modified().unwrap();
    assert_eq!(before, after, "it was not written");
}

/// Otherwise the changes that were pending would never be told.
#[test]
fn a_state_is_no_index() {
    let scene = scene();
    let state = scene.path("state");
    let changed = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
        command.args([&["changed", "--state=../state"], words].concat()).env_clear();
        command.current_dir(scene.tree()).output().unwrap().stdout
    };
    changed(&["--save=../state"]);
    let before = fs::read(&state).unwrap();
    fs::remove_file(scene.tree().join("a-b")).unwrap();
    let output = run(&scene, &["--index=../state"]);
    let why = "brisk: cannot use '../state' as an index: the file is a state to compare \
               with, and no index of names\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), why);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(changed(&[]), b"D\ta-b\n");
    // Damaged ones too: the user may have a backup of the state, and a script that names the file.
    for damaged in
        [&before[..before.len() - 1], &[&before[..70], &[!before[70]], &before[71..]].concat()]
    {
        fs::write(&state, damaged).unwrap();
        let output = run(&scene, &["--index=../state"]);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), why);
        assert_eq!(fs::read(&state).unwrap(), damaged);
    }
}

/// An index is a cache: a damaged one is made anew.
#[test]
fn a_damaged_index_is_made_anew() {
    let scene = scene();
    let index = scene.path("index");
    check(&scene, &["-u"]);
    let whole = fs::read(&index).unwrap();
    for damaged in [&whole[..whole.len() - 1], &[0; 100], b""] {
        fs::write(&index, damaged).unwrap();
        check(&scene, &["-u"]);
        assert_eq!(fs::read(&index).unwrap().len(), whole.len());
    }
}

#[test]
fn what_cannot_be_an_index_is_refused() {
    let scene = scene();
    for (words, why) in [
        (&["--index=a-b"][..], "cannot use 'a-b' as an index: the file is not a state of brisk"),
        (&["--index=../index", "", "a", "c"], "--index takes one path"),
        (&["--index=gone/index"], "cannot write 'gone/index': No such file or directory"),
    ] {
        fs::write(scene.tree().join("a-b"), "no state").unwrap();
        let output = run(&scene, words);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(text, format!("brisk: {why}\n"));
        assert!(!output.status.success() && output.stdout.is_empty());
        assert_eq!(fs::read(scene.tree().join("a-b")).unwrap(), b"no state");
    }
}
