//! Storage that is slow, fails, or reports no types: slowfs.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use brisk::{Fields, FileType, Follow, Order, Walk};
use testkit::Mounted;

use crate::chunks::ALL_ORDERS;
use crate::record::{MODES, Mode, ORDERS, Outcome, Rules, in_time, run};

/// These tests count requests that wait at once, so they run one at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn sound(outcome: &Outcome, entries: usize, what: &str) {
    assert_eq!(outcome.errors, Vec::<String>::new(), "{what}");
    let paths: HashSet<_> = outcome.found.iter().map(|found| &found.path).collect();
    let counts = (outcome.found.len(), paths.len());
    assert_eq!(counts, (entries, entries), "{what}: entries, and different ones");
    assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
}

/// Without a flag, several workers are started. (That they pay is measured by `scripts/bench`.)
fn gets_many_workers(test: &str, flags: &str, entries: usize, fields: Fields) {
    let rules = Rules { fields, ..Rules::NONE };
    for order in ORDERS {
        let Some(mount) = Mounted::new(test, flags) else { return };
        let outcome = run(Walk::new(mount.path()).order(order), Mode::Adaptive, rules);
        sound(&outcome, entries, test);
        let stats = outcome.stats();
        let at_once = mount.finish().get("peak_waiting");
        assert!(stats.peak_workers > 8 && at_once > 8, "{order:?}: {at_once} at once, {stats}");
    }
}

#[test]
fn many_workers_for_many_slow_directories() {
    let _alone = alone();
    let flags = "--dirs 200 --files 10 --latency 1ms";
    let test = "many_workers_for_many_slow_directories";
    gets_many_workers(test, flags, 1 + 200 + 2_000, Fields::empty());
}

#[test]
fn many_workers_for_one_directory_with_slow_stats() {
    let _alone = alone();
    let test = "many_workers_for_one_directory_with_slow_stats";
    gets_many_workers(test, "--flat 2000 --latency 1ms", 1 + 2_000, Fields::SIZE);
}

#[test]
fn many_workers_for_one_directory_with_slow_links_and_attributes() {
    let _alone = alone();
    let test = "many_workers_for_one_directory_with_slow_links_and_attributes";
    let fields = Fields::TARGET | Fields::CAPS;
    gets_many_workers(test, "--flat 1000 --links 30 --latency 1ms", 1 + 1_000, fields);
}

/// A link is read once and followed once, and a file is asked once for all of its attributes. The
/// kernel keeps names and attributes here, so a request is a call's own.
#[test]
fn one_request_for_each_need() {
    let _alone = alone();
    let test = "one_request_for_each_need";
    let long = "--latency 0 --entry-timeout 100s --attr-timeout 100s";
    let flags = format!("--flat 500 --links 40 {long}");
    for order in ORDERS {
        for mode in [Mode::Serial, Mode::Threads(8)] {
            for (fields, per_link, get, list) in [
                (Fields::TARGET, 1, 0, 0),
                (Fields::TARGET | Fields::LINK_TARGET, 2, 0, 0),
                (Fields::CAPS | Fields::MODE, 0, 1, 0),
                (Fields::CAPS | Fields::ACCESS | Fields::CONTEXT | Fields::MODE, 0, 0, 1),
            ] {
                let Some(mount) = Mounted::new(test, &flags) else { return };
                let outcome = run(
                    Walk::new(mount.path()).order(order),
                    mode,
                    Rules { fields, ..Rules::NONE },
                );
                sound(&outcome, 501, test);
                let of = |kind| outcome.found.iter().filter(|f| f.file_type == kind).count() as u64;
                let files = of(FileType::File);
                let links = of(FileType::Symlink);
                assert!(files > 200 && links > 100, "{files} files, {links} links");
                // Capabilities are asked of files, access lists of every entry, the root included.
                // Before the first of them, a worker asks whether the device stores any.
                let expected = [per_link * links, get * files, list * 501];
                let counts = mount.finish();
                let mut counted =
                    ["readlink", "getxattr", "listxattr"].map(|kind| counts.get(kind));
                let first = list * counted[1];
                assert!((list..=8 * list).contains(&first), "{order:?} {mode:?}: {first}");
                counted[1] -= first;
                // The guard of a walk that streams takes a worker that gets no processor for hung,
                // and what it had asked for is asked for again.
                let is_watched = matches!(order, Order::Unordered | Order::Breadth)
                    && !matches!(mode, Mode::Serial);
                let repeats = counted.iter().zip(&expected).all(|(count, once)| count >= once);
                let is_once = counted == expected || is_watched && repeats;
                assert!(is_once, "{order:?} {mode:?} {fields:?}: {counted:?}, not {expected:?}");
                let calls = outcome.stats().calls;
                assert_eq!(
                    calls.xattr,
                    first + counted[1] + counted[2],
                    "{order:?} {mode:?} {fields:?}"
                );
            }
        }
    }
}

/// A device without attributes is asked at most once by each worker that does not know it yet.
#[test]
fn storage_without_attributes_is_asked_once() {
    let _alone = alone();
    let test = "storage_without_attributes_is_asked_once";
    let flags = "--dirs 20 --files 50 --latency 0 --no-xattrs";
    for order in ORDERS {
        for (mode, most) in [(Mode::Serial, 1), (Mode::Threads(8), 8)] {
            for fields in [Fields::CAPS | Fields::MODE, Fields::ACCESS, Fields::CAPS] {
                let Some(mount) = Mounted::new(test, flags) else { return };
                let outcome = run(
                    Walk::new(mount.path()).order(order),
                    mode,
                    Rules { fields, ..Rules::NONE },
                );
                sound(&outcome, 1 + 20 + 1_000, test);
                let what = format!("{order:?} {mode:?} {fields:?}");
                let calls = outcome.stats().calls;
                assert!((1..=most).contains(&calls.xattr), "{what}: {calls:?}");
                // The kernel makes two requests of the first call for a capability. Whether a device
                // stores any attributes takes three.
                let counts = mount.finish();
                let counted = counts.get("getxattr") + counts.get("listxattr");
                assert!((1..=4 * most).contains(&counted), "{what}: {counts:?}");
            }
        }
    }
}

/// A directory whose requests are expected to be slow, because its parent's were, is split before
/// the first of them. The part that this worker keeps may then be split again.
#[test]
fn what_was_split_is_split_again() {
    let _alone = alone();
    let test = "what_was_split_is_split_again";
    // Without a set latency a request takes 10 to 50 µs, and now and then many times the expected
    // time.
    let flags = "--nested 2,6,60 --latency 0";
    let Some(mount) = Mounted::new(test, flags) else { return };
    for order in ORDERS {
        for _ in 0..5 {
            let rules = Rules { fields: Fields::SIZE, ..Rules::NONE };
            let outcome = run(Walk::new(mount.path()).order(order), Mode::Threads(8), rules);
            sound(&outcome, 1 + (6 + 36) + (1 + 6 + 36) * 60, &format!("{order:?}"));
        }
    }
}

/// An entry whose metadata cannot be asked for is reported, and delivered without.
#[test]
fn an_entry_that_cannot_be_asked() {
    let _alone = alone();
    let Some(mount) = Mounted::new(
        "an_entry_that_cannot_be_asked",
        "--dirs 3 --files 5 --latency 0 --eio file-002",
    ) else {
        return;
    };
    for order in ORDERS {
        for mode in MODES {
            let rules = Rules { fields: Fields::SIZE, lingers: true, ..Rules::NONE };
            let outcome = run(Walk::new(mount.path()).order(order), mode, rules);
            assert_eq!(outcome.errors.len(), 3, "{order:?} {mode:?}: {:?}", outcome.errors);
            assert_eq!(outcome.found.len(), 1 + 3 + 15, "{order:?} {mode:?}");
            let without = outcome.found.iter().filter(|found| found.meta.is_none()).count();
            assert_eq!(without, 3, "{order:?} {mode:?}");
            assert_eq!(outcome.wrong, Vec::<String>::new(), "{order:?} {mode:?}");
        }
    }
}

/// Walks a mounted tree whose `dir-001` fails: that is reported, once, and what else is there is found.
fn a_directory_fails(test: &str, words: &str, (operation, outcome): (&str, &str), found: usize) {
    let _alone = alone();
    let Some(mount) = Mounted::new(test, words) else { return };
    let dir = mount.path().join("dir-001");
    for order in ALL_ORDERS {
        for mode in MODES {
            let rules = Rules { lingers: true, ..Rules::NONE };
            let walked = run(Walk::new(mount.path()).order(order), mode, rules);
            assert_eq!(
                walked.errors,
                [format!("{operation} {}", dir.display())],
                "{order:?} {mode:?}"
            );
            if walked.is_visitors() {
                let unfinished = format!("{outcome} {}", dir.display());
                assert_eq!(walked.unfinished, [unfinished], "{order:?} {mode:?}");
            }
            assert_eq!(walked.found.len(), found, "{order:?} {mode:?}");
            assert_eq!(walked.wrong, Vec::<String>::new(), "{order:?} {mode:?}");
        }
    }
}

/// It keeps the entries that it listed before: half of `.`, `..` and the 100 files.
#[test]
fn a_directory_that_fails_in_the_middle() {
    let words = "--dirs 3 --files 100 --latency 0 --eio-readdir dir-001";
    let found = 1 + 3 + 200 + 51 - 2;
    a_directory_fails("a_directory_that_fails_in_the_middle", words, ("Read", "Partial"), found);
}

#[test]
fn a_directory_that_must_not_be_opened() {
    let words = "--dirs 3 --files 10 --latency 0 --eacces dir-001";
    let found = 1 + 3 + 20;
    a_directory_fails("a_directory_that_must_not_be_opened", words, ("Open", "Unread"), found);
}

const TREE: &str = "--dirs 4 --files 60 --links 40 --latency 0";

/// Types that the directory does not report are asked for: the result is the same.
fn same_without_types(test: &str, follow: Follow) {
    let Some(typed) = Mounted::new(test, TREE) else { return };
    let Some(untyped) = Mounted::new(test, &format!("{TREE} --unknown-types")) else { return };
    let view = |mount: &Mounted, outcome: Outcome| {
        let root = format!("{}/", mount.path().display());
        let root = root.trim_end_matches('/');
        let paths = outcome.sorted_signs().into_iter().map(|sign| sign.replace(root, ""));
        let errors = outcome.errors.into_iter().map(|error| error.replace(root, ""));
        (paths.collect::<Vec<_>>(), errors.collect::<Vec<_>>(), outcome.wrong)
    };
    for order in ORDERS {
        for mode in MODES {
            let rules = Rules { lingers: true, ..Rules::NONE };
            let look = |mount: &Mounted| {
                view(mount, run(Walk::new(mount.path()).follow(follow).order(order), mode, rules))
            };
            let with = look(&typed);
            let without = look(&untyped);
            assert!(with.0.len() > 200 || follow == Follow::Always, "{}", with.0.len());
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                these.iter().filter(|one| !those.contains(one)).cloned().collect()
            };
            let missing = [only(&with.0, &without.0), only(&with.1, &without.1)];
            let extra = [only(&without.0, &with.0), only(&without.1, &with.1)];
            assert!(with == without, "{order:?} {mode:?}: missing {missing:?}, too many {extra:?}");
        }
    }
}

#[test]
fn types_that_are_not_reported() {
    let _alone = alone();
    same_without_types("types_that_are_not_reported", Follow::Roots);
}

#[test]
fn types_that_are_not_reported_of_links_that_are_followed() {
    let _alone = alone();
    same_without_types("types_that_are_not_reported_of_links_that_are_followed", Follow::Always);
}

/// One statx for each entry reports both the type and the fields that the visitor wants.
#[test]
fn one_stat_reports_type_and_fields() {
    let _alone = alone();
    let test = "one_stat_reports_type_and_fields";
    let flags = "--dirs 2 --files 10 --plain --latency 0 --unknown-types";
    let Some(mount) = Mounted::new(test, flags) else { return };
    let rules = Rules { fields: Fields::SIZE, ..Rules::NONE };
    let outcome = run(Walk::new(mount.path()), Mode::Serial, rules);
    sound(&outcome, 23, test);
    assert!(outcome.found.iter().all(|found| found.file_type != FileType::Unknown));
    assert!(
        outcome
            .found
            .iter()
            .all(|found| found.meta.as_ref().is_some_and(|meta| meta.size.is_some()))
    );
    assert_eq!(outcome.stats().calls.stat, 23);
}

/// In every order a slow walk stops soon after the visitor answers `Flow::Stop`.
#[test]
fn a_slow_walk_stops_soon() {
    let _alone = alone();
    let test = "a_slow_walk_stops_soon";
    for order in ORDERS {
        for mode in [Mode::Serial, Mode::Threads(8), Mode::Adaptive] {
            let Some(mount) = Mounted::new(test, "--dirs 500 --files 5 --latency 5ms") else {
                return;
            };
            let walk = Walk::new(mount.path()).order(order);
            let rules = Rules { stop_after: Some(10), ..Rules::NONE };
            let stats = in_time(test, move || run(walk, mode, rules).stats());
            assert!(stats.wall.as_millis() < 2_000, "{order:?} {mode:?}: {stats}");
        }
    }
}
