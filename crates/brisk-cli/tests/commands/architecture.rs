//! ARCHITECTURE.md is true: every file and name that it quotes exists, and it lists every source
//! file.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text() -> String {
    fs::read_to_string(top().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// The texts between backticks outside of code blocks, each with the crate of its section.
fn quotes(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for (at, block) in text.split("```").enumerate() {
        if at % 2 == 1 {
            continue;
        }
        for line in block.lines() {
            if line.starts_with('#') {
                section = line.split('`').nth(1).unwrap_or_default().to_owned();
            }
            let quoted = line.split('`').skip(1).step_by(2);
            found.extend(quoted.map(|quote| (section.clone(), quote.to_owned())));
        }
    }
    found
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(top().join("crates")).expect("the crates") {
        let place = entry.expect("an entry").path().join("src");
        if place.is_dir() {
            sources(&place, &mut found);
        }
    }
    found
}

#[test]
fn every_quoted_file_exists() {
    let text = text();
    let files: Vec<_> = quotes(&text)
        .into_iter()
        .filter(|(_, quote)| {
            quote.contains('/') && (quote.ends_with(".rs") || quote.ends_with('/'))
        })
        .collect();
    assert!(files.len() > 30, "only {} files and folders are quoted", files.len());
    for (section, file) in files {
        let place = if file.starts_with("src/") { top().join(&section) } else { top() };
        assert!(place.join(&file).exists(), "{file}, quoted in the section {section:?}");
    }
}

#[test]
fn every_quoted_name_exists() {
    let code: String =
        all_sources().iter().map(|path| fs::read_to_string(path).expect("a source file")).collect();
    // Whole words outside of comments: a part of a longer name is another name.
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: HashSet<&str> =
        lines.flat_map(|line| line.split(|letter| !is_part(letter))).collect();
    let is_name = |quote: &str| quote.len() > 1 && quote.chars().all(is_part);
    let names: Vec<_> = quotes(&text()).into_iter().filter(|(_, quote)| is_name(quote)).collect();
    assert!(names.len() > 30, "only {} names are quoted", names.len());
    for (_, name) in names {
        assert!(words.contains(name.as_str()), "{name} is quoted, but is not a word of the code");
    }
}

/// A room is in the table of folders; what a file in it owns stands in the file's first lines.
#[test]
fn every_room_is_listed_and_every_file_says_what_it_owns() {
    let listed = quotes(&text());
    for path in all_sources().iter().filter(|path| !path.ends_with("tests.rs")) {
        let file = path.strip_prefix(top()).expect("below the top").to_string_lossy().into_owned();
        let (folder, _) = file.rsplit_once('/').expect("a file in a folder");
        // crates/CRATE/src, and the folder in it if there is one.
        let room = folder.split('/').take(4).collect::<Vec<_>>().join("/");
        let is_listed = listed.iter().any(|(_, quote)| quote.trim_end_matches('/') == room);
        assert!(is_listed, "{room}, the folder of {file}, is not in ARCHITECTURE.md");
        let source = fs::read_to_string(path).expect("a source file");
        assert!(source.starts_with("//!"), "{file} does not say in its first line what it owns");
    }
}
