//! Each file of the repository is the same in every checkout. Git on Windows writes a symbolic link as
//! a file that holds the link's target (`core.symlinks=false`), so there are none: what several
//! crates need is copied, and the copies are compared. Each crate that is published has what
//! crates.io shows of it.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The mode of a symbolic link in git's index.
const LINK: &str = "120000";

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What the manifest of a published crate says.
const SHOWN: [&str; 7] =
    ["authors", "categories", "description", "keywords", "license", "readme", "repository"];

/// The symbolic links that git knows. None outside of a repository.
pub fn links(top: &Path) -> Vec<String> {
    let listed = Command::new("git").args(["ls-files", "--stage"]).current_dir(top).output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    of(&String::from_utf8_lossy(&listed))
}

fn of(listed: &str) -> Vec<String> {
    let links = listed.lines().filter(|line| line.starts_with(LINK));
    links.map(|line| format!("{} is a link", line.rsplit('\t').next().unwrap_or(line))).collect()
}

/// The published crates without a copy of a licence, or without a line that crates.io shows.
pub fn published(top: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for folder in fs::read_dir(top.join("crates")).expect("the crates") {
        let folder = folder.expect("a crate").path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        if manifest.contains("publish = false") {
            continue;
        }
        wrong.extend(
            missing(&manifest).map(|key| format!("{}: no {key}", folder.to_string_lossy())),
        );
        for name in LICENCES {
            let text = fs::read(top.join(name)).expect("a licence");
            if fs::read(folder.join(name)).ok() != Some(text) {
                wrong.push(format!("{}/{name} is not the licence", folder.to_string_lossy()));
            }
        }
    }
    wrong
}

fn missing(manifest: &str) -> impl Iterator<Item = &'static str> {
    let has = |key: &str| {
        manifest.lines().any(|line| {
            let rest = line.strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with([' ', '.']))
        })
    };
    SHOWN.into_iter().filter(move |key| !has(key))
}

#[test]
fn a_missing_line_is_found() {
    let manifest = SHOWN[1..].join(".workspace = true\n") + " = \"at\"\nauthors_of = 1\n";
    assert!(missing(&manifest).eq(["authors"]));
}

#[test]
fn a_link_is_found() {
    let listed = "100644 1d8ce52 0\tREADME.md\n120000 bdcbc53 0\tcrates/a/b c.rs\n";
    assert_eq!(of(listed), ["crates/a/b c.rs is a link"]);
}
