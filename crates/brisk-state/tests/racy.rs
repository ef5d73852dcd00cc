//! Edits in the tick of a rescan: none is lost, and none is reported that was not made.
//!
//! The tree is edited in one place and looked at in another: through a slowfs that makes its
//! timestamps as coarse as the test wants. Where both are the same, the file system itself is
//! coarse: ext4 with inodes of 128 bytes, and tmpfs, whose times stand still within a tick.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use brisk::filter::{Filter, PathOf, Test};
use brisk_state::{ChangeKind, Entries, Rescan, State};
use brisk_sys::paths::bytes_to_path;
use tempfile::TempDir;
use testkit::{LoopMount, Mounted, Random, left_out, pass_ticks, pause, rounds, tree};

/// Names of files: each directory has some of them.
const NAMES: [&str; 4] = ["one", "two", "three", "four"];
/// Directories. The last one comes and goes.
const DIRS: [&str; 4] = ["", "a", "a/b", "a/c"];

/// A tree, its state, and what the state must know.
struct Case {
    /// Where the tree is looked at. Unmounted before the directory goes.
    mount: Option<Mounted>,
    _loop: Option<LoopMount>,
    /// Holds the tree, and a directory outside of it.
    dir: PathBuf,
    scratch: TempDir,
    trusts_inodes: bool,
    known: Snapshot,
}

/// What is seen of an entry. Of directories only type, mode and owner count.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    mode: u32,
    ino: u64,
    times: [i64; 4],
    contents: Vec<u8>,
}

type Snapshot = BTreeMap<Vec<u8>, Seen>;

impl Case {
    fn new(
        scratch: TempDir,
        dir: PathBuf,
        mount: Option<Mounted>,
        mounted: Option<LoopMount>,
    ) -> Case {
        let trusts_inodes = mount.is_none();
        fs::create_dir_all(dir.join("outside")).expect("a directory");
        let known = Snapshot::new();
        let case = Case { mount, _loop: mounted, dir, scratch, trusts_inodes, known };
        for place in &DIRS[..3] {
            fs::create_dir_all(case.edited(place)).expect("a directory");
            for name in &NAMES[..3] {
                fs::write(case.edited(place).join(name), "text").expect("a file");
            }
        }
        case
    }

    /// A tree whose times are rounded down to `step`.
    fn slowfs(test: &str, step: &str) -> Option<Case> {
        let scratch = TempDir::new().expect("a scratch directory");
        let dir = scratch.path().join("mirrored");
        fs::create_dir(&dir).expect("a directory");
        let flags = format!("--mirror {} --latency 0 --timestamps {step}", dir.display());
        let mount = Mounted::new(test, &flags)?;
        Some(Case::new(scratch, dir, Some(mount), None))
    }

    fn ext4_with_whole_seconds(test: &str) -> Option<Case> {
        Case::looped(test, "ext4", "-qF -I 128")
    }

    fn looped(test: &str, kind: &str, options: &str) -> Option<Case> {
        let mounted = LoopMount::new(test, kind, options)?;
        let scratch = TempDir::new().expect("a scratch directory");
        Some(Case::new(scratch, mounted.path(), None, Some(mounted)))
    }

    fn tmpfs(test: &str) -> Option<Case> {
        let Ok(scratch) = TempDir::new_in("/dev/shm") else {
            left_out(test, "there is no /dev/shm");
            return None;
        };
        let dir = scratch.path().to_owned();
        Some(Case::new(scratch, dir, None, None))
    }

    /// A path where edits are made.
    fn edited(&self, below: &str) -> PathBuf {
        self.dir.join("tree").join(below)
    }

    /// Where the tree is looked at.
    fn seen(&self) -> PathBuf {
        self.mount.as_ref().map_or(&*self.dir, Mounted::path).join("tree")
    }

    /// Asks btrfs what was written.
    fn rescan(&self) -> Rescan {
        let old = State::load(&self.state());
        Rescan { old, renames: false, commits: true, ..Rescan::over([self.seen()]) }
    }

    fn state(&self) -> PathBuf {
        self.scratch.path().join("state")
    }

    /// What a rescan says, which is accepted.
    fn told(&self, rescan: Rescan) -> BTreeSet<(char, Vec<u8>)> {
        let report = rescan.run().expect("an answer");
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        if report.is_worth_saving() {
            report.write(&self.state()).expect("a state");
        }
        let line = |change: &brisk_state::Change| {
            assert!(change.kind != ChangeKind::Unknown, "{change:?}");
            (change.kind.letter(), change.place.path.clone())
        };
        report.changes.iter().map(line).filter(|(_, path)| !path.is_empty()).collect()
    }

    /// Compares what a rescan says with what changed since the last call.
    fn check(&mut self, what: &str) {
        let now = snapshot(&self.seen());
        let told = self.told(self.rescan());
        let expected = changes(&self.known, &now, self.trusts_inodes);
        let lost: Vec<_> = expected.difference(&told).map(shown).collect();
        let not_made: Vec<_> = told.difference(&expected).map(shown).collect();
        assert!(
            lost.is_empty() && not_made.is_empty(),
            "{what}: lost {lost:?}, false {not_made:?}"
        );
        self.known = now;
    }
}

fn shown((letter, path): &(char, Vec<u8>)) -> String {
    format!("{letter} {}", path.escape_ascii())
}

fn snapshot(top: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut pending = vec![top.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            let meta = fs::symlink_metadata(&path).expect("stat");
            let is_dir = meta.is_dir();
            let below = path.strip_prefix(top).expect("below");
            let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
            let contents = contents(&path).expect("contents");
            let seen = Seen {
                mode: meta.mode(),
                ino: if is_dir { 0 } else { meta.ino() },
                times: if is_dir { [0; 4] } else { times },
                contents,
            };
            found.insert(below.as_os_str().as_bytes().to_vec(), seen);
            pending.extend(is_dir.then_some(path));
        }
    }
    found
}

/// The bytes of a file, the target of a link, or nothing of a directory.
fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    Ok(match fs::symlink_metadata(path)?.file_type() {
        kind if kind.is_dir() => Vec::new(),
        kind if kind.is_symlink() => fs::read_link(path)?.into_os_string().into_encoded_bytes(),
        _ => fs::read(path)?,
    })
}

fn changes(was: &Snapshot, now: &Snapshot, trusts_inodes: bool) -> BTreeSet<(char, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for (path, now) in now {
        let letter = match was.get(path) {
            None => 'A',
            Some(was) if was.mode & 0o170_000 != now.mode & 0o170_000 => 'T',
            Some(was) => {
                let ino = if trusts_inodes { was.ino } else { now.ino };
                if (Seen { ino, ..was.clone() }) == *now {
                    continue;
                }
                'M'
            }
        };
        found.insert((letter, path.clone()));
    }
    let gone = was.keys().filter(|path| !now.contains_key(*path));
    found.extend(gone.map(|path| ('D', path.clone())));
    found
}

/// The kinds of edits. The last one is a hard link.
const EDITS: usize = 11;

/// Makes one edit of the tree in `dir`, whatever the tree is like; returns what the edit was. An
/// edit that the file system refuses is none. No text is written twice, and all are as long.
fn edit(dir: &Path, random: &mut Random, kinds: usize) -> String {
    let tree = dir.join("tree");
    let mut any = || tree.join(random.pick(&DIRS)).join(random.pick(&NAMES));
    let path = any();
    let other = any();
    let kind = random.below(kinds);
    let text = format!("{:016x}", random.0);
    let new = dir.join("outside/new");
    let (name, made) = match kind {
        0..=2 => ("write", fs::write(&path, text)),
        3 => ("unlink", fs::remove_file(&path)),
        4 => ("rename over", fs::write(&new, text).and_then(|()| fs::rename(&new, &path))),
        5 => ("rename", fs::rename(&path, &other)),
        6 => ("mkdir", fs::create_dir(tree.join(DIRS[3]))),
        7 => ("rmdir", fs::remove_dir(tree.join(DIRS[3]))),
        8 => (
            "retarget",
            fs::remove_file(&path).and_then(|()| symlink(format!("nowhere/{text}"), &path)),
        ),
        9 => {
            let mode = Permissions::from_mode(0o600 + random.below(2) as u32 * 0o44);
            ("chmod", fs::set_permissions(&path, mode))
        }
        _ => ("link", fs::hard_link(&path, &other)),
    };
    format!("{name} {} {}: {made:?}", path.display(), other.display())
}

/// Edits at once after a rescan, in the tick in which the state was made.
fn play(case: Option<Case>) {
    let Some(mut case) = case else { return };
    let random = &mut Random(0x9e37_79b9);
    // Each round makes two edits and three rescans.
    for round in 0..rounds(40, 120) {
        let made = edit(&case.dir, random, EDITS);
        case.check(&format!("round {round}, first: {made}"));
        let made = edit(&case.dir, random, EDITS);
        case.check(&format!("round {round}, second: {made}"));
        if round % 3 == 0 {
            case.check(&format!("round {round}, no edit after: {made}"));
        }
    }
}

#[test]
fn timestamps_of_10_ms() {
    play(Case::slowfs("timestamps_of_10_ms", "10ms"));
}

#[test]
fn timestamps_of_1_s() {
    play(Case::slowfs("timestamps_of_1_s", "1s"));
}

#[test]
fn timestamps_of_2_s() {
    play(Case::slowfs("timestamps_of_2_s", "2s"));
}

#[test]
fn ext4_with_whole_seconds() {
    play(Case::ext4_with_whole_seconds("ext4_with_whole_seconds"));
}

#[test]
fn tmpfs() {
    play(Case::tmpfs("tmpfs"));
}

/// The same edits, where names and types are all that is kept: each list is that of a fresh walk.
fn play_names(case: Option<Case>) {
    let Some(case) = case else { return };
    let random = &mut Random(0x9e37_79b9);
    for round in 0..rounds(80, 240) {
        let made = edit(&case.dir, random, EDITS);
        let report = Rescan { names_only: true, ..case.rescan() }.run().expect("an answer");
        if report.is_worth_saving() {
            report.write(&case.state()).expect("a state");
        }
        let entries = Entries::of(Arc::new(report), |_, _| true);
        let path = |(dir, name): (&[u8], &[u8])| [dir, name].concat();
        let listed: BTreeSet<Vec<u8>> = (0..).map_while(|at| entries.get(at)).map(path).collect();
        let fresh = tree(&case.seen()).into_iter().skip(1);
        let fresh = fresh.map(|path| path.into_os_string().into_encoded_bytes()).collect();
        assert_eq!(listed, fresh, "round {round}: {made}");
    }
}

#[test]
fn names_on_ext4_with_whole_seconds() {
    play_names(Case::ext4_with_whole_seconds("names_on_ext4_with_whole_seconds"));
}

#[test]
fn names_on_tmpfs() {
    play_names(Case::tmpfs("names_on_tmpfs"));
}

/// What a consumer of changes has copied: `None` of what had gone before it was copied.
type Copied = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// Another thread edits all the time. A consumer copies what each rescan names, as a backup would:
/// once the edits have ended, its copy is the tree.
fn copied(case: Option<Case>) {
    let Some(case) = case else { return };
    let is_over = AtomicBool::new(false);
    let mut copy = Copied::new();
    std::thread::scope(|scope| {
        let dir = &case.dir;
        let over = &is_over;
        scope.spawn(move || {
            let random = &mut Random(0x0051_7cc1);
            while !over.load(Ordering::Relaxed) {
                // Without links: a text that came back by a link would be no change.
                edit(dir, random, EDITS - 1);
                // Some edits in each directory that is read, not a processor's time of them.
                pause(Duration::from_micros(20));
            }
        });
        (0..rounds(20, 60)).for_each(|_| take(&case, &mut copy));
        is_over.store(true, Ordering::Relaxed);
    });
    take(&case, &mut copy);
    let there = snapshot(&case.seen()).into_iter().map(|(path, seen)| (path, seen.contents));
    let copy = copy.into_iter().filter_map(|(path, contents)| Some((path, contents?)));
    let (copy, there): (BTreeSet<_>, BTreeSet<_>) = (copy.collect(), there.collect());
    let shown = |(path, text): &(Vec<u8>, Vec<u8>)| {
        format!("{}: {}", path.escape_ascii(), text.escape_ascii())
    };
    let copied: Vec<_> = copy.difference(&there).map(shown).collect();
    let lost: Vec<_> = there.difference(&copy).map(shown).collect();
    assert!(copied.is_empty() && lost.is_empty(), "copied {copied:?}, there {lost:?}");
    assert!(case.told(case.rescan()).is_empty(), "told again");
}

/// Copies what one rescan names, and what could not be copied before. The rescan says what is
/// there: what comes and goes between two rescans is not a change.
fn take(case: &Case, copy: &mut Copied) {
    let report = case.rescan().run().expect("an answer");
    if report.is_worth_saving() {
        report.write(&case.state()).expect("a state");
    }
    for change in report.changes.iter().filter(|change| !change.place.path.is_empty()) {
        match change.kind {
            ChangeKind::Unknown => {}
            ChangeKind::Deleted => drop(copy.remove(&change.place.path)),
            _ => drop(copy.insert(change.place.path.clone(), None)),
        }
    }
    for (path, copied) in copy.iter_mut().filter(|(_, copied)| copied.is_none()) {
        *copied = contents(&case.seen().join(OsStr::from_bytes(path))).ok();
    }
}

#[test]
fn edits_during_the_scan_with_timestamps_of_10_ms() {
    copied(Case::slowfs("edits_during_the_scan_with_timestamps_of_10_ms", "10ms"));
}

#[test]
fn edits_during_the_scan_with_timestamps_of_2_s() {
    copied(Case::slowfs("edits_during_the_scan_with_timestamps_of_2_s", "2s"));
}

#[test]
fn edits_during_the_scan_on_ext4_with_whole_seconds() {
    copied(Case::ext4_with_whole_seconds("edits_during_the_scan_on_ext4_with_whole_seconds"));
}

#[test]
fn edits_during_the_scan_on_ext4() {
    copied(Case::looped("edits_during_the_scan_on_ext4", "ext4", "-qF"));
}

#[test]
fn edits_during_the_scan_on_xfs() {
    copied(Case::looped("edits_during_the_scan_on_xfs", "xfs", "-q"));
}

#[test]
fn edits_during_the_scan_on_btrfs() {
    copied(Case::looped("edits_during_the_scan_on_btrfs", "btrfs", "-q"));
}

#[test]
fn edits_during_the_scan_on_tmpfs() {
    copied(Case::tmpfs("edits_during_the_scan_on_tmpfs"));
}

/// An edit of a directory, and the changes that it makes.
type Edit = (fn(&Path), &'static [(char, &'static str)]);

/// Edits a directory once while its entries are met.
struct Edits {
    dir: PathBuf,
    edit: fn(&Path),
    is_made: AtomicBool,
}

impl Edits {
    /// Passes everything.
    fn filter(self) -> Filter {
        let test = Test::path("edits", PathOf::Absolute(Vec::new()), move |path| {
            let is_below = bytes_to_path(path).parent() == Some(&self.dir);
            if is_below && !self.is_made.swap(true, Ordering::Relaxed) {
                (self.edit)(&self.dir);
                pass_ticks();
            }
            true
        });
        Filter::new(test.into())
    }
}

fn swap_directories(dir: &Path) {
    fs::rename(dir, dir.with_file_name("gone")).expect("renamed");
    fs::create_dir(dir).expect("a directory");
    fs::write(dir.join("one"), "other").expect("written");
}

const EDITS_OF_B: [Edit; 3] = [
    (|dir| fs::write(dir.join("new"), "").expect("written"), &[('A', "a/b/new")]),
    (|dir| fs::remove_file(dir.join("two")).expect("removed"), &[('D', "a/b/two")]),
    (
        swap_directories,
        &[
            ('A', "a/gone"),
            ('A', "a/gone/one"),
            ('A', "a/gone/three"),
            ('A', "a/gone/two"),
            ('D', "a/b/three"),
            ('D', "a/b/two"),
            ('M', "a/b/one"),
        ],
    ),
];

/// `a` is racy. In it is `a/b`, which is edited while it is read, many ticks before the rescan ends.
#[test]
fn edits_of_a_directory_that_is_read() {
    for (edit, expected) in EDITS_OF_B {
        let Some(case) = Case::tmpfs("edits_of_a_directory_that_is_read") else { return };
        pass_ticks();
        case.told(case.rescan());
        fs::write(case.edited("a/last"), "").expect("written");
        let edits = Edits { dir: case.edited("a/b"), edit, is_made: AtomicBool::new(false) };
        let mut told = case.told(Rescan { filter: edits.filter(), ..case.rescan() });
        assert!(told.remove(&('A', b"a/last".to_vec())), "{told:?}");
        told.extend(case.told(case.rescan()));
        let expected = expected.iter().map(|(kind, path)| (*kind, path.as_bytes().to_vec()));
        assert_eq!(told, expected.collect::<BTreeSet<_>>());
    }
}

/// The file is too large to be hashed within a tick, and keeps its size.
#[test]
fn an_edit_of_a_large_file_at_once_after_the_rescan() {
    let test = "an_edit_of_a_large_file_at_once_after_the_rescan";
    let Some(case) = Case::ext4_with_whole_seconds(test) else { return };
    let file = File::create(case.edited("a/large")).expect("a file");
    file.set_len(3 << 30).expect("a size");
    for kind in ['A', 'M'] {
        let told = case.told(case.rescan());
        assert!(told.contains(&(kind, b"a/large".to_vec())), "{kind}: {told:?}");
        file.write_all_at(&[kind as u8], 0).expect("written");
    }
    assert_eq!(case.told(case.rescan()), BTreeSet::from([('M', b"a/large".to_vec())]));
    assert!(case.told(case.rescan()).is_empty(), "told again");
}

/// With an mtime in the future that each edit restores, ctime or the contents tell the edit. Where
/// ctime does not count, an edit sets mtime back to now.
#[test]
fn mtime_in_the_future() {
    let test = "mtime_in_the_future";
    let places = [Case::slowfs(test, "2s"), Case::ext4_with_whole_seconds(test), Case::tmpfs(test)];
    for case in places.into_iter().flatten() {
        let path = case.edited("a/one");
        let is_told = BTreeSet::from([('M', b"a/one".to_vec())]);
        case.told(case.rescan());
        for ahead in [1, 3600] {
            let future = SystemTime::now() + Duration::from_secs(ahead);
            for round in 0..20 {
                fs::write(&path, format!("{round:04}")).expect("written");
                let file = File::options().write(true).open(&path).expect("opens");
                file.set_modified(future).expect("a time");
                assert_eq!(case.told(case.rescan()), is_told, "{ahead} s ahead, round {round}");
            }
            for round in 20..30 {
                let rescan = || Rescan { ctime: false, ..case.rescan() };
                case.told(rescan());
                fs::write(&path, format!("{round:04}")).expect("written");
                let told = case.told(rescan());
                assert_eq!(told, is_told, "{ahead} s ahead, round {round}");
            }
        }
    }
}
