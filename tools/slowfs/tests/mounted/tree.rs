//! A mounted tree as a program that lists and stats it sees it.

use std::collections::BTreeSet;
use std::fs::{self, Metadata, Permissions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use testkit::{Mounted, can_mount};

use crate::support::{mount, names};

/// Every entry below `dir` with its lstat, in the order of the walk.
fn walk(dir: &Path, base: &Path, found: &mut Vec<(String, Metadata)>) {
    for entry in dir.read_dir().expect("a directory") {
        let path = entry.expect("an entry").path();
        let meta = fs::symlink_metadata(&path).expect("lstat");
        let below = path.strip_prefix(base).expect("below the base");
        found.push((below.to_str().expect("UTF-8").to_owned(), meta.clone()));
        if meta.is_dir() {
            walk(&path, base, found);
        }
    }
}

fn walked(mount: &Mounted) -> Vec<(String, Metadata)> {
    let mut found = Vec::new();
    walk(mount.path(), mount.path(), &mut found);
    found
}

#[test]
fn a_grid_has_exactly_its_directories_and_files() {
    if !can_mount("a_grid_has_exactly_its_directories_and_files") {
        return;
    }
    let mount = mount("--dirs 30 --files 10 --latency 0");
    let dirs: Vec<_> = (0..30).map(|n| format!("dir-{n:03}")).collect();
    assert_eq!(names(mount.path()), dirs);
    let files: Vec<_> = (0..10).map(|n| format!("file-{n:03}")).collect();
    for dir in &dirs {
        assert_eq!(names(&mount.path().join(dir)), files);
    }
    let found = walked(&mount);
    assert_eq!(found.iter().filter(|(_, meta)| meta.is_file()).count(), 300);
    let inodes: BTreeSet<_> = found.iter().map(|(_, meta)| meta.ino()).collect();
    assert_eq!(inodes.len(), 330);
    assert!(!mount.path().join("dir-030").exists());
    mount.finish();
}

#[test]
fn two_mounts_with_the_same_flags_are_equal() {
    if !can_mount("two_mounts_with_the_same_flags_are_equal") {
        return;
    }
    let all = |mount: &Mounted| -> Vec<_> {
        let found = walked(mount);
        let facts = |m: &Metadata| {
            (
                m.ino(),
                m.mode(),
                m.nlink(),
                m.len(),
                m.blocks(),
                m.mtime(),
                m.mtime_nsec(),
                m.ctime(),
            )
        };
        found.iter().map(|(path, meta)| (path.clone(), facts(meta))).collect()
    };
    let flags = "--nested 3,3,20 --links 20 --latency 0";
    let (one, other) = (mount(flags), mount(flags));
    let entries = all(&one);
    assert_eq!(entries.len(), 3 + 9 + 27 + 40 * 20);
    assert_eq!(entries, all(&other));
}

#[test]
fn modes_sizes_and_links_vary_and_plain_ones_do_not() {
    if !can_mount("modes_sizes_and_links_vary_and_plain_ones_do_not") {
        return;
    }
    let modes = |mount: &Mounted| -> BTreeSet<_> {
        walked(mount).iter().map(|(_, meta)| meta.mode()).collect()
    };
    let varied = mount("--dirs 100 --files 10 --links 20 --latency 0");
    let expected = [0o100644, 0o100666, 0o100755, 0o102755, 0o104755, 0o120777];
    let expected = expected.into_iter().chain([0o40755, 0o40777, 0o41755, 0o41777]);
    assert_eq!(modes(&varied), expected.collect());
    let found = walked(&varied);
    assert!(found.iter().any(|(_, meta)| meta.is_file() && meta.len() == 0));
    assert!(found.iter().any(|(_, meta)| meta.is_file() && meta.len() > 100_000));
    let plain = mount("--dirs 100 --files 10 --plain --latency 0");
    assert_eq!(modes(&plain), BTreeSet::from([0o40755, 0o100644]));
}

#[test]
fn links_lead_to_files_to_their_directory_and_nowhere() {
    if !can_mount("links_lead_to_files_to_their_directory_and_nowhere") {
        return;
    }
    let mount = mount("--flat 400 --links 25 --latency 0");
    let [mut files, mut dirs, mut dangling] = [0; 3];
    for (name, meta) in walked(&mount).iter().filter(|(_, meta)| meta.is_symlink()) {
        let path = mount.path().join(name);
        let target = fs::read_link(&path).expect("a link");
        assert_eq!(target.as_os_str().len() as u64, meta.len(), "{name}");
        match fs::metadata(&path) {
            Ok(meta) if meta.is_file() => files += 1,
            Ok(meta) => dirs += u32::from(meta.is_dir()),
            Err(_) => dangling += 1,
        }
    }
    assert!(files > 30 && dirs > 10 && dangling > 10, "{files} {dirs} {dangling}");
}

#[test]
fn times_are_coarse_when_asked() {
    if !can_mount("times_are_coarse_when_asked") {
        return;
    }
    let fine = walked(&mount("--flat 100 --latency 0"));
    for (flag, step) in [("10ms", 10_000_000), ("2s", 2_000_000_000_i128)] {
        let coarse = walked(&mount(&format!("--flat 100 --latency 0 --timestamps {flag}")));
        let nanos = |meta: &Metadata| {
            i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec())
        };
        for ((name, fine), (_, coarse)) in fine.iter().zip(&coarse) {
            assert_eq!(nanos(fine) / step * step, nanos(coarse), "{name}");
        }
    }
}

#[test]
fn a_large_directory_is_the_same_however_it_is_read() {
    if !can_mount("a_large_directory_is_the_same_however_it_is_read") {
        return;
    }
    let expected: Vec<_> = (0..20_000).map(|n| format!("file-{n:05}")).collect();
    for flag in ["", "--readdirplus", "--unknown-types"] {
        let mount = mount(&format!("--flat 20000 --latency 0 {flag}"));
        assert!(names(mount.path()) == expected, "{flag}");
        let counts = mount.finish();
        let plus = flag == "--readdirplus";
        assert_eq!(counts.get("readdirplus") > 0, plus, "{counts:?}");
        assert_eq!(counts.get("readdir") > 0, !plus, "{counts:?}");
    }
}

#[test]
fn unknown_types_make_the_reader_stat() {
    if !can_mount("unknown_types_make_the_reader_stat") {
        return;
    }
    for (flag, lookups) in [("", 0), ("--unknown-types", 50)] {
        let mount = mount(&format!("--flat 50 --latency 0 {flag}"));
        for entry in mount.path().read_dir().expect("a directory") {
            // std answers from d_type, or by lstat where that is DT_UNKNOWN.
            let file_type = entry.expect("an entry").file_type().expect("a type");
            assert!(file_type.is_file());
        }
        assert_eq!(mount.finish().get("lookup"), lookups, "{flag:?}");
    }
}

#[test]
fn files_hold_as_many_bytes_as_stat_says_and_cannot_be_written() {
    if !can_mount("files_hold_as_many_bytes_as_stat_says_and_cannot_be_written") {
        return;
    }
    let mount = mount("--flat 20 --latency 0");
    for (name, meta) in walked(&mount) {
        let mut bytes = Vec::new();
        let mut file = fs::File::open(mount.path().join(&name)).expect("a file");
        file.read_to_end(&mut bytes).expect("content");
        assert_eq!(bytes.len() as u64, meta.len(), "{name}");
        let refused = fs::OpenOptions::new().write(true).open(mount.path().join(&name));
        let refused = refused.expect_err("read-only");
        assert_eq!(refused.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
    }
}

#[test]
fn only_executable_files_may_be_executed() {
    if !can_mount("only_executable_files_may_be_executed") {
        return;
    }
    let mount = mount("--flat 100 --latency 0");
    for (name, meta) in walked(&mount) {
        // test -x asks by faccessat, as `find -executable` does.
        let status = Command::new("test").arg("-x").arg(mount.path().join(&name)).status();
        let granted = status.expect("test runs").success();
        assert_eq!(granted, meta.mode() & 0o111 != 0, "{name} {:o}", meta.mode());
    }
    assert!(mount.finish().get("access") >= 100);
}

#[test]
fn attributes_are_missing_or_unheard_of() {
    if !can_mount("attributes_are_missing_or_unheard_of") {
        return;
    }
    let ask = |mount: &Mounted, number: usize| {
        let path = mount.path().join(format!("file-{number:03}"));
        let value = rustix::fs::lgetxattr_query(&path, "security.capability");
        let list = rustix::fs::llistxattr(&path, &mut [0_u8; 64]);
        (value.expect_err("there is none"), list)
    };
    use rustix::io::Errno;
    for (flag, expected) in
        [("", (Errno::NODATA, Ok(0))), ("--no-xattrs", (Errno::NOTSUP, Err(Errno::NOTSUP)))]
    {
        let mount = mount(&format!("--flat 5 --latency 0 {flag}"));
        for number in 0..5 {
            assert_eq!(ask(&mount, number), expected, "{flag}");
        }
        let counts = mount.finish();
        // If a request for a capability's value is refused, the kernel asks once more, without its
        // security modules.
        assert!([5, 10].contains(&counts.get("getxattr")), "{flag}: {counts:?}");
        assert_eq!(counts.get("listxattr"), 5, "{flag}");
    }
}

#[test]
fn modes_and_owners_stay_as_they_were_set() {
    if !can_mount("modes_and_owners_stay_as_they_were_set") {
        return;
    }
    let mount = mount("--dirs 2 --files 3 --latency 0 --removable");
    let file = mount.path().join("dir-000/file-000");
    let before = fs::symlink_metadata(&file).expect("lstat");
    let mode = Permissions::from_mode(0o600);
    fs::set_permissions(&file, mode).expect("set");
    std::os::unix::fs::chown(&file, Some(before.uid()), Some(before.gid())).expect("set");
    let after = fs::symlink_metadata(&file).expect("lstat");
    assert_eq!(after.mode() & 0o7777, 0o600);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    let other = fs::symlink_metadata(mount.path().join("dir-000/file-001")).expect("lstat");
    assert_ne!(other.mode() & 0o7777, 0o600);
    assert_eq!(mount.finish().get("setattr"), 2);
}
