//! One round of an attack: a scratch directory, the processes in it, and their results.
//!
//! ```text
//! victim/      no process may change it; its names are those of the trees
//! t/           trees to be listed and removed
//! state/       the journal of --background
//! ```

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use testkit::brisk;

use crate::outcome::{Failure, Outcome};
use crate::seed::Seed;
use crate::watched::{self, End, Ended, MARK, Watched};

/// The time limit of a process. None takes nearly so long, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// A round, as its attacker sees it.
pub struct Round {
    pub seed: Seed,
    pub outcome: Outcome,
    place: tempfile::TempDir,
    mark: String,
    victim: Vec<(PathBuf, u32, Vec<u8>)>,
    name: String,
}

impl Round {
    /// A new scratch directory with a victim. `name` goes before each note.
    pub fn new(seed: Seed, name: String) -> Round {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let place = testkit::scratch();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let outcome = Outcome { rounds: 1, ..Outcome::default() };
        let mut round = Round { seed, outcome, place, mark, victim: Vec::new(), name };
        fs::create_dir(round.path("t")).unwrap();
        round.plant("victim");
        round.victim = snapshot(&round.path("victim"));
        round
    }

    /// A path in the scratch directory.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.place.path().join(below)
    }

    /// Plants a tree: directories of the victim's names, files, and links to the victim.
    pub fn plant(&mut self, at: &str) -> PathBuf {
        let root = self.path(at);
        let sub = ["", "s", "s/t", "d0", "d0/s", "d0/s/t", "d1", "d1/s", "d2/s/t/u/v/w/x/y/z"];
        for sub in sub {
            let dir = root.join(sub);
            fs::create_dir_all(&dir).unwrap();
            for file in 0..4 {
                fs::write(dir.join(format!("f{file}")), "content").unwrap();
            }
            if at != "victim" {
                // The link is there already where a killed process left a part of the tree.
                let _ = symlink(self.path("victim"), dir.join("to-victim"));
                let _ = symlink(self.path("victim/s"), dir.join("to-s"));
                let _ = fs::hard_link(self.path("victim/f0"), dir.join("hard"));
            }
        }
        root
    }

    /// A command with the environment of this round.
    pub fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.path("t"));
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("BRISK_") || text.starts_with("XDG_") || text == "LS_COLORS" {
                command.env_remove(&name);
            }
        }
        command
            .env(MARK, &self.mark)
            .env("HOME", self.path("home"))
            .env("LC_ALL", "C.UTF-8")
            .env("RUST_BACKTRACE", "0")
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("P", self.place.path())
            .env("B", brisk());
        command
    }

    /// brisk with some words before it, such as `prlimit`.
    pub fn brisk(&self, before: &[&str], words: &[&str]) -> Command {
        self.command(&[before, &[brisk()], words].concat())
    }

    /// Runs a command to its end and notes an abort or a hang.
    pub fn run(&mut self, command: &mut Command) -> Ended {
        self.run_within(command, LIMIT)
    }

    /// The same with a time limit.
    pub fn run_within(&mut self, command: &mut Command, limit: Duration) -> Ended {
        let ended = Watched::start(command).finish(limit);
        self.judge(&ended, &shown(command));
        ended
    }

    /// Notes an abort or a hang.
    pub fn judge(&mut self, ended: &Ended, what: &str) {
        let said =
            ended.stderr.contains("panicked at") || ended.stderr.contains("memory allocation of");
        let last = ended.stderr.lines().next_back().unwrap_or_default();
        if ended.end == End::Hung {
            self.note(Failure::Hang, &format!("{what}: {last}"));
        } else if ended.end.is_abort() || said {
            self.note(Failure::Abort, &format!("{what}: {:?} {last}", ended.end));
        }
    }

    /// Counts what the attacker did.
    pub fn strikes(&mut self, count: u64) {
        self.outcome.strikes += count;
    }

    /// Notes a failure.
    pub fn note(&mut self, failure: Failure, what: &str) {
        let note = format!("{}: {what}", self.name);
        self.outcome.note(failure, note);
    }

    /// Waits for the end of the processes that were left in the background.
    pub fn settle(&mut self) {
        if !watched::settle(&self.mark, LIMIT) {
            self.note(Failure::Hang, "a process in the background did not end");
        }
    }

    /// Kills the processes that were left in the background.
    pub fn kill_background(&mut self) {
        watched::settle(&self.mark, Duration::ZERO);
        self.settle();
    }

    /// Compares the victim with its earlier state. Additions are the attackers' own.
    pub fn check_victim(&mut self, after: &str) {
        let now = snapshot(&self.path("victim"));
        let missing = self.victim.iter().filter(|entry| now.binary_search(entry).is_err());
        let missing: Vec<_> = missing.map(|(path, ..)| path.display().to_string()).collect();
        if !missing.is_empty() {
            let first = missing[..missing.len().min(3)].join(" ");
            let what = format!("{} files, such as {first}, after {after}", missing.len());
            self.note(Failure::Loss, &what);
        }
    }

    /// The entries of a directory that have a name of `--background`.
    pub fn hidden(&self, below: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(below)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(".brisk-rm-")).collect()
    }

    /// Once no process works any more, `--finish` removes all trees that were set aside in a
    /// directory.
    pub fn check_orphans(&mut self, below: &str, after: &str) {
        self.settle();
        let mut told = String::new();
        // The first look may clear away a record that a kill cut off.
        for _ in 0..2 {
            let mut finish = self.brisk(&[], &["rm", "-f", "--finish"]);
            told = self.run(&mut finish).stderr;
            self.settle();
        }
        for name in self.hidden(below) {
            let what = format!("{name} after {after}: {}", told.trim());
            self.note(Failure::Orphan, &what);
        }
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        watched::settle(&self.mark, Duration::ZERO);
        // A tree may be too deep for the standard library, or its modes forbid the removal; rm
        // removes it.
        let _ = Command::new("/bin/rm").arg("-rf").arg(self.place.path()).status();
    }
}

/// A command on one line.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Everything below a directory with its mode and content, sorted.
pub fn snapshot(root: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    fn add(path: &Path, root: &Path, all: &mut Vec<(PathBuf, u32, Vec<u8>)>) {
        let Ok(meta) = fs::symlink_metadata(path) else { return };
        let content = if meta.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
        let below = path.strip_prefix(root).unwrap().to_owned();
        all.push((below, meta.permissions().mode(), content));
        if meta.is_dir() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                add(&entry.path(), root, all);
            }
        }
    }
    let mut all = Vec::new();
    add(root, root, &mut all);
    all.sort();
    all
}
