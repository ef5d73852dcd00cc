//! The programs that `brisk bench walk`, `ls` and `rm` measure, and how each is called.

use std::ffi::OsString;
use std::path::Path;

use super::report::Line;

/// A program that may be installed.
pub(crate) struct KnownRival {
    /// What the programs of a group are compared in.
    group: &'static str,
    /// The program and its words, among which `DIR` is the directory.
    pub(crate) words: &'static [&'static str],
    /// How many lines it prints beside a line for each entry; `None` if its output is not compared.
    pub(crate) lists: Option<u64>,
}

const fn known(
    group: &'static str,
    words: &'static [&'static str],
    lists: Option<u64>,
) -> KnownRival {
    KnownRival { group, words, lists }
}

/// The user's own defaults are not measured. Not shown.
const NO_CONFIG: &str = "--no-config";

const TREE: &str = "Every path of the tree";
const NAMES: &str = "Names, one a line";
const COLORS: &str = "Names in colours";
const DETAILS: &str = "Details: -l";
const REMOVAL: &str = "Removing the whole tree";

/// Ways of listing whole trees: brisk with its own choice, with numbers of threads and with orders, then
/// other programs.
pub(crate) const WALK: [&[KnownRival]; 2] = [
    &[
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, ".", "DIR"], Some(0)),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "-j1", ".", "DIR"], None),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "-j4", ".", "DIR"], None),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "-j32", ".", "DIR"], None),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "--order=depth", ".", "DIR"], None),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "--order=breadth", ".", "DIR"], None),
        known(TREE, &["brisk", "find", "-u", NO_CONFIG, "--order=sorted", ".", "DIR"], None),
        known(TREE, &["fd", "-u", ".", "DIR"], Some(0)),
    ],
    others::WALK,
];

/// Ways of listing one directory. eza and lsd quote names, and eza shows where links lead, so their
/// output is not compared.
pub(crate) const LS: [&[KnownRival]; 2] = [
    &[
        known(NAMES, &["brisk", "ls", "-1A", "DIR"], Some(0)),
        known(NAMES, &["brisk", "ls", "-1AU", "DIR"], None),
        known(NAMES, &["eza", "-1a", "DIR"], None),
        known(COLORS, &["brisk", "ls", "-1A", "--color=always", "DIR"], None),
        known(COLORS, &["eza", "-1a", "--color=always", "DIR"], None),
        known(DETAILS, &["brisk", "ls", "-lA", "DIR"], None),
        known(DETAILS, &["eza", "-la", "DIR"], None),
    ],
    others::LS,
];

/// Ways of removing a tree.
pub(crate) const RM: [&[KnownRival]; 2] = [
    &[
        known(REMOVAL, &["brisk", "rm", "-rf", "DIR"], None),
        known(REMOVAL, &["brisk", "rm", "-rf", "--threads=1", "DIR"], None),
        known(REMOVAL, &["brisk", "rm", "-rf", "--threads=4", "DIR"], None),
        known(REMOVAL, &["node", "-e", "fs.rmSync('tree', { recursive: true })"], None),
    ],
    others::RM,
];

/// The programs of Unix.
#[cfg(not(windows))]
mod others {
    use super::{COLORS, DENO, DETAILS, KnownRival, LISP, NAMES, REMOVAL, TREE, known};

    pub(super) const WALK: &[KnownRival] = &[
        known(TREE, &["find", "DIR"], Some(1)),
        known(TREE, &["bfs", "DIR"], Some(1)),
        known(TREE, &["rg", "--files", "-uuu", "DIR"], None),
        known(TREE, &["ls", "-1RA", "DIR"], None),
        // Without -l, a file with several links is listed once.
        known(TREE, &["du", "-al", "DIR"], Some(1)),
        known(TREE, &["deno", "eval", DENO, "DIR"], Some(0)),
        known(TREE, &LISP, Some(0)),
    ];

    pub(super) const LS: &[KnownRival] = &[
        known(NAMES, &["ls", "-1A", "DIR"], Some(0)),
        known(NAMES, &["lsd", "-1A", "DIR"], None),
        known(COLORS, &["ls", "-1A", "--color=always", "DIR"], None),
        known(COLORS, &["lsd", "-1A", "--color=always", "DIR"], None),
        known(DETAILS, &["ls", "-lA", "DIR"], None),
        known(DETAILS, &["lsd", "-lA", "DIR"], None),
    ];

    pub(super) const RM: &[KnownRival] = &[
        known(REMOVAL, &["rm", "-rf", "DIR"], None),
        known(REMOVAL, &["find", "DIR", "-delete"], None),
        known(REMOVAL, &["bfs", "DIR", "-delete"], None),
        known(REMOVAL, &["rmz", "-f", "DIR"], None),
        known(REMOVAL, &["python3", "-c", "import shutil; shutil.rmtree('tree')"], None),
        known(REMOVAL, &["rimraf", "DIR"], None),
    ];
}

/// The programs of Windows. Beside the tree that is removed is an empty directory `empty`, for robocopy.
#[cfg(windows)]
mod others {
    use super::{DEL, DETAILS, KnownRival, NAMES, REMOVAL, TREE, known};

    pub(super) const WALK: &[KnownRival] = &[
        known(TREE, &["cmd", "/d", "/c", "dir", "/s", "/b", "/a", "DIR"], Some(0)),
        known(TREE, &["where", "/r", "DIR", "*"], None),
    ];

    pub(super) const LS: &[KnownRival] = &[
        known(NAMES, &["cmd", "/d", "/c", "dir", "/b", "/a", "/on", "DIR"], Some(0)),
        known(DETAILS, &["cmd", "/d", "/c", "dir", "/a", "/on", "DIR"], None),
    ];

    pub(super) const RM: &[KnownRival] = &[
        known(REMOVAL, &["cmd", "/d", "/c", "rd", "/s", "/q", "DIR"], None),
        known(REMOVAL, &DEL, None),
        known(REMOVAL, &["robocopy", "empty", "DIR", "/MIR"], None),
    ];
}

#[cfg(windows)]
const DEL: [&str; 13] =
    ["cmd", "/d", "/c", "del", "/f", "/s", "/q", "DIR", "&", "rd", "/s", "/q", "DIR"];

/// Deno's and Common Lisp's own ways of listing a tree, without entering links.
#[cfg(not(windows))]
const DENO: &str = "const list = async (dir) => {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    console.log(`${dir}/${name}`);
    if (isDirectory) await list(`${dir}/${name}`);
  }
};
await list(Deno.args[0]);";
#[cfg(not(windows))]
const LISP: [&str; 7] = [
    "sbcl",
    "--noinform",
    "--no-userinit",
    "--non-interactive",
    "--eval",
    r#"(labels ((list-all (dir)
  (dolist (path (directory (merge-pathnames "*.*" dir) :resolve-symlinks nil))
    (let ((name (native-namestring path :as-file t)))
      (write-line name)
      (when (eq :directory (sb-impl::native-file-kind name)) (list-all path))))))
  (list-all (parse-native-namestring (car (last *posix-argv*)) nil #p"" :as-directory t)))"#,
    "DIR",
];

impl KnownRival {
    /// Whether it is brisk.
    pub(crate) fn is_own(&self) -> bool {
        self.words[0] == "brisk"
    }

    /// The program before its first run; `brisk` is this program's file.
    pub(crate) fn method(&self, brisk: &Path, dir: &Path) -> Line {
        let word = |word: &&str| match *word {
            "DIR" => native(dir),
            "brisk" => brisk.into(),
            word => word.into(),
        };
        // Scripts of several lines are in JSON alone.
        let shown =
            self.words.iter().copied().filter(|word| !word.contains('\n') && *word != NO_CONFIG);
        Line {
            name: shown.collect::<Vec<_>>().join(" "),
            group: self.group.to_owned(),
            is_own: self.is_own(),
            command: self.words.iter().map(word).collect(),
            ..Line::default()
        }
    }
}

/// A path as the system's own programs read it: they would take words with `/` for options.
fn native(dir: &Path) -> OsString {
    if cfg!(windows) { dir.to_string_lossy().replace('/', "\\").into() } else { dir.into() }
}
