//! The tree that is listed: every type, every mode bit that matters, links of all kinds, hard
//! links, capabilities, access lists, and odd names.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};
use tempfile::TempDir;
use testkit::Random;

/// Odd names, in no order.
const ODD: &[&[u8]] = &[
    b"a b",
    b"it's",
    b"\"dq\"",
    b"new\nline",
    b"tab\t",
    b"\\back",
    b"$dollar",
    b"`tick`",
    b"*star",
    b"?q",
    b"[br]",
    b"{",
    b"}",
    b"~tilde",
    b"#hash",
    b"a~",
    b"a#",
    "é".as_bytes(),
    "日本語".as_bytes(),
    "😀".as_bytes(),
    "e\u{301}comb".as_bytes(),
    "\u{200b}zw".as_bytes(),
    b"\x01\x02ctl",
    b"\x7fdel",
    b"-dash",
    b"--long",
    b"=eq",
    b"a=b",
    b"@at",
    b"a|b",
    b">gt",
    b"%p",
    b"!bang",
    b"semi;",
    b"{}",
    "\u{202e}bidi".as_bytes(),
    b"'",
    b"both'\"",
    b"x'y z$",
    b"c:d",
    b"&",
    b"(p)",
    b"^c",
    b"+p",
    b",c",
    b" lead",
    b"trail ",
    b"nl\n",
    "é\n".as_bytes(),
    b"q'\n",
    "ü'x".as_bytes(),
    b"a?b",
    b"A",
    b"B",
    b"b",
    b"_u",
    b"\xff",
    b"a\xc3",
    b"\xe6\x97",
    b"ok\x80ok",
    b"\n'\n",
    b"it's\x01",
];

/// Files in `types`: name, size, mode.
const FILES: &[(&str, u64, u32)] = &[
    ("plain", 1_234, 0o644),
    ("exec", 10, 0o755),
    ("suid", 0, 0o4755),
    ("sgid", 0, 0o2755),
    ("suidnox", 0, 0o4644),
    ("stickyfile", 1, 0o1644),
    ("arch.tar", 5, 0o644),
    ("arch.TAR", 5, 0o644),
    ("run.tar", 5, 0o755),
    ("big", 5_000_000_000, 0o644),
    ("none", 0, 0),
    ("hard1", 3, 0o644),
    ("cap", 0, 0o755),
    ("capnox", 0, 0o644),
    ("owned", 77, 0o640),
    ("acl", 0, 0o644),
    (".hidden", 0, 0o644),
    ("backup~", 0, 0o644),
];

/// Links in `types`: target and name.
const LINKS: &[(&str, &str)] = &[
    ("plain", "l-file"),
    ("dir", "l-dir"),
    ("nowhere", "l-dangling"),
    ("l-file", "l-chain"),
    ("loop", "loop"),
    ("exec", "l-exec"),
    ("odd name\n", "l-odd"),
    ("/dev/null", "l-dev"),
    ("suid", "l-suid"),
    ("tw", "l-tw"),
    ("hard1", "l-hard"),
    ("arch.tar", "l.tar"),
];

/// Times, in seconds: the years 10000 and 9999, 163, 0, -1, and 3 million.
const YEARS: &[i64] = &[
    253_402_300_800,
    253_402_300_799,
    -57_000_000_000,
    -62_135_596_801,
    -62_167_219_201,
    99_999_999_999_999,
];

/// Names for the version order.
const VERSIONS: &[&str] = &[
    "a1",
    "a10",
    "a2",
    "a01",
    "a1.0",
    "a1.tar.gz",
    "a10.tar.gz",
    "a1-2.tar.gz",
    ".v2",
    ".v10",
    "a1~",
    "b..c",
    "b.0",
    "b",
    "b~",
    "10",
    "9",
    "09",
    "a+1",
    "a-1",
    "a_1",
    "a.b.c",
    "zz.1.2~3",
];

/// The tree; removed with this value.
pub struct Tree {
    scratch: TempDir,
    /// Files of far years, on a file system that has them: `../far` leads there.
    far: Option<TempDir>,
    root: PathBuf,
    ls: PathBuf,
}

impl Tree {
    /// Makes it.
    pub fn new() -> Tree {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path().canonicalize().unwrap().join("t");
        let bin = root.with_file_name("bin");
        fs::create_dir(&root).unwrap();
        fs::create_dir(&bin).unwrap();
        let ls = bin.join("ls");
        symlink(env!("CARGO_BIN_EXE_brisk"), &ls).unwrap();
        let far = tempfile::tempdir_in("/dev/shm").ok();
        let tree = Tree { scratch, far, root, ls };
        tree.types();
        tree.names();
        tree.nested();
        tree.years();
        tree
    }

    /// Its top.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// brisk, under the name `ls`.
    pub fn ls(&self) -> &Path {
        &self.ls
    }

    fn file(&self, name: &str, size: u64, mode: u32) {
        let path = self.root.join(name);
        let file = File::create(&path).unwrap();
        file.set_len(size).unwrap();
        file.set_permissions(Permissions::from_mode(mode)).unwrap();
    }

    fn directory(&self, name: &str, mode: u32) {
        let path = self.root.join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }

    fn dated(&self, name: &str, seconds: i64) {
        self.file(name, 1, 0o644);
        let span = Duration::from_secs(seconds.unsigned_abs());
        let epoch = SystemTime::UNIX_EPOCH;
        let time = if seconds < 0 { epoch - span } else { epoch + span };
        let file = File::options().write(true).open(self.root.join(name)).unwrap();
        file.set_times(FileTimes::new().set_modified(time).set_accessed(time)).unwrap();
    }

    fn link(&self, target: &str, name: &str) {
        symlink(target, self.root.join(name)).unwrap();
    }

    /// Runs a tool on a file, if it is installed and allowed.
    fn run(&self, program: &str, words: &[&str]) {
        let _ = Command::new(program)
            .args(words)
            .current_dir(&self.root)
            .stderr(Stdio::null())
            .status();
    }

    /// Gives every entry an access time that depends on its name alone.
    pub fn set_access_times(&self) {
        let mut pending = vec![self.root.clone()];
        while let Some(path) = pending.pop() {
            if path.is_dir() && !path.is_symlink() {
                pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let name = path.file_name().unwrap().as_bytes();
            let sum = name.iter().fold(0, |sum: i64, byte| sum * 31 % 99_991 + i64::from(*byte));
            let times = Timestamps {
                last_access: Timespec { tv_sec: 1_500_000_000 + 5_000 * sum, tv_nsec: sum },
                last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            };
            utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
        }
    }

    fn types(&self) {
        self.directory("types", 0o755);
        for &(name, size, mode) in FILES {
            self.file(&format!("types/{name}"), size, mode);
        }
        for (name, mode) in
            [("dir", 0o755), ("sticky", 0o1755), ("ow", 0o777), ("tw", 0o1777), (".hdir", 0o755)]
        {
            self.directory(&format!("types/{name}"), mode);
        }
        for (name, seconds) in [("old", 1_000_000_000), ("future", 4_000_000_000), ("ancient", -1)]
        {
            self.dated(&format!("types/{name}"), seconds);
        }
        for &(target, name) in LINKS {
            self.link(target, &format!("types/{name}"));
        }
        let types = self.root.join("types");
        fs::hard_link(types.join("hard1"), types.join("hard2")).unwrap();
        drop(UnixListener::bind(types.join("sock")).unwrap());
        self.run("mkfifo", &["types/fifo"]);
        self.run("mknod", &["types/char", "c", "1", "3"]);
        self.run("mknod", &["types/block", "b", "259", "65537"]);
        self.run("setcap", &["cap_net_raw+ep", "types/cap"]);
        self.run("setcap", &["cap_net_raw+ep", "types/capnox"]);
        self.run("chown", &["4242:33", "types/owned"]);
        self.run("setfacl", &["-m", "u:1:r", "types/acl"]);
    }

    fn names(&self) {
        self.directory("odd", 0o755);
        for name in ODD {
            File::create(self.root.join("odd").join(OsStr::from_bytes(name))).unwrap();
        }
        self.directory("versions", 0o755);
        for name in VERSIONS {
            self.file(&format!("versions/{name}"), 0, 0o644);
        }
        self.directory("many", 0o755);
        // Names of all lengths, the same in every run.
        let mut seed = 5u64;
        for index in 0..250u64 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let length = 1 + (seed >> 60) as usize + (seed >> 58 & 3) as usize;
            let letters =
                (0..length).map(|at| b"abcXYz019._-"[(seed >> (at * 3) & 7) as usize + at % 5]);
            let name: String = letters.map(char::from).collect();
            self.file(&format!("many/{index}{name}"), index * 37, 0o644);
        }
    }

    /// Adds a directory of random names beside the tree, for the order of versions. On some disks it
    /// takes a second of a processor, so a tree has it only on request.
    pub fn random_names(&self) {
        self.directory("../random", 0o755);
        let mut random = Random(1);
        for _ in 0..2_000 {
            let length = 2 + random.below(9);
            let letters = (0..length).map(|_| b"..~~aabZ0012+-_"[random.below(15)]);
            let name: String = letters.map(char::from).collect();
            if name != ".." {
                self.file(&format!("../random/{name}"), 0, 0o644);
            }
        }
    }

    fn nested(&self) {
        for name in
            ["deep", "deep/a", "deep/a/b", "deep/a/b/c", "deep/z", "deep/a x", "deep/.h", "empty"]
        {
            self.directory(name, 0o755);
        }
        for name in ["deep/a/1", "deep/a/b/2", "deep/a x/q", "deep/.h/x", "file"] {
            self.file(name, 0, 0o644);
        }
        self.file("file2", 99, 0o755);
        for (target, name) in
            [("../a", "deep/z/up"), ("types", "ldir"), ("file", "lfile"), ("nope", "ldang")]
        {
            self.link(target, name);
        }
    }

    fn years(&self) {
        let Some(far) = &self.far else { return };
        self.link(far.path().to_str().unwrap(), "../far");
        for seconds in YEARS {
            self.dated(&format!("../far/{seconds}"), *seconds);
        }
    }

    /// Makes the locale en_US.UTF-8; `None` if its sources are not installed.
    pub fn make_locale(&self) -> Option<PathBuf> {
        let dir = self.scratch.path().canonicalize().unwrap().join("locales");
        fs::create_dir(&dir).unwrap();
        let made = Command::new("localedef")
            .args(["-i", "en_US", "-f", "UTF-8"])
            .arg(dir.join("en_US.UTF-8"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        made.ok().filter(|status| status.success()).map(|_| dir)
    }
}
