//! The trees that are added up.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// Names that are hard to print.
const ODD: &[&[u8]] = &[
    b"new\nline",
    b"\xff\xfe",
    b" ",
    b"-x",
    b"tab\t",
    b"it's",
    b"\"",
    "é".as_bytes(),
    b"*",
    b"[a",
    b"\\",
    b"a:b",
    b"\x1b[31m",
    b"c",
    b"C",
];

/// The trees; removed with this value.
pub struct Tree {
    scratch: TempDir,
}

impl Tree {
    /// Makes them.
    pub fn new() -> Tree {
        let scratch = TempDir::new().unwrap();
        let tree = Tree { scratch };
        symlink(testkit::brisk(), tree.du()).unwrap();
        fs::create_dir(tree.path()).unwrap();
        std::env::set_current_dir(tree.path()).unwrap();
        links();
        loops();
        sparse();
        hostile();
        deep_and_wide();
        large();
        fs::create_dir_all("empty/inner/most").unwrap();
        lists();
        tree
    }

    /// Where they are.
    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("t")
    }

    /// brisk, under the name `du`.
    pub fn du(&self) -> PathBuf {
        self.scratch.path().join("du")
    }
}

/// A file of this size that was modified this many days after the epoch.
fn file(path: impl AsRef<Path>, size: usize, days: u64) {
    fs::write(&path, vec![7; size]).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400 + days);
    let times = FileTimes::new().set_modified(time).set_accessed(time);
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// Hard links within directories and across them, up and down.
fn links() {
    for dir in ["b/inner", "a/z", "c", "a.b"] {
        fs::create_dir_all(Path::new("links").join(dir)).unwrap();
    }
    file("links/b/inner/x", 70_000, 20_000);
    for link in ["a/z/x", "c/x", "a/x", "a.b/x", "c/y", "x"] {
        fs::hard_link("links/b/inner/x", Path::new("links").join(link)).unwrap();
    }
    file("links/c/own", 5_000, 400);
    fs::hard_link("links/c/own", "links/c/again").unwrap();
    fs::create_dir("other").unwrap();
    fs::hard_link("links/c/own", "other/own").unwrap();
    file("other/alone", 9_000, 30_000);
    symlink("../links", "other/link").unwrap();
    symlink("links", "to-links").unwrap();
    symlink("nowhere", "to-nothing").unwrap();
}

/// Links that lead up, to each other, to nothing and to files.
fn loops() {
    fs::create_dir_all("loops/a/b").unwrap();
    symlink("..", "loops/a/up").unwrap();
    symlink("../../a", "loops/a/b/top").unwrap();
    symlink("self", "loops/self").unwrap();
    symlink("nowhere", "loops/a/dangling").unwrap();
    file("loops/a/b/file", 6_000, 12_345);
    symlink("a/b/file", "loops/link").unwrap();
    symlink("a/b", "loops/dir").unwrap();
}

fn sparse() {
    fs::create_dir("sparse").unwrap();
    File::create("sparse/file").unwrap().set_len(1 << 33).unwrap();
    file("sparse/full", 1 << 20, 15_000);
}

fn hostile() {
    for name in ODD.iter().map(|name| OsStr::from_bytes(name)) {
        let dir = Path::new("odd").join(name);
        fs::create_dir_all(&dir).unwrap();
        file(dir.join(name), 300, 11_111);
    }
    fs::create_dir_all("denied/closed/in").unwrap();
    file("denied/closed/in/file", 5_000, 1);
    fs::set_permissions("denied/closed", fs::Permissions::from_mode(0o000)).unwrap();
    // Beside the other trees, because messages about two places of one tree have no order.
    fs::create_dir_all("../listed/in").unwrap();
    fs::set_permissions("../listed", fs::Permissions::from_mode(0o444)).unwrap();
}

fn deep_and_wide() {
    let deep = Path::new("deep").join(["d"; 80].join("/"));
    fs::create_dir_all(&deep).unwrap();
    file(deep.join("file"), 10_000, 19_000);
    fs::create_dir("wide").unwrap();
    for number in 0..300 {
        file(format!("wide/{number}.{}", ["c", "o", "h"][number % 3]), number * 40, number as u64);
        if number % 50 == 0 {
            fs::create_dir(format!("wide/dir{number}")).unwrap();
            file(format!("wide/dir{number}/f"), number, 10);
        }
    }
}

/// Directories around the number of entries above which GNU's fts sorts by inode: the second has
/// one more than the first.
fn large() {
    for (dir, count) in [("large", 10_000), ("larger", 10_001)] {
        fs::create_dir(dir).unwrap();
        for number in 0..count {
            let path = Path::new(dir).join(format!("{number}"));
            if number % 1_000 == 0 {
                fs::create_dir_all(path.join("in")).unwrap();
            } else {
                fs::write(path, "").unwrap();
            }
        }
        fs::hard_link(Path::new(dir).join("7"), Path::new(dir).join("1000/link")).unwrap();
    }
}

/// Lists of names, and of patterns.
fn lists() {
    fs::write("names", b"links\0wide//\0\0nope\0links/c\0empty").unwrap();
    fs::write("odd-names", b"nope\0\0denied/closed\0-\0\0links/c\0nope2").unwrap();
    fs::write("none", b"").unwrap();
    fs::write("patterns", "*.o\n\ninner  \nodd/[a-d]\n").unwrap();
}
