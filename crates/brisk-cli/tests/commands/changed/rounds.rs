//! Rounds of random edits in a git repository: `brisk changed`, with and without shortcuts,
//! `brisk diff` of its states and a comparison by content agree, and git names the same files.
//!
//! `BRISK_ROUNDS=1000` makes so many rounds instead of a few, `BRISK_SEED=7` other ones. A failure
//! says the seed, the round and the edits:
//!
//! ```text
//! BRISK_ROUNDS=1000 BRISK_SEED=7 cargo test -p brisk-cli --test commands changed::rounds::xfs
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::{brisk, is_root, obedient, stderr};

use super::edits::{Tree, grow};
use super::places::{Over, Place};
use super::seed::Seed;
use super::snapshot::{self, Snapshot, changes, changes_for_git, may_hide_from_git};

/// Of how many rounds git compares one: it takes longer than all the rest of a round.
const GIT: u64 = 4;

/// `BRISK_SEED`, or 1.
pub fn seed() -> u64 {
    std::env::var("BRISK_SEED").map_or(1, |text| text.parse().unwrap())
}

/// Rounds at one place.
fn rounds() -> u64 {
    testkit::rounds(16, 50)
}

/// A repository, and two states of it.
struct Arena {
    /// What the state of each way of asking knows.
    known: Snapshot,
    top: PathBuf,
    outside: PathBuf,
    states: tempfile::TempDir,
    trusts_inodes: bool,
}

/// What a round does at its end, and the next one takes back.
#[derive(Default)]
struct Obstacle {
    /// A directory that cannot be read.
    denied: Option<PathBuf>,
    _mount: Option<Over>,
}

impl Drop for Obstacle {
    fn drop(&mut self) {
        if let Some(path) = &self.denied {
            fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// A line of output: the letter, the path, and the old path of a renamed entry.
type Line = (char, Vec<u8>, Option<Vec<u8>>);

impl Arena {
    /// `name` is that of the repository, which may be there.
    fn new(place: &Path, name: &str, trusts_inodes: bool, seed: &mut Seed) -> Arena {
        let top = place.join(name);
        let outside = place.join("outside");
        fs::create_dir_all(&outside).unwrap();
        if !top.exists() {
            grow(&top, seed);
        }
        let states = tempfile::tempdir().unwrap();
        let arena = Arena { known: Snapshot::new(), top, outside, states, trusts_inodes };
        // Elsewhere, so that the tree is most of the file system.
        let git = arena.git_dir();
        arena.git(&["init", "-q", "--separate-git-dir", git.to_str().unwrap()]);
        // What is not on the disk yet has no size where all inodes are asked about at once.
        Command::new("sync").arg("-f").arg(&arena.top).status().unwrap();
        arena
    }

    fn git_dir(&self) -> PathBuf {
        self.states.path().join("git")
    }

    fn git(&self, words: &[&str]) -> Output {
        let output = Command::new("git")
            .args(["-c", "safe.directory=*", "-c", "gc.auto=0"])
            .args(words)
            .current_dir(&self.top)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {words:?}: {}", stderr(&output));
        output
    }

    /// The files that git finds changed since everything was added.
    fn changed_for_git(&self) -> BTreeSet<Vec<u8>> {
        let output = self.git(&["status", "--porcelain", "-z", "-uall", "--no-renames"]);
        let lines = output.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        // The first of the two letters is the index's, which holds everything as added.
        let changed = lines.filter(|line| line[1] != b' ');
        changed.map(|line| line[3..].to_vec()).collect()
    }

    /// Asks brisk, and accepts the state.
    fn asked(&self, state: &str, flags: &[&str], denied: bool) -> (Vec<Line>, Output) {
        let state = self.states.path().join(state);
        let state = state.to_str().unwrap();
        // Root may read everything.
        let mut command = match denied {
            true => obedient(brisk()).unwrap(),
            false => Command::new(brisk()),
        };
        command.args(["changed", "-u", "-E", ".git", "-0", "--explain"]);
        // --other-file-system, because what was mounted in a round is not any more in the next one.
        command.args(["--state", state, "--save", state, "--other-file-system"]);
        let output = command.args(flags).arg(&self.top).output().unwrap();
        let code = if denied { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        let mut top = self.top.as_os_str().as_bytes().to_vec();
        top.push(b'/');
        (lines(&output.stdout, &top), output)
    }

    /// Asks what differs between the state that was accepted before, and was copied, and this one.
    fn compared(&self, state: &str, flags: &[&str]) -> Vec<Line> {
        let output = Command::new(brisk())
            .args(["diff", "-r", "-0", &format!("{state}.before"), state])
            .args(flags)
            .current_dir(self.states.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut lines = lines(&output.stdout, b"");
        // diff tells apart what is modified and where the metadata alone differ.
        lines.iter_mut().for_each(|line| line.0 = line.0.to_ascii_uppercase());
        lines
    }

    /// What is wrong with the lines of a run without renames.
    fn faults(&self, lines: &[Line], now: &Snapshot, denied: Option<&[u8]>) -> Vec<String> {
        let expected = self.expected(now, denied);
        let mut told = BTreeMap::new();
        let mut faults = Vec::new();
        for (letter, path, _) in lines {
            if *letter == '?' {
                faults.extend(unexpected_unknown(path, denied));
            } else if told.insert(path.clone(), *letter).is_some() {
                faults.push(format!("twice: {}", shown(path)));
            }
        }
        let paths: BTreeSet<&Vec<u8>> = told.keys().chain(expected.keys()).collect();
        for path in paths {
            let is = told.get(path);
            let should = expected.get(path);
            if is != should {
                faults.push(format!("{}: told {is:?}, expected {should:?}", shown(path)));
            }
        }
        faults
    }

    /// What is wrong with the lines of a run with renames: each entry that changed is named, and
    /// each renamed entry was what it is now.
    fn faults_with_renames(
        &self,
        lines: &[Line],
        now: &Snapshot,
        denied: Option<&[u8]>,
    ) -> Vec<String> {
        let expected = self.expected(now, denied);
        let mut present = BTreeSet::new();
        let mut gone = BTreeSet::new();
        let mut faults = Vec::new();
        for (letter, path, from) in lines {
            match (letter, from) {
                ('?', _) => faults.extend(unexpected_unknown(path, denied)),
                ('D', _) => drop(gone.insert(path)),
                (_, Some(from)) => {
                    faults.extend(self.unlike(from, path, now));
                    present.insert(path);
                    gone.insert(from);
                }
                _ => drop(present.insert(path)),
            }
        }
        for (path, letter) in &expected {
            let is_told = if *letter == 'D' { gone.contains(path) } else { present.contains(path) };
            if !is_told {
                faults.push(format!("{}: lost {letter}", shown(path)));
            }
        }
        for (letter, path, from) in lines {
            let is_known = self.known.contains_key(path);
            let is_right = match (letter, expected.get(path)) {
                ('?', _) => true,
                // Two directories that were swapped are no change of either.
                ('R', None) => from.is_some() && is_known,
                ('R', Some(letter)) => *letter != 'D',
                // Its name was free: what had the name was renamed.
                ('A', Some('M' | 'T')) => gone.contains(path),
                (letter, expected) => Some(letter) == expected,
            };
            if !is_right {
                let expected = expected.get(path);
                faults.push(format!("{}: false {letter}, expected {expected:?}", shown(path)));
            }
        }
        faults
    }

    /// Why these two are not one entry that was renamed.
    fn unlike(&self, from: &[u8], to: &[u8], now: &Snapshot) -> Option<String> {
        let before = self.known.get(from);
        let after = now.get(to);
        let is_one = before.zip(after).is_some_and(|(before, after)| {
            before.kind == after.kind && (!self.trusts_inodes || before.inode == after.inode)
        });
        (!is_one).then(|| format!("{} is not {}", shown(to), shown(from)))
    }

    /// The letters of all paths that can be seen.
    fn expected(&self, now: &Snapshot, denied: Option<&[u8]>) -> BTreeMap<Vec<u8>, char> {
        let mut expected = changes(&self.known, now, self.trusts_inodes);
        expected.retain(|path, _| !denied.is_some_and(|dir| is_below(path, dir)));
        expected
    }

    /// What both states know now.
    fn learn(&mut self, now: Snapshot, denied: Option<&[u8]>) {
        let is_hidden = |path: &[u8]| denied.is_some_and(|dir| is_below(path, dir));
        self.known.retain(|path, _| is_hidden(path));
        self.known.extend(now.into_iter().filter(|(path, _)| !is_hidden(path)));
    }

    /// The path below the top.
    fn below<'p>(&self, path: &'p Path) -> &'p [u8] {
        path.strip_prefix(&self.top).unwrap().as_os_str().as_bytes()
    }
}

/// The lines, of paths that begin with `top`.
fn lines(told: &[u8], top: &[u8]) -> Vec<Line> {
    let mut fields = told.split(|byte| *byte == 0);
    let mut lines = Vec::new();
    while let Some(letter) = fields.next().filter(|letter| !letter.is_empty()) {
        let mut path = || fields.next().unwrap().strip_prefix(top).unwrap_or_default();
        let letter = char::from(letter[0]);
        let from = (letter == 'R').then(|| path().to_vec());
        lines.push((letter, path().to_vec(), from));
    }
    // The top itself, which is new at the first look.
    lines.retain(|(_, path, _)| !path.is_empty());
    lines
}

fn is_below(path: &[u8], dir: &[u8]) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.starts_with(b"/"))
}

fn unexpected_unknown(path: &[u8], denied: Option<&[u8]>) -> Option<String> {
    let may_be = denied.is_some_and(|dir| path == dir || is_below(path, dir));
    (!may_be).then(|| format!("{}: unknown", shown(path)))
}

fn shown(path: &[u8]) -> String {
    path.escape_ascii().to_string()
}

/// In some rounds a directory can no longer be read, or something is mounted on it.
fn obstacle(tree: &Tree<'_>, seed: &mut Seed, edits: &mut Vec<String>) -> Obstacle {
    if !is_root() || !seed.one_in(8) {
        return Obstacle::default();
    }
    let Some(path) = tree.directory(seed).ok().filter(|path| path.is_dir()) else {
        return Obstacle::default();
    };
    if seed.one_in(2) {
        edits.push(format!("mount: {}", path.display()));
        let mount = Over::new(&path);
        fs::write(path.join("mounted"), "there").unwrap();
        return Obstacle { denied: None, _mount: Some(mount) };
    }
    edits.push(format!("deny: {}", path.display()));
    fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    Obstacle { denied: Some(path), _mount: None }
}

/// Plays all rounds at a place where inodes can be trusted.
fn play(test: &str, place: &Place) -> u64 {
    play_in(test, place, "repository", true)
}

/// Plays all rounds in a repository of this name at a place. Returns in how many the file system
/// said what was written.
fn play_in(test: &str, place: &Place, name: &str, trusts_inodes: bool) -> u64 {
    let chosen = seed();
    let mut arena = Arena::new(&place.path(), name, trusts_inodes, &mut Seed::of(chosen, 0, 0));
    let mut edits = vec!["the first look".to_owned()];
    let mut obstacle = Obstacle::default();
    let mut told = 0;
    for round in 0..=rounds() {
        let seed = &mut Seed::of(chosen, 0, round);
        drop(std::mem::take(&mut obstacle));
        let uses_git = round % GIT == 1;
        let before = snapshot::taken(&arena.top);
        if uses_git {
            // Git misses some edits of earlier rounds (see below), unless it reads all files again.
            let _ = fs::remove_file(arena.git_dir().join("index"));
            arena.git(&["add", "-A"]);
        }
        if round > 0 {
            let tree = Tree { top: &arena.top, outside: &arena.outside, before: &before };
            edits = tree.edit(seed);
            obstacle = self::obstacle(&tree, seed, &mut edits);
        }
        let now = snapshot::taken(&arena.top);
        let denied = obstacle.denied.as_deref().map(|path| arena.below(path).to_vec());
        let mut faults = Vec::new();
        for (state, flags) in [("fast", &[][..]), ("slow", &["--no-shortcuts", "--no-renames"])] {
            let kept = arena.states.path().join(state);
            if round > 0 {
                fs::copy(&kept, kept.with_extension("before")).unwrap();
            }
            let (lines, output) = arena.asked(state, flags, denied.is_some());
            told += u64::from(stderr(&output).contains(": only what "));
            let faults_of = |lines: &[Line]| match flags {
                [] => arena.faults_with_renames(lines, &now, denied.as_deref()),
                _ => arena.faults(lines, &now, denied.as_deref()),
            };
            let mut found = faults_of(&lines);
            if round > 0 {
                let differ = arena.compared(state, flags.get(1..).unwrap_or_default());
                found.extend(faults_of(&differ).into_iter().map(|fault| format!("diff: {fault}")));
            }
            let report = || format!("{state}: {}{}", stderr(&output), found.join("\n"));
            if !found.is_empty() {
                faults.push(report());
            }
        }
        if uses_git {
            let told = arena.changed_for_git();
            let expected = changes_for_git(&before, &now);
            let differs = told.symmetric_difference(&expected);
            // What git misses, and brisk finds.
            let differs = differs.filter(|path| !may_hide_from_git(&before, &now, path));
            faults.extend(differs.map(|path| format!("git disagrees: {}", shown(path))));
        }
        assert!(
            faults.is_empty(),
            "{test}, seed {chosen}, round {round}\n{}\n{}",
            edits.join("\n"),
            faults.join("\n")
        );
        arena.learn(now, denied.as_deref());
    }
    told
}

#[test]
fn here() {
    play("rounds::here", &Place::here());
}

#[test]
fn ext4() {
    let Some(place) = Place::made("rounds::ext4", "ext4", "-qF -I 256") else { return };
    play("rounds::ext4", &place);
}

/// Inodes without nanoseconds: every edit within a second has the same times.
#[test]
fn ext4_with_whole_seconds() {
    let test = "rounds::ext4_with_whole_seconds";
    let Some(place) = Place::made(test, "ext4", "-qF -I 128") else { return };
    play(test, &place);
}

#[test]
fn xfs() {
    let Some(place) = Place::made("rounds::xfs", "xfs", "-q") else { return };
    let told = play("rounds::xfs", &place);
    assert!(told >= rounds() / 2, "{told}");
}

#[test]
fn btrfs() {
    let Some(place) = Place::made("rounds::btrfs", "btrfs", "-q") else { return };
    play("rounds::btrfs", &place);
}

#[test]
fn tmpfs() {
    let Some(place) = Place::tmpfs("rounds::tmpfs") else { return };
    play("rounds::tmpfs", &place);
}

#[test]
fn overlay() {
    let fill = |lower: &Path| grow(&lower.join("repository"), &mut Seed::of(1, 0, 0));
    let Some(place) = Place::overlay("rounds::overlay", fill) else { return };
    play_in("rounds::overlay", &place, "repository", false);
}

/// Above a file system in user space with times that move every 10 ms, which is read-only itself.
#[test]
fn slowfs() {
    let test = "rounds::slowfs";
    let flags = "--nested 2,3,1 --plain --latency 0 --timestamps 10ms";
    let Some(place) = Place::on_slowfs(test, flags) else { return };
    play_in(test, &place, "dir-000", false);
}
