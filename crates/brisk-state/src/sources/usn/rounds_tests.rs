//! Random edits of a real tree. Each edit is recorded as NTFS would record it, and a rescan by
//! these records must find what a walk finds.

use std::cell::{Cell, RefCell};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use brisk::{Backend, Fields};
use brisk_sys::nt::usn::deliver;
use brisk_sys::{Dir, Links, handle_of, stat_path};
use testkit::usn::{answer, record};

use super::tests::{CLOSE, NOW, SINCE, WRITE};
use super::*;
use crate::sources::source::Answer;
use crate::sources::{ChangeSearch, ToCheck};
use crate::{Report, Rescan};

/// Under Wine a round takes a second.
const ROUNDS: usize = if cfg!(windows) { 15 } else { 200 };

/// A tree, a directory beside it, and the changes since the state.
struct Edited {
    scratch: tempfile::TempDir,
    records: RefCell<Vec<Vec<u8>>>,
    seed: Cell<u64>,
}

impl JournalReader for Edited {
    fn changes(&self, since: &Position, each: Each<'_>) -> io::Result<()> {
        let bytes = answer(8192, &self.records.borrow());
        deliver(&bytes, since.next, &mut |change| each(change)).map(drop)
    }

    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>> {
        let mut paths = self.paths(&self.tree());
        paths.extend(self.paths(&self.outside()));
        let own = paths.iter().filter(|path| number(path) == file);
        Ok(own.map(|path| number(parent(path))).collect())
    }
}

fn number(path: &Path) -> u64 {
    let meta = stat_path(Backend::Native, path, Fields::INO, Links::NoFollow);
    meta.expect("metadata").ino().expect("a number")
}

fn checkpoint(position: Position) -> Checkpoint {
    Checkpoint { mounts_hash: 0, position: ChangePosition::Journal(position) }
}

fn parent(path: &Path) -> &Path {
    path.parent().expect("a directory above")
}

impl Edited {
    fn new() -> Edited {
        let scratch = tempfile::tempdir().expect("a directory");
        let edited = Edited { scratch, records: RefCell::default(), seed: Cell::new(42) };
        for dir in 0..6 {
            for below in 0..3 {
                let dir = edited.tree().join(format!("{dir}/{below}"));
                fs::create_dir_all(&dir).expect("directories");
                (0..5)
                    .for_each(|file| fs::write(dir.join(format!("f{file}")), "x").expect("a file"));
            }
        }
        fs::create_dir(edited.outside()).expect("a directory");
        edited
    }

    fn tree(&self) -> PathBuf {
        self.scratch.path().join("tree")
    }

    fn outside(&self) -> PathBuf {
        self.scratch.path().join("outside")
    }

    fn state(&self) -> PathBuf {
        self.scratch.path().join("state")
    }

    /// Everything below a directory, each directory before its entries.
    fn paths(&self, top: &Path) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut pending = vec![top.to_owned()];
        while let Some(dir) = pending.pop() {
            let entries = fs::read_dir(&dir).expect("a directory");
            let mut below: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
            below.sort();
            pending.extend(below.iter().filter(|path| path.is_dir()).cloned());
            found.extend(below);
        }
        found
    }

    fn below(&self, end: usize) -> usize {
        let next = self.seed.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.seed.set(next);
        (next >> 33) as usize % end
    }

    fn pick(&self, top: &Path, is: fn(&Path) -> bool) -> Option<PathBuf> {
        let mut all: Vec<_> = self.paths(top).into_iter().filter(|path| is(path)).collect();
        (!all.is_empty()).then(|| all.swap_remove(self.below(all.len())))
    }

    fn note(&self, file: u64, parent: u64, reason: u32) {
        // Records of versions 2 and 3 alternate.
        let version = 2 + (self.records.borrow().len() % 2) as u16;
        let changed = record(version, [file.into(), parent.into()], reason, "name");
        self.records.borrow_mut().push(changed);
    }

    /// Records that a name is gone: the file's only name, or one of its links. The journal may then
    /// name the directory of any link.
    fn note_gone(&self, file: u64, dir: u64) {
        match self.directories_of(file).expect("directories").first() {
            None => self.note(file, dir, reason::DELETE | CLOSE),
            Some(&other) => self.note(file, other, reason::LINK | CLOSE),
        }
    }

    fn create(&self, path: &Path) -> Option<()> {
        fs::write(path, "new").ok()?;
        let file = number(path);
        let dir = number(parent(path));
        self.note(file, dir, reason::CREATE);
        self.note(file, dir, reason::CREATE | WRITE | CLOSE);
        Some(())
    }

    fn make_dir(&self, path: &Path) -> Option<()> {
        fs::create_dir(path).ok()?;
        self.note(number(path), number(parent(path)), reason::CREATE | CLOSE);
        Some(())
    }

    fn remove(&self, path: &Path) -> Option<()> {
        if path.is_dir() {
            let below = self.paths(path);
            below.iter().filter(|path| !path.is_dir()).try_for_each(|path| self.remove(path))?;
            let mut dirs: Vec<_> = below.iter().filter(|path| path.is_dir()).collect();
            dirs.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
            dirs.into_iter()
                .try_for_each(|path| self.remove_one(path, |path| fs::remove_dir(path)))?;
            return self.remove_one(path, |path| fs::remove_dir(path));
        }
        self.remove_one(path, |path| fs::remove_file(path))
    }

    fn remove_one(&self, path: &Path, remove: fn(&Path) -> io::Result<()>) -> Option<()> {
        let file = number(path);
        let dir = number(parent(path));
        remove(path).ok()?;
        self.note_gone(file, dir);
        Some(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Option<()> {
        let file = number(from);
        let replaced = to.symlink_metadata().is_ok().then(|| number(to));
        if replaced == Some(file) {
            return None;
        }
        fs::rename(from, to).ok()?;
        self.note(file, number(parent(from)), reason::RENAME_OLD);
        if let Some(replaced) = replaced {
            self.note_gone(replaced, number(parent(to)));
        }
        self.note(file, number(parent(to)), reason::RENAME_NEW | CLOSE);
        Some(())
    }

    fn link(&self, from: &Path, to: &Path) -> Option<()> {
        fs::hard_link(from, to).ok()?;
        self.note(number(from), number(parent(from)), reason::LINK | CLOSE);
        Some(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Option<()> {
        OpenOptions::new().append(true).open(path).ok()?.write_all(bytes).ok()?;
        self.note(number(path), number(parent(path)), WRITE | CLOSE);
        Some(())
    }

    /// Makes one edit. Some fail, and change nothing.
    fn edit(&self, round: usize) -> Option<()> {
        let tree = self.tree();
        let outside = self.outside();
        let name = format!("n{round}-{}", self.below(1000));
        let file = self.pick(&tree, Path::is_file)?;
        let [dir, other] = [self.pick(&tree, Path::is_dir)?, self.pick(&tree, Path::is_dir)?];
        match self.below(17) {
            0 => self.create(&dir.join(name)),
            1 => self.create(&tree.join(name)),
            2 => self.write(&file, b"more"),
            3 => self.rename(&file, &other.join(name)),
            4 => self.rename(&file, &self.pick(&tree, Path::is_file)?),
            5 => self.remove(&file),
            6 => self.rename(&dir, &other.join(name)),
            7 => self.rename(&dir, &outside.join(name)),
            8 => self.rename(&self.pick(&outside, |_| true)?, &other.join(name)),
            9 => {
                self.make_dir(&dir.join(&name))?;
                self.make_dir(&dir.join(&name).join("a"))?;
                self.create(&dir.join(name).join("a/file"))
            }
            10 => self.link(&file, &other.join(name)),
            11 => self.link(&file, &outside.join(name)),
            12 => self.link(&self.pick(&outside, Path::is_file)?, &dir.join(name)),
            13 => self.write(&self.pick(&outside, Path::is_file)?, b"through a link"),
            14 if self.below(4) == 0 => self.remove(&dir),
            _ => {
                self.remove(&file)?;
                self.create(&file)
            }
        }
    }

    fn rescan(&self) -> Rescan {
        Rescan { old: State::load(&self.state()), ..Rescan::over([self.tree()]) }
    }

    /// Rescans by the journal, which ends at `now`. Also returns how the journal was searched, or
    /// why not.
    fn by_journal(&self, now: UsnJournal) -> (Report, String) {
        let mut way = String::new();
        let report = self.rescan().run_asking(|search, _| {
            let found = self.search(search, now);
            way = found.as_ref().map_or_else(Clone::clone, |answer| answer.how.clone());
            Some(ToCheck::of(search.state, &[Some(found.ok()?)], false))
        });
        (report.expect("an answer"), way)
    }

    fn search(&self, from: &ChangeSearch<'_>, now: UsnJournal) -> Result<Answer, String> {
        let dir = Dir::open_path_only(Backend::Native, &self.tree()).expect("the tree");
        let (dev, _) = dir.identity().expect("its identity");
        let dir = handle_of(&dir).expect("a handle");
        let target = AskedVolume { search: from, volume_number: 0, dir };
        let (inodes, how) = search_to(now, &target, checkpoint(SINCE), self)?;
        Ok(Answer { inodes, how, dev })
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        State::load(&self.state()).expect("the state").index.volumes[0].checkpoint
    }

    fn accept(&self, report: &Report) {
        report.write(&self.state()).expect("a state");
        self.records.borrow_mut().clear();
    }
}

#[test]
fn the_journal_says_what_a_walk_finds() {
    let edited = Edited::new();
    edited.accept(&Rescan::over([edited.tree()]).run().expect("the first"));
    let mut found = 0;
    for round in 0..ROUNDS {
        for _ in 0..edited.below(4) {
            edited.edit(round);
        }
        let (told, _) = edited.by_journal(NOW);
        let rescan = Rescan { shortcuts: false, ..edited.rescan() };
        let walked = rescan.run().expect("an answer");
        let [told_changes, walked_changes] =
            [&told, &walked].map(|report| format!("{:#?}", report.changes));
        assert_eq!(told_changes, walked_changes, "round {round}");
        found += walked.changes.len();
        if edited.below(2) == 0 {
            edited.accept(&told);
        }
    }
    assert!(found > ROUNDS, "{found}");
    // Where nothing changed, no directory is read, even where their times are not trusted.
    testkit::pass_ticks();
    edited.accept(&edited.rescan().run().expect("an answer"));
    let (told, _) = edited.by_journal(NOW);
    assert_eq!((told.changes.len(), told.stats.calls.read), (0, 0));
}

#[test]
fn the_next_search_goes_on_where_the_journal_ended() {
    let edited = Edited::new();
    testkit::pass_ticks();
    edited.accept(&Rescan::over([edited.tree()]).run().expect("the first"));
    edited.create(&edited.tree().join("new")).expect("a file");
    let (told, how) = edited.by_journal(NOW);
    assert_eq!((told.changes.len(), &*how), (1, "only what its journal names since 4096: 1"));
    edited.accept(&told);
    assert_eq!(edited.checkpoint(), Some(checkpoint(NOW.position())));
    testkit::pass_ticks();
    // Nothing else changed. But a position that is far behind, or of no use, is replaced.
    edited.accept(&edited.by_journal(NOW).0);
    let limit = 400 * 1000;
    for (next, is_worth_saving) in
        [(limit / 8, false), (limit / 8 + 1, true), (limit + 1, true), (-1, true)]
    {
        let (report, how) = edited.by_journal(UsnJournal { next: SINCE.next + next, ..NOW });
        assert_eq!(
            (report.changes.len(), report.is_worth_saving()),
            (0, is_worth_saving),
            "{next}: {how}"
        );
        if is_worth_saving {
            edited.accept(&report);
            let position = Position { id: NOW.id, next: SINCE.next + next };
            assert_eq!(edited.checkpoint(), Some(checkpoint(position)), "{how}");
        }
    }
}
