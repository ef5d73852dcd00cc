//! Names that fail as the flags say, and nothing beside them.

use std::fs;
use std::io;

use crate::support::{Mount, can_mount, names};

const EIO: i32 = 5;

#[test]
fn eio_on_one_name() {
    if !can_mount("eio_on_one_name") {
        return;
    }
    for flag in ["", "--readdirplus --entry-timeout 100s --attr-timeout 100s"] {
        let mount = Mount::new(&format!("--flat 10 --latency 0 --eio file-003 {flag}"));
        assert_eq!(names(&mount.path("")).len(), 10, "it is listed");
        for number in 0..10 {
            let found = fs::symlink_metadata(mount.path(&format!("file-{number:03}")));
            let expected = if number == 3 { Some(EIO) } else { None };
            assert_eq!(found.err().and_then(|e| e.raw_os_error()), expected, "{number} {flag}");
        }
    }
}

#[test]
fn eio_in_the_middle_of_a_directory() {
    if !can_mount("eio_in_the_middle_of_a_directory") {
        return;
    }
    for flag in ["", "--readdirplus", "--unknown-types"] {
        let flags = format!("--dirs 3 --files 100 --latency 0 --eio-readdir dir-001 {flag}");
        let mount = Mount::new(&flags);
        assert_eq!(names(&mount.path("dir-000")).len(), 100);
        let entries = mount.path("dir-001").read_dir().expect("it opens");
        let (good, bad): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.is_ok());
        // Half of 102 entries, `.` and `..` among them.
        assert_eq!(good.len(), 49, "{flag}");
        let errors = bad.iter().filter_map(|entry| entry.as_ref().err()?.raw_os_error());
        assert_eq!(errors.collect::<Vec<_>>(), [EIO], "{flag}");
    }
}

#[test]
fn eacces_on_opening_a_directory() {
    if !can_mount("eacces_on_opening_a_directory") {
        return;
    }
    let mount = Mount::new("--dirs 3 --files 4 --latency 0 --eacces dir-002");
    let refused = mount.path("dir-002").read_dir().map(|_| ()).expect_err("refused");
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(names(&mount.path("dir-001")).len(), 4);
    assert!(mount.path("dir-002/file-001").exists(), "what is inside can still be named");
}
