//! `du --frees` and the dry run of rm, beside what the file system has after a removal (statfs).

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{LoopMount, brisk, left_out, stderr, stdout};

use super::{du, lines};

/// The file systems that share extents, and what makes a place for the tree there: on btrfs, what a
/// snapshot can be made of.
const KINDS: [(&str, &str); 2] = [("btrfs", "btrfs -q subvolume create v"), ("xfs", "mkdir v")];

/// Whole copies within a directory's reach and outside of it, hard links of both sorts, a file that
/// was overwritten in part.
const PLANT: &str = "mkdir -p t/a t/b t/c t/out && cd t \
    && random() { head -c $1 /dev/urandom > $2; } \
    && random 24M a/f && random 8M a/l && random 16M c/big && random 10M c/own && random 10M b/l2 \
    && random 12M b/over && sync -f . \
    && cp --reflink=always a/f b/g && cp --reflink=always c/big out/h && ln a/l out/l && ln b/l2 c/l2 \
    && dd if=/dev/urandom of=b/over bs=1M seek=4 count=4 conv=notrunc status=none && sync -f .";

fn sh(dir: &Path, script: &str) -> Output {
    let output =
        Command::new("sh").args(["-c", script]).current_dir(dir).env("B", brisk()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{script}: {}", stderr(&output));
    output
}

/// The bytes that are used on the file system, after all that was removed is free: XFS frees files in
/// the background, and has done so when it is frozen.
fn used(dir: &Path) -> u64 {
    let script =
        "sync -f .; fsfreeze -f . && fsfreeze -u . && sync -f . && stat -f -c '%b %f %S' .";
    let told = stdout(&sh(dir, script));
    let numbers: Vec<u64> = told.split_whitespace().map(|it| it.parse().unwrap()).collect();
    (numbers[0] - numbers[1]) * numbers[2]
}

/// The number in a text such as `<4096`, and whether it is only a bound.
fn number(text: &str) -> (u64, bool) {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap(), text.contains('<') || text.contains("at most"))
}

/// What du tells of all of these together.
fn told(dir: &Path, set: &[&str]) -> (u64, bool) {
    let lines = lines(dir, &[&["--frees", "-scB1"], set].concat());
    number(lines.last().unwrap().split('\t').next().unwrap())
}

/// The same by an ordinary user, who can read everything.
fn told_to_user(dir: &Path, set: &[&str]) -> (u64, bool) {
    let user = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    // By its handle: the user may not be allowed to search the directories above the program.
    let set = set.join(" ");
    let script = format!("{user} /proc/self/fd/9 du --frees -scB1 {set} 9<\"$B\" | tail -1");
    let output = sh(dir, &script);
    let is_btrfs = stdout(&sh(dir, "stat -f -c %T .")).contains("btrfs");
    let says = stderr(&output).contains("overwritten parts of files may free more");
    assert_eq!(says, is_btrfs, "{}", stderr(&output));
    number(stdout(&output).split('\t').next().unwrap())
}

#[track_caller]
fn check(what: &str, (told, is_bound): (u64, bool), freed: u64) {
    let is_right = if is_bound { told >= freed } else { told.abs_diff(freed) <= freed / 100 };
    assert!(is_right, "{what}: {told} (a bound: {is_bound}), and {freed} were freed");
}

/// A tree, in a subvolume where there are such.
fn planted(test: &str, kind: &str, make: &str) -> Option<LoopMount> {
    let mounted = LoopMount::new(test, kind, "-q")?;
    sh(&mounted.path(), make);
    sh(&mounted.path().join("v"), PLANT);
    Some(mounted)
}

#[test]
fn what_removing_frees_is_what_the_file_system_gets_back() {
    let test = "what_removing_frees_is_what_the_file_system_gets_back";
    for (kind, make) in KINDS {
        let Some(mounted) = planted(test, kind, make) else { continue };
        let dir = mounted.path().join("v/t");
        // Each set, and whether its number is exact: what it shares is all in it, or not shared any
        // more; without back references that is not known.
        let knows = kind == "btrfs";
        let sets: [(&[&str], bool); 3] = [(&["a"], false), (&["c"], true), (&["b", "out"], true)];
        let (everything, at_first) = (told(&dir, &["."]), used(&dir));
        assert_eq!(everything.1, !knows, "{kind}: everything");
        for (set, is_exact) in sets {
            let told = told(&dir, set);
            assert_eq!(!told.1, is_exact, "{kind}: {set:?} {told:?}");
            let user = told_to_user(&dir, set);
            let dry = stdout(&sh(&dir, &format!("\"$B\" rm -r --keep-root -n {}", set.join(" "))));
            let dry = number(dry.lines().last().unwrap());
            let kept = set.len() as u64 * 4096;
            assert!(dry.0.abs_diff(told.0) <= kept, "{kind}: {set:?} {dry:?} {told:?}");
            let before = used(&dir);
            sh(&dir, &format!("rm -r {}/*", set.join("/* ")));
            let freed = before - used(&dir);
            check(&format!("{kind}: {set:?}"), told, freed);
            // What was overwritten in part: no user but root may ask how much is still stored.
            let hidden = if knows && set.contains(&"b") { 4 << 20 } else { 0 };
            check(&format!("{kind}: {set:?}, told to a user"), user, freed - hidden);
        }
        check(&format!("{kind}: everything"), everything, at_first - used(&dir));
    }
}

/// What two directories share is freed with the directory above them.
#[test]
fn each_row_is_about_its_own_tree() {
    let test = "each_row_is_about_its_own_tree";
    for (kind, make) in KINDS {
        let Some(mounted) = planted(test, kind, make) else { continue };
        let dir = mounted.path().join("v");
        let output = stdout(&du(&dir, &["--frees", "--json", "-a", "t"]));
        let number = |path: &str, key: &str| {
            let line = output.lines().find(|line| line.contains(&format!("\"{path}\"")));
            let rest = line.unwrap().split_once(&format!("\"{key}\":")).unwrap().1;
            rest.split([',', '}']).next().unwrap().parse::<u64>().unwrap() >> 20
        };
        let over = if kind == "btrfs" { 16 } else { 12 };
        let shared = 24 + 16;
        let sure = if kind == "btrfs" { shared } else { 0 };
        let rows = [
            ("t/a", 0, 0),
            ("t/a/f", 0, 0),
            ("t/a/l", 0, 0),
            ("t/b", over, over),
            ("t/b/over", over, over),
            ("t/c", 10, 10),
            ("t/out", 0, 0),
            ("t", 18 + over + 10 + shared, 18 + over + 10 + sure),
        ];
        for (path, most, least) in rows {
            let found = (number(path, "frees"), number(path, "frees_at_least"));
            assert_eq!(found, (most, least), "{kind}: {path}\n{output}");
        }
    }
}

#[test]
fn what_a_snapshot_holds_is_said() {
    let test = "what_a_snapshot_holds_is_said";
    let Some(mounted) = planted(test, KINDS[0].0, KINDS[0].1) else { return };
    let dir = mounted.path();
    sh(&dir, "btrfs -q subvolume snapshot v s && head -c 8M /dev/urandom > v/t/a/new && sync -f .");
    let output = du(&dir, &["--frees", "-sh", "v/t/a"]);
    let words = "32M more is held by snapshots, and is freed only when they are removed too";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    let dry = stdout(&sh(&dir, "\"$B\" rm -rn v/t"));
    assert!(dry.contains("more is held by snapshots"), "{dry}");
    let told = told(&dir, &["v/t"]);
    let both = self::told(&dir, &["v", "s"]);
    let before = used(&dir);
    sh(&dir, "rm -r v/t");
    let freed = before - used(&dir);
    check("v/t", told, freed);
    assert!(!told.1 && told.0 >> 20 == 8, "{told:?}");
    sh(&dir, "rm -r s/t");
    check("both", both, before - used(&dir));
    assert!(!both.1, "{both:?}");
}

/// Where nothing is shared, only names count.
#[test]
fn a_file_is_freed_with_its_last_name() {
    let test = "a_file_is_freed_with_its_last_name";
    let Ok(place) = tempfile::TempDir::new_in("/dev/shm") else {
        return left_out(test, "there is no /dev/shm");
    };
    let dir = place.path();
    for made in ["t/a", "t/b/in", "t/c"] {
        fs::create_dir_all(dir.join(made)).unwrap();
    }
    let file = |path: &str, links: &[&str]| {
        fs::write(dir.join(path), vec![b'x'; 8192]).unwrap();
        links.iter().for_each(|link| fs::hard_link(dir.join(path), dir.join(link)).unwrap());
    };
    file("t/a/one", &["t/b/one"]);
    file("t/b/two", &["t/b/in/two"]);
    file("t/b/in/three", &["t/b/in/four"]);
    file("t/c/five", &["outside"]);
    file("t/c/six", &[]);
    for threads in ["-j1", "-j4"] {
        let output = du(dir, &["--frees", "-B1", threads, "t"]);
        let rows = "32768\tt\n16384\tt/b\n8192\tt/c\n8192\tt/b/in\n0\tt/a\n";
        assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), (rows, ""), "{threads}");
    }
    let all = lines(dir, &["--frees", "-a", "-B1", "t"]);
    assert!(all.contains(&"8192\tt/c/six".to_owned()) && all.len() == 13, "{all:?}");
    assert!(all.contains(&"0\tt/c/five".to_owned()), "{all:?}");
    let dry = stdout(&sh(dir, "\"$B\" rm -rn t/b"));
    assert_eq!(dry.lines().last(), Some("would free 16,384 bytes"));
}

#[test]
fn what_cannot_be_told_is_refused() {
    let place = testkit::scratch();
    for words in [&["-b"][..], &["--inodes"], &["-L"], &["-l"], &["--by", "type"], &["--reflinks"]]
    {
        let output = du(place.path(), &[&["--frees"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr(&output).contains("--frees cannot be used with"), "{}", stderr(&output));
    }
}
