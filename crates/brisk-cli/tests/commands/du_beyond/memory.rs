//! How much memory a count takes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use testkit::{Mounted, brisk, left_out, peak};

/// In lines by size a file takes its name and some bytes; as GNU du brisk holds the names of 100,000
/// files at most, as GNU du does.
#[test]
fn names_of_one_directory_take_little_memory() {
    let Ok(place) = tempfile::TempDir::new_in("/dev/shm") else {
        return left_out("names_of_one_directory_take_little_memory", "there is no /dev/shm");
    };
    let du = place.path().join("du");
    symlink(brisk(), &du).unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    for file in 0..200_000 {
        fs::write(place.path().join(format!("t/{file:060}")), "").unwrap();
    }
    let more = |command: &[&str], options: &[&str]| {
        let of = |options| peak(place.path(), &[command, &["--threads=1", "t"], options].concat());
        of(options).saturating_sub(of(&["-s"]))
    };
    let sorted = more(&[brisk(), "du"], &["-a"]);
    assert!(sorted <= 26 << 10, "{sorted} KiB for 200,000 names of 60 bytes");
    let largest = more(&[brisk(), "du"], &["-a", "--top=9"]);
    assert!(largest <= 2 << 10, "{largest} KiB for the nine largest");
    let in_order = more(&[du.to_str().unwrap()], &["-a"]);
    assert!(in_order <= 36 << 10, "{in_order} KiB for 100,000 names at once");
}

/// One directory of so many files, each with two links there.
fn linked(files: u32) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for file in 0..files {
        let path = place.path().join(format!("a-{file}"));
        fs::write(&path, "").unwrap();
        fs::hard_link(path, place.path().join(format!("b-{file}"))).unwrap();
    }
    place
}

/// A million files, each with two links in one directory.
#[test]
#[ignore = "makes two million entries, which takes some minutes"]
fn a_million_files_with_links_take_48_mib() {
    // Without the program itself, which is larger in a test build.
    let base = peak(linked(1).path(), &[brisk(), "du", "-s"]);
    let more = peak(linked(1_000_000).path(), &[brisk(), "du", "-s"]).saturating_sub(base);
    assert!(more <= 48 << 10, "{more} KiB");
}

#[test]
#[ignore = "asks slowfs about ten million entries, which takes some minutes"]
fn ten_million_entries_take_little_memory() {
    let test = "ten_million_entries_take_little_memory";
    let flags = "--dirs 10000 --files 1000 --latency 0 --readdirplus --attr-timeout 60s \
                 --entry-timeout 60s";
    let Some(mounted) = Mounted::new(test, flags) else { return };
    let words = [brisk(), "du", "-s", mounted.path().to_str().unwrap()];
    let peak = peak(Path::new("/"), &words);
    assert!(peak <= 64 << 10, "{peak} KiB");
}
