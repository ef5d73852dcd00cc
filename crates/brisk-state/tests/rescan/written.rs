//! What btrfs and XFS say was written is what a walk finds.

use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use brisk_state::{Report, Rescan, State};
use testkit::LoopMount;

/// How often the tree is edited and looked at.
const ROUNDS: usize = 150;

/// A tree on a file system of its own, and its state.
struct Case {
    mounted: LoopMount,
    /// What the explanation begins with if the file system said what was written.
    way: &'static str,
    scratch: tempfile::TempDir,
    seed: u64,
}

impl Case {
    fn new(test: &str, kind: &str) -> Option<Case> {
        let mounted = LoopMount::new(test, kind, "-q")?;
        let way = if kind == "btrfs" { BY_GENERATION } else { IN_BULK };
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let case = Case { mounted, way, scratch, seed: 42 };
        for dir in 0..12 {
            for below in 0..4 {
                let dir = case.tree().join(format!("{dir}/{below}"));
                fs::create_dir_all(&dir).expect("directories");
                for file in 0..8 {
                    fs::write(dir.join(format!("f{file}")), "content").expect("a file");
                }
                symlink("f1", dir.join("link")).expect("a link");
            }
        }
        fs::create_dir(case.outside()).expect("a directory");
        if kind == "xfs" {
            // The size of a file with dirty pages is another one in bulk.
            case.run("sync -f .");
        }
        Some(case)
    }

    fn tree(&self) -> PathBuf {
        self.mounted.path().join("tree")
    }

    /// A place on the same file system.
    fn outside(&self) -> PathBuf {
        self.mounted.path().join("outside")
    }

    fn state(&self) -> PathBuf {
        self.scratch.path().join("state")
    }

    fn rescan(&self) -> Rescan {
        let old = State::load(&self.state());
        Rescan { old, accepts_other_volumes: true, ..Rescan::over([self.tree()]) }
    }

    fn by_search(&self) -> Report {
        Rescan { commits: true, ..self.rescan() }.run().expect("an answer")
    }

    fn by_walk(&self) -> Report {
        Rescan { shortcuts: false, ..self.rescan() }.run().expect("an answer")
    }

    fn accept(&self, report: &Report) {
        report.write(&self.state()).expect("a state");
    }

    /// Runs a script in the tree.
    fn run(&self, script: &str) {
        let mut shell = Command::new("sh");
        let ran = shell.args(["-ec", script]).current_dir(self.tree()).output().expect("sh");
        assert!(ran.status.success(), "{script}: {}", testkit::stderr(&ran));
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) as usize % end
    }

    /// A path in the tree that `is` accepts.
    fn pick(&mut self, is: fn(&fs::FileType) -> bool) -> Option<PathBuf> {
        let mut found = Vec::new();
        let mut pending = vec![self.tree()];
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten() {
                let entry = entry.expect("an entry");
                let file_type = entry.file_type().expect("a type");
                found.extend(is(&file_type).then(|| entry.path()));
                pending.extend(file_type.is_dir().then(|| entry.path()));
            }
        }
        found.sort();
        (!found.is_empty()).then(|| found.swap_remove(self.below(found.len())))
    }

    /// Makes one edit; some of them fail, and so are none.
    fn edit(&mut self, round: usize) -> Option<()> {
        let name = format!("n{round}-{}", self.below(1000));
        let file = self.pick(fs::FileType::is_file)?;
        let dir = self.pick(fs::FileType::is_dir)?;
        let other = self.pick(fs::FileType::is_dir)?;
        let moved = other.join(&name);
        match self.below(18) {
            0 => fs::write(dir.join(name), "new").ok(),
            1 => OpenOptions::new().append(true).open(file).ok()?.write_all(b"more").ok(),
            2 => fs::write(file, "other").ok(),
            3 => File::create(file).map(drop).ok(),
            4 => fs::rename(file, moved).ok(),
            5 => fs::rename(file, self.pick(fs::FileType::is_file)?).ok(),
            6 => fs::remove_file(file).ok(),
            7 => fs::rename(dir, moved).ok(),
            8 => swap(&dir, &other, &self.outside().join(name)),
            9 => fs::set_permissions(file, Permissions::from_mode(0o640)).ok(),
            10 => fs::set_permissions(dir, Permissions::from_mode(0o710)).ok(),
            11 => same_size(&file),
            12 => fs::hard_link(file, self.outside().join(name)).ok(),
            13 => write_outside(&self.outside()),
            14 => retarget(&self.pick(fs::FileType::is_symlink)?, &name),
            15 => {
                let deep = dir.join(name).join("a/b");
                fs::create_dir_all(&deep).ok()?;
                fs::write(deep.join("file"), "new").ok()
            }
            16 => fs::remove_dir_all(dir).ok().filter(|()| self.below(4) == 0),
            _ => std::os::unix::fs::chown(file, Some(round as u32), None).ok(),
        }
    }
}

fn swap(one: &Path, other: &Path, between: &Path) -> Option<()> {
    fs::rename(one, between).ok()?;
    // One of them may have been in the other.
    let is_moved = fs::rename(other, one).is_ok();
    fs::rename(between, if is_moved { other } else { one }).ok()
}

/// Another content of the same size, with the mtime set back.
fn same_size(file: &Path) -> Option<()> {
    let meta = fs::metadata(file).ok()?;
    fs::write(file, vec![b'x'; meta.len() as usize]).ok()?;
    let times = FileTimes::new().set_modified(meta.modified().ok()?);
    OpenOptions::new().write(true).open(file).ok()?.set_times(times).ok()
}

/// Writes through names outside of the tree.
fn write_outside(outside: &Path) -> Option<()> {
    for entry in fs::read_dir(outside).ok()?.flatten() {
        OpenOptions::new().append(true).open(entry.path()).ok()?.write_all(b"!").ok()?;
    }
    Some(())
}

fn retarget(link: &Path, target: &str) -> Option<()> {
    fs::remove_file(link).ok()?;
    symlink(target, link).ok()
}

fn lines(report: &Report) -> Vec<String> {
    let path = |place: &brisk_state::RootedPath| String::from_utf8_lossy(&place.path).into_owned();
    let line = |change: &brisk_state::Change| {
        let from = change.from.as_ref().map(path);
        let kind = change.kind.letter();
        let differs = change.differs;
        format!("{kind} {} from {from:?} {:?} {differs:?}", path(&change.place), change.file_type)
    };
    report.changes.iter().map(line).collect()
}

/// Which way the rescan took.
fn way(report: &Report) -> &str {
    report.explained.first().map_or("", |line| line)
}

const BY_GENERATION: &str = "btrfs: only what was written since generation";
const IN_BULK: &str = "XFS: only what differs from its inodes, read in bulk";

#[test]
fn random_edits_are_those_that_a_walk_finds_on_btrfs() {
    random_edits("random_edits_are_those_that_a_walk_finds_on_btrfs", "btrfs");
}

#[test]
fn random_edits_are_those_that_a_walk_finds_on_xfs() {
    random_edits("random_edits_are_those_that_a_walk_finds_on_xfs", "xfs");
}

fn random_edits(test: &str, kind: &str) {
    let Some(mut case) = Case::new(test, kind) else { return };
    case.accept(&case.by_walk());
    let mut count = 0;
    for round in 0..ROUNDS {
        for _ in 0..case.below(6) {
            let _ = case.edit(round);
        }
        let walked = lines(&case.by_walk());
        let report = case.by_search();
        assert!(way(&report).starts_with(case.way), "{:?}", report.explained);
        assert_eq!(lines(&report), walked, "round {round}");
        count += walked.len();
        if report.is_worth_saving() {
            case.accept(&report);
        }
        // What was accepted is the tree.
        assert_eq!(lines(&case.by_walk()), [""; 0], "round {round}");
    }
    assert!(count > ROUNDS, "{count} changes");
}

#[test]
fn only_what_was_written_is_looked_at_on_btrfs() {
    only_what_was_written("only_what_was_written_is_looked_at_on_btrfs", "btrfs");
}

#[test]
fn only_what_was_written_is_looked_at_on_xfs() {
    only_what_was_written("only_what_was_written_is_looked_at_on_xfs", "xfs");
}

fn only_what_was_written(test: &str, kind: &str) {
    let Some(case) = Case::new(test, kind) else { return };
    case.accept(&case.by_walk());
    // The transaction of btrfs that made the tree is not committed yet.
    let report = case.by_search();
    assert!(report.is_worth_saving() == (kind == "btrfs") && report.changes.is_empty());
    case.accept(&report);
    for _ in 0..2 {
        let mut report = case.by_search();
        if report.is_worth_saving() {
            // btrfs commits each half minute: the generation is another then.
            case.accept(&report);
            report = case.by_search();
        }
        assert!(way(&report).starts_with(case.way), "{:?}", report.explained);
        assert!(!report.is_worth_saving() && report.changes.is_empty(), "{:?}", report.explained);
        // Only the root is asked about.
        let calls = &report.stats.calls;
        assert!(calls.read == 0 && calls.stat < 5, "{}", report.stats);
    }
    fs::write(case.tree().join("3/1/f5"), "other").expect("a file");
    let report = case.by_search();
    assert_eq!(lines(&report).len(), 1);
    assert!(report.stats.calls.read == 0 && report.stats.calls.stat < 20, "{}", report.stats);
}

/// Compares the search with the walk, and accepts what was found; how much that was.
fn same(case: &Case, is_by_search: bool, why: &str) -> usize {
    let walked = lines(&case.by_walk());
    let report = case.by_search();
    let is_walked = report.explained.iter().any(|line| line.contains(": walked"));
    assert_eq!(is_walked, !is_by_search, "{why}: {:?}", report.explained);
    assert_eq!(lines(&report), walked, "{why}");
    case.accept(&report);
    walked.len()
}

#[test]
fn mounts_are_looked_at_apart_on_btrfs() {
    mounts("mounts_are_looked_at_apart_on_btrfs", "btrfs");
}

#[test]
fn mounts_are_looked_at_apart_on_xfs() {
    mounts("mounts_are_looked_at_apart_on_xfs", "xfs");
}

fn mounts(test: &str, kind: &str) {
    let Some(case) = Case::new(test, kind) else { return };
    case.accept(&case.by_walk());
    assert_eq!(same(&case, true, "nothing"), 0);
    case.run("mount -t tmpfs none 5/1; echo 1 > 5/1/new");
    assert!(same(&case, false, "a mount appears") > 1);
    case.run("echo 22 > 5/1/new; echo 22 > 2/2/f2");
    assert_eq!(same(&case, true, "an edit in the mount"), 2);
    case.run("umount 5/1");
    assert!(same(&case, false, "the mount vanishes") > 1);
    case.run("mount --bind 6/1 6/2; echo 1 > 6/1/f1");
    assert!(same(&case, false, "a bind mount appears") > 1);
    case.run("echo 22 > 6/1/f2");
    assert_eq!(same(&case, true, "an edit seen in two places"), 2);
    case.run("umount 6/2");
    assert!(same(&case, false, "the bind mount vanishes") > 1);
    case.run(
        "mount -o remount,ro \"$(dirname \"$PWD\")\"; mount -o remount,rw \"$(dirname \"$PWD\")\"",
    );
    assert_eq!(same(&case, true, "remounted"), 0);
}

/// On the file system of the tree, whose inodes are told, there is no such inode.
#[test]
fn a_file_of_elsewhere_is_looked_at() {
    for kind in ["btrfs", "xfs"] {
        let Some(case) = Case::new("a_file_of_elsewhere_is_looked_at", kind) else { return };
        case.accept(&case.by_walk());
        let elsewhere = case.scratch.path().join("file");
        fs::write(&elsewhere, "1").expect("a file");
        case.run(&format!("mount --bind '{}' 7/1/f1", elsewhere.display()));
        assert_eq!(same(&case, false, "a mounted file appears"), 1);
        assert_eq!(same(&case, true, "nothing, in the next generation"), 0);
        fs::write(&elsewhere, "22").expect("a file");
        assert_eq!(same(&case, true, "an edit of the mounted file"), 1);
        case.run("umount 7/1/f1");
        assert_eq!(same(&case, false, "the mounted file vanishes"), 1);
    }
}

#[test]
fn subvolumes_are_looked_at_apart() {
    let Some(case) = Case::new("subvolumes_are_looked_at_apart", "btrfs") else { return };
    case.run("btrfs subvolume create 1/s; echo 1 > 1/s/a; mkdir 1/s/d; echo 1 > 1/s/d/b");
    case.accept(&case.by_walk());
    assert_eq!(same(&case, true, "nothing"), 0);
    case.run("echo 22 > 1/s/d/b; echo 22 > 2/2/f1");
    assert_eq!(same(&case, true, "both subvolumes"), 2);
    case.run("btrfs subvolume snapshot 1/s 7/s; btrfs subvolume delete 1/s; echo 1 > 7/s/c");
    assert!(same(&case, false, "another subvolume") > 3);
    assert_eq!(same(&case, true, "nothing again"), 0);
    case.run("echo 333 > 7/s/d/b");
    assert_eq!(same(&case, true, "an edit in the snapshot"), 1);
}

#[test]
fn a_small_part_and_another_file_system_are_walked() {
    let name = "a_small_part_and_another_file_system_are_walked";
    let Some(case) = Case::new(name, "xfs") else { return };
    case.accept(&case.by_walk());
    case.run("cp -a . ../outside/1; cp -a . ../outside/2");
    let report = case.by_search();
    assert!(way(&report).starts_with("XFS: walked, because it holds"), "{:?}", report.explained);
    case.run("rm -r ../outside/*");
    assert_eq!(same(&case, true, "only the tree again"), 0);
    case.run("find . -exec chmod o-r {} +");
    let report = case.by_search();
    assert!(way(&report).contains(IN_BULK), "{:?}", report.explained);
    assert_eq!(report.changes.len(), lines(&case.by_walk()).len());
    // A copy at the same place, with another UUID.
    let other = LoopMount::new(name, "xfs", "-q").expect("as before");
    let top = case.mounted.path();
    case.run(&format!("cp -a . '{}/tree'", other.path().display()));
    case.run(&format!("mount --bind '{}' '{}'", other.path().display(), top.display()));
    let report = case.rescan().run().expect("an answer");
    assert!(way(&report).ends_with("it is another file system"), "{:?}", report.explained);
    let walked = case.by_walk();
    case.run(&format!("cd /; umount '{}'", top.display()));
    assert_eq!(lines(&report), lines(&walked));
}

#[test]
fn names_and_files_that_are_gone_are_found_in_bulk() {
    let Some(case) = Case::new("names_and_files_that_are_gone_are_found_in_bulk", "xfs") else {
        return;
    };
    case.run("ln 1/1/f1 2/linked; ln 1/1/f1 3/linked");
    case.accept(&case.by_walk());
    case.run("rm 2/linked");
    assert_eq!(same(&case, true, "one name of three"), 3);
    case.run("echo more >> 3/linked");
    assert_eq!(same(&case, true, "two names of one file"), 2);
    case.run("rm -r 4; mkdir -p 4/new; mv 5/1 4/new/moved; rm 6/2/f0; echo > 6/2/f0");
    assert!(same(&case, true, "gone, new and moved") > 20);
    case.run("for file in 7/*/f*; do truncate -s 100M $file; done");
    assert_eq!(same(&case, true, "sizes that are not on the disk yet"), 32);
}

#[test]
fn another_mount_and_small_trees_are_walked() {
    let Some(case) = Case::new("another_mount_and_small_trees_are_walked", "btrfs") else { return };
    case.accept(&case.by_walk());
    let report = case.rescan().run().expect("an answer");
    assert!(way(&report).contains("dirty bytes would take longer"), "{:?}", report.explained);
    let elsewhere = tempfile::tempdir().expect("a directory");
    let tree = case.tree();
    let place = elsewhere.path();
    case.run(&format!("mount --bind '{}' '{}'", tree.display(), place.display()));
    let old = State::load(&case.state());
    let moved = Rescan { old, commits: true, ..Rescan::over([place]) };
    let report = moved.run().expect("an answer");
    case.run(&format!("umount '{}'", place.display()));
    assert!(way(&report).contains("was mounted again"), "{:?}", report.explained);
    assert!(report.changes.is_empty());
    // The next state can be used there.
    assert!(report.is_worth_saving());
}
