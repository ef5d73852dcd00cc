//! What fails beside a watcher: nothing is silent, and nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use brisk_state::{Batches, Rescan, RescanError, Watcher, WhyScanned};
use testkit::{left_out, scratch};

use super::costs::watches;
use super::reasons::{accept, everything, is_inside, now, obeys_permissions, started};
use super::{SETTLE, next, soon, told, watcher};

/// The system lets no user watch a directory that this user may not read.
#[test]
fn a_link_in_a_directory_that_cannot_be_read_leads_elsewhere() {
    if !obeys_permissions("failures::a_link_in_a_directory_that_cannot_be_read_leads_elsewhere") {
        return;
    }
    let scratch = scratch();
    let above = scratch.path().join("above");
    let [one, other, link, new] = ["one", "other", "link", "new"].map(|name| above.join(name));
    [&one, &other].into_iter().for_each(|dir| fs::create_dir_all(dir).expect("a directory"));
    fs::write(other.join("a"), "").expect("a file");
    symlink("one", &link).expect("a link");
    symlink("other", &new).expect("a link");
    fs::set_permissions(&above, fs::Permissions::from_mode(0o311)).expect("its mode");
    let mut watcher = started(&link);
    assert!(watcher.polled().is_empty());
    assert!(watcher.deadline().is_some(), "nothing else ends a wait");
    fs::rename(new, link).expect("it leads elsewhere");
    let batch = next(&mut watcher);
    fs::set_permissions(&above, fs::Permissions::from_mode(0o755)).expect("its mode");
    assert_eq!(batch.scanned, everything(WhyScanned::Root));
    assert_eq!(told(&batch), ["A a"]);
}

#[test]
fn a_link_to_a_link_leads_elsewhere() {
    let scratch = scratch();
    let [one, two, dir, first] =
        ["one", "two", "dir", "first"].map(|name| scratch.path().join(name));
    [&one, &two, &dir].into_iter().for_each(|dir| fs::create_dir(dir).expect("a directory"));
    let [second, new] = ["second", "new"].map(|name| dir.join(name));
    symlink("dir/second", &first).expect("a link");
    symlink("../one", &second).expect("a link");
    symlink("../two", &new).expect("a link");
    let mut watcher = started(&first);
    // The directory of the second one is watched too.
    assert_eq!(watches(&watcher), watches(&started(&one)) + 1);
    fs::rename(new, second).expect("it leads elsewhere");
    assert_eq!(next(&mut watcher).scanned, everything(WhyScanned::Root));
}

#[test]
fn a_batch_whose_state_cannot_be_written_comes_again() {
    let scratch = scratch();
    let [dir, states, aside] = ["dir", "states", "aside"].map(|name| scratch.path().join(name));
    [&dir, &states].into_iter().for_each(|dir| fs::create_dir(dir).expect("a directory"));
    let file = states.join("state");
    let mut batches = Batches::new(Rescan::over([&dir]), Some(&file), SETTLE).expect("batches");
    let mut next = || batches.next(Some(soon())).map(|batch| told(batch.expect("a batch")));
    assert_eq!(next().expect("a batch"), ["A "]);
    fs::rename(&states, &aside).expect("moved");
    let failed = next().expect_err("there is no place for the state");
    assert!(matches!(failed, RescanError::File(..)), "{failed}");
    fs::rename(&aside, &states).expect("moved back");
    assert_eq!(next().expect("a batch"), ["A "]);
    fs::write(dir.join("a"), "").expect("a file");
    assert_eq!(next().expect("a batch"), ["A a"]);
}

/// While the caller has another batch, the state is written anew.
#[test]
fn the_places_of_a_batch_that_could_not_be_accepted_are_looked_at_again() {
    let scratch = scratch();
    let [dir, states, aside] = ["dir", "states", "aside"].map(|name| scratch.path().join(name));
    [&dir, &states].into_iter().for_each(|dir| fs::create_dir(dir).expect("a directory"));
    let mut watcher = watcher(&dir, Some(states.join("state")));
    accept(&mut watcher);
    fs::write(dir.join("a"), "").expect("a file");
    let kept = next(&mut watcher);
    fs::write(dir.join("b"), "").expect("a file");
    let batch = next(&mut watcher);
    fs::rename(&states, &aside).expect("moved");
    assert!(watcher.accept(batch).is_err());
    drop(kept);
    fs::rename(&aside, &states).expect("moved back");
    assert_eq!(accept(&mut watcher), ["A a", "A b"]);
    assert!(now(&mut watcher).is_none());
}

#[test]
fn an_error_of_the_queue_during_a_look_is_told() {
    let test = "failures::an_error_of_the_queue_during_a_look_is_told";
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out(test, "there is no strace");
    }
    // The first read finds the event, and the look makes the second one.
    let strace = "strace -f -qq -o /dev/null -P anon_inode:inotify -e inject=read:error=EIO:when=2";
    if !is_inside(test, &strace.split(' ').collect::<Vec<_>>()) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let mut watcher = Watcher::new(Rescan::over([scratch.path()]), None).expect("a watcher");
    accept(&mut watcher);
    fs::write(scratch.path().join("a"), "").expect("a file");
    let failed = watcher.next(Duration::ZERO, Some(Instant::now()));
    assert!(matches!(failed, Err(RescanError::Watch(_))), "{failed:?}");
    assert_eq!(accept(&mut watcher), ["A a"]);
}
