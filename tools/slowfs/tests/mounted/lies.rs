//! Wrong listings of directories.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::DirEntryExt;

use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};

use testkit::{Mounted, can_mount};

use crate::support::{mount, names};

/// The records of getdents64 for a directory, without `.` and `..`. The C library may leave out
/// more.
fn raw(mount: &Mounted, dir: &str, most: usize) -> Vec<(String, u64, FileType)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let fd = openat(CWD, mount.path().join(dir), flags, Mode::empty()).expect("it opens");
    let mut buffer = Vec::with_capacity(32_768);
    let mut entries = RawDir::new(fd, buffer.spare_capacity_mut());
    let mut found = Vec::new();
    while let Some(entry) = entries.next()
        && found.len() < most
    {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_str().expect("UTF-8");
        if name != "." && name != ".." {
            found.push((name.to_owned(), entry.ino(), entry.file_type()));
        }
    }
    found
}

#[test]
fn types_that_lie() {
    if !can_mount("types_that_lie") {
        return;
    }
    let mount = mount("--nested 1,2,40 --links 50 --latency 0 --lying-types");
    let mut links = 0;
    for (name, _, listed) in raw(&mount, "", 100) {
        let true_type = fs::symlink_metadata(mount.path().join(&name)).expect("lstat").file_type();
        let expected = if true_type.is_dir() { FileType::RegularFile } else { FileType::Directory };
        assert_eq!(listed, expected, "{name}");
        links += usize::from(true_type.is_symlink());
    }
    assert!(links > 5, "links are listed as directories too");
}

#[test]
fn inode_numbers_that_are_0() {
    if !can_mount("inode_numbers_that_are_0") {
        return;
    }
    for flag in ["", "--unknown-types"] {
        let mount = mount(&format!("--flat 9 --latency 0 --zero-inodes {flag}"));
        let found = raw(&mount, "", 100);
        assert_eq!(found.len(), 9, "{flag}");
        assert!(found.iter().all(|(_, ino, _)| *ino == 0), "{flag} {found:?}");
        let file = mount.path().join("file-003");
        assert!(fs::symlink_metadata(file).is_ok());
    }
}

#[test]
fn entries_listed_twice() {
    if !can_mount("entries_listed_twice") {
        return;
    }
    for flag in ["", "--readdirplus", "--unknown-types"] {
        let mount = mount(&format!("--flat 5000 --latency 0 --duplicates {flag}"));
        let expected: Vec<_> =
            (0..10_000).map(|number| format!("file-{:04}", number / 2)).collect();
        assert!(names(mount.path()) == expected, "{flag}");
    }
}

/// The kernel refuses such a name, with EIO for everything after it.
#[test]
fn names_with_a_slash() {
    if !can_mount("names_with_a_slash") {
        return;
    }
    let mount = mount("--nested 1,3,2 --latency 0 --slash-names");
    let entries: Vec<_> = mount.path().read_dir().expect("it opens").collect();
    assert_eq!(entries.len(), 4, "{entries:?}");
    let error = entries[3].as_ref().expect_err("refused");
    assert_eq!(error.raw_os_error(), Some(5));
    assert!(
        fs::symlink_metadata(mount.path().join("file-001")).is_ok(),
        "it has its name all the same"
    );
}

#[test]
fn directories_that_never_end() {
    if !can_mount("directories_that_never_end") {
        return;
    }
    const MANY: usize = 50_000;
    for (flag, dir, different) in [
        ("--endless", "", MANY),
        ("--endless=dir-001", "dir-001", MANY),
        ("--endless-same", "", 2),
        ("--endless-same=dir-001", "dir-001", 3),
        ("--endless-same=dir-001 --duplicates", "dir-001", 3),
    ] {
        let mount = mount(&format!("--dirs 2 --files 3 --latency 0 --removable {flag}"));
        let entries = mount.path().join(dir).read_dir().expect("it opens").take(MANY);
        let names: HashSet<_> = entries
            .map(|entry| entry.map(|entry| (entry.file_name(), entry.ino())))
            .collect::<Result<_, _>>()
            .expect("names");
        assert_eq!(names.len(), different, "{flag}");
        // Listed entries exist, and can be removed.
        for (name, ino) in names.iter().filter(|(_, ino)| *ino > 3).take(2) {
            let path = mount.path().join(dir).join(name);
            assert_eq!(
                std::os::unix::fs::MetadataExt::ino(&fs::symlink_metadata(&path).expect("lstat")),
                *ino
            );
            fs::remove_file(&path).expect("removed");
            assert!(fs::symlink_metadata(&path).is_err());
        }
        assert!(fs::remove_dir(mount.path().join("dir-001")).is_err(), "{flag}");
        assert_eq!(names_of_the_other(&mount), 3, "{flag}");
    }
}

/// How many entries the directory has that is never named above.
fn names_of_the_other(mount: &Mounted) -> usize {
    names(&mount.path().join("dir-000")).into_iter().collect::<HashSet<_>>().len()
}
