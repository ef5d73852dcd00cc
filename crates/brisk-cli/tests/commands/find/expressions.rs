//! `--where` against find(1): random expressions on random trees, and each command that has filters.

use std::collections::BTreeSet;
use std::fs::{self, FileTimes};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, SystemTime};

use testkit::{Random, is_root};

use super::scene::{Scene, stderr};

const NAMES: [&str; 10] =
    ["a", "b.rs", "B.RS", ".h", "c d", "é.txt", "É", "x[1]", "new\nline", "-dash"];
const GLOBS: [&str; 12] = [
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
const PATHS: [&str; 6] = ["./a/*", "*/b.rs", "./?", "*[./]a", "*/É*", "./*d"];
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
const COUNTS: [&str; 10] = ["0", "1", "2", "3", "+0", "+1", "-1", "-2", "+2", "0.7"];

/// Makes 40 entries of all kinds.
fn plant(scene: &Scene, random: &mut Random) {
    let tree = scene.tree();
    fs::remove_dir_all(&tree).unwrap();
    fs::create_dir(&tree).unwrap();
    let now = SystemTime::now();
    // find(1) opens the file of -samefile, which is none that blocks.
    fs::create_dir(tree.join("a")).unwrap();
    fs::write(tree.join("b.rs"), "").unwrap();
    let mut dirs = vec![tree.clone(), tree.join("a")];
    let mut all = vec![tree.clone(), tree.join("a"), tree.join("b.rs")];
    for _ in 0..40 {
        let path = dirs[random.below(dirs.len())].join(random.pick(&NAMES));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let other = &all[random.below(all.len())];
        match random.below(9) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                dirs.push(path.clone());
            }
            2 => symlink(other, &path).unwrap(),
            3 => symlink("gone", &path).unwrap(),
            4 if other.symlink_metadata().unwrap().is_file() => {
                fs::hard_link(other, &path).unwrap()
            }
            5 => drop(UnixListener::bind(&path)),
            6 => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            _ => {
                let sizes = [0, 1, 511, 512, 513, 1024, 1025, 1 << 20, (1 << 20) + 1];
                fs::File::create(&path).unwrap().set_len(sizes[random.below(9)]).unwrap();
            }
        }
        all.push(path);
    }
    // Links have no modes, and their times are those of what they lead to.
    for path in all.iter().rev().filter(|path| !path.is_symlink() && path.exists()) {
        if is_root() && random.below(2) == 0 {
            chown(path, Some([0, 1, 54_321][random.below(3)]), Some([0, 54_321][random.below(2)]))
                .unwrap();
        }
        let mode = [0o644, 0o755, 0o700, 0o4755, 0o2750, 0o1777, 0o444][random.below(7)];
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        if !path.is_dir() && !path.is_file() {
            continue;
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
}

/// A test with its arguments.
fn primary(random: &mut Random) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match random.below(17) {
        0 | 1 => words(&[random.pick(&["-name", "-iname"]), random.pick(&GLOBS)]),
        2 => words(&[random.pick(&["-path", "-ipath", "-wholename"]), random.pick(&PATHS)]),
        3 => {
            let (dialect, regex) = REGEXES[random.below(REGEXES.len())];
            words(&["-regextype", dialect, random.pick(&["-regex", "-iregex"]), regex])
        }
        4 => words(&[random.pick(&["-lname", "-ilname"]), random.pick(&["*", "gone", "?", "*A*"])]),
        5 => words(&["-type", random.pick(&["f", "d", "l", "f,d", "p,s", "l,p"])]),
        6 => words(&["-xtype", random.pick(&["f", "d", "l", "f,l", "s"])]),
        7 => {
            let size = random.pick(&COUNTS[..9]).to_owned();
            vec!["-size".to_owned(), size + random.pick(&["", "b", "c", "w", "k", "M"])]
        }
        8 => {
            let modes = [
                "644",
                "-644",
                "/6000",
                "u+x",
                "-u+x",
                "/a+x",
                "-g+s",
                "u=rwX,go=rX",
                "/022",
                "/0",
            ];
            words(&["-perm", random.pick(&modes)])
        }
        9 => words(&[random.pick(&[
            "-empty",
            "-readable",
            "-writable",
            "-executable",
            "-nouser",
            "-nogroup",
            "-true",
            "-false",
        ])]),
        10 => {
            let test = ["-user", "-group", "-uid", "-gid"][random.below(4)];
            words(&[test, random.pick(&["0", "1", "54321"])])
        }
        11 => words(&[random.pick(&["-links", "-uid"]), random.pick(&COUNTS[..9])]),
        12 | 13 => {
            let test =
                ["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-used"][random.below(7)];
            let start: &[&str] = if random.below(5) == 0 { &["-daystart"] } else { &[] };
            let ages = [&COUNTS[..], &["--1", "+-1", "1e3", "-inf"]].concat();
            words(&[start, &[test, ages[random.below(ages.len())]]].concat())
        }
        14 => {
            let test = ["-newer", "-anewer", "-cnewer", "-newerma", "-newerac", "-samefile"]
                [random.below(6)];
            words(&[test, random.pick(&["a", "b.rs", "."])])
        }
        15 => words(&["-fstype", random.pick(&["tmpfs", "ext4", "overlay", "xfs", "gone"])]),
        _ => {
            let test = ["-newermt", "-newerat", "-newerct"][random.below(3)];
            let dates = [
                "2 days ago",
                "90 seconds ago",
                "yesterday",
                "2020-01-01",
                "@1600000000",
                "12:00 last week",
                "19911213 20:31:00-0330",
                "",
            ];
            words(&[test, random.pick(&dates)])
        }
    }
}

fn expression(random: &mut Random, depth: u32) -> Vec<String> {
    let word = |word: &str| vec![word.to_owned()];
    let part = |random: &mut Random| expression(random, depth.saturating_sub(1));
    let forms = if depth == 0 { 2 } else { 9 };
    match random.below(forms) {
        0 => primary(random),
        1 if random.below(4) == 0 => [primary(random), word("-prune")].concat(),
        1 => [word(random.pick(&["!", "-not"])), primary(random)].concat(),
        2 | 3 => [part(random), word(random.pick(&["-o", "-or"])), part(random)].concat(),
        4 => [part(random), word(random.pick(&["-a", "-and"])), part(random)].concat(),
        5 => [part(random), part(random)].concat(),
        // find(1) swaps tests on the sides of a comma if the first costs more, and the value with them.
        8 => {
            let first = ["-name".to_owned(), random.pick(&GLOBS).to_owned()];
            [word("("), first.to_vec(), word(","), part(random), word(")")].concat()
        }
        form => {
            let not = if form == 6 { word("!") } else { Vec::new() };
            [not, word("("), part(random), word(")")].concat()
        }
    }
}

/// The words as one line.
fn quoted(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-+()!,.".contains(c);
    let quote = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{word}'"),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The paths that a command prints with null bytes between them, without the root.
fn paths(mut command: Command) -> BTreeSet<String> {
    let output = command.env("LC_ALL", "C.UTF-8").output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_ne!(output.status.code(), Some(2), "{command:?} {}", stderr(&output));
    let paths = text.split('\0').map(|path| path.trim_end_matches('/'));
    paths.filter(|path| !path.is_empty() && *path != ".").map(str::to_owned).collect()
}

fn find(scene: &Scene, before: &[&str], words: &[String]) -> BTreeSet<String> {
    let words = words.iter().map(|word| &**word);
    let words: Vec<_> =
        [before, &[".", "-mindepth", "1", "("]].concat().into_iter().chain(words).collect();
    paths(scene.prepared(Command::new("find"), &[&words[..], &[")", "-print0"]].concat()))
}

/// As often as `BRISK_EXPRESSIONS` says, or 400 times.
#[test]
fn random_expressions_choose_what_find_chooses() {
    let times = std::env::var("BRISK_EXPRESSIONS").map_or(400, |times| times.parse().unwrap());
    let scene = Scene::new(&[]);
    let mut random = Random(2_026);
    let mut differ = Vec::new();
    let mut chosen = 0;
    for round in 0..times {
        if round % 50 == 0 {
            plant(&scene, &mut random);
            // The first to read a directory, or to follow a link, changes its access time.
            find(&scene, &[], &["-xtype".to_owned(), "f".to_owned()]);
        }
        let words = expression(&mut random, 3);
        let line = quoted(&words);
        let follow: &[&str] = if random.below(4) == 0 { &["-L"] } else { &[] };
        let threads = ["-j1", "-j4"][random.below(2)];
        let ours = [&["find", "-u", "-0", threads][..], follow, &["--where", &line]].concat();
        let ours = paths(scene.command(&ours));
        let finds = find(&scene, follow, &words);
        chosen += usize::from(!finds.is_empty());
        if ours != finds {
            let odd: Vec<_> = ours.symmetric_difference(&finds).cloned().collect();
            differ.push(format!("{follow:?} {line}: {odd:?}"));
        }
    }
    assert!(differ.is_empty(), "{} differ: {:#?}", differ.len(), &differ[..differ.len().min(10)]);
    assert!(chosen > times / 3, "{chosen} of {times} expressions chose anything");
}

/// Each command, on a tmpfs of its own: du counts files alone, diff is told of files that only one
/// side has, and chmod leaves links alone.
#[test]
fn every_command_selects_what_find_selects() {
    let script = r#"
export TMPDIR="$PWD"; mkdir -p t/a/b t/c e/a/b e/c; touch -d @1600000000 old
for f in t/a/x t/a/b/x t/c/y t/z; do echo 1 >"$f"; done
ln t/z t/c/h; ln -s z t/l; ln -s ../c t/a/dir; chmod 700 t/a/x t/c; chmod 4711 t/a/b/x
touch -d @1500000000 t/c/y t/a e/a
run() { out=$1; shift; "$B" "$@" --where "$E" >raw || [ $? = 1 ]; sort raw >"$out"; }
check() { diff "$1" found || { echo "$2: $E"; exit 1; }; }
n=0
while read -r E; do
    n=$((n + 1))
    words=$(printf %s "$E" | sed 's/[()]/\\&/g')
    eval "find t \( $words \)" | sort >all
    eval "find t \( $words \) ! -type d" | sort >files
    eval "find t \( $words \) ! -type l" | sort >no-links
    eval "find t -mindepth 1 \( $words \)" | sort >below
    run out find -u . t; sed 's,/$,,' out | sort >found; check below find
    run out du -l --inodes -a t
    cut -f2 out | while read -r path; do
        [ -d "$path" ] && [ ! -L "$path" ] || echo "$path"; done | sort >found
    check files du
    run out changed t --state "s$n"; sed 's/^A.//' out | sort >found; check all changed
    run out diff e t; sed -n 's/^A.//p' out | sort >found
    sed 's,^t/,,' files >tails; check tails diff
    for change in chmod chown chgrp; do
        wanted=all; [ $change != chmod ] || wanted=no-links
        run out $change -R --dry-run 4242 t
        sed "s/.* of '\(.*\)' from .*/\1/" out | sort >found; check $wanted $change
    done
    [ -n "$TABLES" ] || continue
    B=$TABLES run out scan t -u --as csv --columns path -o -; sed /^path/d out >found; check all scan
done <<'END'
-true
-name b -prune -o ( -perm /u+x -o -links +1 )
! -newer old
-size +0c ! -name '*b'
-type d -name a -prune -o -true
-perm -4000 -o -lname z -o -empty
-links +1 -prune -o -newermt 2020-01-01
-name b -perm /u+x -prune
END
[ $n = 8 ]"#;
    let test = "every_command_selects_what_find_selects";
    let tables = if testkit::has_tables(test) { testkit::brisk() } else { "" };
    let script = format!("TABLES={tables}{script}");
    testkit::Installation::new().succeeds(test, &script);
}
