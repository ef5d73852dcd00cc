//! Mounts: a bind mount that leads back, another file system below the root.
//!
//! In a mount namespace of their own, so that nothing is left behind: see `child::mounted`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use brisk::filter::{Filter, Test, Types};
use brisk::{Backend, Fields, FileType, Follow, Mounts, Order, Walk};
use testkit::{left_out, unshared};

use crate::child::succeed;
use crate::record::{MODES, Mode, ORDERS, Outcome, Rules, SORTED, in_time, post, run};
use crate::tree::grow;

fn in_a_namespace(test: &str, part: &str) {
    let Some(before) = unshared() else {
        return left_out(test, "this user cannot mount");
    };
    let place = tempfile::tempdir().expect("a scratch directory");
    succeed(before, "mounted", &[part, place.path().to_str().expect("an ordinary path")]);
}

#[test]
fn a_bind_mount_that_leads_back() {
    in_a_namespace("a_bind_mount_that_leads_back", "bind");
}

#[test]
fn another_file_system_below_the_root() {
    in_a_namespace("another_file_system_below_the_root", "tmpfs");
}

#[test]
fn a_filter_of_types_sees_mounted_files() {
    in_a_namespace("a_filter_of_types_sees_mounted_files", "filter");
}

/// The part of these tests that runs in the namespace.
pub fn mounted(part: &str, place: &Path) {
    match part {
        "bind" => bind(place),
        "filter" => filter(place),
        _ => tmpfs(place),
    }
}

/// Of three files in the listing the middle one is a fifo.
fn filter(place: &Path) {
    mount(&["-t", "tmpfs", "none"], place);
    for name in ["a", "b", "c"] {
        std::fs::write(place.join(name), "x").expect("a file");
    }
    let fifo = place.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
    mount(&["--bind", fifo.to_str().expect("an ordinary path")], &place.join("b"));
    for (fields, names) in [(Fields::SIZE, "ac"), (Fields::empty(), "abc")] {
        let files = Test::types("f", Types::of([FileType::File]));
        let filter = Filter::new(files.into());
        let mut found: Vec<_> = Vec::new();
        for chunk in Walk::new(place).filter(filter).par_chunks(fields) {
            let chunk = chunk.expect("no error");
            found.extend(chunk.iter().map(|entry| entry.to_owned().file_name().to_owned()));
        }
        found.sort();
        assert_eq!(found.join(OsStr::new("")), names);
    }
}

fn mount(words: &[&str], place: &Path) {
    let status = Command::new("mount").args(words).arg(place).status();
    assert!(status.is_ok_and(|status| status.success()), "mount {words:?} {place:?}");
}

fn paths(outcome: &Outcome, place: &Path) -> Vec<String> {
    let prefix = format!("{}/", place.display());
    outcome.sorted_signs().into_iter().map(|sign| sign.replace(&prefix, "")).collect()
}

/// Runs in every order and mode. Where a mount leads back, without the portable backend, which does
/// not learn a directory's own inode. (Mounts end by themselves; only links lead round and round.)
fn every_way(place: &Path, walk: impl Fn() -> Walk, expect: &str, errors: &[&str]) {
    every_way_but(place, walk, expect, "FollowLoop", errors);
}

/// As `every_way`, with errors of an operation.
fn every_way_but(
    place: &Path,
    walk: impl Fn() -> Walk,
    expect: &str,
    operation: &str,
    errors: &[&str],
) {
    let mut expected: Vec<_> = expect.split_whitespace().map(str::to_owned).collect();
    expected.sort();
    let errors: Vec<_> =
        errors.iter().map(|path| format!("{operation} {}/{path}", place.display())).collect();
    for order in ORDERS.into_iter().chain(ORDERS.into_iter().filter_map(post)) {
        for mode in MODES {
            for backend in [Backend::Native, Backend::Portable] {
                if backend == Backend::Portable && !errors.is_empty() {
                    continue;
                }
                let walk = walk().order(order).backend(backend);
                let what = format!("{walk:?} {mode:?}");
                // A loop that is not noticed has no end.
                let walk = walk.max_depth(40);
                let rules = Rules { lingers: true, ..Rules::default() };
                let outcome = in_time("among mounts", move || run(walk, mode, rules));
                assert_eq!(paths(&outcome, place), expected, "{what}");
                assert_eq!(outcome.errors, errors, "{what}");
                assert_eq!(outcome.wrong, Vec::<String>::new(), "{what}");
            }
        }
    }
}

fn bind(place: &Path) {
    grow(place, "r/ r/a/ r/a/b/ r/a/b/hidden r/a/f r/c/ r/c/g r/side/ r/l->a");
    let r = place.join("r");
    mount(&["--bind", r.to_str().expect("an ordinary path")], &place.join("r/a/b"));
    // The mount point is an entry like any other. That it leads back is noticed when it is opened.
    let expect = "r/ r/a/ r/a/b/ r/a/f r/c/ r/c/g r/side/ r/l@";
    every_way(place, || Walk::new(&r), expect, &["r/a/b"]);
    // The mount is on the same device.
    every_way(place, || Walk::new(&r).mounts(Mounts::SameDevice), expect, &["r/a/b"]);
    let twice = "r/ r/a/ r/a/b/ r/a/f r/c/ r/c/g r/side/ r/l/ r/l/b/ r/l/f";
    let follow = || Walk::new(&r).follow(Follow::Always);
    every_way(place, follow, twice, &["r/a/b", "r/l/b"]);
    // On one device, links are followed as they are without a rule.
    every_way(place, || follow().mounts(Mounts::SameDevice), twice, &["r/a/b", "r/l/b"]);
    // Mount points are not opened, and links not followed.
    one_mount(place, &r, expect, &["r/a/b"]);
    // From within: the root is not above itself.
    let within = "r/a/b/ r/a/b/a/ r/a/b/a/b/ r/a/b/a/b/hidden r/a/b/a/f r/a/b/c/ r/a/b/c/g \
        r/a/b/side/ r/a/b/l@";
    every_way(place, || Walk::new(place.join("r/a/b")), within, &[]);
    // A directory that is mounted beside itself is no loop.
    let c = place.join("r/c");
    mount(&["--bind", c.to_str().expect("an ordinary path")], &place.join("r/side"));
    let beside = "r/ r/a/ r/a/b/ r/a/f r/c/ r/c/g r/side/ r/side/g r/l@";
    every_way(place, || Walk::new(&r), beside, &["r/a/b"]);
    one_mount(place, &r, expect, &["r/a/b", "r/side"]);
    // Met twice, and delivered once.
    for order in ORDERS {
        for mode in MODES {
            let walk = Walk::new(&r).unique(true).order(order).max_depth(40);
            let found = run(walk, mode, Rules::default());
            let paths: BTreeSet<_> = paths(&found, place).into_iter().collect();
            assert_eq!(found.found.len(), 6, "{order:?} {mode:?}: {paths:?}");
            let both = ["r/c/g", "r/side/g"].map(|path| paths.contains(path));
            assert_ne!(both[0], both[1], "{order:?} {mode:?}: {paths:?}");
        }
    }
}

/// Each mount point below the root is an error, and no link is followed, whatever the rule for links.
fn one_mount(place: &Path, root: &Path, expect: &str, mount_points: &[&str]) {
    for follow in [Follow::Never, Follow::Roots, Follow::Always] {
        let walk = || Walk::new(root).mounts(Mounts::SameMount).follow(follow);
        every_way_but(place, walk, expect, "Open", mount_points);
        let kinds: Vec<_> = walk()
            .into_iter()
            .filter_map(Result::err)
            .map(|error| std::io::Error::from(error).kind())
            .collect();
        assert!(kinds.iter().all(|kind| *kind == std::io::ErrorKind::CrossesDevices), "{kinds:?}");
        assert_eq!(kinds.len(), mount_points.len());
    }
}

fn tmpfs(place: &Path) {
    grow(place, "r/ r/a/ r/a/f r/m/ r/m/hidden r/z r/l->m/s r/k->m/g");
    mount(&["-t", "tmpfs", "none"], &place.join("r/m"));
    grow(place, "r/m/g r/m/s/ r/m/s/h r/m/back/ r/m/up->../a");
    let r = place.join("r");
    mount(&["--bind", place.join("r/a").to_str().expect("ordinary")], &place.join("r/m/back"));
    let whole =
        "r/ r/a/ r/a/f r/m/ r/m/g r/m/s/ r/m/s/h r/m/back/ r/m/back/f r/m/up@ r/z r/l@ r/k@";
    every_way(place, || Walk::new(&r), whole, &[]);
    // Without a rule, links to another device are followed.
    let everywhere = "r/ r/a/ r/a/f r/m/ r/m/g r/m/s/ r/m/s/h r/m/back/ r/m/back/f r/m/up/ r/m/up/f \
        r/z r/l/ r/l/h r/k";
    every_way(place, || Walk::new(&r).follow(Follow::Always), everywhere, &[]);
    // The mount point is delivered and not entered.
    let here = "r/ r/a/ r/a/f r/m/ r/z r/l@ r/k@";
    let one = || Walk::new(&r).mounts(Mounts::SameDevice);
    every_way(place, one, here, &[]);
    every_way(place, || one().min_depth(2), "r/a/f", &[]);
    // Followed links that lead to other mounts are delivered and not entered either.
    let followed = "r/ r/a/ r/a/f r/m/ r/z r/l/ r/k";
    every_way(place, || one().follow(Follow::Always), followed, &[]);
    // Each root has a file system of its own.
    let m = place.join("r/m");
    let there = "r/m/ r/m/g r/m/s/ r/m/s/h r/m/back/ r/m/up@";
    every_way(place, || Walk::new(&m).mounts(Mounts::SameDevice), there, &[]);
    one_mount(place, &r, here, &["r/m"]);
    one_mount(place, &m, there, &["r/m/back"]);
    let both = format!("{there} r/ r/a/ r/a/f r/m/ r/z r/l@ r/k@");
    every_way(place, || Walk::over([&m, &r]).mounts(Mounts::SameDevice), &both, &[]);
    against_find(place, &r);
    metadata_is_of_what_is_mounted(&r);
}

/// GNU find leaves the same entries out.
fn against_find(place: &Path, root: &Path) {
    for (links, follow) in [("-P", Follow::Never), ("-H", Follow::Roots), ("-L", Follow::Always)] {
        let mut find = Command::new("find");
        let output = find.arg(links).arg(root).arg("-xdev").output().expect("GNU find");
        let prefix = format!("{}/", place.display());
        let text = String::from_utf8(output.stdout).expect("ordinary names");
        let expected: BTreeSet<_> = text.lines().map(|line| line.replace(&prefix, "")).collect();
        let walk = Walk::new(root).follow(follow).mounts(Mounts::SameDevice);
        let outcome = run(walk, Mode::Serial, Rules::default());
        let signs = paths(&outcome, place);
        let found = signs.iter().map(|sign| sign.trim_end_matches(['/', '@']).to_owned());
        assert_eq!(found.collect::<BTreeSet<_>>(), expected, "{follow:?}");
    }
}

/// The metadata of a mount point is that of the mounted directory.
fn metadata_is_of_what_is_mounted(root: &Path) {
    let rules = Rules { fields: Fields::INO | Fields::DEV | Fields::SIZE, ..Rules::default() };
    for order in [Order::Unordered, SORTED] {
        let outcome = run(Walk::new(root).order(order), Mode::Serial, rules);
        for found in &outcome.found {
            use std::os::unix::fs::MetadataExt;
            let expected = found.path.symlink_metadata().expect("it is there");
            let meta = found.meta.as_ref().expect("it was asked for");
            assert_eq!(meta.size, Some(expected.size()), "{order:?} {:?}", found.path);
            assert_eq!(
                meta.identity,
                Some((expected.dev(), expected.ino())),
                "{order:?} {:?}",
                found.path
            );
        }
    }
}
