//! Holds the structure of the sources of the engine and of `brisk-sys`; of `brisk-state`'s and the
//! commands', that they form no circles; of all of them, that messages quote names. Of the whole
//! repository, that each file is one in every checkout, that published crates have licences and metadata, and that
//! workflows call what is there.
//!
//! The sources are parsed, not compiled, so that this builds without the engine. What each check
//! counts stands in its file, with a test on made-up sources that the check refuses.

#![cfg(test)]

use std::fs;

use sources::Sources;

mod bindings;
mod checkout;
mod circles;
mod glossary;
mod methods;
mod modules;
mod moving;
mod names;
mod sizes;
mod sources;
mod workflows;

/// Fails with every line that a check found.
fn hold<T: IntoIterator<Item = String>>(wrong: T) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
}

fn brisk() -> Sources {
    Sources::of_crate("brisk")
}

fn brisk_sys() -> Sources {
    Sources::of_crate("brisk-sys")
}

fn brisk_state() -> Sources {
    Sources::of_crate("brisk-state")
}

#[test]
fn brisk_has_no_circles() {
    hold(circles::check(&brisk()));
}

#[test]
fn brisk_sys_has_no_circles() {
    hold(circles::check(&brisk_sys()));
}

#[test]
fn brisk_cli_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-cli")));
}

#[test]
fn brisk_cli_imports_only_downwards() {
    let rooms = ["sync", "system", "write", "show", "front", "filter"];
    hold(circles::upwards(&Sources::of_crate("brisk-cli"), &rooms));
}

#[test]
fn brisk_filter_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-filter")));
}

#[test]
fn brisk_scan_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-scan")));
}

#[test]
fn brisk_python_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-python")));
}

#[test]
fn brisk_node_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-node")));
}

#[test]
fn brisk_capi_has_no_circles() {
    hold(circles::check(&Sources::of_crate("brisk-capi")));
}

#[test]
fn brisk_state_has_no_circles() {
    hold(circles::check(&brisk_state()));
}

#[test]
fn one_name_is_bound_at_a_time() {
    let crates = [
        "brisk-sys",
        "brisk",
        "brisk-filter",
        "brisk-state",
        "brisk-colors",
        "brisk-table",
        "brisk-cli-sys",
        "brisk-cli",
        "brisk-scan",
        "brisk-python",
        "brisk-node",
        "brisk-capi",
        "testkit",
    ];
    for name in crates {
        hold(bindings::check(&Sources::of_crate(name)));
    }
}

#[test]
fn messages_quote_names() {
    for name in [
        "brisk-sys",
        "brisk",
        "brisk-filter",
        "brisk-state",
        "brisk-table",
        "brisk-colors",
        "brisk-cli",
        "brisk-scan",
        "brisk-python",
        "brisk-node",
        "brisk-capi",
    ] {
        hold(names::check(&Sources::of_crate(name)));
    }
}

#[test]
fn no_file_is_a_symbolic_link() {
    hold(checkout::links(sources::top()));
}

#[test]
fn every_published_crate_has_its_licences_and_metadata() {
    hold(checkout::published(sources::top()));
}

#[test]
fn functions_of_brisk_are_short() {
    hold(sizes::functions(&brisk()));
}

#[test]
fn functions_of_brisk_sys_are_short() {
    hold(sizes::functions(&brisk_sys()));
}

#[test]
fn files_of_brisk_are_short() {
    hold(sizes::files(&brisk()));
}

#[test]
fn files_of_brisk_sys_are_short() {
    hold(sizes::files(&brisk_sys()));
}

#[test]
fn files_of_brisk_state_are_short() {
    hold(sizes::files(&brisk_state()));
}

#[test]
fn types_of_brisk_have_few_methods() {
    hold(methods::types(&brisk()));
}

#[test]
fn types_of_brisk_sys_have_few_methods() {
    hold(methods::types(&brisk_sys()));
}

#[test]
fn a_visitor_has_few_methods() {
    hold(methods::visitor(&brisk()));
}

#[test]
fn the_glossary_has_the_words_of_the_code() {
    let text = fs::read_to_string(sources::top().join("ARCHITECTURE.md")).expect("the file");
    hold(glossary::check(&text, &[brisk(), brisk_sys(), brisk_state()]));
}

#[test]
fn each_row_for_those_from_other_crates_is_tested() {
    let readme = fs::read_to_string(sources::top().join("crates/brisk/README.md"));
    hold(moving::check(&readme.expect("the file")));
}

#[test]
fn workflows_call_scripts_that_are_there() {
    hold(workflows::unknown_calls(sources::top()));
}
