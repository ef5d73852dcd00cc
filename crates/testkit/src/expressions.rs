//! Random trees, and random expressions of find(1) that choose among their entries.

use std::fs::{self, FileTimes};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{Random, is_root};

const NAMES: [&str; 10] =
    ["a", "b.rs", "B.RS", ".h", "c d", "é.txt", "É", "x[1]", "new\nline", "-dash"];
const SIZES: [u64; 9] = [0, 1, 511, 512, 513, 1024, 1025, 1 << 20, (1 << 20) + 1];
const MODES: [u32; 7] = [0o644, 0o755, 0o700, 0o4755, 0o2750, 0o1777, 0o444];

/// Makes a directory with 40 entries of all kinds. The same numbers make the same tree, with each
/// directory's entries in the same order.
pub fn plant(tree: &Path, random: &mut Random) {
    fs::create_dir(tree).unwrap();
    // find(1) opens the file of -samefile, which is none that blocks.
    fs::create_dir(tree.join("a")).unwrap();
    fs::write(tree.join("b.rs"), "").unwrap();
    let mut dirs = vec![tree.to_owned(), tree.join("a")];
    let mut all = vec![tree.to_owned(), tree.join("a"), tree.join("b.rs")];
    for _ in 0..40 {
        let path = dirs[random.below(dirs.len())].join(random.pick(&NAMES));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let other = all[random.below(all.len())].clone();
        if make(&path, &other, random) {
            dirs.push(path.clone());
        }
        all.push(path);
    }
    let now = SystemTime::now();
    // Links have no modes, and their times are those of what they lead to.
    for path in all.iter().rev().filter(|path| !path.is_symlink() && path.exists()) {
        dress(path, now, random);
    }
}

/// Makes an entry of some kind; `true` for a directory.
fn make(path: &Path, other: &PathBuf, random: &mut Random) -> bool {
    match random.below(9) {
        0 | 1 => {
            fs::create_dir(path).unwrap();
            return true;
        }
        2 => symlink(other, path).unwrap(),
        3 => symlink("gone", path).unwrap(),
        4 if other.symlink_metadata().unwrap().is_file() => fs::hard_link(other, path).unwrap(),
        5 => drop(UnixListener::bind(path)),
        6 => mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).unwrap(),
        _ => fs::File::create(path).unwrap().set_len(SIZES[random.below(9)]).unwrap(),
    }
    false
}

/// Gives an entry an owner, a mode and times.
fn dress(path: &Path, now: SystemTime, random: &mut Random) {
    if is_root() && random.below(2) == 0 {
        let user = [0, 1, 54_321][random.below(3)];
        chown(path, Some(user), Some([0, 54_321][random.below(2)])).unwrap();
    }
    let mode = MODES[random.below(MODES.len())];
    // In a directory that may not be searched GNU find knows no types.
    let mode = if path.is_dir() { mode | 0o111 } else { mode };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if !path.is_dir() && !path.is_file() {
        return;
    }
    let mut time = || {
        let [day, minute] = [86_400, 60].map(|unit| unit * random.below(4) as u64 + unit / 2);
        let ago = Duration::from_secs([day, minute][random.below(2)]);
        // Some were read after their last change.
        if !path.is_dir() && random.below(4) == 0 { now + ago } else { now - ago }
    };
    let times = FileTimes::new().set_accessed(time()).set_modified(time());
    fs::File::open(path).unwrap().set_times(times).unwrap();
}

/// Tests without an argument.
const FLAGS: [&str; 8] =
    ["-empty", "-readable", "-writable", "-executable", "-nouser", "-nogroup", "-true", "-false"];

const COUNTS: &[&str] = &["0", "1", "2", "3", "+0", "+1", "-1", "-2", "+2"];
const AGES: &[&str] = &["0", "1", "2", "3", "+0", "+1", "-1", "-2", "+2", "0.7"];
const GLOBS: &[&str] = &[
    "a",
    "*.rs",
    "*.RS",
    "?",
    "*é*",
    "[!a-c]*",
    "x\\[1]",
    "x[[]1]",
    "[[:upper:]]*",
    "*",
    ".*",
    "É",
];

/// Tests with one argument: their names, and what the argument may be.
const TESTS: &[(&[&str], &[&str])] = &[
    (&["-name", "-iname"], GLOBS),
    (&["-name", "-iname"], GLOBS),
    (&["-path", "-ipath", "-wholename"], &["./a/*", "*/b.rs", "./?", "*[./]a", "*/É*", "./*d"]),
    (&["-lname", "-ilname"], &["*", "gone", "?", "*A*"]),
    (&["-type"], &["f", "d", "l", "f,d", "p,s", "l,p"]),
    (&["-xtype"], &["f", "d", "l", "f,l", "s"]),
    (
        &["-perm"],
        &["644", "-644", "/6000", "u+x", "-u+x", "/a+x", "-g+s", "u=rwX,go=rX", "/022", "/0"],
    ),
    (&["-user", "-group", "-uid", "-gid"], &["0", "1", "54321"]),
    (&["-links", "-uid"], COUNTS),
    (&["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-used"], AGES),
    (&["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-used"], AGES),
    (&["-newer", "-anewer", "-cnewer", "-newerma", "-newerac", "-samefile"], &["a", "b.rs", "."]),
    (
        &["-newermt", "-newerat", "-newerct"],
        &["2 days ago", "90 seconds ago", "yesterday", "2020-01-01", "@1600000000"],
    ),
];

/// Dialects, and regular expressions in them.
const REGEXES: [(&str, &str); 9] = [
    ("findutils-default", r".*/\(a\|b\).*"),
    ("posix-extended", r"\./[^/]+(/.*)?rs"),
    ("posix-basic", r".*[[:upper:]].*"),
    ("egrep", r".*(a|é)+"),
    ("emacs", r"./.*\(a\|d\)"),
    ("sed", r"\./a/.\{1,3\}"),
    // Back references.
    ("posix-basic", r".*/\(.\)[^/]*\1.*"),
    ("emacs", r".*\(.\)\1.*"),
    ("posix-extended", r"\./(.*)(/\1)*"),
];

/// A test with its arguments.
pub fn primary(random: &mut Random) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match random.below(16) {
        0 => words(&[random.pick(&FLAGS)]),
        1 => {
            let (dialect, regex) = REGEXES[random.below(REGEXES.len())];
            words(&["-regextype", dialect, random.pick(&["-regex", "-iregex"]), regex])
        }
        2 => {
            let size = random.pick(COUNTS).to_owned();
            vec!["-size".to_owned(), size + random.pick(&["", "b", "c", "w", "k", "M"])]
        }
        number => {
            let (names, arguments) = TESTS[number - 3];
            let test = [random.pick(names), random.pick(arguments)];
            let is_age = test[0].ends_with("time") || test[0].ends_with("min");
            let start: &[&str] = if is_age && random.below(5) == 0 { &["-daystart"] } else { &[] };
            words(&[start, &test].concat())
        }
    }
}

/// An expression of so many levels, whose leaves are what `leaf` returns.
pub fn expression(
    random: &mut Random,
    levels: u32,
    leaf: &dyn Fn(&mut Random) -> Vec<String>,
) -> Vec<String> {
    let word = |word: &str| vec![word.to_owned()];
    let part = |random: &mut Random| expression(random, levels.saturating_sub(1), leaf);
    let forms = if levels == 0 { 2 } else { 8 };
    match random.below(forms) {
        0 => leaf(random),
        1 if random.below(4) == 0 => [leaf(random), word("-prune")].concat(),
        1 => [word(random.pick(&["!", "-not"])), leaf(random)].concat(),
        2 | 3 => [part(random), word(random.pick(&["-o", "-or"])), part(random)].concat(),
        4 => [part(random), word(random.pick(&["-a", "-and"])), part(random)].concat(),
        5 => [part(random), part(random)].concat(),
        form => {
            let not = if form == 6 { word("!") } else { Vec::new() };
            [not, word("("), part(random), word(")")].concat()
        }
    }
}
