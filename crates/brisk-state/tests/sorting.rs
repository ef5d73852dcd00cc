//! A state of entries that come in any order is the state of the same entries in order, in bounded
//! memory. The test has a process of its own, because it measures the peak of its memory.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::ErrorKind;

use brisk::{FileType, Flow, Timestamp};
use brisk_state::{Diff, Difference, Input, Known, Sorting, Writer};
use brisk_sys::volume::{Volume, VolumeKind};

/// The most memory that 300,000 entries may take, in KiB. Their records have 39 MB.
const MOST: u64 = 40 << 10;

const MTIME: Timestamp = Timestamp { secs: 1_700_000_000, nanos: 123_456_789 };

fn dir() -> Known<'static> {
    Known { file_type: FileType::Directory, mode: 0o755, mtime: MTIME, ..Known::default() }
}

fn file(size: u64) -> Known<'static> {
    let digest = size.is_multiple_of(2).then_some([7; 32]);
    Known { file_type: FileType::File, mode: 0o644, size, mtime: MTIME, digest, ..Known::default() }
}

fn sorting(roots: &[&str]) -> Sorting {
    let roots = roots.iter().map(|root| root.as_bytes().to_vec()).collect();
    Sorting::new(&std::env::temp_dir(), roots).expect("a temporary file")
}

fn finish(sorting: Sorting) -> Input {
    Input::of(sorting.finish().expect("a state")).expect("a state")
}

fn differences(old: Input, new: Input) -> Vec<String> {
    let mut found = Vec::new();
    let compared = Diff::between(old, new).run(&mut |told: &Difference| {
        let path = String::from_utf8_lossy(&told.change.place.path).into_owned();
        found.push(format!("{} {path}", told.change.kind.letter()));
        Flow::Continue
    });
    compared.expect("an answer");
    found
}

#[test]
fn directories_that_are_missing_are_no_results() {
    let of = |paths: &[(u16, &str)]| {
        let mut sorting = sorting(&["/p", "/q"]);
        for (root, path) in paths {
            let known = if path.ends_with("d") { dir() } else { file(path.len() as u64) };
            sorting.push(*root, path.as_bytes(), &known).expect("pushed");
        }
        finish(sorting)
    };
    let all: [(u16, &str); 7] =
        [(1, "z"), (0, "a/b/c"), (0, "a/b!"), (0, "a!"), (0, "d/f"), (0, "d"), (1, "d")];
    let mut reversed = all;
    reversed.reverse();
    assert_eq!(differences(of(&all), of(&reversed)), [""; 0]);
    let twice = [&all[..], &all].concat();
    assert_eq!(differences(of(&all), of(&twice)), [""; 0]);
    assert_eq!(differences(of(&all[1..]), of(&all)), ["A z"]);
    // The directory itself was no result before.
    assert_eq!(differences(of(&all[..5]), of(&all)), ["A d", "A d"]);
}

#[test]
fn what_is_no_tree_is_refused() {
    for path in ["/a", "a/", "a//b", "a\0"] {
        let pushed = sorting(&["/p"]).push(0, path.as_bytes(), &file(1));
        assert_eq!(pushed.map_err(|error| error.kind()), Err(ErrorKind::InvalidData), "{path}");
    }
    for paths in [["a", "a/b"], ["a/b", "a"], ["", "x"]] {
        let mut sorting = sorting(&["/p"]);
        for path in paths {
            sorting.push(0, path.as_bytes(), &file(1)).expect("pushed");
        }
        let finished = sorting.finish().map_err(|error| error.kind());
        assert_eq!(finished.err(), Some(ErrorKind::InvalidData), "{paths:?}");
    }
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn many_entries_in_any_order() {
    let entries = 300_000_u32;
    let volume = Volume { kind: VolumeKind::Ext, fsid: 1, is_fine: true };
    for width in [10, entries] {
        let name = |at: u32| format!("module-{at:09}.js");
        let scratch = tempfile::tempdir().expect("a directory");
        let path = scratch.path().join("state");
        let mut writer = Writer::create(&path).expect("a state");
        let volume_number = Some(writer.add_volume(volume));
        let mut push = |depth, name: &str, known: Known<'_>| {
            let known = Known { name: name.as_bytes(), volume: volume_number, ..known };
            writer.push(depth, &known).expect("pushed");
        };
        push(0, "/r", dir());
        for at in 0..entries {
            if at.is_multiple_of(width) {
                push(1, &format!("package-{at:09}"), dir());
            }
            push(2, &name(at), file(u64::from(at)));
        }
        writer.finish().expect("a state");
        let ordered = Input::open(&path).expect("a state");

        fs::write("/proc/self/clear_refs", "5").expect("the peak is forgotten");
        let mut sorting = sorting(&["/r"]);
        let volume = Some(sorting.add_volume(volume));
        let mut push = |path: &str, known: Known<'_>| {
            let known = Known { volume, ..known };
            sorting.push(0, path.as_bytes(), &known).expect("pushed");
        };
        // Steps that have no divisor with the number of entries in common: each comes once.
        for at in (0..entries).map(|at| (u64::from(at) * 7_654_321 % u64::from(entries)) as u32) {
            let package = at - at % width;
            push(&format!("package-{package:09}/{}", name(at)), file(u64::from(at)));
            if at == package {
                push(&format!("package-{package:09}"), dir());
            }
        }
        push("", dir());
        let sorted = finish(sorting);
        assert_eq!(differences(ordered, sorted), [""; 0]);
        let peak = peak();
        eprintln!("{width}: {peak} KiB");
        assert!(peak <= MOST, "{peak} KiB for directories of {width}");
    }
}
