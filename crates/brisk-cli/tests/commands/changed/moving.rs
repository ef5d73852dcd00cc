//! Random directories as roots, some of them in others, which come, go and move between two runs.
//! What is printed is compared with what must be: that of a model with a record for each root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::rounds::seed;
use super::scene::Scene;
use super::seed::Seed;
use super::snapshot::{Snapshot, changes, taken};
use testkit::{stderr, stdout};

/// What the state must know of a root, by its place: its inode and its entries.
type Known = BTreeMap<PathBuf, (u64, Snapshot)>;

#[test]
fn each_root_is_compared_with_its_own_record() {
    let scene = Scene::new();
    let top = scene.path("").canonicalize().unwrap();
    let mut known = Known::new();
    let chosen = seed();
    for round in 0..testkit::rounds(20, 60) {
        let seed = &mut Seed::of(chosen, 0, round);
        for _ in 0..seed.between(1, 5) {
            // What is not possible is no edit.
            let _ = edit(&scene.path("src"), seed);
        }
        let all = directories(&scene.path("src"));
        let roots: BTreeSet<_> =
            (0..seed.between(1, 4)).map(|_| &all[seed.below(all.len() as u64) as usize]).collect();
        let roots: Vec<_> =
            roots.into_iter().map(|root| root.strip_prefix(&top).unwrap().to_owned()).collect();
        let words: Vec<_> = roots.iter().map(|root| root.to_str().unwrap()).collect();
        let words = words.join(" ");
        let now = roots.iter().map(|root| (top.join(root), scan(root, &top, &roots))).collect();
        let run = |words: &str| -> Vec<String> {
            let output = scene.changed(&format!("{words} -u --no-renames --state s --save s"));
            let errors = stderr(&output);
            let is_expected = |line: &str| line.starts_with("brisk: the state was made from '");
            assert!(
                output.status.success() && errors.lines().all(is_expected),
                "{words}: {errors}"
            );
            stdout(&output).lines().map(str::to_owned).collect()
        };
        let told = run(&words);
        let expected = expected(&top, &known, &now);
        assert_eq!(told.len(), expected.len(), "round {round}: {words}: {told:#?}");
        assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), expected, "round {round}: {words}");
        assert_eq!(run(&words), [] as [&str; 0], "round {round}: {words}");
        known = now;
    }
}

/// The directories at and below a place.
fn directories(top: &Path) -> Vec<PathBuf> {
    let mut found = vec![top.to_owned()];
    let below = fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
    let below: BTreeSet<_> = below.filter(|path| path.is_dir()).collect();
    below.iter().for_each(|path| found.extend(directories(path)));
    found
}

/// Makes, fills, removes or moves something.
fn edit(top: &Path, seed: &mut Seed) -> io::Result<()> {
    let all = directories(top);
    let dir = |seed: &mut Seed| &all[seed.below(all.len() as u64) as usize];
    let from = dir(seed);
    let to = dir(seed).join(seed.pick(&["d", "e", "f"]));
    match seed.below(6) {
        0 | 1 => fs::create_dir(to),
        2 => fs::write(from.join(seed.pick(&["x", "y"])), vec![0; seed.below(1000) as usize]),
        3 if from != top && seed.one_in(3) => fs::remove_dir_all(from),
        _ if from != top => fs::rename(from, to),
        _ => Ok(()),
    }
}

/// A root's inode, and its entries without those of roots in it.
fn scan(root: &Path, top: &Path, roots: &[PathBuf]) -> (u64, Snapshot) {
    let place = top.join(root);
    let mut entries = taken(&place);
    for inner in roots.iter().filter_map(|other| other.strip_prefix(root).ok()) {
        let inner = inner.as_os_str().as_bytes();
        let is_in = |path: &[u8]| {
            let rest = path.strip_prefix(inner).filter(|_| !inner.is_empty());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        entries.retain(|path, _| !is_in(path));
    }
    (fs::metadata(place).unwrap().ino(), entries)
}

/// The record of each root: that of its place or else, of the rest, that of its inode. The only one
/// is that of the only root.
fn matched<'k>(known: &'k Known, now: &Known) -> BTreeMap<PathBuf, &'k PathBuf> {
    let is_only = known.len() == 1 && now.len() == 1;
    let mut free: Vec<_> = known.keys().filter(|place| !now.contains_key(*place)).collect();
    let mut found = BTreeMap::new();
    for (place, (inode, _)) in now {
        if let Some((own, _)) = known.get_key_value(place) {
            found.insert(place.clone(), own);
        } else if let Some(at) = free.iter().position(|old| is_only || known[*old].0 == *inode) {
            found.insert(place.clone(), free.remove(at));
        }
    }
    found
}

/// The lines that must be printed.
fn expected(top: &Path, known: &Known, now: &Known) -> BTreeSet<String> {
    let matched = matched(known, now);
    let mut lines = BTreeSet::new();
    let mut add = |letter: char, root: &Path, path: &[u8]| {
        let path = String::from_utf8(path.to_vec()).unwrap();
        let path = if path.is_empty() { root.to_owned() } else { root.join(path) };
        assert!(lines.insert(format!("{letter}\t{}", path.display())));
    };
    let none = Snapshot::new();
    for (place, (_, entries)) in now {
        let root = place.strip_prefix(top).unwrap();
        let old = matched.get(place).map_or(&none, |old| &known[*old].1);
        if !matched.contains_key(place) {
            add('A', root, b"");
        }
        changes(old, entries, true).iter().for_each(|(path, letter)| add(*letter, root, path));
    }
    for (place, (_, entries)) in known {
        if !matched.values().any(|old| *old == place) {
            add('D', place, b"");
            entries.keys().for_each(|path| add('D', place, path));
        }
    }
    lines
}
