//! A writer edits a tree in all ways, while `changed` runs one time after the other. When the
//! writer rests, the state is the tree: each path that came or went was told once, and each file
//! that was written was told after its last write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use testkit::{LoopMount, pass_ticks};

use crate::outcome::Failure;
use crate::removals;
use crate::round::Round;
use crate::seed::Seed;
use crate::watched::End;

/// How often the writer rests in a round.
const RESTS: usize = 3;
const DIRS: [&str; 9] = ["", "a", "b", "a/c", "a/d", "b/c", "a/c/d", "b/c/a", "b/c/a/d"];
const NAMES: [&str; 8] = ["a", "b", "c", "d", "f", "g", "h", ".i"];

pub fn round(round: &mut Round) {
    // Its clock ticks otherwise than that of a tmpfs.
    let disk = if round.seed.one_in(3) { LoopMount::new("editor", "ext4", "-qF") } else { None };
    let place = disk.as_ref().map_or_else(|| round.path("t"), LoopMount::path);
    let mut writer = Writer::new(round, &place);
    for _ in 0..300 {
        writer.edit();
    }
    let mut witness = Witness::new(&place);
    let mut last = round.seed.clone();
    witness.ask(round, &[]);
    for _ in 0..RESTS {
        let runs = round.seed.between(1, 6);
        let over = AtomicBool::new(false);
        let pause = round.seed.pick(&[0, 0, 100, 2_000]);
        writer = std::thread::scope(|scope| {
            let editing = scope.spawn(|| writer.edit_until(&over, pause));
            for _ in 0..runs {
                witness.ask(round, last.pick(&[&[][..], &["-j1"], &["-j4"], &["--no-shortcuts"]]));
            }
            over.store(true, Ordering::Relaxed);
            editing.join().unwrap()
        });
        // In the tick of the last edit, and after it.
        witness.ask(round, &[]);
        pass_ticks();
        witness.ask(round, &[]);
        witness.check(round, &writer);
    }
    round.strikes(writer.made);
    round.check_victim("edits");
    removals::clear(&round.path("t"));
}

/// Edits the tree `tree` in a directory, and remembers when which file was last written.
struct Writer {
    seed: Seed,
    tree: PathBuf,
    outside: PathBuf,
    victim: PathBuf,
    written: BTreeMap<PathBuf, Instant>,
    edits: u64,
    /// Those that were not refused.
    made: u64,
}

type Edit = fn(&mut Writer, &Path) -> io::Result<()>;

const EDITS: [Edit; 15] = [
    Writer::create,
    Writer::create,
    Writer::make_directories,
    Writer::append,
    Writer::truncate,
    Writer::rewrite,
    Writer::rename,
    Writer::rename,
    Writer::exchange,
    Writer::out_and_back,
    Writer::remove,
    Writer::remove,
    Writer::change_type,
    Writer::chmod,
    Writer::link,
];

impl Writer {
    fn new(round: &mut Round, place: &Path) -> Writer {
        let [tree, outside] = ["tree", "outside"].map(|name| place.join(name));
        fs::create_dir(&tree).unwrap();
        fs::create_dir(&outside).unwrap();
        let seed = round.seed.clone();
        round.seed.next();
        let victim = round.path("victim");
        Writer { seed, tree, outside, victim, written: BTreeMap::new(), edits: 0, made: 0 }
    }

    fn edit_until(mut self, over: &AtomicBool, pause: u64) -> Writer {
        while !over.load(Ordering::Relaxed) {
            self.edit();
            for _ in 0..pause {
                std::thread::yield_now();
            }
        }
        self
    }

    fn edit(&mut self) {
        let edit = self.seed.pick(&EDITS);
        let path = self.any();
        self.made += u64::from(edit(self, &path).is_ok());
        self.edits += 1;
    }

    fn any(&mut self) -> PathBuf {
        self.tree.join(self.seed.pick(&DIRS)).join(self.seed.pick(&NAMES))
    }

    /// What is at a path and below is no longer what was written there.
    fn forget(&mut self, path: &Path) {
        self.written.retain(|written, _| !written.starts_with(path));
    }

    /// Writes to a file a number that was never written before. If a file could become what it
    /// was, in the tick in which it was that, the write would leave nothing to be told.
    fn write(
        &mut self,
        path: &Path,
        options: &mut fs::OpenOptions,
        write: impl FnOnce(&mut File, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut file = options.open(path)?;
        let now = Instant::now();
        write(&mut file, format!("{:08}", self.edits).as_bytes())?;
        self.written.insert(path.to_owned(), now);
        Ok(())
    }

    fn create(&mut self, path: &Path) -> io::Result<()> {
        let times = self.seed.below(3) as usize;
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        self.write(path, &mut options, |file, number| {
            file.write_all(number).and_then(|()| file.write_all(&number.repeat(times)))
        })
    }

    fn append(&mut self, path: &Path) -> io::Result<()> {
        self.write(path, File::options().append(true), |file, number| file.write_all(number))
    }

    fn truncate(&mut self, path: &Path) -> io::Result<()> {
        self.write(path, File::options().write(true), |file, number| {
            file.set_len(number.len() as u64).and_then(|()| file.write_all(number))
        })
    }

    /// The size stays as it is.
    fn rewrite(&mut self, path: &Path) -> io::Result<()> {
        self.write(path, File::options().write(true), |file, number| file.write_all(number))
    }

    fn make_directories(&mut self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn rename(&mut self, path: &Path) -> io::Result<()> {
        let to = self.any();
        fs::rename(path, &to)?;
        self.forget(path);
        self.forget(&to);
        Ok(())
    }

    fn exchange(&mut self, path: &Path) -> io::Result<()> {
        let other = self.any();
        renameat_with(CWD, path, CWD, &other, RenameFlags::EXCHANGE)?;
        self.forget(path);
        self.forget(&other);
        Ok(())
    }

    fn out_and_back(&mut self, path: &Path) -> io::Result<()> {
        let outside = self.outside.join(self.seed.pick(&NAMES));
        let to = self.any();
        fs::rename(path, &outside)?;
        self.forget(path);
        let back = fs::rename(&outside, &to);
        self.forget(&to);
        back
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.forget(path);
        fs::remove_file(path).or_else(|_| fs::remove_dir_all(path))
    }

    fn change_type(&mut self, path: &Path) -> io::Result<()> {
        self.remove(path)?;
        match self.seed.below(3) {
            0 => fs::create_dir(path),
            1 => self.create(path),
            _ => symlink(&self.victim, path),
        }
    }

    fn chmod(&mut self, path: &Path) -> io::Result<()> {
        // Through a link, the victim would get the mode.
        if path.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        fs::set_permissions(path, Permissions::from_mode(self.seed.pick(&[0o700, 0o755, 0o777])))
    }

    fn link(&mut self, path: &Path) -> io::Result<()> {
        let to = self.any();
        fs::hard_link(path, to)
    }
}

/// Runs `changed`, and believes what it tells.
struct Witness {
    place: PathBuf,
    /// The paths that were told and are not deleted.
    known: BTreeSet<Vec<u8>>,
    /// When the last run that told a path had ended.
    told: BTreeMap<Vec<u8>, Instant>,
}

impl Witness {
    fn new(place: &Path) -> Witness {
        Witness { place: place.to_owned(), known: BTreeSet::new(), told: BTreeMap::new() }
    }

    /// One run, whose state is accepted.
    fn ask(&mut self, round: &mut Round, flags: &[&str]) -> usize {
        let words = ["changed", "-u0", "--no-renames", "--state", "s", "--save", "s"];
        let mut command = round.brisk(&[], &[&words[..], flags, &["tree"]].concat());
        let ended = round.run(command.current_dir(&self.place));
        let now = Instant::now();
        if ended.end != End::Exit(0) || !ended.stderr.is_empty() {
            let what = format!("changed {flags:?}: {:?} {}", ended.end, ended.stderr.trim());
            round.note(Failure::Lie, &what);
        }
        let mut fields = ended.stdout.split_terminator('\0');
        let mut lines = 0;
        while let Some((letter, path)) = fields.next().zip(fields.next()) {
            let path = path.as_bytes().to_vec();
            let is_right = match letter {
                "A" => self.known.insert(path.clone()),
                "D" => self.known.remove(&path),
                "M" | "T" => self.known.contains(&path),
                _ => false,
            };
            if !is_right {
                let path = String::from_utf8_lossy(&path);
                round.note(Failure::Lie, &format!("changed {flags:?}: {letter} {path}"));
            }
            self.told.insert(path, now);
            lines += 1;
        }
        lines
    }

    /// Nothing is edited any more.
    fn check(&mut self, round: &mut Round, writer: &Writer) {
        let below =
            |path: &Path| path.strip_prefix(&self.place).unwrap().as_os_str().as_bytes().to_vec();
        let there: BTreeSet<Vec<u8>> =
            testkit::tree(&writer.tree).iter().map(|path| below(path)).collect();
        let mut faults = Vec::new();
        faults.extend(there.difference(&self.known).map(|path| ("never told", path.clone())));
        faults
            .extend(self.known.difference(&there).map(|path| ("never told as gone", path.clone())));
        for (path, written) in &writer.written {
            let path = below(path);
            if there.contains(&path) && self.told.get(&path).is_none_or(|told| told < written) {
                faults.push(("not told after it was written", path));
            }
        }
        for (what, path) in faults {
            round.note(Failure::Lie, &format!("{what}: {}", String::from_utf8_lossy(&path)));
        }
        let lines = self.ask(round, &["--no-shortcuts"]);
        let mut diff = round.brisk(&[], &["diff", "-ur", "--exit-code", "s", "tree"]);
        let diff = round.run(diff.current_dir(&self.place));
        if lines > 0 || diff.end != End::Exit(0) {
            round.note(Failure::Lie, &format!("{lines} lines more; diff: {}", diff.stdout.trim()));
        }
    }
}
