//! What must hold for every tool that says what has changed, one test each.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use brisk::Fields;
use brisk_state::{ChangeKind, Rescan, State, Unusable};

use testkit::pass_ticks;

use crate::case::{Case, lines};

fn touch(file: &Path, time: SystemTime) {
    let file = File::options().write(true).open(file).expect("a file");
    file.set_times(FileTimes::new().set_modified(time)).expect("times");
}

/// A long time ago, so that no tick is in question.
fn past() -> SystemTime {
    SystemTime::now() - Duration::from_secs(100_000)
}

#[test]
fn guarantee_1_a_scan_is_complete() {
    let case = Case::new();
    for dir in 0..20 {
        let dir = case.path(&format!("many/{dir}/below"));
        fs::create_dir_all(&dir).expect("directories");
        (0..300).for_each(|file| fs::write(dir.join(file.to_string()), "").expect("a file"));
    }
    assert_eq!(case.changed().len(), 7 + 1 + 20 * 302);
    assert_eq!(State::load(&case.file()).map(|state| state.len()).ok(), Some(7 + 1 + 20 * 302));
}

#[test]
fn guarantee_2_there_is_no_queue_that_overflows() {
    let case = Case::new();
    case.changed();
    // More than the 16,384 events for which Linux has room by default.
    (0..20_000).for_each(|at| fs::write(case.path(&format!("a/{at}")), "").expect("a file"));
    assert_eq!(case.changed().len(), 20_000);
}

#[test]
fn guarantee_3_the_caller_is_told_of_a_full_listing() {
    let case = Case::new();
    assert!(matches!(case.rescan().run().expect("an answer").no_state, Some(Unusable::Missing)));
    case.changed();
    assert!(case.rescan().run().expect("an answer").no_state.is_none());
    fs::write(case.file(), "no state").expect("a file");
    let report = case.rescan().run().expect("an answer");
    assert!(matches!(report.no_state, Some(Unusable::Foreign)));
    assert_eq!(report.changes.len(), 7);
}

/// Otherwise what was pending would be replaced, and never be told.
#[test]
fn a_file_of_something_else_is_refused_and_stays() {
    let case = Case::new();
    let over = || Rescan::over([case.tree()]);
    let refused = |rescan: Rescan, why: &str| {
        let before = fs::read(case.file()).expect("a file");
        let told = rescan.run_since(&case.file()).expect_err(why);
        assert_eq!(told.errno(), 17, "EEXIST");
        assert!(told.to_string().ends_with(why), "{told}");
        assert_eq!(fs::read(case.file()).expect("a file"), before);
    };
    let save = |rescan: Rescan| {
        let report = rescan.run_since(&case.file()).expect("an answer");
        report.save(&case.file()).expect("a state");
    };
    save(over());
    refused(
        Rescan { names_only: true, ..over() },
        "is a state to compare with, and no index of names",
    );
    refused(Rescan { made_with: b"x".to_vec(), ..over() }, "with other filters or ignore rules");
    fs::remove_file(case.file()).expect("removed");
    save(Rescan { made_with: b"x".to_vec(), ..over() });
    assert_eq!(State::load(&case.file()).expect("a state").made_with(), b"x");
    save(Rescan { made_with: b"x".to_vec(), ..over() });
    refused(over(), "with other filters or ignore rules");
    fs::remove_file(case.file()).expect("removed");
    save(Rescan { names_only: true, ..over() });
    assert_eq!(State::names_only_at(&case.file()), Some(true));
    refused(over(), "is an index of names, not a state to compare with");
    let mut bytes = fs::read(case.file()).expect("a file");
    bytes[8] = 1;
    fs::write(case.file(), bytes).expect("a file");
    refused(over(), "the state has version 1, which this brisk cannot read");
}

#[test]
fn without_a_root_there_is_no_next_state() {
    let case = Case::new();
    case.changed();
    let none = Rescan::over([""; 0]).run_since(&case.file()).expect_err("no root");
    assert_eq!((none.errno(), none.path().as_os_str().len()), (22, 0), "EINVAL");
}

#[test]
fn guarantee_4_renames_are_paired_by_inode_directories_too() {
    let case = Case::new();
    case.changed();
    fs::rename(case.path("a/b"), case.path("c")).expect("renamed");
    fs::rename(case.path("top"), case.path("a/one")).expect("renamed over another file");
    let changed = case.changed();
    assert!(changed.contains(&"R a/b c".to_owned()), "{changed:?}");
    assert!(changed.contains(&"R a/b/deep c/deep".to_owned()), "{changed:?}");
    // The name was taken before, so it is the file of that name that changed.
    assert!(changed.contains(&"M a/one".to_owned()), "{changed:?}");
    assert!(changed.contains(&"D top".to_owned()), "{changed:?}");
}

#[test]
fn guarantee_5_an_edit_in_the_tick_of_the_scan_is_seen() {
    let case = Case::new();
    case.changed();
    for round in 0..30 {
        // The state is made in the tick of this edit, and the next edit has the same size.
        fs::write(case.path("a/one"), format!("{round:03}")).expect("a file");
        case.changed();
        fs::write(case.path("a/one"), format!("{:03}", round + 500)).expect("a file");
        assert_eq!(case.changed(), ["M a/one"], "round {round}");
    }
}

#[test]
fn guarantee_6_the_same_size_and_a_restored_mtime_hide_nothing() {
    let case = Case::new();
    touch(&case.path("a/one"), past());
    let before = fs::metadata(case.path("a/one")).expect("metadata");
    case.changed();
    fs::write(case.path("a/one"), "A/ONE").expect("a file of the same size");
    touch(&case.path("a/one"), before.modified().expect("a time"));
    let report = case.rescan().run().expect("an answer");
    assert_eq!(lines(&report), ["M a/one"]);
    assert_eq!(report.changes[0].differs.fields, Fields::CTIME);
}

#[test]
fn guarantee_7_a_time_that_goes_backwards_is_a_change() {
    let case = Case::new();
    case.changed();
    touch(&case.path("a/two"), past());
    assert_eq!(case.changed(), ["M a/two"]);
    // Also where the caller trusts no ctime.
    touch(&case.path("a/two"), past() - Duration::from_secs(5));
    let report = Rescan { ctime: false, ..case.rescan() }.run().expect("an answer");
    assert_eq!(lines(&report), ["M a/two"]);
}

#[test]
fn guarantee_8_a_file_that_is_deleted_and_made_again_is_another_one() {
    let case = Case::new();
    touch(&case.path("a/one"), past());
    case.changed();
    let time = fs::metadata(case.path("a/one")).and_then(|meta| meta.modified()).expect("a time");
    for round in 0..20 {
        fs::remove_file(case.path("a/one")).expect("removed");
        fs::write(case.path("a/one"), "one").expect("a file");
        touch(&case.path("a/one"), time);
        assert_eq!(case.changed(), ["M a/one"], "round {round}");
        // A new file that got the inode of one that is gone is no renamed one.
        fs::remove_file(case.path("a/one")).expect("removed");
        fs::write(case.path("new"), "one").expect("a file");
        touch(&case.path("new"), time);
        assert_eq!(case.changed(), ["D a/one", "A new"], "round {round}");
        fs::remove_file(case.path("new")).expect("removed");
        fs::write(case.path("a/one"), "one").expect("a file");
        assert_eq!(case.changed(), ["A a/one", "D new"], "round {round}");
    }
}

#[test]
fn guarantee_9_a_new_directory_is_read_with_what_is_made_in_it_at_once() {
    let case = Case::new();
    case.changed();
    for round in 0..30 {
        let dir = format!("a/new{round}/x");
        fs::create_dir_all(case.path(&dir)).expect("directories");
        fs::write(case.path(&dir).join("file"), "").expect("a file");
        let expected = [format!("A a/new{round}"), format!("A {dir}"), format!("A {dir}/file")];
        assert_eq!(case.changed(), expected);
        fs::write(case.path(&dir).join("later"), "").expect("a file");
        assert_eq!(case.changed(), [format!("A {dir}/later")]);
    }
}

#[test]
fn guarantee_10_targets_types_and_modes() {
    let case = Case::new();
    symlink("one", case.path("a/link")).expect("a link");
    case.changed();
    fs::remove_file(case.path("a/link")).expect("removed");
    symlink("two", case.path("a/link")).expect("a link");
    let report = case.rescan().run().expect("an answer");
    assert_eq!(lines(&report), ["M a/link"]);
    assert!(report.changes[0].differs.fields.contains(Fields::LINK_TARGET));
    case.changed();
    fs::remove_file(case.path("a/link")).expect("removed");
    fs::write(case.path("a/link"), "two").expect("a file");
    assert_eq!(case.changed(), ["T a/link"]);
    fs::set_permissions(case.path("a/one"), Permissions::from_mode(0o600)).expect("a mode");
    fs::set_permissions(case.path("a/b"), Permissions::from_mode(0o700)).expect("a mode");
    let report = case.rescan().run().expect("an answer");
    assert_eq!(lines(&report), ["M a/b", "M a/one"]);
    assert_eq!(report.changes[0].differs.fields, Fields::MODE);
}

#[test]
fn the_target_of_an_unchanged_link_is_not_read() {
    let case = Case::new();
    symlink("one", case.path("a/link")).expect("a link");
    pass_ticks();
    case.changed();
    let read = |rescan: Rescan| rescan.run().expect("an answer").stats.calls.read_link;
    assert_eq!(read(case.rescan()), 0);
    assert_eq!(read(Rescan { ctime: false, ..case.rescan() }), 1, "the target alone may differ");
}

#[test]
fn guarantee_11_coarse_times_lose_nothing() {
    // Inodes of 128 bytes hold whole seconds.
    let name = "guarantee_11";
    let Some(mount) = testkit::LoopMount::new(name, "ext4", "-I 128") else { return };
    let case = Case::at(mount.path().join("tree"));
    for round in 0..40 {
        fs::write(case.path("a/one"), format!("{round:03}")).expect("a file");
        case.changed();
        fs::write(case.path("a/one"), format!("{:03}", round + 500)).expect("a file");
        fs::write(case.path(&format!("a/b/{round}")), "").expect("a file");
        let expected = [format!("A a/b/{round}"), "M a/one".to_owned()];
        assert_eq!(case.changed(), expected, "round {round}");
        assert_eq!(case.changed(), [] as [&str; 0], "round {round}: nothing has changed");
    }
}

#[test]
fn guarantee_12_a_state_is_replaced_at_once_and_a_torn_one_is_told() {
    let case = Case::new();
    case.changed();
    let before = fs::metadata(case.file()).expect("metadata").ino();
    let whole = fs::read(case.file()).expect("the state");
    fs::write(case.path("a/one"), "other").expect("a file");
    case.changed();
    assert_ne!(fs::metadata(case.file()).expect("metadata").ino(), before, "written in place");
    let names = fs::read_dir(case.scratch.path()).expect("names").count();
    assert_eq!(names, 2, "the tree and the state, and nothing else");
    fs::write(case.file(), &whole[..whole.len() / 2]).expect("a state");
    assert!(matches!(State::load(&case.file()), Err(Unusable::Damaged)));
}

#[test]
fn guarantee_13_no_event_is_needed() {
    let name = "guarantee_13";
    let flags = "--dirs 5 --files 10 --latency 0 --removable";
    let Some(mount) = testkit::Mounted::new(name, flags) else { return };
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("state");
    let rescan = || Rescan { old: State::load(&file), ..Rescan::over([mount.path()]) };
    rescan().run().expect("an answer").write(&file).expect("a state");
    assert_eq!(lines(&rescan().run().expect("an answer")), [] as [&str; 0]);
    let gone = fs::read_dir(mount.path()).expect("names").flatten().next().expect("a directory");
    let gone = fs::read_dir(gone.path()).expect("names").flatten().next().expect("a file").path();
    fs::remove_file(&gone).expect("removed");
    let report = rescan().run().expect("an answer");
    let [change] = &report.changes[..] else { panic!("{:?}", lines(&report)) };
    assert_eq!(change.kind, ChangeKind::Deleted);
    assert!(gone.ends_with(OsStr::from_bytes(&change.place.path)));
}

#[test]
fn guarantee_14_names_are_bytes() {
    let case = Case::new();
    case.changed();
    for name in [&b"\xff\xfe"[..], b"new\nline", b"tab\t", "umlaut \u{e4}".as_bytes(), b"-", b"#"] {
        fs::write(case.path("a").join(OsStr::from_bytes(name)), "").expect("a file");
        let report = case.rescan().run().expect("an answer");
        assert_eq!(report.changes[0].place.path, [b"a/", name].concat());
        report.write(&case.file()).expect("a state");
    }
}
