//! Commands on tables are passed to brisk-scan, the program beside brisk.

use std::fs;

use testkit::brisk;

use super::scene::Scene;

/// A copy of brisk in a directory of its own, and a file that begins as Parquet files do.
fn alone() -> Scene {
    let scene = Scene::empty();
    // Another process writes the file, so that no fork of this one has it open for writing.
    scene.sh(&format!("cp '{}' brisk; mkdir t; printf PAR1 >old.parquet", brisk()));
    scene
}

#[test]
fn brisk_scan_gets_the_words_and_its_exit_code_is_brisk_s() {
    let scene = alone();
    scene.sh(
        "printf '#!/bin/sh\\nprintf \"<%%s>\" \"$@\"\\nexit 3\\n' >brisk-scan; chmod +x brisk-scan",
    );
    for (words, told) in [
        ("scan -o x.parquet t", "<scan><-o><x.parquet><t>"),
        ("diff old.parquet t -r", "<diff><old.parquet><t><-r>"),
    ] {
        let output = scene.command(&scene.path("brisk"), words);
        assert_eq!((testkit::stdout(&output).as_str(), output.status.code()), (told, Some(3)));
    }
    let output = scene.command(&scene.path("brisk"), "diff t t");
    assert_eq!((testkit::stdout(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[test]
fn without_brisk_scan_a_message_says_what_builds_it() {
    let scene = alone();
    let missing = fs::canonicalize(scene.path("")).unwrap().join("brisk-scan");
    let why = format!(
        "brisk: tables need another program, and there is no '{}': in brisk's sources, \
         'cargo build --release -p brisk-scan' builds it\n",
        missing.display()
    );
    for words in ["scan -o x.parquet t", "diff old.parquet t"] {
        let output = scene.command(&scene.path("brisk"), words);
        assert_eq!((output.status.code(), testkit::stderr(&output)), (Some(2), why.clone()));
    }
    let output = scene.command(&scene.path("brisk"), "scan --help");
    assert!(output.status.success() && testkit::stdout(&output).contains("--columns"));
}
