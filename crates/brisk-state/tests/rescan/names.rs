//! Rescans of names: what they read, and that the list is that of a fresh walk.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use brisk::filter::Filter;
use brisk::{Directory, Entry, Error, Flow, Visitor};
use brisk_state::{Entries, Report, Rescan};
use testkit::{Random, pass_ticks, tree};

use crate::case::Case;

fn names(case: &Case) -> Report {
    let report = Rescan { names_only: true, ..case.rescan() }.run().expect("an answer");
    assert!(report.errors.is_empty() && report.changes.is_empty(), "{:?}", report.errors);
    if report.is_worth_saving() {
        report.write(&case.file()).expect("a state");
    }
    report
}

/// Gathers paths.
#[derive(Default)]
struct Paths(Vec<PathBuf>);

impl Visitor for Paths {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.0.extend(entries.iter().map(Entry::path));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

/// Compares what a report delivers, and what it lists, with what is there.
fn check(case: &Case, report: Report) {
    let mut fresh = tree(&case.tree()).split_off(1);
    let mut replayed = Paths::default();
    report.replay(&mut replayed, &Filter::default(), 1..=usize::MAX);
    assert_eq!(replayed.0, fresh);
    let entries = Entries::of(Arc::new(report), |_, file_type| !file_type.is_dir());
    let path = |(prefix, name): (&[u8], &[u8])| {
        PathBuf::from(std::ffi::OsStr::from_bytes(&[prefix, name].concat()))
    };
    let mut files: Vec<_> = (0..).map_while(|at| entries.get(at)).map(path).collect();
    assert_eq!(files.len(), entries.len());
    files.sort();
    fresh.retain(|path| path.is_symlink() || !path.is_dir());
    assert_eq!(files, fresh);
}

#[test]
fn an_unchanged_directory_costs_one_statx() {
    let case = Case::new();
    pass_ticks();
    names(&case);
    let report = names(&case);
    let calls = report.stats.calls;
    assert_eq!((calls.stat, calls.read), (3, 0), "{calls:?}");
    assert!(!report.is_worth_saving());
    // Contents and metadata of files do not count.
    fs::write(case.path("a/one"), "longer than before").expect("a file");
    assert_eq!(names(&case).stats.calls.read, 0);
    fs::write(case.path("a/new"), "").expect("a file");
    pass_ticks();
    assert_eq!(names(&case).stats.calls.read, 1);
    check(&case, names(&case));
}

#[test]
fn a_directory_that_may_have_changed_in_the_tick_is_read_again() {
    let case = Case::new();
    // On a slow machine, few rounds begin in the tick of their edit.
    let is_read_again = |round: u32| {
        fs::write(case.path(&format!("a/{round}")), "").expect("a file");
        names(&case);
        names(&case).stats.calls.read > 0
    };
    assert!((0..200).any(is_read_again));
    pass_ticks();
    names(&case);
    assert_eq!(names(&case).stats.calls.read, 0);
}

#[test]
fn names_with_another_type_are_found() {
    let case = Case::new();
    names(&case);
    fs::remove_file(case.path("top")).expect("a file");
    symlink("a", case.path("top")).expect("a link");
    fs::remove_file(case.path("a/one")).expect("a file");
    fs::create_dir(case.path("a/one")).expect("a directory");
    fs::write(case.path("a/one/below"), "").expect("a file");
    check(&case, names(&case));
}

/// Each of these states may serve the other kind of rescan: what it does not know has changed.
#[test]
fn a_rescan_of_metadata_trusts_no_names() {
    let case = Case::new();
    pass_ticks();
    names(&case);
    let expected = ["M a/b/deep", "M a/one", "M a/two", "M top"];
    assert_eq!(case.changed(), expected);
    assert!(case.changed().is_empty());
    fs::write(case.path("a/one"), "longer than before").expect("a file");
    fs::write(case.path("a/new"), "").expect("a file");
    names(&case);
    let changes = case.changed();
    assert!(changes.contains(&"M a/one".to_owned()), "{changes:?}");
    assert!(changes.contains(&"M a/new".to_owned()), "{changes:?}");
}

/// With BRISK_ROUNDS in the environment, 1,000 rounds.
#[test]
fn the_list_is_that_of_a_fresh_walk() {
    let rounds = if std::env::var_os("BRISK_ROUNDS").is_some() { 1000 } else { 60 };
    let case = Case::new();
    let mut random = Random(28);
    for round in 0..rounds {
        for _ in 0..random.below(4) {
            edit(&case, &mut random, round);
        }
        check(&case, names(&case));
    }
}

/// Makes, moves or removes something.
fn edit(case: &Case, random: &mut Random, round: usize) {
    let all = tree(&case.tree());
    let any = all[random.below(all.len())].clone();
    let is_dir = any.is_dir() && !any.is_symlink();
    let dir = if is_dir { &*any } else { any.parent().expect("a directory") };
    let new = dir.join(format!("{}{round}", random.pick(&["b", ".c", "d\u{e9}", "e.jpg"])));
    // What is there already, or would move into itself, stays as it is.
    let _ = match random.below(7) {
        0 | 1 => fs::write(new, ""),
        2 => fs::create_dir(new),
        3 => symlink("a", new),
        4 if any != case.tree() => fs::rename(&any, new),
        5 if all.len() > 60 && is_dir && any != case.tree() => fs::remove_dir_all(any),
        _ if !is_dir => fs::remove_file(any),
        _ => Ok(()),
    };
}
