//! What answers tell of real changes.

use std::fs;

use super::*;
use crate::{Backend, Dir, handle_of};

/// A queue that watches a tree, and the watch's number.
fn watching(dir: &Path) -> (Events, i32) {
    let events = Events::new().expect("a queue");
    let watch = watch(&events, dir, Reach::Tree);
    (events, watch)
}

fn watch(events: &Events, dir: &Path, reach: Reach) -> i32 {
    let open = Dir::open_path_only(Backend::Native, dir).expect("the directory");
    events.watch(handle_of(&open), dir, reach).expect("a watch")
}

/// Waits until something is told of a path, or of the watch itself.
fn wait_for(events: &Events, watch: i32, expected: &str) {
    let mut all = Vec::new();
    for _ in 0..100 {
        let lost = events.take(|of, notice| {
            assert_eq!(of, watch);
            all.push(match notice {
                Notice::Name(path) | Notice::Inside(path) => {
                    String::from_utf8_lossy(path).into_owned()
                }
                other => format!("{other:?}"),
            });
        });
        assert!(!lost.expect("answers"));
        if all.iter().any(|told| told == expected) {
            return;
        }
        events.wait(Some(Duration::from_millis(100))).expect("no error");
    }
    panic!("{expected} is not in {all:?}");
}

#[test]
fn changes_anywhere_below_are_told() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    fs::create_dir_all(scratch.path().join("a/b")).expect("directories");
    let (events, watch) = watching(scratch.path());
    fs::write(scratch.path().join("c"), "1").expect("a file");
    wait_for(&events, watch, "c");
    // Wine tells of directories that were opened since the request.
    assert_eq!(fs::read_dir(scratch.path().join("a")).expect("a directory").count(), 1);
    assert_eq!(fs::read_dir(scratch.path().join("a/b")).expect("a directory").count(), 0);
    fs::write(scratch.path().join("a/b/d"), "1").expect("a file");
    wait_for(&events, watch, "a/b/d");
    fs::create_dir_all(scratch.path().join("e/f")).expect("directories");
    wait_for(&events, watch, "e");
    fs::rename(scratch.path().join("a"), scratch.path().join("g")).expect("renamed");
    wait_for(&events, watch, "g");
}

#[test]
fn a_directory_has_one_watch_of_each_reach() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (events, tree) = watching(scratch.path());
    assert_eq!(watch(&events, scratch.path(), Reach::Tree), tree);
    let entries = watch(&events, scratch.path(), Reach::Entries);
    assert_ne!(entries, tree);
    events.unwatch(tree);
    fs::write(scratch.path().join("a"), "1").expect("a file");
    wait_for(&events, entries, "a");
    assert_ne!(watch(&events, scratch.path(), Reach::Tree), tree);
}

#[test]
fn a_wait_ends_by_a_change_a_waker_and_its_time() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dir = scratch.path().join("dir");
    fs::create_dir(&dir).expect("a directory");
    let (events, _) = watching(&dir);
    events.watch_way(scratch.path(), false).expect("a watch");
    let long = Some(Duration::from_secs(600));
    let take = || assert!(!events.take(|_, _| ()).expect("answers"));
    take();
    events.wait(Some(Duration::from_millis(1))).expect("no error");
    assert!(!events.is_woken() && !events.has_clock_jumped());
    events.waker().wake();
    events.wait(long).expect("no error");
    assert!(events.is_woken() && !events.is_woken());
    take();
    fs::create_dir(dir.join("a")).expect("a directory");
    events.wait(long).expect("no error");
    take();
    fs::rename(&dir, scratch.path().join("other")).expect("renamed");
    events.wait(long).expect("no error");
}

/// A name does not fit into the answer, which then is empty.
#[test]
fn lost_changes_are_told() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let events = Events::new().expect("a queue");
    let open = Dir::open_path_only(Backend::Native, scratch.path()).expect("the directory");
    let dir = handle_of(&open).expect("a handle");
    events.add(dir, Some(Reach::Tree), CHANGES, 4).expect("a watch");
    fs::write(scratch.path().join("a name of more than 32 bytes"), "1").expect("a file");
    events.wait(Some(Duration::from_secs(60))).expect("no error");
    let mut told = 0;
    assert!(events.take(|_, _| told += 1).expect("answers"));
    assert_eq!(told, 0);
}

/// The system ends the requests of a thread with it.
#[test]
fn a_watch_outlives_the_thread_that_made_it() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dir = scratch.path().to_owned();
    let made = std::thread::Builder::new().spawn(move || watching(&dir)).expect("a thread");
    let (events, watch) = made.join().expect("it ends");
    fs::write(scratch.path().join("a"), "1").expect("a file");
    wait_for(&events, watch, "a");
    fs::write(scratch.path().join("b"), "1").expect("a file");
    wait_for(&events, watch, "b");
}
