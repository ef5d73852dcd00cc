//! Hostile trees: depth beyond any path's length, odd names, directories that cannot be read.

use std::ffi::OsStr;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use brisk::{Backend, Follow, Mounts, Order, Shape, Walk};
use testkit::{is_root, left_out};

use crate::child::succeed;
use crate::chunks::ALL_ORDERS;
use crate::record::{MODES, Mode, ORDERS, Rules, SORTED, in_time, run};
use crate::tree::grow;
use crate::usage::incomplete;

const LINGERS: Rules = Rules {
    dropped: &[],
    only_entered: &[],
    pruned: &[],
    refused: &[],
    stop_after: None,
    fields: brisk::Fields::empty(),
    lingers: true,
};

/// A scratch directory whose removal does not recurse level by level.
struct Deep(tempfile::TempDir);

impl Deep {
    /// A chain of directories called `name`, with the entries `bottom` in the last one.
    fn dig(levels: usize, name: &str, bottom: &str) -> Deep {
        let place = tempfile::tempdir().expect("a scratch directory");
        let root = place.path().to_str().expect("an ordinary path");
        succeed(&[], "dig", &[root, &levels.to_string(), name, bottom]);
        Deep(place)
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        let _ = Command::new("rm").arg("-rf").arg(self.0.path()).status();
    }
}

/// 5,000 levels: a path of 10,000 bytes, which is longer than any system call accepts.
#[test]
fn a_chain_of_5_000_directories() {
    const LEVELS: usize = 5_000;
    let deep = Deep::dig(LEVELS, "d", "f");
    // With few handles each level opens the path from the root again, so each order runs only once.
    let few = [Mode::Threads(4), Mode::Serial, Mode::Iter, Mode::Threads(2)];
    for (order, few) in ORDERS.into_iter().zip(few) {
        let many = [Mode::Serial, Mode::Threads(4), Mode::Iter].map(|mode| (mode, None));
        for (mode, limit) in many.into_iter().chain([(few, Some(8))]) {
            let walk = Walk::new(deep.0.path()).order(order);
            let walk = limit.map_or(walk.clone(), |limit| walk.handle_limit(limit));
            let outcome = in_time("a deep chain", move || run(walk, mode, Rules::default()));
            let what = format!("{order:?} {mode:?} {limit:?}");
            assert_eq!(outcome.errors, Vec::<String>::new(), "{what}");
            assert_eq!(outcome.found.len(), LEVELS + 2, "{what}");
            assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
            let deepest = outcome.found.iter().map(|found| found.depth).max();
            assert_eq!(deepest, Some(LEVELS + 1), "{what}");
        }
    }
}

/// The same in post-order: the deepest directories come first.
#[test]
fn a_deep_chain_in_post_order() {
    let deep = Deep::dig(3_000, "d", "f");
    let outcome = run(
        Walk::new(deep.0.path()).order(Order::Depth(Shape::Post)),
        Mode::Serial,
        Rules::default(),
    );
    let depths: Vec<_> = outcome.found.iter().map(|found| found.depth).collect();
    assert_eq!(depths, (0..=3_001).rev().collect::<Vec<_>>());
}

/// A loop below the longest path that a system call accepts.
#[test]
fn a_link_loop_beyond_any_path() {
    let name = "d".repeat(200);
    let deep = Deep::dig(30, &name, "here->. up->.. f");
    let walk = Walk::new(deep.0.path()).follow(Follow::Always);
    for order in ORDERS {
        let rules = Rules { stop_after: Some(1_000), ..Rules::default() };
        let outcome = run(walk.clone().order(order), Mode::Serial, rules);
        assert_eq!(outcome.found.len(), 1 + 30 + 1, "{order:?}");
        assert_eq!(outcome.errors.len(), 2, "{order:?}");
    }
}

/// Names that a walk must deliver as they are.
const ODD: [&[u8]; 12] = [
    &[b'n'; 255],
    b"new\nline",
    b"escape\x1b[31m",
    b"\xff\xfe not text",
    b"\xc3\x28",
    b" ",
    b"-rf",
    b"...",
    b"tab\tand\rreturn",
    b"\x01\x02",
    b"back\\slash",
    "größe✓".as_bytes(),
];

#[test]
fn names_of_all_kinds() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let mut expected = vec![place.path().to_owned()];
    for name in ODD {
        let dir = place.path().join(OsStr::from_bytes(name));
        fs::create_dir(&dir).expect("a directory");
        for below in ODD {
            let file = dir.join(OsStr::from_bytes(below));
            fs::write(&file, "").expect("a file");
            expected.push(file);
        }
        expected.push(dir);
    }
    expected.sort();
    for order in ORDERS {
        for mode in MODES {
            for backend in [Backend::Native, Backend::Portable] {
                let walk = Walk::new(place.path()).order(order).backend(backend);
                let outcome = run(walk, mode, LINGERS);
                assert_eq!(outcome.wrong, Vec::<String>::new());
                let mut paths: Vec<_> = outcome.found.into_iter().map(|found| found.path).collect();
                if order == SORTED {
                    let bytes = |path: &Path| -> Vec<Vec<u8>> {
                        path.components().map(|part| part.as_os_str().as_bytes().to_vec()).collect()
                    };
                    assert!(paths.is_sorted_by_key(|path| bytes(path)), "{mode:?}");
                }
                paths.sort();
                assert_eq!(paths, expected, "{order:?} {mode:?} {backend:?}");
            }
        }
    }
}

/// In every order the visitor leaves a directory that it entered, and learns that it was not read.
/// Root can read every directory, so another user runs this test.
#[test]
fn a_directory_that_cannot_be_read() {
    if is_root() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let binary = place.path().join("tests");
        fs::copy(std::env::current_exe().expect("this binary"), &binary).expect("a copy");
        for path in [place.path(), &binary] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("for all users");
        }
        let run = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&binary)
            .args(["--exact", "hostile::as_other_user", "--ignored", "--nocapture"])
            .env("TMPDIR", "/tmp")
            .output();
        let Ok(output) = run else {
            return left_out("a_directory_that_cannot_be_read", "there is no setpriv");
        };
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("1 passed"), "{out}{}", String::from_utf8_lossy(&output.stderr));
    } else {
        as_other_user();
    }
}

#[test]
#[ignore = "run by a_directory_that_cannot_be_read"]
fn as_other_user() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), "a/ a/f closed/ closed/g listed/ listed/h listed/s/ listed/s/i z");
    let set = |name: &str, mode| {
        let path = place.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("this user's directory");
    };
    set("closed", 0o000);
    // Its names can be read, but nothing in it can be reached.
    set("listed", 0o444);
    let path = |name: &str| place.path().join(name).display().to_string();
    for order in ALL_ORDERS {
        for mode in MODES {
            for backend in [Backend::Native, Backend::Portable] {
                let walk = Walk::new(place.path()).order(order).backend(backend);
                let outcome = run(walk, mode, LINGERS);
                let what = format!("{order:?} {mode:?} {backend:?}");
                assert_eq!(
                    outcome.errors,
                    [format!("Open {}", path("closed")), format!("Open {}", path("listed/s"))],
                    "{what}"
                );
                if outcome.is_visitors() {
                    let unread =
                        ["closed", "listed/s"].map(|name| format!("Unread {}", path(name)));
                    assert_eq!(outcome.unfinished, unread, "{what}");
                }
                assert_eq!(outcome.found.len(), 8, "{what}: {:?}", outcome.signs());
                assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
            }
        }
        unreached_directories(place.path(), order);
    }
    for name in ["closed", "listed"] {
        set(name, 0o755);
    }
    fs::remove_file(place.path().join("listed/h")).expect("it goes");
    set("listed", 0o444);
    unreached_sums(place.path());
    set("listed", 0o755);
    // A root that cannot be read is an error as well.
    set("closed", 0o000);
    let outcome = run(Walk::new(place.path().join("closed")), Mode::Serial, Rules::default());
    assert_eq!(outcome.errors, [format!("Open {}", path("closed"))]);
    set("closed", 0o755);
}

/// What cannot be asked about is delivered and reported once; a directory is then not opened. One
/// that is not delivered is opened, and reported by that alone.
fn unreached_directories(root: &Path, order: Order) {
    let walk = Walk::new(root).order(order);
    let same_device = walk.clone().mounts(Mounts::SameDevice);
    let unique = walk.clone().unique(true);
    let asks = Rules { fields: brisk::Fields::SIZE, ..LINGERS };
    let enters = Rules { only_entered: &["s"], ..LINGERS };
    let both: &[_] = &["Stat listed/h", "Stat listed/s"];
    for (walk, rules, unreached, found) in [
        (&walk, asks, both, 8),
        (&same_device, LINGERS, &["Stat listed/s"], 8),
        (&same_device, enters, &["Open listed/s"], 7),
        (&unique, LINGERS, both, 8),
        (&unique, enters, &["Open listed/s", "Stat listed/h"], 7),
    ] {
        let what = format!("{walk:?} {rules:?}");
        let outcome = run(walk.clone(), Mode::Threads(4), rules);
        let prefix = format!("{}/", root.display());
        let errors: Vec<_> = outcome.errors.iter().map(|it| it.replace(&prefix, "")).collect();
        assert_eq!(errors, [&["Open closed"], unreached].concat(), "{what}");
        assert_eq!(outcome.found.len(), found, "{what}: {:?}", outcome.signs());
        let opened = errors.iter().filter(|error| error.starts_with("Open ")).count();
        assert_eq!(outcome.unfinished.len(), opened, "{what}: {:?}", outcome.unfinished);
        assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
    }
}

/// The sums of a directory in which another cannot be reached are not complete.
fn unreached_sums(root: &Path) {
    for order in ALL_ORDERS {
        for threads in [1, 4] {
            let walk = Walk::new(root).order(order).threads(NonZeroUsize::new(threads));
            let same_device = walk.clone().mounts(Mounts::SameDevice);
            let unique = walk.clone().follow(Follow::Always);
            for walk in [walk, same_device, unique] {
                let expected = ["", "listed"].map(|name| root.join(name));
                assert_eq!(incomplete(walk.clone()), (expected.to_vec(), 1), "{walk:?}");
            }
        }
    }
}
