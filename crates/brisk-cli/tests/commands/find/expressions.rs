//! `--where` against find(1): random expressions on random trees, and each command that has filters.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use testkit::Random;
use testkit::expressions::{expression, plant, primary};

use super::scene::{Scene, stderr};

/// The words as one line.
fn quoted(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-+()!,.".contains(c);
    let quote = |word: &String| match word.chars().all(plain) {
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
            fs::remove_dir_all(scene.tree()).unwrap();
            plant(&scene.tree(), &mut random);
            // The first to read a directory, or to follow a link, changes its access time.
            find(&scene, &[], &["-xtype".to_owned(), "f".to_owned()]);
        }
        let words = expression(&mut random, 3, &primary);
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
