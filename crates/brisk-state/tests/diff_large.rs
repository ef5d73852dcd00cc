//! Large states are compared in little memory. The test has a process of its own.

#![cfg(target_os = "linux")]

use std::fs::{self, File};

use brisk::{Fields, FileType, Flow, Meta};
use brisk_state::{ChangeKind, Diff, Input, Tree};

/// How many of them are changed.
const CHANGED: u32 = 1_000;
/// The entries of a state, and the most memory, in KiB, that a comparison may take. For each push
/// there are fewer, because making states takes long; held in memory, these are more than 10 MiB
/// too.
fn size() -> (u32, u64) {
    if testkit::has_products() { (1_000_000, 64 << 10) } else { (100_000, 10 << 10) }
}

fn meta(file_type: FileType, size: u64) -> Meta {
    let file_type = (Fields::TYPE, file_type.mode_bits().into());
    let mtime = (Fields::MTIME, 1_700_000_000_000_000_005);
    let owners = [(Fields::UID, 1000), (Fields::GID, 1000), (Fields::MODE, 0o755)];
    [file_type, mtime, (Fields::SIZE, size)].into_iter().chain(owners).collect()
}

/// A state with directories of `width` files each.
fn state(entries: u32, width: u32, is_changed: impl Fn(u32) -> bool, more: &[u32]) -> File {
    let mut tree = Tree::new(&std::env::temp_dir(), vec![b"/r".to_vec()]).expect("a state");
    let mut push = |path: String, meta: &Meta| {
        tree.push(0, path.as_bytes(), meta, None, None).expect("an entry");
    };
    let dir = meta(FileType::Directory, 0);
    let usual = meta(FileType::File, 7);
    let mut group = String::new();
    let mut package = String::new();
    for at in 0..entries {
        if at % (width * 16) == 0 {
            group = format!("group-{at:09}");
            push(group.clone(), &dir);
        }
        if at % width == 0 {
            package = format!("{group}\0package-{at:09}");
            push(package.clone(), &dir);
        }
        let path = format!("{package}\0module-{at:09}.js");
        match is_changed(at) {
            true => push(path, &meta(FileType::File, u64::from(at) + 1)),
            false => push(path, &usual),
        }
        if more.contains(&at) {
            push(format!("{package}\0module-{at:09}.js.new"), &meta(FileType::File, 9));
        }
    }
    tree.finish().expect("a state")
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn many_entries_are_not_held() {
    let (entries, most) = size();
    for width in [10, entries] {
        let old = state(entries, width, |_| false, &[]);
        for more in [&[][..], &[5, 77_777, entries / 2]] {
            let new = state(entries, width, |at| at % (entries / CHANGED) == 1, more);
            // A large directory is in memory while it is written.
            fs::write("/proc/self/clear_refs", "5").expect("the peak is forgotten");
            let open = |file: &File| Input::of(file.try_clone().expect("a file")).expect("a state");
            let mut modified = 0;
            let mut added = 0;
            let began = std::time::Instant::now();
            let compared = Diff::between(open(&old), open(&new)).run(&mut |told| {
                match told.change.kind {
                    ChangeKind::Modified => modified += 1,
                    ChangeKind::Added => added += 1,
                    other => panic!("{other:?}"),
                }
                Flow::Continue
            });
            eprintln!("{width} {} {:?} {} KiB", more.len(), began.elapsed(), peak());
            assert!(compared.is_ok_and(|compared| !compared.has_unknown));
            assert_eq!((modified, added), (CHANGED, more.len()));
            let peak = peak();
            assert!(peak <= most, "{peak} KiB for directories of {width}");
        }
    }
}
