//! What a watcher finds on every system, whether a watch is of a directory or of a tree. Where events
//! may come after the calls that made them, so may batches.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use brisk_state::{RescanError, Watcher, WhyScanned};

use super::{SETTLE, next, told, watcher};

/// Accepts batches until one tells this. None may tell anything that the others do not expect.
fn accept_until(watcher: &mut Watcher, last: &str, others: &[&str]) {
    loop {
        let batch = next(watcher);
        let lines = told(&batch);
        let is_expected = |line: &String| line == last || others.contains(&&**line);
        assert!(lines.iter().all(is_expected), "{lines:?}");
        watcher.accept(batch).expect("accepted");
        if lines.iter().any(|line| line == last) {
            return;
        }
    }
}

/// A watcher after its first batch.
fn started(dir: &Path) -> Watcher {
    let mut watcher = watcher(dir, None);
    let batch = next(&mut watcher);
    watcher.accept(batch).expect("accepted");
    watcher
}

#[test]
fn what_was_edited_under_another_name_is_found() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let [here, there] = ["here", "there"].map(|name| scratch.path().join(name));
    fs::create_dir_all(here.join("deep/er")).expect("directories");
    let mut watcher = started(scratch.path());
    fs::rename(&here, &there).expect("renamed");
    fs::write(there.join("deep/er/a"), "").expect("a file");
    fs::rename(&there, &here).expect("renamed");
    accept_until(&mut watcher, "A here/deep/er/a", &[]);
    fs::write(here.join("deep/er/a"), "1").expect("a file");
    accept_until(&mut watcher, "M here/deep/er/a", &[]);
}

#[test]
fn a_directory_is_replaced_by_one_with_the_same_names() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let [dir, other] = ["dir", "other"].map(|name| scratch.path().join(name));
    for dir in [dir.join("one/two"), other.join("one/two")] {
        fs::create_dir_all(&dir).expect("directories");
        fs::write(dir.join("a"), dir.as_os_str().as_encoded_bytes()).expect("a file");
    }
    fs::write(other.join("one/two/b"), "").expect("a file");
    let root = scratch.path().join("root");
    fs::create_dir(&root).expect("a directory");
    fs::rename(&dir, root.join("dir")).expect("renamed");
    let mut watcher = started(&root);
    fs::remove_dir_all(root.join("dir")).expect("removed");
    fs::rename(&other, root.join("dir")).expect("renamed");
    let gone = ["D dir", "D dir/one", "D dir/one/two", "D dir/one/two/a"];
    let back = ["A dir", "A dir/one", "A dir/one/two", "A dir/one/two/a", "M dir/one/two/a"];
    accept_until(&mut watcher, "A dir/one/two/b", &[&gone[..], &back].concat());
}

#[test]
fn more_names_than_are_kept_for_a_directory() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let sub = scratch.path().join("sub");
    fs::create_dir_all(sub.join("deep")).expect("directories");
    let mut watcher = started(scratch.path());
    let names: Vec<_> = (0..1_200).map(|at| format!("A sub/{at}")).collect();
    for name in &names {
        fs::write(scratch.path().join(&name[2..]), "").expect("a file");
    }
    fs::write(sub.join("deep/a"), "").expect("a file");
    let names: Vec<_> = names.iter().map(|name| &**name).collect();
    accept_until(&mut watcher, "A sub/deep/a", &names);
}

#[test]
fn the_root_is_renamed_and_another_one_takes_its_name() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let [dir, aside] = ["dir", "aside"].map(|name| scratch.path().join(name));
    fs::create_dir_all(dir.join("sub")).expect("directories");
    let mut watcher = started(&dir);
    fs::rename(&dir, &aside).expect("renamed");
    let until = Instant::now() + Duration::from_secs(60);
    let gone = watcher.next(SETTLE, Some(until)).expect_err("it is gone");
    assert!(matches!(gone, RescanError::Root(..)), "{gone}");
    fs::create_dir_all(dir.join("sub")).expect("directories");
    fs::write(dir.join("sub/a"), "").expect("a file");
    let batch = next(&mut watcher);
    assert_eq!(batch.full(), Some(&WhyScanned::Root));
    watcher.accept(batch).expect("accepted");
    fs::write(dir.join("sub/b"), "").expect("a file");
    accept_until(&mut watcher, "A sub/b", &["A sub/a"]);
    fs::write(dir.join("sub/a"), "1").expect("a file");
    accept_until(&mut watcher, "M sub/a", &[]);
}
