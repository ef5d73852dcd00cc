//! ARCHITECTURE.md is true: every file and name that it quotes exists, and it lists every source
//! file.

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
    for name in ["brisk-sys", "brisk", "brisk-colors", "brisk-cli-sys", "brisk-cli"] {
        sources(&top().join("crates").join(name).join("src"), &mut found);
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
    assert!(files.len() > 60, "only {} files are quoted", files.len());
    for (section, file) in files {
        let place = if file.starts_with("src/") { top().join(&section) } else { top() };
        assert!(place.join(&file).exists(), "{file}, quoted in the section {section:?}");
    }
}

#[test]
fn every_quoted_name_exists() {
    let code: String =
        all_sources().iter().map(|path| fs::read_to_string(path).expect("a source file")).collect();
    let is_name = |quote: &str| {
        quote.len() > 1
            && quote.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let names: Vec<_> = quotes(&text()).into_iter().filter(|(_, quote)| is_name(quote)).collect();
    assert!(names.len() > 30, "only {} names are quoted", names.len());
    for (_, name) in names {
        assert!(code.contains(&name), "{name} is quoted, but is nowhere in the code");
    }
}

#[test]
fn every_source_file_is_listed() {
    let text = text();
    let listed = quotes(&text);
    for path in all_sources() {
        let path = path.strip_prefix(top()).expect("below the top").to_string_lossy().into_owned();
        let (section, file) = path.split_at(path.find("/src/").expect("a source file"));
        let named = |(place, quote): &(String, String)| {
            *quote == path || (place == section && *quote == file[1..])
        };
        let is_test = path.ends_with("/tests.rs");
        assert!(is_test || listed.iter().any(named), "{path} is not in ARCHITECTURE.md");
    }
}
