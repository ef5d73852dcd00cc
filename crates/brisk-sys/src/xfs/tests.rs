//! The decoder on made-up bytes; the calls on an XFS in a file.

use crate::{FileType, Timestamp};

use super::*;

#[test]
fn a_record_is_decoded_field_by_field() {
    let mut record = [0xff; RECORD];
    let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &131_u64.to_ne_bytes());
    put(8, &(5_u64 << 40).to_ne_bytes());
    for (at, secs) in [(32, 10), (40, -20), (48, 30), (56, 40_i64)] {
        put(at, &secs.to_ne_bytes());
    }
    for (at, number) in [(68, 1000), (72, 100), (80, 1), (84, 2), (88, 3), (92, 4), (112, 7_u32)] {
        put(at, &number.to_ne_bytes());
    }
    put(132, &0o104_755_u16.to_ne_bytes());
    let meta = meta_of(&record);
    assert_eq!((meta.ino(), meta.size(), meta.nlink()), (Some(131), Some(5 << 40), Some(7)));
    assert_eq!((meta.file_type(), meta.mode()), (Some(FileType::File), Some(0o4755)));
    assert_eq!((meta.uid(), meta.gid()), (Some(1000), Some(100)));
    let times = [meta.atime(), meta.mtime(), meta.ctime(), meta.btime()];
    let expected = [(10, 1), (-20, 2), (30, 3), (40, 4)];
    assert_eq!(times, expected.map(|(secs, nanos)| Some(Timestamp { secs, nanos })));
}

#[cfg(target_os = "linux")]
mod live {
    use std::collections::BTreeMap;
    use std::fs::{self, File};
    use std::ops::ControlFlow;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;
    use crate::{Fields, Links, Meta, borrow_handle, native};

    /// Everything that a record has.
    fn fields() -> Fields {
        meta_of(&[0; RECORD]).filled()
    }

    fn make(top: &Path) {
        for dir in 0..30 {
            let dir = top.join(dir.to_string());
            fs::create_dir_all(&dir).expect("a directory");
            for file in 0..100 {
                fs::write(dir.join(file.to_string()), vec![1; file * 11]).expect("a file");
            }
        }
        symlink("nowhere", top.join("link")).expect("a link");
        fs::hard_link(top.join("1/1"), top.join("2/linked")).expect("a link");
        let mode = fs::Permissions::from_mode(0o4711);
        fs::set_permissions(top.join("1/2"), mode).expect("the owner may");
        std::os::unix::fs::chown(top.join("1/3"), Some(1234), Some(567)).expect("root may");
        rustix::fs::sync();
    }

    #[test]
    fn all_inodes_are_told_as_statx_tells_each() {
        let name = "all_inodes_are_told_as_statx_tells_each";
        let Some(mounted) = testkit::LoopMount::new(name, "xfs", "-q") else { return };
        let top = mounted.path();
        make(&top);
        let dir = File::open(&top).expect("a directory");
        let dir = borrow_handle(&dir);
        // First the listing, which moves access times.
        let mut asked = BTreeMap::new();
        for path in testkit::listed(&top) {
            let path = path.as_ref();
            let meta = native::stat_path(path, fields(), Links::NoFollow).expect("a file");
            asked.insert(meta.ino(), meta);
        }
        let mut found = BTreeMap::new();
        let groups = groups(dir).expect("an XFS");
        assert!(groups > 1, "{groups}");
        for group in 0..groups {
            let mut last = None;
            let each = |meta: Meta| {
                assert!(meta.ino() > last, "ascending");
                last = meta.ino();
                assert!(found.insert(meta.ino(), meta).is_none(), "each once");
                ControlFlow::Continue(())
            };
            bulkstat(dir, group, each).expect("root may");
        }
        assert!(bulkstat(dir, groups, |_| ControlFlow::Continue(())).is_err());
        check(dir).expect("root may");
        assert_eq!(found.len(), asked.len());
        for (own, other) in found.values().zip(asked.values()) {
            // What statx tells besides.
            let Meta { filled, blocks, dev, rdev, mnt_id, pins, .. } = *other;
            let own = Meta {
                filled: filled & own.filled,
                blocks,
                dev,
                rdev,
                mnt_id,
                pins,
                ..own.clone()
            };
            assert_eq!(Meta { filled: filled & fields(), ..other.clone() }, own);
        }
        // The file system may have a few inodes of its own.
        let count = inodes(dir).expect("root may") as usize;
        assert!((asked.len()..asked.len() + 10).contains(&count), "{count}");
    }

    #[test]
    fn it_stops_when_told_and_other_file_systems_have_none() {
        let name = "it_stops_when_told_and_other_file_systems_have_none";
        let Some(mounted) = testkit::LoopMount::new(name, "xfs", "-q") else { return };
        make(&mounted.path());
        let dir = File::open(mounted.path()).expect("a directory");
        let mut count = 0;
        let each = |_| {
            count += 1;
            if count == 600 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        bulkstat(borrow_handle(&dir), 0, each).expect("root may");
        assert_eq!(count, 600);
        let place = tempfile::tempdir_in("/dev/shm").expect("a tmpfs");
        let dir = File::open(place.path()).expect("a directory");
        let dir = borrow_handle(&dir);
        assert!(bulkstat(dir, 0, |_| ControlFlow::Continue(())).is_err());
        assert!(check(dir).is_err() && groups(dir).is_err());
    }
}
