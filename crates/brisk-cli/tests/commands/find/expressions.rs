//! `--where` against find(1): random expressions on random trees, and each command that has filters.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::process::Command;

use brisk_sys::quoting::quoted as in_quotes;
use testkit::expressions::{expression, plant, primary};
use testkit::{Random, tree};

use super::scene::{Scene, stderr, stdout};

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

/// `depth`: that of the first entries that are tested.
fn find(scene: &Scene, follow: &[&str], depth: &str, words: &[String]) -> BTreeSet<String> {
    let before = [follow, &[".", "-mindepth", depth, "("]].concat();
    let words = words.iter().map(|word| &**word);
    let words: Vec<_> = before.into_iter().chain(words).collect();
    paths(scene.prepared(Command::new("find"), &[&words[..], &[")", "-print0"]].concat()))
}

/// Makes a random tree in the place of the one before.
fn replant(scene: &Scene, random: &mut Random) {
    fs::remove_dir_all(scene.tree()).unwrap();
    plant(&scene.tree(), random);
    // The first to read a directory, or to follow a link, changes its access time.
    find(scene, &[], "0", &["-xtype".to_owned(), "f".to_owned()]);
}

fn times(otherwise: usize) -> usize {
    std::env::var("BRISK_EXPRESSIONS").map_or(otherwise, |times| times.parse().unwrap())
}

/// As often as `BRISK_EXPRESSIONS` says, or 400 times.
#[test]
fn random_expressions_choose_what_find_chooses() {
    let times = times(400);
    let scene = Scene::new(&[]);
    let mut random = Random(2_026);
    let mut differ = Vec::new();
    let mut chosen = 0;
    for round in 0..times {
        if round % 50 == 0 {
            replant(&scene, &mut random);
        }
        let words = expression(&mut random, 3, &primary);
        let line = quoted(&words);
        let follow: &[&str] = if random.below(4) == 0 { &["-L"] } else { &[] };
        let threads = ["-j1", "-j4"][random.below(2)];
        let ours = [&["find", "-u", "-0", threads][..], follow, &["--where", &line]].concat();
        let ours = paths(scene.command(&ours));
        let finds = find(&scene, follow, "1", &words);
        chosen += usize::from(!finds.is_empty());
        if ours != finds {
            let odd: Vec<_> = ours.symmetric_difference(&finds).cloned().collect();
            differ.push(format!("{follow:?} {line}: {odd:?}"));
        }
    }
    assert!(differ.is_empty(), "{} differ: {:#?}", differ.len(), &differ[..differ.len().min(10)]);
    assert!(chosen > times / 3, "{chosen} of {times} expressions chose anything");
}

/// Each command, and what is not compared: du counts and cp makes directories in any case, the other
/// side of diff has the same directories, and chmod leaves links alone. `scan` is the last.
const COMMANDS: [(&str, &str); 9] = [
    ("find -u --json .", ""),
    ("du -l --inodes -a --json .", "d"),
    ("changed -u . --json --state ../state", ""),
    ("diff -u ../old . --json", "d"),
    ("chmod -R --dry-run 4242 .", "l"),
    ("chown -R --dry-run 4242 .", ""),
    ("chgrp -R --dry-run 4242 .", ""),
    ("cp -R --dry-run -v . ../copy", "d"),
    ("scan . -u --as jsonl --columns path -o -", ""),
];

/// The paths of these types, in quotes.
fn of_types(scene: &Scene, which: &str) -> BTreeSet<String> {
    let root = scene.tree();
    let is_one = |path: &&PathBuf| {
        let meta = path.symlink_metadata().unwrap();
        meta.is_dir() && which == "d" || meta.is_symlink() && which == "l"
    };
    let quoted = |path: &PathBuf| {
        let below = path.strip_prefix(&root).unwrap().as_os_str().as_bytes();
        in_quotes(&[b"./", below].concat()).to_string()
    };
    tree(&root).iter().filter(is_one).map(quoted).collect()
}

/// The path of a line, in quotes: of an object in JSON, or of what would be changed or copied.
fn path_in(line: &str) -> Option<String> {
    let Ok(object) = serde_json::from_str::<serde_json::Value>(line) else {
        let copied = || line.strip_prefix("would copy ")?.split_once(" -> ");
        let changed = || line.split_once(" of ")?.1.rsplit_once(" from ");
        return Some(copied().or_else(changed)?.0.to_owned());
    };
    let path = object["path"].as_str()?.trim_start_matches("./").trim_end_matches('/');
    let is_told = object.get("status").is_none_or(|status| status == "A");
    is_told.then(|| in_quotes(format!("./{path}").as_bytes()).to_string())
}

/// What a command's output says that the expression chooses.
fn chosen(scene: &Scene, command: &str, line: &str) -> BTreeSet<String> {
    let _ = fs::remove_file(scene.path("state"));
    let words: Vec<_> = command.split(' ').chain(["--where", line]).collect();
    let output = scene.command(&words).env("LC_ALL", "C.UTF-8").output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{words:?} {}", stderr(&output));
    let paths = stdout(&output).into_iter().filter_map(|line| path_in(&line));
    paths.filter(|path| path != "'.'" && path != "'./.'").collect()
}

/// What differs from find(1).
fn differs(scene: &Scene, words: &[String]) -> Option<String> {
    let line = quoted(words);
    let scans = testkit::has_tables("every_command_chooses_what_find_chooses");
    for (command, which) in &COMMANDS[..COMMANDS.len() - usize::from(!scans)] {
        // diff looks into no directory that one side prunes.
        if command.starts_with("diff") && words.len() > 2 && words.contains(&"-prune".to_owned()) {
            continue;
        }
        // brisk find never tests the directory that it searches.
        let depth = if command.starts_with("find") { "1" } else { "0" };
        let finds = find(scene, &[], depth, words).into_iter();
        let finds: BTreeSet<_> = finds.map(|path| in_quotes(path.as_bytes()).to_string()).collect();
        let left_out = of_types(scene, which);
        let odd = chosen(scene, command, &line);
        let odd = odd.symmetric_difference(&finds).filter(|path| !left_out.contains(*path));
        let odd: Vec<_> = odd.collect();
        if !odd.is_empty() {
            return Some(format!("{command} --where {line:?}: {odd:?}"));
        }
    }
    None
}

/// As often as `BRISK_EXPRESSIONS` says, or 60 times. A minute that ends makes a difference once.
#[test]
fn every_command_chooses_what_find_chooses() {
    let scene = Scene::new(&[]);
    let mut random = Random(2_027);
    let mut differ = Vec::new();
    for round in 0..times(60) {
        if round % 20 == 0 {
            replant(&scene, &mut random);
            let _ = fs::remove_dir_all(scene.path("old"));
            for dir in tree(&scene.tree()).iter().filter(|path| path.is_dir() && !path.is_symlink())
            {
                let below = dir.strip_prefix(scene.tree()).unwrap();
                fs::create_dir(scene.path("old").join(below)).unwrap();
            }
        }
        // The first keeps out of the whole tree.
        let words = match round {
            0 => vec!["!".to_owned(), "-prune".to_owned()],
            _ => expression(&mut random, 3, &primary),
        };
        differ.extend(differs(&scene, &words).and_then(|_| differs(&scene, &words)));
    }
    assert!(differ.is_empty(), "{} differ: {:#?}", differ.len(), &differ[..differ.len().min(10)]);
}

/// `find --delete` removes what find(1) chooses, and leaves directories that are not empty then.
#[test]
fn what_find_chooses_is_removed() {
    let scene = Scene::new(&[]);
    let mut random = Random(2_028);
    for _ in 0..times(60) / 6 {
        replant(&scene, &mut random);
        let words = expression(&mut random, 3, &primary);
        // A removal changes what these say of other files.
        let changes = "-xtype -links -c -newerc -used -readable -writable -executable";
        if words.iter().any(|word| changes.split(' ').any(|test| word.starts_with(test))) {
            continue;
        }
        let line = quoted(&words);
        let mut left = BTreeSet::new();
        let chosen = find(&scene, &[], "1", &words);
        for path in find(&scene, &[], "1", &["-true".to_owned()]).into_iter().rev() {
            let below = format!("{path}/");
            let stays = left.iter().any(|other: &String| other.starts_with(&below));
            if stays || !chosen.contains(&path) {
                left.insert(path);
            }
        }
        paths(scene.command(&["find", "-u", "--where", &line, "--delete", "."]));
        assert_eq!(find(&scene, &[], "1", &["-true".to_owned()]), left, "{line}");
    }
}
