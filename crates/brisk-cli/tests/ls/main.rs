//! `brisk ls` against the installed GNU ls: the same bytes, to a pipe and to a terminal, the same
//! messages, the same exit codes.
//!
//! The cases are data (`cases.rs`), run on one generated tree (`tree.rs`). Where there is no GNU ls
//! the tests say so and pass. The differences between GNU's versions are in a table (`gnu.rs`).

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod beyond;
mod cases;
mod errors;
mod gnu;
mod run;
mod slow;
mod tree;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cases::{Case, Place};
use gnu::Gnu;
use run::{Outcome, outcome};
use tree::Tree;

/// Runs each case with both programs. Returns a text for each case that differs. Listing changes
/// access times, so the cases that show them run alone, each on the same times; the others run on
/// two threads.
fn differences(gnu: &Gnu, tree: &Tree, cases: &[Case]) -> Vec<String> {
    let (alone, cases): (Vec<Case>, Vec<Case>) =
        cases.iter().cloned().partition(Case::shows_access_times);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differ = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            differ.extend(difference(gnu, tree, case));
        }
        differ
    };
    let mut differ: Vec<String> = thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    differ.extend(alone.iter().filter_map(|case| difference(gnu, tree, case)));
    differ
}

/// How the outcomes of a case differ. A minute that ends between the two runs makes a difference
/// once, so only what differs three times differs.
fn difference(gnu: &Gnu, tree: &Tree, case: &Case) -> Option<String> {
    let mut text = None;
    for _ in 0..3 {
        let (theirs, ours) = both(gnu, tree, case);
        if theirs == ours {
            return None;
        }
        text = Some(format!("{case}\n{}", theirs.difference(&ours)));
    }
    text
}

fn both(gnu: &Gnu, tree: &Tree, case: &Case) -> (Outcome, Outcome) {
    let times = || {
        if case.shows_access_times() {
            tree.set_access_times()
        }
    };
    times();
    let theirs = outcome(gnu.path(), tree, case);
    times();
    let ours = outcome(tree.ls(), tree, case);
    (theirs, ours)
}

/// Compares all cases with GNU's output.
fn agree(name: &str, cases: &[Case]) {
    let Some(gnu) = Gnu::find(name) else { return };
    let tree = Tree::new();
    let cases: Vec<Case> = cases.iter().filter(|case| gnu.is_comparable(case)).cloned().collect();
    let differ = differences(&gnu, &tree, &cases);
    let shown: Vec<&str> = differ.iter().take(8).map(String::as_str).collect();
    let (count, of) = (differ.len(), cases.len());
    assert!(differ.is_empty(), "{count} of {of} cases differ:\n{}", shown.join("\n"));
}

#[test]
fn options_on_every_kind_of_directory() {
    agree("options", &cases::options());
}

#[test]
fn quoting_styles_and_odd_names() {
    agree("quoting", &cases::quoting());
}

#[test]
fn colours() {
    agree("colours", &cases::colours());
}

/// Capabilities are painted, even where GNU ls was built without them, as Debian's is.
#[test]
fn capabilities_have_their_colour() {
    let tree = Tree::new();
    if !tree.has_capabilities() {
        eprintln!("the colour of capabilities left out: setcap cannot be used here");
        return;
    }
    let colors = "ca=30;41:ex=32";
    let case = Case::new("-1 --color types/cap types/capnox types/exec", Place::Pipe);
    let printed = outcome(tree.ls(), &tree, &case.env("LS_COLORS", colors)).printed;
    let expected = "\x1b[0m\x1b[30;41mtypes/cap\x1b[0m\n\x1b[30;41mtypes/capnox\x1b[0m\n\
        \x1b[32mtypes/exec\x1b[0m\n";
    assert_eq!(String::from_utf8(printed).unwrap(), expected);
    if Gnu::find("capabilities").is_some_and(|gnu| !gnu.knows_capabilities()) {
        eprintln!("GNU's colour of capabilities left out: this ls was built without libcap");
    }
}

#[test]
fn environment() {
    agree("environment", &cases::environment());
}

#[test]
fn refusals() {
    agree("refusals", &cases::refusals());
}

/// Names in the order of a locale that the test makes, if the locale's sources are installed.
#[test]
fn collation() {
    let tree = Tree::new();
    let Some(locales) = tree.make_locale() else {
        eprintln!("collation left out: localedef cannot make en_US.UTF-8");
        return;
    };
    let Some(gnu) = Gnu::find("collation") else { return };
    let differ = differences(&gnu, &tree, &cases::collation(&locales));
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// A case that must differ does differ, so the comparison can fail.
#[test]
fn a_difference_is_seen() {
    let Some(gnu) = Gnu::find("the comparison itself") else { return };
    let tree = Tree::new();
    let case = Case::new("-C types", Place::Pipe);
    let other = Case::new("-1 types", Place::Pipe);
    let (theirs, _) = both(&gnu, &tree, &case);
    let (_, ours) = both(&gnu, &tree, &other);
    assert_ne!(theirs, ours);
    assert!(!theirs.difference(&ours).is_empty());
}
