//! A watcher tells what changed, batch after batch.

#[cfg(target_os = "linux")]
mod costs;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod reasons;
#[cfg(target_os = "linux")]
mod rounds;
mod trees;
#[cfg(target_os = "linux")]
mod view;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use brisk_state::{ChangeBatch, Rescan, State, Watcher};

const SETTLE: Duration = Duration::from_millis(20);

fn watcher(dir: &Path, state: Option<PathBuf>) -> Watcher {
    let mut rescan = Rescan { accepts_other_volumes: true, ..Rescan::over([dir]) };
    if let Some(state) = &state {
        rescan.old = State::load(state);
        rescan.omitted = vec![state.clone()];
    }
    Watcher::new(rescan, state).expect("a watcher")
}

/// The time at which a wait has failed.
fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The next batch.
fn next(watcher: &mut Watcher) -> ChangeBatch {
    watcher.next(SETTLE, Some(soon())).expect("no error").expect("a batch")
}

/// The letters and paths of a batch.
fn told(batch: &ChangeBatch) -> Vec<String> {
    let line = |change: &brisk_state::Change| {
        format!("{} {}", change.kind.letter(), String::from_utf8_lossy(&change.place.path))
    };
    batch.report.changes.iter().map(line).collect()
}

#[test]
fn the_first_batch_has_what_changed_since_the_state_and_later_ones_the_rest() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dir = scratch.path().join("dir");
    let state = scratch.path().join("state");
    fs::create_dir(&dir).expect("a directory");
    fs::write(dir.join("a"), "1").expect("a file");
    let mut first = watcher(&dir, Some(state.clone()));
    let batch = next(&mut first);
    assert_eq!(told(&batch), ["A ", "A a"]);
    first.accept(batch).expect("saved");
    fs::create_dir_all(dir.join("b/c")).expect("directories");
    fs::write(dir.join("b/c/d"), "").expect("a file");
    let batch = next(&mut first);
    assert_eq!(told(&batch), ["A b", "A b/c", "A b/c/d"]);
    drop(batch);
    // It was not accepted, and is told again, with what came to it.
    fs::remove_file(dir.join("a")).expect("removed");
    let batch = next(&mut first);
    assert_eq!(told(&batch), ["D a", "A b", "A b/c", "A b/c/d"]);
    first.accept(batch).expect("saved");
    first.save().expect("saved");
    drop(first);
    fs::write(dir.join("b/c/d"), "2").expect("written");
    let mut second = watcher(&dir, Some(state));
    assert_eq!(told(&next(&mut second)), ["M b/c/d"]);
}

#[test]
fn an_earlier_batch_may_be_accepted_and_an_outdated_one_is_not() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let mut watcher = watcher(scratch.path(), None);
    let [a, b] = ["a", "b"].map(|name| scratch.path().join(name));
    let batch = next(&mut watcher);
    watcher.accept(batch).expect("accepted");
    fs::create_dir(&a).expect("a directory");
    let first = next(&mut watcher);
    fs::create_dir(&b).expect("a directory");
    let second = next(&mut watcher);
    assert_eq!(
        (told(&first), told(&second)),
        (vec!["A a".to_owned()], vec!["A a".into(), "A b".into()])
    );
    // Of the second one, only what the first one has not is left.
    watcher.accept(first).expect("accepted");
    fs::write(a.join("c"), "").expect("a file");
    let third = next(&mut watcher);
    assert_eq!(told(&third), ["A a/c", "A b"]);
    watcher.accept(third).expect("accepted");
    watcher.accept(second).expect("it is dropped");
    fs::remove_dir(&b).expect("removed");
    assert_eq!(told(&next(&mut watcher)), ["D b"]);
}

#[test]
fn a_wait_ends_when_it_is_woken_and_at_its_time() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let mut watcher = watcher(scratch.path(), None);
    let batch = next(&mut watcher);
    watcher.accept(batch).expect("accepted");
    assert!(watcher.next(SETTLE, Some(Instant::now())).expect("no error").is_none());
    watcher.waker().wake();
    let soon = soon();
    assert!(watcher.next(SETTLE, Some(soon)).expect("no error").is_none());
    let waker = watcher.waker();
    let waits = move || watcher.next(SETTLE, Some(soon)).expect("no error").is_none();
    let waiting = thread::Builder::new().spawn(waits).expect("a thread");
    waker.wake();
    assert!(waiting.join().expect("it ends") && Instant::now() < soon);
}
