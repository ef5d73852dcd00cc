//! Holds the structure of the sources of every crate: no circles of imports, short functions and
//! files, types of few methods, one name bound at a time, names quoted in messages. Of the whole
//! repository, that each file is one in every checkout, that published crates have licences and
//! metadata, and that workflows call what is there.
//!
//! The sources are parsed, not compiled, so that this builds without the engine. What each check
//! counts stands in its file, with a test on made-up sources that the check refuses.

#![cfg(test)]

use std::fs;
use std::path::PathBuf;

use modules::Modules;
use sources::{Sources, top};

mod bindings;
mod checkout;
mod circles;
mod glossary;
mod methods;
mod modules;
mod moving;
mod names;
mod path;
mod sizes;
mod sources;
mod words;
mod workflows;

/// Fails with every line that a check found.
fn hold<T: IntoIterator<Item = String>>(wrong: T) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
}

fn read(folder: &str) -> Sources {
    Sources::of_folder(&top().join(folder))
}

/// Everything that holds for each crate, in one test: its sources are parsed once. Of brisk-commands,
/// also that it imports only downwards.
fn structure(folder: &str) {
    let sources = read(folder);
    let platforms = Modules::on_each_platform(&sources);
    let mut wrong: Vec<String> = circles::check(&platforms).into_iter().collect();
    if folder == "crates/brisk-commands/src" {
        let rooms = ["system", "write", "show", "front", "filter"];
        wrong.extend(circles::upwards(&platforms, &rooms));
    }
    wrong.extend(bindings::check(&sources));
    wrong.extend(sizes::functions(&sources));
    wrong.extend(sizes::files(&sources));
    wrong.extend(methods::types(&platforms));
    // What tests and their tools print is for developers.
    if !["crates/house/tests/house", "crates/testkit/src", "tools/slowfs/src"].contains(&folder) {
        wrong.extend(names::check(&sources, &platforms));
    }
    let known: Vec<_> = KNOWN.iter().filter(|known| known.0 == folder).collect();
    for (_, finding, _) in &known {
        let count = wrong.len();
        wrong.retain(|line| !line.starts_with(finding));
        if wrong.len() == count {
            wrong.push(format!("{finding}: in the list of what is known, and it holds now"));
        }
    }
    hold(wrong);
}

/// What does not hold: the folder, how the finding begins, and why it stays.
const KNOWN: &[(&str, &str, &str)] = &[
    ("crates/brisk-capi/src", USUAL, "a C function checks each argument before its work"),
    ("crates/brisk-commands/src", USUAL, "lines of --explain, --help and tables are code here"),
    ("crates/brisk-cli-sys/src", "survey/", "the list of techniques is where their type is"),
    ("crates/brisk-look/src", "Model (", "its keys, marks and rows have a file each"),
    ("crates/brisk-scan/src", USUAL, "a function has an arm for each kind of column"),
    ("crates/brisk-state/src", "rescan/mod.rs:", "one run from begin to end, step by step"),
];

/// How the finding about most functions of a crate begins: with up to 29 lines, that is.
const USUAL: &str = "95 of 100 functions have up to 2";

macro_rules! crates {
    ($($test:ident $folder:literal)*) => {
        mod structure {
            $(#[test]
            fn $test() {
                super::structure($folder);
            })*
        }

        const FOLDERS: &[&str] = &[$($folder),*];
    };
}

crates! {
    brisk "crates/brisk/src"
    brisk_capi "crates/brisk-capi/src"
    brisk_cli "crates/brisk-cli/src"
    brisk_cli_sys "crates/brisk-cli-sys/src"
    brisk_colors "crates/brisk-colors/src"
    brisk_commands "crates/brisk-commands/src"
    brisk_filter "crates/brisk-filter/src"
    brisk_look "crates/brisk-look/src"
    brisk_node "crates/brisk-node/src"
    brisk_python "crates/brisk-python/src"
    brisk_scan "crates/brisk-scan/src"
    brisk_state "crates/brisk-state/src"
    brisk_sys "crates/brisk-sys/src"
    brisk_table "crates/brisk-table/src"
    house "crates/house/tests/house"
    slowfs "tools/slowfs/src"
    testkit "crates/testkit/src"
}

#[test]
fn every_crate_is_held() {
    let below = |folder: &str| fs::read_dir(top().join(folder)).expect("a folder of crates");
    let crates = below("crates").chain(below("tools")).map(|entry| entry.expect("an entry").path());
    let crates = crates.filter(|path| path.join("Cargo.toml").exists());
    let is_held =
        |path: &PathBuf| FOLDERS.iter().any(|folder| top().join(folder).starts_with(path));
    hold(crates.filter(|path| !is_held(path)).map(|path| path.display().to_string()));
}

#[test]
fn no_file_is_a_symbolic_link() {
    hold(checkout::links(top()));
}

#[test]
fn every_published_crate_has_its_licences_and_metadata() {
    hold(checkout::published(top()));
}

#[test]
fn a_visitor_has_few_methods() {
    hold(methods::visitor(&read("crates/brisk/src")));
}

#[test]
fn the_glossary_has_the_words_of_the_code() {
    let text = fs::read_to_string(top().join("ARCHITECTURE.md")).expect("the file");
    let crates = ["crates/brisk/src", "crates/brisk-sys/src", "crates/brisk-state/src"];
    hold(glossary::check(&text, &crates.map(read)));
}

#[test]
fn each_row_for_those_from_other_crates_is_tested() {
    let readme = fs::read_to_string(top().join("crates/brisk/README.md"));
    hold(moving::check(&readme.expect("the file")));
}

#[test]
fn workflows_call_scripts_that_are_there() {
    hold(workflows::unknown_calls(top()));
}
