//! Stops and continues a walk in the middle of its reads, while the directories change. A read that
//! a signal or the freezer cuts short is not the end of a directory: a name that no process touches
//! is listed exactly once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::outcome::Failure;
use crate::removals;
use crate::round::{LIMIT, Round, shown};
use crate::seed::Seed;
use crate::watched::{Ended, Watched};

/// Small directories, whose records fit into one buffer, and large ones, which take several
/// buffers.
const SMALL: u64 = 40;
const LARGE: u64 = 2;

const WALKS: [&[&str]; 6] = [
    &["find", "-u", "-j1", ".", "tree"],
    &["find", "-u", "-j2", ".", "tree"],
    &["find", "-u", "-j4", "--order", "breadth", ".", "tree"],
    &["find", "-u", "-j1", "--order", "depth", ".", "tree"],
    &["find", "-u", "-j3", "--order", "sorted", ".", "tree"],
    &["find", "-u", "-L", "-j2", ".", "tree"],
];

pub fn round(round: &mut Round) {
    let tree = round.path("t/tree");
    let fixed = plant(&mut round.seed, &tree);
    let freezer = Freezer::new();
    for _ in 0..4 {
        let words = round.seed.pick(&WALKS);
        let mut command = round.brisk(&[], words);
        let ended = beside_a_writer(round, &tree, |round| strike(round, &mut command, &freezer));
        round.judge(&ended, &shown(&command));
        let wrong = differences(&fixed, &ended.stdout);
        if !wrong.is_empty() || !ended.stderr.is_empty() {
            let what = format!("{}: {wrong} {}", shown(&command), ended.stderr.trim());
            round.note(Failure::Lie, &what);
        }
    }
    let mut command = round.brisk(&[], &["rm", "-rf", "tree"]);
    let ended = strike(round, &mut command, &freezer);
    round.judge(&ended, "rm -rf, stopped and continued");
    if tree.exists() {
        round.note(Failure::Lie, &format!("rm -rf left a part: {}", ended.stderr.trim()));
    }
    removals::clear(&round.path("t"));
}

/// Makes a tree whose names stay as they are, and returns its paths.
fn plant(seed: &mut Seed, tree: &Path) -> Vec<String> {
    let mut fixed = Vec::new();
    for number in 0..SMALL + LARGE {
        let dir = dir_of(number);
        fs::create_dir_all(tree.join(&dir)).unwrap();
        let files = if number < SMALL { seed.below(20) } else { seed.between(1_500, 4_000) };
        // Names, and so records, of all lengths.
        for file in 0..files {
            let name = format!("fixed{file}{:x<1$}", "", seed.below(40) as usize);
            File::create(tree.join(&dir).join(&name)).unwrap();
            fixed.push(format!("tree/{dir}/{name}"));
        }
    }
    fixed
}

/// A directory of the tree, by its number.
fn dir_of(number: u64) -> String {
    let below = if number.is_multiple_of(3) { "deep/er/" } else { "" };
    format!("{below}d{number}")
}

/// Runs `work` while a thread makes, renames and removes other names in the same directories.
fn beside_a_writer<T>(round: &mut Round, tree: &Path, work: impl FnOnce(&mut Round) -> T) -> T {
    let over = AtomicBool::new(false);
    let mut seed = round.seed.clone();
    round.seed.next();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let number = seed.below(SMALL + LARGE);
                let dir = tree.join(dir_of(number));
                let [from, to] = [0, 1].map(|_| dir.join(format!("changing{}", seed.below(50))));
                let _ = match seed.below(3) {
                    0 => File::create(from).map(drop),
                    1 => fs::rename(from, to),
                    _ => fs::remove_file(from),
                };
            }
        });
        let done = work(round);
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Runs a command to its end, and stops and continues it meanwhile.
fn strike(round: &mut Round, command: &mut std::process::Command, freezer: &Freezer) -> Ended {
    let watched = Watched::start(command);
    freezer.take(&watched);
    let began = Instant::now();
    let mut strikes = 0;
    while !watched.wait(Duration::from_micros(round.seed.below(400))) && began.elapsed() < LIMIT {
        match round.seed.below(4) {
            0 => watched.signal(Signal::WINCH),
            1 => freezer.freeze_for_a_moment(),
            _ => {
                watched.signal(Signal::STOP);
                watched.wait(Duration::from_micros(round.seed.below(100)));
                watched.signal(Signal::CONT);
            }
        }
        strikes += 1;
    }
    round.strikes(strikes);
    watched.finish(LIMIT)
}

/// The fixed names that are missing or listed twice.
fn differences(fixed: &[String], stdout: &str) -> String {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for line in stdout.lines().filter(|line| line.contains("/fixed")) {
        *seen.entry(line).or_default() += 1;
    }
    let lost: Vec<_> = fixed.iter().filter(|path| !seen.contains_key(path.as_str())).collect();
    let twice = seen.values().filter(|count| **count > 1).count();
    match (lost.first(), twice) {
        (None, 0) => String::new(),
        (first, _) => format!("{} lost, such as {first:?}, {twice} seen twice", lost.len()),
    }
}

/// A control group that can be frozen, where this user may make one.
struct Freezer(Option<PathBuf>);

impl Freezer {
    fn new() -> Freezer {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("brisk-stopper-{}-{number}", std::process::id());
        let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
        let mut groups = roots.iter().map(|root| Path::new(root).join(&name));
        Freezer(groups.find(|group| {
            let made = fs::create_dir(group).is_ok();
            let freezes = made && group.join("cgroup.freeze").exists();
            if made && !freezes {
                let _ = fs::remove_dir(group);
            }
            freezes
        }))
    }

    fn take(&self, watched: &Watched) {
        if let Some(group) = &self.0 {
            let _ = fs::write(group.join("cgroup.procs"), watched.id().to_string());
        }
    }

    fn freeze_for_a_moment(&self) {
        if let Some(group) = &self.0 {
            for state in ["1", "0"] {
                let _ = fs::write(group.join("cgroup.freeze"), state);
            }
        }
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        if let Some(group) = &self.0 {
            // Processes that have just ended leave the group a moment later.
            for _ in 0..1_000 {
                if fs::remove_dir(group).is_ok() {
                    break;
                }
                std::thread::yield_now();
            }
        }
    }
}
