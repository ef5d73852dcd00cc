//! What a queue tells of real changes.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::{Backend, Buffer, Dir, Links, handle_of};

/// A queue that watches a directory, and the watch's number.
fn watching(dir: &Path) -> (Events, i32) {
    let events = Events::new().expect("a queue");
    let open = Dir::open(Backend::Native, dir, Links::NoFollow).expect("the directory");
    let watch = events.watch(handle_of(&open), dir, Reach::Tree).expect("a watch");
    (events, watch)
}

/// What the queue has, as text.
fn told(events: &Events, watch: i32) -> Vec<String> {
    let mut told = Vec::new();
    let has_lost = events.take(|of, notice| {
        assert_eq!(of, watch);
        told.push(match notice {
            Notice::Name(name) => format!("name {}", String::from_utf8_lossy(name)),
            Notice::Inside(name) => format!("inside {}", String::from_utf8_lossy(name)),
            other => format!("{other:?}"),
        });
    });
    assert!(!has_lost.expect("events"));
    told
}

#[test]
fn changes_are_told_and_reading_is_not() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (events, watch) = watching(scratch.path());
    let [a, b] = ["a", "b"].map(|name| scratch.path().join(name));
    fs::write(&a, "1").expect("a file");
    assert_eq!(told(&events, watch), ["name a", "inside a", "inside a"]);
    assert_eq!(fs::read(&a).expect("the file"), b"1");
    assert_eq!(fs::read_dir(scratch.path()).expect("the directory").count(), 1);
    assert_eq!(told(&events, watch), [""; 0]);
    fs::rename(&a, &b).expect("renamed");
    assert_eq!(told(&events, watch), ["name a", "name b"]);
    fs::remove_file(&b).expect("removed");
    fs::remove_dir(scratch.path()).expect("removed");
    assert_eq!(told(&events, watch), ["name b", "Itself", "Ended"]);
}

/// btrfs lists the names that a directory had when it was opened.
#[test]
fn what_has_come_before_the_watch_is_listed() {
    let test = "what_has_come_before_the_watch_is_listed";
    let Some(mounted) = testkit::LoopMount::new(test, "btrfs", "-q") else { return };
    let dir = mounted.path();
    let open = Dir::open(Backend::Native, &dir, Links::NoFollow).expect("the directory");
    fs::write(dir.join("a"), "").expect("a file");
    let events = Events::new().expect("a queue");
    events.watch(handle_of(&open), &dir, Reach::Tree).expect("a watch");
    let mut buffer = Buffer::for_one_read();
    assert!(open.fill(&mut buffer).at_end.is_ok());
    assert_eq!(buffer.entries().count(), 1);
}

#[test]
fn lost_events_are_told_and_all_others_are_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (events, _) = watching(scratch.path());
    for at in 0..20_000 {
        fs::create_dir(scratch.path().join(at.to_string())).expect("a directory");
    }
    let mut count = 0;
    assert!(events.take(|_, _| count += 1).expect("events"));
    assert!((5_000..20_000).contains(&count), "{count}");
    assert!(!events.take(|_, _| count += 1).expect("events"), "told once");
}

#[test]
fn a_wait_ends_by_an_event_a_waker_and_its_time() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (events, watch) = watching(scratch.path());
    let long = Some(Duration::from_secs(600));
    events.wait(Some(Duration::from_millis(1))).expect("no error");
    assert!(!events.is_woken() && !events.has_clock_jumped());
    events.waker().wake();
    events.wait(long).expect("no error");
    assert!(events.is_woken() && !events.is_woken());
    fs::create_dir(scratch.path().join("a")).expect("a directory");
    events.wait(long).expect("no error");
    assert_eq!(told(&events, watch), ["name a"]);
}

/// No test may set the clock, so the kernel tells what would end the wait.
#[test]
fn a_wait_ends_when_the_clock_is_set() {
    let events = Events::new().expect("a queue");
    let told = |fd: &str| fs::read_to_string(Path::new("/proc/self/fdinfo").join(fd));
    let queue = events.handle().expect("it has one").as_raw_fd().to_string();
    let queue = told(&queue).expect("what the queue waits for");
    let waited_for = queue.lines().filter_map(|line| line.strip_prefix("tfd:"));
    let waited_for = waited_for.filter_map(|line| line.split_whitespace().next());
    let mut told = waited_for.map(|fd| told(fd).expect("a descriptor"));
    // CLOCK_REALTIME, and TFD_TIMER_ABSTIME with TFD_TIMER_CANCEL_ON_SET.
    let ends = |told: String| told.contains("clockid: 0\n") && told.contains("settime flags: 03\n");
    assert!(told.any(ends), "{queue}");
}
