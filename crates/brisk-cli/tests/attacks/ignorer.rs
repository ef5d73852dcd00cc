//! Files that a search reads by itself (ignore files, git's own files, configuration), with
//! contents that no such file has: huge, binary, pathological, FIFOs, devices, loops. The search
//! ends, in bounded memory.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::removals;
use crate::round::{LIMIT, Round};
use crate::seed::Seed;
use crate::watched::{End, Watched};

/// Files that are read in every directory, or once.
const NAMES: [&str; 14] = [
    "t/.gitignore",
    "t/.ignore",
    "t/.fdignore",
    "t/sub/.gitignore",
    "t/sub/.ignore",
    "t/.git",
    "t/.git/info/exclude",
    "t/.git/HEAD",
    "t/.git/config",
    "t/.git/commondir",
    "t/sub/.git",
    "config/git/ignore",
    "config/fd/ignore",
    "config/brisk/config.toml",
];

const COMMANDS: [&[&str]; 6] = [
    &["find"],
    &["find", "-H", "-j4", "."],
    &["find", "--no-ignore-vcs", "f"],
    &["find", "--no-require-git", "--order", "sorted"],
    &["find", "-u"],
    &["find", "f", "sub"],
];

pub fn round(round: &mut Round) {
    for _ in 0..round.seed.between(1, 3) {
        let name = round.seed.pick(&NAMES);
        let path = round.path(name);
        let parent = path.parent().unwrap();
        // A file may stand where an earlier turn made a directory, and a directory where it made a
        // file.
        if fs::create_dir_all(parent).is_err() || fs::symlink_metadata(&path).is_ok() {
            continue;
        }
        let kind = plant(&mut round.seed, &path);
        round.plant("t/sub/tree");
        for words in COMMANDS {
            let mut command = round.brisk(&["prlimit", "--as=2000000000"], words);
            let ended = Watched::start(&mut command).finish(LIMIT);
            round.judge(&ended, &format!("{words:?} with {kind} as {name}"));
            round.strikes(1);
            if ended.end == End::Hung {
                // The other commands will meet the same file, and each takes its time.
                return removals::clear(&round.path("t"));
            }
        }
    }
    round.check_victim("hostile files");
    removals::clear(&round.path("t"));
}

/// Makes something at the path, and returns what it is.
fn plant(seed: &mut Seed, path: &Path) -> &'static str {
    match seed.below(16) {
        0 => {
            File::create(path).unwrap().set_len(4 << 40).unwrap();
            "4 TiB of nothing"
        }
        1 => {
            testkit::run("mkfifo", &[path.to_str().unwrap()]);
            "a FIFO"
        }
        2 => linked("/dev/zero".as_ref(), path, "a link to /dev/zero"),
        3 => linked(path.file_name().unwrap().as_ref(), path, "a link to itself"),
        4 => linked("/proc/self/mem".as_ref(), path, "a link to memory"),
        5 => linked("../../no/such/place".as_ref(), path, "a link to nothing"),
        6 => {
            fs::create_dir(path).unwrap();
            "a directory"
        }
        7 => {
            fs::write(path, b"f0\n").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            "a file without permissions"
        }
        _ => {
            let (what, bytes) = contents(seed);
            fs::write(path, bytes).unwrap();
            what
        }
    }
}

fn linked(target: &Path, path: &Path, what: &'static str) -> &'static str {
    symlink(target, path).unwrap();
    what
}

/// Contents that no file of rules has, and what they are.
fn contents(seed: &mut Seed) -> (&'static str, Vec<u8>) {
    match seed.below(8) {
        0 => ("random bytes", (0..100_000).map(|_| seed.next() as u8).collect()),
        1 => {
            let line = "*a".repeat(400) + "b\n" + &"**/".repeat(500) + "x\n";
            ("globs that backtrack", line.into())
        }
        2 => {
            let lines = "{a,".repeat(2_000) + "\n" + &"[".repeat(9_000) + "\n";
            ("globs that nest", lines.into())
        }
        3 => {
            let lines: String = (0..50_000).map(|line| format!("*{line}*?[a-z]\n")).collect();
            ("50,000 globs", lines.into())
        }
        4 => ("one line of 9 MiB", vec![b'a'; 9 << 20]),
        5 => ("a gitdir that is a device", b"gitdir: ../../../../../../../../dev/zero\n".into()),
        6 => ("a gitdir that is itself", b"gitdir: .\n".into()),
        _ => ("odd bytes", b"\xef\xbb\xbff0\r\n\0\0\xff\xfe\n!\n\\\n/\n".into()),
    }
}
