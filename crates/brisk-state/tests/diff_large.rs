//! States of a million entries are compared in little memory. The test has a process of its own.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use brisk::{FileType, Flow, Timestamp};
use brisk_state::{Diff, Input, Kind, Known, Writer};

/// The entries of a state.
const ENTRIES: u32 = 1_000_000;
/// How many of them are changed.
const CHANGED: u32 = 1_000;
/// The most memory that a comparison may take, in KiB.
const MOST: u64 = 64 << 10;

fn known(file_type: FileType) -> Known<'static> {
    let mtime = Timestamp { secs: 1_700_000_000, nanos: 5 };
    Known { file_type, mode: 0o755, uid: 1000, gid: 1000, mtime, ..Known::default() }
}

/// Writes a state with directories of `width` files each.
fn write(file: &Path, width: u32, is_changed: impl Fn(u32) -> bool, more: &[u32]) {
    let mut writer = Writer::create(file).expect("a state");
    let dir = known(FileType::Directory);
    writer.push(0, &Known { name: b"/r", ..dir }).expect("a root");
    let push = |writer: &mut Writer, depth, name: &str, of: Known<'_>| {
        writer.push(depth, &Known { name: name.as_bytes(), ..of }).expect("an entry");
    };
    for at in 0..ENTRIES {
        if at % (width * 16) == 0 {
            push(&mut writer, 1, &format!("group-{at:09}"), dir);
        }
        if at % width == 0 {
            push(&mut writer, 2, &format!("package-{at:09}"), dir);
        }
        let size = if is_changed(at) { u64::from(at) + 1 } else { 7 };
        push(
            &mut writer,
            3,
            &format!("module-{at:09}.js"),
            Known { size, ..known(FileType::File) },
        );
        if more.contains(&at) {
            let name = format!("module-{at:09}.js.new");
            push(&mut writer, 3, &name, Known { size: 9, ..known(FileType::File) });
        }
    }
    writer.finish().expect("a state");
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_million_entries() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let [old, new] = ["old", "new"].map(|name| scratch.path().join(name));
    for width in [10, ENTRIES] {
        let _ = fs::remove_file(&old);
        write(&old, width, |_| false, &[]);
        for more in [&[][..], &[5, 77_777, 500_000]] {
            let _ = fs::remove_file(&new);
            write(&new, width, |at| at % (ENTRIES / CHANGED) == 1, more);
            // A large directory is in memory while it is written.
            fs::write("/proc/self/clear_refs", "5").expect("the peak is forgotten");
            let open = |file: &Path| Input::open(file).expect("a state");
            let mut modified = 0;
            let mut added = 0;
            let began = std::time::Instant::now();
            let compared = Diff::between(open(&old), open(&new)).run(&mut |told| {
                match told.change.kind {
                    Kind::Modified => modified += 1,
                    Kind::Added => added += 1,
                    other => panic!("{other:?}"),
                }
                Flow::Continue
            });
            eprintln!("{width} {} {:?} {} KiB", more.len(), began.elapsed(), peak());
            assert!(compared.is_ok_and(|compared| !compared.has_unknown));
            assert_eq!((modified, added), (CHANGED, more.len()));
            let peak = peak();
            assert!(peak <= MOST, "{peak} KiB for directories of {width}");
        }
    }
}
