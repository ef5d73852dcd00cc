//! Random edits beside a watcher. What the batches tell, applied to a model by the consumer's rule,
//! must be what a full look at the tree finds. `BRISK_ROUNDS` sets how many rounds, `BRISK_SEED`
//! which. `BRISK_MIRROR` is a path at which the directory for temporary files is seen too, by a
//! network or by FUSE: the watcher looks there. `scripts/rounds` runs this on many file systems.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use brisk_state::{ChangeBatch, ChangeKind, RescanError, Watcher, WhyScanned};

use super::mounts::{Mounts, is_unshared};

/// What is compared of an entry: type and mode, and all else but of directories.
type Signature = (u32, u64, i64, i64, Option<PathBuf>);
type Picture = BTreeMap<PathBuf, Signature>;

fn signature(path: &Path) -> Option<Signature> {
    let meta = fs::symlink_metadata(path).ok()?;
    if meta.is_dir() {
        return Some((meta.mode(), 0, 0, 0, None));
    }
    Some((meta.mode(), meta.size(), meta.mtime(), meta.mtime_nsec(), fs::read_link(path).ok()))
}

/// A full look at the tree.
fn picture(dir: &Path) -> Picture {
    let mut found = Picture::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(path) = pending.pop() {
        let own = signature(&path).expect("an entry");
        if path.is_dir() && !path.is_symlink() {
            let entries = fs::read_dir(&path).expect("a directory");
            pending.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        found.insert(path, own);
    }
    found
}

fn is_mirrored() -> bool {
    std::env::var_os("BRISK_MIRROR").is_some()
}

fn apply(batch: &ChangeBatch, model: &mut Picture) {
    let path = |place| batch.report.path(place);
    for change in &batch.report.changes {
        if change.kind == ChangeKind::Deleted {
            assert!(model.remove(&path(&change.place)).is_some(), "invented {change:?}");
        }
        change
            .from
            .iter()
            .for_each(|from| assert!(model.remove(&path(from)).is_some(), "{from:?}"));
    }
    for change in &batch.report.changes {
        let place = path(&change.place);
        let is_known = model.contains_key(&place);
        match change.kind {
            ChangeKind::Deleted => continue,
            ChangeKind::Added | ChangeKind::Renamed => assert!(!is_known, "twice {change:?}"),
            ChangeKind::Modified | ChangeKind::TypeChanged => assert!(is_known, "{change:?}"),
            // A server may fail to read what is being replaced: it stays in the model as it was.
            ChangeKind::Unknown if is_mirrored() => continue,
            _ => panic!("{change:?} {:?}", batch.report.errors),
        }
        let own = signature(&place).unwrap_or_default();
        let told = change.file_type.mode_bits();
        let is_told = own.0 & 0o170_000 == told;
        model.insert(place, if is_told { own } else { (told, 0, 0, 0, None) });
    }
}

/// xorshift64.
pub struct Dice(u64);

impl Dice {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// A tree that is edited, and a place outside it.
pub struct Edited {
    pub dir: PathBuf,
    /// Where the watcher and the full look find the tree.
    seen: PathBuf,
    outside: PathBuf,
    mounts: Mounts,
    pub dice: Dice,
}

impl Edited {
    /// A path of few names, at most four deep: it often exists.
    pub fn path(&mut self) -> PathBuf {
        let mut path = self.dir.clone();
        for _ in 0..=self.dice.below(4) {
            path.push(["a", "b", "c", "d"][self.dice.below(4)]);
        }
        path
    }

    fn outside(&mut self) -> PathBuf {
        self.outside.join(["a", "b", "c"][self.dice.below(3)])
    }

    /// One edit, which may fail.
    pub fn edit(&mut self) {
        let [path, other] = [self.path(), self.path()];
        let text = self.dice.0.to_string();
        let _ = match self.dice.below(21) {
            0 | 1 => fs::write(&path, text),
            2 => {
                fs::OpenOptions::new().append(true).open(&path).and_then(|mut f| f.write_all(b"+"))
            }
            3 => fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(1)),
            4 => fs::rename(&path, &other),
            5 => fs::rename(&path, self.outside()),
            6 => fs::rename(self.outside(), &path),
            7 | 8 => fs::create_dir_all(&path).and_then(|()| fs::write(path.join("new"), text)),
            9 => fs::remove_dir_all(&path),
            10 => fs::remove_file(&path),
            11 => fs::set_permissions(
                &path,
                fs::Permissions::from_mode(0o700 + 0o11 * (self.dice.0 as u32 % 8)),
            ),
            12 => fs::File::open(&path).and_then(|file| {
                file.set_modified(UNIX_EPOCH + Duration::from_secs(self.dice.0 % 1_000_000_000))
            }),
            13 => symlink(&other, &path),
            14 => fs::hard_link(&path, &other),
            15 => fs::write(self.outside.join("saved"), text)
                .and_then(|()| fs::rename(self.outside.join("saved"), &path)),
            // A file becomes a directory, and the reverse.
            16 => fs::remove_file(&path).and_then(|()| fs::create_dir(&path)),
            17 => fs::remove_dir_all(&path).and_then(|()| fs::write(&path, text)),
            // A directory is replaced by another one with the same names.
            18 => fs::rename(&path, self.outside.join("old")).and_then(|()| {
                fs::create_dir_all(path.join("a/b"))?;
                fs::write(path.join("a/b/c"), text)?;
                fs::remove_dir_all(self.outside.join("old"))
            }),
            19 => self.exchange(&path, &other),
            _ => {
                self.mounts.edit(&path, &mut self.dice);
                Ok(())
            }
        };
        let _ = fs::remove_dir_all(self.outside.join("old"));
    }

    /// More events than a queue holds, in some rounds.
    fn burst(&mut self) {
        let dir = self.dir.join("burst");
        fs::create_dir_all(&dir).expect("a directory");
        for at in 0..self.dice.below(12_000) {
            let _ = fs::write(dir.join((at % 300).to_string()), at.to_string());
        }
        let _ = match self.dice.below(2) {
            0 => fs::remove_dir_all(dir),
            _ => fs::remove_file(dir.join("7")),
        };
    }

    /// Three renames, after which two entries have each other's names.
    fn exchange(&self, path: &Path, other: &Path) -> std::io::Result<()> {
        let aside = self.outside.join("aside");
        if path.starts_with(other) || other.starts_with(path) || !path.exists() || !other.exists() {
            return Ok(());
        }
        fs::rename(path, &aside)?;
        let moved = fs::rename(other, path);
        fs::rename(&aside, if moved.is_ok() { other } else { path })
    }
}

/// The batch that is there without waiting. A root that is gone comes back.
fn now(watcher: &mut Watcher) -> Option<ChangeBatch> {
    match watcher.next(Duration::ZERO, Some(Instant::now())) {
        Err(RescanError::Root(..)) => None,
        batch => batch.expect("no error"),
    }
}

/// Takes batches until there is none. Some are not accepted, and are told again.
fn drain(watcher: &mut Watcher, model: &mut Picture, dice: &mut Dice) {
    while let Some(batch) = now(watcher) {
        if dice.below(3) > 0 {
            apply(&batch, model);
            watcher.accept(batch).expect("accepted");
        }
    }
}

/// Accepts all that is left: an event brings a batch that was not accepted again. Where no events
/// come, a batch that says so is from a look at all of it.
fn drain_all(watcher: &mut Watcher, model: &mut Picture, dir: &Path) {
    loop {
        let text = format!("{:?}", Instant::now());
        fs::write(dir.join("touched"), text).expect("written");
        let batch =
            watcher.next(Duration::ZERO, Some(super::soon())).expect("no error").expect("a batch");
        let was_polled = batch.scanned.iter().any(|part| part.why != WhyScanned::Mounts);
        apply(&batch, model);
        watcher.accept(batch).expect("accepted");
        if was_polled || watcher.polled().is_empty() {
            break;
        }
    }
    while let Some(batch) = now(watcher) {
        apply(&batch, model);
        watcher.accept(batch).expect("accepted");
    }
}

/// The model must be what a full look finds.
fn compare(model: &Picture, dir: &Path, round: u64, of: impl Fn(&Signature) -> Signature) {
    let found = picture(dir);
    let differs = |(path, own): &(&PathBuf, &Signature)| model.get(*path).map(&of) != Some(of(own));
    let wrong = found.iter().filter(differs);
    let wrong: Vec<_> = wrong.map(|(path, own)| (path, own, model.get(path))).collect();
    let lost: Vec<_> = model.keys().filter(|path| !found.contains_key(*path)).collect();
    assert!(wrong.is_empty() && lost.is_empty(), "round {round}: {wrong:?}, gone: {lost:?}");
}

/// A tree to edit, and dice for its consumer.
pub fn begin(scratch: &Path) -> (Edited, Dice) {
    let [dir, outside] = ["dir", "outside"].map(|name| scratch.join(name));
    fs::create_dir_all(dir.join("a/b")).expect("directories");
    fs::create_dir(&outside).expect("a directory");
    let seed = std::env::var("BRISK_SEED").map_or(7, |seed| seed.parse().expect("a number"));
    let mirrored = |mirror| {
        let below = dir.strip_prefix(std::env::temp_dir()).expect("a temporary directory");
        Path::new(&mirror).join(below)
    };
    let seen = std::env::var_os("BRISK_MIRROR").map_or(dir.clone(), mirrored);
    let mounts = Mounts::new(scratch);
    (
        Edited { dir, seen, outside, mounts, dice: Dice(seed + 1) },
        Dice(0x9e37_79b9_7f4a_7c15 ^ seed),
    )
}

/// Here the model has the types that were told: another file may have been there when its metadata
/// was asked for.
#[test]
fn no_edit_made_during_a_look_is_lost() {
    if !is_unshared("rounds::no_edit_made_during_a_look_is_lost") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (mut edited, mut dice) = begin(scratch.path());
    let dir = edited.dir.clone();
    let mut model = Picture::new();
    let mut watcher = super::watcher(&edited.seen, None);
    for round in 0..testkit::rounds(40, 40) {
        let edits = 50 + edited.dice.below(200);
        std::thread::scope(|scope| {
            let editing = || (0..edits).for_each(|_| edited.edit());
            let editing = std::thread::Builder::new().spawn_scoped(scope, editing);
            let editing = editing.expect("a thread");
            while !editing.is_finished() {
                drain(&mut watcher, &mut model, &mut dice);
            }
        });
        drain_all(&mut watcher, &mut model, &dir);
        compare(&model, &edited.seen, round, |own| (own.0 & 0o170_000, 0, 0, 0, None));
    }
}

#[test]
fn no_edit_is_lost_or_invented() {
    if !is_unshared("rounds::no_edit_is_lost_or_invented") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (mut edited, mut dice) = begin(scratch.path());
    let dir = edited.dir.clone();
    let state = scratch.path().join("state");
    let mut model = Picture::new();
    let mut watcher = super::watcher(&edited.seen, Some(state.clone()));
    for round in 0..testkit::rounds(150, 150) {
        for _ in 0..=edited.dice.below(12) {
            edited.edit();
            if edited.dice.below(6) == 0 {
                drain(&mut watcher, &mut model, &mut dice);
            }
        }
        if dice.below(50) == 0 {
            edited.burst();
        }
        if dice.below(50) == 0 {
            let aside = edited.outside.join("aside");
            fs::rename(&dir, &aside).expect("renamed");
            drain(&mut watcher, &mut model, &mut dice);
            fs::rename(&aside, &dir).expect("renamed");
        }
        if dice.below(10) == 0 {
            watcher.save().expect("saved");
            watcher = super::watcher(&edited.seen, Some(state.clone()));
        }
        drain_all(&mut watcher, &mut model, &dir);
        compare(&model, &edited.seen, round, Signature::clone);
    }
}
