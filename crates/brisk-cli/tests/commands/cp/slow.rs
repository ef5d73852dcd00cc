//! Slow storage on either side (slowfs): how many requests a copy makes, and how many at once.

use std::process::Command;

use testkit::{Counts, Mounted, Scratch};

use super::run;

const DIRS: u64 = 8;
const FILES: u64 = 12;

/// Copies `t`, or the mount `s` of it, by `cp -a` to `c`, or into the mount of the empty `c`.
fn copy(place: &Scratch, test: &str, side: Side, options: &str) -> Option<Counts> {
    let flags = |dir| format!("--mirror {} --writable --latency 2ms", place.path(dir).display());
    std::fs::create_dir_all(place.path("c")).unwrap();
    let mounted = Mounted::new(test, &flags(if side == Side::From { "t" } else { "c" }))?;
    let at = mounted.path().to_str().unwrap();
    let (from, to) = if side == Side::From { (at, "c") } else { ("t", at) };
    assert_eq!(run(place, &format!("{options} {from} {to}/new")), (String::new(), 0));
    let counts = mounted.finish();
    let mut diff = Command::new("diff");
    let equal = diff.arg("-r").args([place.path("t"), place.path("c/new")]).status();
    assert!(equal.unwrap().success());
    std::fs::remove_dir_all(place.path("c")).unwrap();
    Some(counts)
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    From,
    To,
}

/// The kernel adds requests for attributes, more or fewer by its version.
#[test]
fn what_is_requested_of_slow_storage() {
    let place = Scratch::new();
    for dir in 0..DIRS {
        (0..FILES).for_each(|file| place.write(&format!("t/d{dir}/f{file}"), "text"));
    }
    let test = "what_is_requested_of_slow_storage";
    let Some(from) = copy(&place, test, Side::From, "-aT") else { return };
    let all = DIRS * FILES;
    assert_eq!((from.get("open"), from.get("opendir")), (all, DIRS + 1), "{from:?}");
    assert!(from.get("lookup") <= all + DIRS, "{from:?}");
    let Some(to) = copy(&place, test, Side::To, "-aT") else { return };
    assert_eq!((to.get("create"), to.get("mkdir")), (all, DIRS + 1), "{to:?}");
    assert_eq!((to.get("rename"), to.get("open"), to.get("readdir")), (1, 0, 0), "{to:?}");
    // The times of each, and the root's mode.
    assert!(to.get("setattr") <= all + DIRS + 2, "{to:?}");
    // Before an entry is made, and of a directory once more when it is opened; the root's own and
    // its temporary name, this again once the tree is locked.
    assert!(to.get("lookup") <= all + 2 * DIRS + 6, "{to:?}");
}

#[test]
fn files_of_one_slow_directory_are_copied_at_once() {
    let place = Scratch::new();
    (0..200).for_each(|file| place.write(&format!("t/f{file}"), "text"));
    let test = "files_of_one_slow_directory_are_copied_at_once";
    for (options, least, most) in [("-aT --threads 1", 1, 1), ("-aT", 8, 128)] {
        let Some(counts) = copy(&place, test, Side::From, options) else { return };
        let at_once = counts.get("peak_waiting");
        assert!((least..=most).contains(&at_once), "{options}: {at_once} requests at once");
    }
}

/// What the destination calls `file` and `dir` is the copy of `File` and `Dir`.
#[test]
fn a_destination_that_ignores_case() {
    let place = Scratch::new();
    place.fill("t", ["File", "Dir/New", "other"], "new");
    place.fill("c/u", ["file", "dir/new", "surplus"], "old");
    let flags =
        format!("--mirror {} --writable --latency 0 --ignore-case", place.path("c").display());
    let test = "a_destination_that_ignores_case";
    let Some(mounted) = Mounted::new(test, &flags) else { return };
    let words = format!("-aT --update=changed --delete t {}/u", mounted.path().display());
    for _ in 0..2 {
        assert_eq!(run(&place, &words), (String::new(), 0));
        let names = ["file", "dir/new", "other"].map(|name| place.read(&format!("c/u/{name}")));
        assert_eq!(names, ["new"; 3]);
    }
    assert!(!place.path("c/u/surplus").exists());
}
