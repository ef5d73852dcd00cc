//! What a rescan says about one edit.

use std::fs;
use std::path::Path;

use brisk_state::{Rescan, State, Unusable};

use testkit::pass_ticks;

use crate::case::{Case, lines};

#[test]
fn the_first_run_is_full() {
    let case = Case::new();
    let report = case.rescan().run().expect("an answer");
    assert!(matches!(report.no_state, Some(Unusable::Missing)));
    let all = ["A ", "A a", "A a/b", "A a/b/deep", "A a/one", "A a/two", "A top"];
    assert_eq!(case.accept(report), all);
    let report = case.rescan().run().expect("an answer");
    assert!(report.no_state.is_none());
    assert_eq!(lines(&report), [] as [&str; 0]);
}

#[test]
fn an_unchanged_tree_is_not_written_again_and_not_listed() {
    let case = Case::new();
    pass_ticks();
    case.changed();
    let report = case.rescan().run().expect("an answer");
    assert!(!report.is_worth_saving());
    assert_eq!(report.stats.calls.read, 0, "{}", report.stats);
    let rescan = Rescan { shortcuts: false, ..case.rescan() };
    let report = rescan.run().expect("an answer");
    assert_eq!(report.stats.calls.read, 3);
}

#[test]
fn a_save_can_be_undone() {
    let case = Case::new();
    let file = case.file();
    let report = case.rescan().run_since(&file).expect("an answer");
    report.save(&file).expect("saved");
    report.unsave(&file).expect("undone");
    assert!(!file.exists());
    case.changed();
    let before = fs::read(&file).expect("a state");
    fs::write(case.path("a/new"), "").expect("a file");
    let report = case.rescan().run_since(&file).expect("an answer");
    report.save(&file).expect("saved");
    assert_eq!(lines(&report), ["A a/new"]);
    report.unsave(&file).expect("undone");
    assert_eq!(fs::read(&file).expect("a state"), before);
    assert_eq!(case.changed(), ["A a/new"]);
}

#[test]
fn what_was_read_stays_when_the_file_is_cut_short_in_place() {
    let case = Case::new();
    case.changed();
    let report = case.rescan().run_since(&case.file()).expect("an answer");
    let before = report.entries().len();
    fs::File::options().write(true).truncate(true).open(case.file()).expect("truncated");
    assert_eq!((report.entries().len(), before), (6, 6));
}

#[test]
fn each_kind_of_edit() {
    let case = Case::new();
    case.changed();
    fs::write(case.path("a/new"), "").expect("a file");
    assert_eq!(case.changed(), ["A a/new"]);
    fs::write(case.path("a/new"), "1").expect("a file");
    assert_eq!(case.changed(), ["M a/new"]);
    fs::remove_file(case.path("a/new")).expect("removed");
    assert_eq!(case.changed(), ["D a/new"]);
    fs::rename(case.path("a/one"), case.path("a/b/moved")).expect("renamed");
    assert_eq!(case.changed(), ["R a/one a/b/moved"]);
    fs::rename(case.path("a"), case.path("z")).expect("renamed");
    let moved = ["R a z", "R a/b z/b", "R a/b/deep z/b/deep", "R a/b/moved z/b/moved"];
    assert_eq!(case.changed(), [&moved[..], &["R a/two z/two"]].concat());
    fs::remove_file(case.path("z/two")).expect("removed");
    fs::create_dir_all(case.path("z/two/three")).expect("directories");
    assert_eq!(case.changed(), ["T z/two", "A z/two/three"]);
    fs::remove_dir_all(case.path("z")).expect("removed");
    let gone = ["D z", "D z/b", "D z/b/deep", "D z/b/moved", "D z/two", "D z/two/three"];
    assert_eq!(case.changed(), gone);
    assert_eq!(case.changed(), [] as [&str; 0]);
}

#[test]
fn an_edit_in_the_same_tick_is_seen() {
    let case = Case::new();
    case.changed();
    for round in 0..50 {
        fs::write(case.path("a/two"), format!("{round:4}")).expect("a file");
        assert_eq!(case.changed(), ["M a/two"], "round {round}");
        fs::write(case.path(&format!("a/b/{round}")), "").expect("a file");
        assert_eq!(case.changed(), [format!("A a/b/{round}")], "round {round}");
    }
}

#[test]
fn a_damaged_state_is_told_from_a_whole_one() {
    let case = Case::new();
    case.changed();
    let whole = fs::read(case.file()).expect("the state");
    let damaged = |bytes: &[u8]| {
        fs::write(case.file(), bytes).expect("a state");
        State::load(&case.file()).expect_err("a damaged state").to_string()
    };
    for cut in (0..whole.len()).step_by(7) {
        assert_eq!(damaged(&whole[..cut]), "the state is damaged", "cut at {cut}");
    }
    for at in (12..whole.len()).step_by(7) {
        let mut other = whole.clone();
        other[at] ^= 1;
        assert_eq!(damaged(&other), "the state is damaged", "flipped at {at}");
    }
    assert_eq!(damaged(b"#!/bin/sh\n"), "the file is not a state of brisk");
    let mut newer = whole.clone();
    newer[8] = 99;
    assert!(damaged(&newer).contains("version 99"));
    fs::write(case.file(), &whole).expect("a state");
    assert_eq!(State::load(&case.file()).map(|state| state.len()).ok(), Some(7));
}

#[test]
fn a_missing_root_is_refused() {
    let case = Case::new();
    case.changed();
    fs::rename(case.tree(), case.scratch.path().join("elsewhere")).expect("renamed");
    let refused = case.rescan().run().expect_err("a refusal").to_string();
    assert!(refused.starts_with("cannot access '"), "{refused}");
    let roots = vec![case.scratch.path().join("elsewhere")];
    let report = Rescan { roots, ..case.rescan() }.run().expect("an answer");
    assert_eq!(lines(&report), [] as [&str; 0]);
    assert!(Path::new(&report.roots[0]).ends_with("elsewhere"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_way_is_explained() {
    let name = "the_way_is_explained";
    let table = [("-q -I 256", "times are not read"), ("-q -I 128", "are not trusted there; its")];
    for (options, way) in table {
        let Some(mounted) = testkit::LoopMount::new(name, "ext4", options) else { return };
        let case = Case::at(mounted.path().join("tree"));
        let told = |rescan: Rescan| {
            let report = rescan.run().expect("an answer");
            let explained = report.explained.concat();
            case.accept(report);
            assert!(explained.starts_with("ext: "), "{explained}");
            explained
        };
        assert!(told(case.rescan()).contains("there is no state"));
        assert!(told(case.rescan()).contains(way), "{options}");
        assert!(told(Rescan { shortcuts: false, ..case.rescan() }).contains("--no-shortcuts"));
    }
}

#[test]
fn a_file_that_is_left_out_no_more_is_added() {
    let case = Case::new();
    let without = |files: &[&str]| {
        let omitted = files.iter().map(|file| case.path(file)).collect();
        let report = Rescan { omitted, ..case.rescan() }.run().expect("an answer");
        case.accept(report)
    };
    assert!(!without(&["a/one"]).contains(&"A a/one".to_owned()));
    assert_eq!(without(&["a/one"]), [] as [&str; 0]);
    assert_eq!(without(&[]), ["A a/one"]);
    assert_eq!(without(&["a/b/deep"]), ["D a/b/deep"]);
}
