//! Names fail as the flags say, and no others do.

use std::fs;
use std::io;

use testkit::{Mounted, can_mount};

use crate::support::{mount, names};

const EIO: i32 = 5;
const EINTR: i32 = 4;
const ELOOP: i32 = 40;
const ESTALE: i32 = 116;

#[test]
fn eio_on_one_name() {
    if !can_mount("eio_on_one_name") {
        return;
    }
    for flag in ["", "--readdirplus --entry-timeout 100s --attr-timeout 100s"] {
        let mount = mount(&format!("--flat 10 --latency 0 --eio file-003 {flag}"));
        assert_eq!(names(mount.path()).len(), 10, "it is listed");
        for number in 0..10 {
            let found = fs::symlink_metadata(mount.path().join(format!("file-{number:03}")));
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
        let mount = mount(&flags);
        assert_eq!(names(&mount.path().join("dir-000")).len(), 100);
        let entries = mount.path().join("dir-001").read_dir().expect("it opens");
        let (good, bad): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.is_ok());
        // Half of 102 entries, `.` and `..` included.
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
    let mount = mount("--dirs 3 --files 4 --latency 0 --eacces dir-002");
    let refused = mount.path().join("dir-002").read_dir().map(|_| ()).expect_err("refused");
    assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(names(&mount.path().join("dir-001")).len(), 4);
    assert!(mount.path().join("dir-002/file-001").exists(), "what is inside can still be named");
}

/// The names of a directory, and the errors met beside them.
fn listed(mount: &Mounted, dir: &str) -> (Vec<String>, Vec<Option<i32>>) {
    let (good, bad): (Vec<_>, Vec<_>) =
        mount.path().join(dir).read_dir().expect("it opens").partition(|entry| entry.is_ok());
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let errors = bad.iter().map(|entry| entry.as_ref().err()?.raw_os_error());
    (good.into_iter().filter_map(name).collect(), errors.collect())
}

#[test]
fn estale_in_the_middle_of_a_directory() {
    if !can_mount("estale_in_the_middle_of_a_directory") {
        return;
    }
    for flag in ["", "--unknown-types", "--duplicates"] {
        let mount = mount(&format!("--dirs 2 --files 100 --latency 0 --estale dir-001 {flag}"));
        assert_eq!(listed(&mount, "dir-000").1, []);
        let (names, errors) = listed(&mount, "dir-001");
        assert_eq!(names.len(), if flag == "--duplicates" { 99 } else { 49 }, "{flag}");
        assert_eq!(errors, [Some(ESTALE)], "{flag}");
    }
}

#[test]
fn eloop_on_opening_a_directory() {
    if !can_mount("eloop_on_opening_a_directory") {
        return;
    }
    let mount = mount("--dirs 2 --files 1 --latency 0 --eloop dir-001");
    let refused = mount.path().join("dir-001").read_dir().map(|_| ()).expect_err("refused");
    assert_eq!(refused.raw_os_error(), Some(ELOOP));
    assert!(fs::symlink_metadata(mount.path().join("dir-001")).expect("lstat").is_dir());
    assert_eq!(names(&mount.path().join("dir-000")).len(), 1);
}

#[test]
fn eintr_to_whatever_is_asked() {
    if !can_mount("eintr_to_whatever_is_asked") {
        return;
    }
    let mount = mount(
        "--nested 2,3,100 --latency 0 --removable --eintr file-001 --eintr-opendir dir-000 \
         --eintr-readdir dir-001 --eintr-remove file-002",
    );
    for _ in 0..10 {
        // std does not retry these calls.
        let interrupted = |refused: io::Error| {
            assert_eq!(refused.raw_os_error(), Some(EINTR));
        };
        interrupted(fs::symlink_metadata(mount.path().join("file-001")).expect_err("lookup"));
        interrupted(
            fs::remove_file(mount.path().join("file-001")).expect_err("lookup, then unlink"),
        );
        interrupted(mount.path().join("dir-000").read_dir().map(|_| ()).expect_err("opendir"));
        interrupted(fs::remove_file(mount.path().join("file-002")).expect_err("unlink"));
    }
    assert!(fs::symlink_metadata(mount.path().join("file-002")).is_ok());
    let (names, errors) = listed(&mount, "dir-001");
    // Half of 105 entries, `.` and `..` included.
    assert_eq!((names.len(), errors), (50, vec![Some(EINTR)]));
}

#[test]
fn eintr_so_many_times() {
    if !can_mount("eintr_so_many_times") {
        return;
    }
    let mount = mount("--flat 2 --latency 0 --eintr file-001 --eintr-times 3");
    let answers: Vec<_> =
        (0..5).map(|_| fs::symlink_metadata(mount.path().join("file-001")).is_ok()).collect();
    assert_eq!(answers, [false, false, false, true, true]);
}

#[test]
fn a_name_that_hangs_until_the_unmount() {
    if !can_mount("a_name_that_hangs_until_the_unmount") {
        return;
    }
    for latency in ["0", "1ms"] {
        let mount = mount(&format!("--flat 5 --latency {latency} --hang file-001"));
        let path = mount.path().join("file-001");
        let ask = move || fs::symlink_metadata(path).map(|_| ());
        let hung = std::thread::Builder::new().spawn(ask).expect("a thread");
        // Requests for other names in the same directory, and for the directory itself, are
        // answered meanwhile.
        for _ in 0..100 {
            assert_eq!(names(mount.path()).len(), 5);
            assert!(fs::symlink_metadata(mount.path().join("file-002")).is_ok());
        }
        assert!(!hung.is_finished());
        mount.signal("TERM");
        assert!(hung.join().expect("no panic").is_err(), "the unmount ends it");
        assert!(mount.wait().status.success());
    }
}
