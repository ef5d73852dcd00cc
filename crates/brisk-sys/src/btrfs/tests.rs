//! The parser on made-up bytes; the calls on a btrfs in a file.

use super::*;

fn item(object: u64, kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [7, object, 9] {
        bytes.extend(u64::to_ne_bytes(number));
    }
    bytes.extend(kind.to_ne_bytes());
    bytes.extend((content.len() as u32).to_ne_bytes());
    bytes.extend(content);
    bytes
}

#[test]
fn items_are_read_one_after_another() {
    let inode = [5_u64, 42, 1].map(u64::to_le_bytes).concat();
    let bytes = [item(256, INODE, &inode), item(256, 12, b"name"), item(257, INODE, b"short")];
    let bytes = bytes.concat();
    let found: Vec<_> = Items::new(&bytes).collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], TreeItem { object: 256, kind: INODE, offset: 9, content: &inode });
    assert_eq!(found[1].content, b"name");
    let writers: Vec<_> = found.iter().map(TreeItem::written_by).collect();
    assert_eq!(writers, [Some(42), None, None]);
    // Bytes that end within an item, at any place.
    for length in 0..bytes.len() {
        let items = Items::new(&bytes[..length]);
        let whole = [56, 92, 129].iter().filter(|&&end| end <= length).count();
        assert_eq!(items.count(), whole, "{length}");
    }
}

#[test]
fn an_extent_is_read_from_its_item() {
    let head = |kind: u8| [&[0; 20][..], &[kind]].concat();
    let numbers = [4096_u64, 8192, 0, 100].map(u64::to_le_bytes).concat();
    let hole = [0_u64, 0, 0, 100].map(u64::to_le_bytes).concat();
    let bytes = [
        item(257, EXTENT, &[head(1), numbers.clone()].concat()),
        item(257, EXTENT, &[head(0), numbers.clone()].concat()),
        item(257, EXTENT, &[head(1), hole].concat()),
        item(257, INODE, &[head(1), numbers].concat()),
        item(257, EXTENT, &head(2)),
    ];
    let bytes = bytes.concat();
    let found: Vec<_> = Items::new(&bytes).map(|item| item.stored()).collect();
    let stored = StoredExtent { address: 4096, bytes: 8192, length: 100 };
    assert_eq!(found, [Some(stored), None, None, None, None]);
}

#[test]
fn a_length_beyond_the_bytes_ends_the_items() {
    let mut bytes = item(256, INODE, b"content");
    bytes[28..32].copy_from_slice(&u32::MAX.to_ne_bytes());
    assert_eq!(Items::new(&bytes).count(), 0);
}

#[test]
fn only_the_same_subvolume_at_no_earlier_time_continues() {
    let earlier =
        Subvolume { filesystem: [1; 16], id: 5, uuid: [2; 16], boot: [4; 16], mount: 27, next: 10 };
    assert!(earlier.continues(&earlier));
    assert!(Subvolume { next: 11, ..earlier }.continues(&earlier));
    for other in [
        Subvolume { next: 9, ..earlier },
        Subvolume { filesystem: [3; 16], ..earlier },
        Subvolume { id: 256, ..earlier },
        Subvolume { uuid: [3; 16], ..earlier },
        Subvolume { boot: [3; 16], ..earlier },
        Subvolume { mount: 28, ..earlier },
    ] {
        assert!(!other.continues(&earlier), "{other:?}");
    }
}

#[cfg(target_os = "linux")]
mod live {
    use std::collections::BTreeMap;
    use std::fs::{self, File, OpenOptions, Permissions};
    use std::io::Write;
    use std::ops::ControlFlow;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::borrow_handle;

    /// A committed tree of 40 directories with 50 files each, on a btrfs of its own.
    fn tree(test: &str) -> Option<(testkit::LoopMount, PathBuf)> {
        let mounted = testkit::LoopMount::new(test, "btrfs", "-q")?;
        let top = mounted.path().join("t");
        for dir in 0..40 {
            let dir = top.join(dir.to_string());
            fs::create_dir_all(&dir).expect("a directory");
            for file in 0..50 {
                fs::write(dir.join(file.to_string()), "content").expect("a file");
            }
        }
        symlink("nowhere", top.join("link")).expect("a link");
        sync(borrow_handle(&open(&top))).expect("committed");
        Some((mounted, top))
    }

    fn open(dir: &Path) -> File {
        File::open(dir).expect("a directory")
    }

    /// The inodes that changed since then, committed.
    fn changed(top: &Path, since: &Subvolume) -> Vec<u64> {
        let dir = open(top);
        let dir = borrow_handle(&dir);
        sync(dir).expect("committed");
        assert!(Subvolume::of(dir).expect("a subvolume").continues(since));
        let mut found = Vec::new();
        let each = |inode| {
            found.push(inode);
            ControlFlow::Continue(())
        };
        changed_since(dir, since.next, each).expect("root may search");
        found
    }

    fn inode(path: &Path) -> u64 {
        fs::symlink_metadata(path).expect("a file").ino()
    }

    /// The subvolume after everything that happened so far: nothing changes in its last
    /// transaction any more.
    fn quiet(top: &Path) -> Subvolume {
        let dir = open(top);
        sync(borrow_handle(&dir)).expect("committed");
        Subvolume::of(borrow_handle(&dir)).expect("a subvolume")
    }

    type Edit = fn(&Path);

    /// Each edit, and the entries whose inodes it writes: the entry's own, its directory's or both.
    const EDITS: [(&str, Edit, &[&str]); 14] = [
        ("create", |t| fs::write(t.join("3/new"), "x").expect("a file"), &["3", "3/new"]),
        ("append", |t| append(&t.join("7/7")), &["7/7"]),
        ("overwrite", |t| fs::write(t.join("7/8"), "CONTENT").expect("a file"), &["7/8"]),
        ("rename", |t| rename(t, "1/1", "1/one"), &["1", "1/one"]),
        ("move", |t| rename(t, "1/2", "2/two"), &["1", "2", "2/two"]),
        ("replace", |t| rename(t, "4/1", "4/2"), &["4", "4/2"]),
        ("unlink", |t| fs::remove_file(t.join("5/1")).expect("removed"), &["5"]),
        ("chmod", |t| chmod(&t.join("6/1")), &["6/1"]),
        ("chmod directory", |t| chmod(&t.join("8")), &["8"]),
        ("link", |t| fs::hard_link(t.join("9/1"), t.join("10/l")).expect("a link"), &["9/1", "10"]),
        (
            "mkdir",
            |t| fs::create_dir_all(t.join("11/a/b")).expect("a directory"),
            &["11", "11/a", "11/a/b"],
        ),
        ("rename directory", |t| rename(t, "12", "13/d"), &[".", "13", "13/d"]),
        ("rmdir", |t| fs::remove_dir_all(t.join("14")).expect("removed"), &["."]),
        ("retarget", |t| retarget(&t.join("link")), &[".", "link"]),
    ];

    fn append(path: &Path) {
        let mut file = OpenOptions::new().append(true).open(path).expect("a file");
        file.write_all(b"more").expect("written");
    }

    fn rename(top: &Path, old: &str, new: &str) {
        fs::rename(top.join(old), top.join(new)).expect("renamed");
    }

    fn chmod(path: &Path) {
        fs::set_permissions(path, Permissions::from_mode(0o711)).expect("the owner may");
    }

    fn retarget(link: &Path) {
        fs::remove_file(link).expect("removed");
        symlink("elsewhere", link).expect("a link");
    }

    #[test]
    fn each_edit_is_found_among_many_files_and_nothing_else() {
        let Some((_mounted, top)) = tree("each_edit_is_found_among_many_files_and_nothing_else")
        else {
            return;
        };
        for (name, edit, writes) in EDITS {
            let before = quiet(&top);
            assert_eq!(changed(&top, &before), [0; 0], "{name}: nothing has changed yet");
            edit(&top);
            let mut expected: Vec<_> = writes.iter().map(|path| inode(&top.join(path))).collect();
            expected.sort_unstable();
            assert_eq!(changed(&top, &before), expected, "{name}");
        }
    }

    #[test]
    fn an_edit_right_after_the_generation_was_read_is_found() {
        let Some((_mounted, top)) = tree("an_edit_right_after_the_generation_was_read_is_found")
        else {
            return;
        };
        let mut missed = BTreeMap::new();
        for round in 0..60 {
            // Sometimes with a transaction running, and sometimes without one.
            if round % 3 == 0 {
                fs::write(top.join("0/busy"), "x").expect("a file");
            }
            let before = Subvolume::of(borrow_handle(&open(&top))).expect("a subvolume");
            let path = top.join(format!("{}/{}", 15 + round % 20, round % 50));
            append(&path);
            if round % 3 == 1 {
                sync(borrow_handle(&open(&top))).expect("committed");
            }
            if !changed(&top, &before).contains(&inode(&path)) {
                missed.insert(round, path);
            }
        }
        assert_eq!(missed, BTreeMap::new());
    }

    /// One thread appends to files and another one commits, while this one takes a generation and
    /// looks at each file.
    #[test]
    fn what_changes_after_it_was_looked_at_is_found() {
        let Some((_mounted, top)) = tree("what_changes_after_it_was_looked_at_is_found") else {
            return;
        };
        let files: Vec<_> =
            (0..2000).map(|at| top.join(format!("{}/{}", at / 50, at % 50))).collect();
        let sizes = || {
            let metas = files.iter().map(|file| fs::metadata(file).expect("a file"));
            metas.map(|meta| (meta.ino(), meta.size())).collect::<Vec<_>>()
        };
        let mut lost = Vec::new();
        let is_done = AtomicBool::new(false);
        let going = || !is_done.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for file in files.iter().cycle().step_by(7).take_while(|_| going()) {
                    append(file);
                }
            });
            scope.spawn(|| {
                while going() {
                    sync(borrow_handle(&open(&top))).expect("committed");
                }
            });
            for round in 0..40 {
                let before = Subvolume::of(borrow_handle(&open(&top))).expect("a subvolume");
                let seen = sizes();
                let now = sizes();
                let found = changed(&top, &before);
                let differs = seen.iter().zip(&now).filter(|(seen, now)| seen != now);
                let is_lost = |seen: &(u64, u64)| !found.contains(&seen.0);
                lost.extend(
                    differs.filter(|(seen, _)| is_lost(seen)).map(|(seen, _)| (round, seen.0)),
                );
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert_eq!(lost, []);
    }

    #[test]
    fn a_search_goes_on_where_the_room_ended_and_stops_when_told() {
        let Some((_mounted, top)) =
            tree("a_search_goes_on_where_the_room_ended_and_stops_when_told")
        else {
            return;
        };
        // Inline contents, so that the items do not fit in one answer.
        for file in 0..50 {
            fs::write(top.join(format!("20/{file}")), vec![1; 2000]).expect("a file");
        }
        let dir = open(&top);
        sync(borrow_handle(&dir)).expect("committed");
        let told = Subvolume::of(borrow_handle(&dir)).expect("a subvolume");
        let all = changed(&top, &Subvolume { next: 0, ..told });
        let listed = testkit::listed(&top);
        let mut expected: Vec<_> = listed.iter().map(|path| inode(path.as_ref())).collect();
        // The top of the file system is above `t`.
        expected.push(256);
        expected.sort_unstable();
        assert_eq!(all, expected);
        let mut first = Vec::new();
        let each = |inode| {
            first.push(inode);
            if first.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        changed_since(borrow_handle(&dir), 0, each).expect("root may search");
        assert_eq!(first, expected[..3]);
    }

    #[test]
    fn subvolumes_are_told_apart_and_other_file_systems_are_none() {
        let Some((mounted, top)) =
            tree("subvolumes_are_told_apart_and_other_file_systems_are_none")
        else {
            return;
        };
        let of = |path: &Path| Subvolume::of(borrow_handle(&open(path)));
        let outer = of(&top).expect("a subvolume");
        let script = "btrfs subvolume create 15/s && btrfs subvolume snapshot 15/s 16/s \
            && mount --bind 17 18";
        let run = |script| {
            let mut shell = std::process::Command::new("sh");
            let ran = shell.args(["-c", script]).current_dir(&top).output().expect("sh");
            assert!(ran.status.success(), "{}", testkit::stderr(&ran));
        };
        run(script);
        let bound = of(&top.join("18")).expect("a subvolume");
        run("umount 18");
        assert!(!bound.continues(&outer));
        assert!(Subvolume { mount: outer.mount, ..bound }.continues(&outer));
        let inner = of(&top.join("15/s")).expect("a subvolume");
        let copy = of(&top.join("16/s")).expect("a subvolume");
        assert_eq!(outer.filesystem, inner.filesystem);
        assert!(outer.id == 5 && !inner.continues(&outer) && !copy.continues(&inner));
        let place = tempfile::tempdir_in("/dev/shm").expect("a tmpfs");
        assert!(of(place.path()).is_err());
        // A change in the inner one is none of the outer one, and the other way round.
        let before = quiet(&top);
        let inside = quiet(&top.join("15/s"));
        fs::write(top.join("15/s/file"), "x").expect("a file");
        assert_eq!(changed(&top, &before), [0; 0]);
        assert_eq!(changed(&top.join("15/s"), &inside).len(), 2);
        drop(mounted);
    }
}
