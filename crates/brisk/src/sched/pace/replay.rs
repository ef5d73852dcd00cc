//! Replays recorded windows through the [`Controller`], and compares its decisions with those that
//! were recorded beside the windows.
//!
//! `tests/pace/` has a file for each of six walks, and two invented files with windows on both
//! sides of each constant. A line is a window, with the decision at its end. So a change of a
//! constant changes decisions here, and a diff of the files shows which:
//!
//! ```text
//! BRISK_REGENERATE=1 cargo test -p brisk --lib pace::replay   # writes the decisions anew
//! cargo test -p brisk --lib pace::replay -- --ignored         # records walks on this machine
//! ```
//!
//! The windows are those of the walk that was recorded, whatever is decided now: a decision changes
//! what the controller remembers, but not the windows that follow.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use super::controller::{Controller, Window};
use crate::sched::lock;

/// The files, by name.
const TRACES: [(&str, &str); 8] = [
    ("edges", include_str!("../../../tests/pace/edges.txt")),
    ("cautious-edges", include_str!("../../../tests/pace/cautious-edges.txt")),
    ("warm", include_str!("../../../tests/pace/warm.txt")),
    ("slow", include_str!("../../../tests/pace/slow.txt")),
    ("uneven", include_str!("../../../tests/pace/uneven.txt")),
    ("saturated", include_str!("../../../tests/pace/saturated.txt")),
    ("removal", include_str!("../../../tests/pace/removal.txt")),
    ("slow-removal", include_str!("../../../tests/pace/slow-removal.txt")),
];

/// A window, as a controller was asked about it.
#[derive(Clone, Copy)]
struct Recorded {
    /// The time since the start of the walk.
    at: Duration,
    length: Duration,
    window: Window,
}

impl Recorded {
    fn parse(line: &str) -> Recorded {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let real = |column: usize| columns[column].parse::<f64>().expect("a number");
        let whole = |column: usize| columns[column].parse::<usize>().expect("a number");
        let time = |column: usize| Duration::from_micros(whole(column) as u64);
        let window = Window {
            workers: whole(2),
            pending: whole(3),
            idle: whole(4),
            waiting: real(5),
            busy: real(6),
            latency: real(7),
            requests: whole(8) as u64,
        };
        Recorded { at: time(0), length: time(1), window }
    }

    /// The line, with this decision.
    fn line(&self, decision: &str) -> String {
        let Window { waiting, busy, latency, requests, workers, pending, idle } = self.window;
        let at = self.at.as_micros();
        let length = self.length.as_micros();
        format!(
            "{at:8} {length:7} {workers:7} {pending:7} {idle:5} {waiting:7.3} {busy:6.3} \
             {latency:9.0} {requests:8} {decision:>8}"
        )
    }
}

/// The controller of a line such as `cores 2 cap 128 cautious`, before its first window.
fn controller(line: &str) -> Controller {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["cores", cores, "cap", cap, kind @ ..] = &words[..] else { panic!("{line}") };
    let number = |word: &str| word.parse().expect("a number");
    Controller::of_cores(number(cores), number(cap), *kind == ["cautious"])
}

/// The text of a file with the decisions of today. Each line of settings begins anew.
fn replay(text: &str) -> String {
    let mut now = String::new();
    let mut current = None;
    for line in text.lines() {
        let line = if line.starts_with('#') {
            line.to_owned()
        } else if line.starts_with("cores") {
            current = Some(controller(line));
            line.to_owned()
        } else {
            let controller = current.as_mut().expect("settings before the first window");
            let recorded = Recorded::parse(line);
            let Recorded { at, length, window } = recorded;
            if controller.wants_longer(&window, length) {
                recorded.line("longer")
            } else {
                recorded.line(&controller.decide(window, at).to_string())
            }
        };
        writeln!(now, "{line}").expect("a string takes everything");
    }
    now
}

fn file(name: &str) -> PathBuf {
    let place = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pace"));
    place.join(format!("{name}.txt"))
}

#[test]
fn recorded_windows_lead_to_the_decisions_beside_them() {
    let mut different = String::new();
    for (name, recorded) in TRACES {
        let now = replay(recorded);
        if std::env::var_os("BRISK_REGENERATE").is_some() {
            std::fs::write(file(name), now).expect("the file can be written");
            continue;
        }
        let pairs = recorded.lines().zip(now.lines());
        for (before, now) in pairs.filter(|(before, now)| before != now) {
            writeln!(different, "{name}: {before}\n{name}: {now}").expect("a string");
        }
    }
    assert!(different.is_empty(), "{different}If this is meant: see the head of this file");
}

/// The windows of all walks of this process.
static WINDOWS: Mutex<Vec<Recorded>> = Mutex::new(Vec::new());

/// A controller is asked about a window.
pub(super) fn note(at: Duration, length: Duration, window: Window) {
    lock(&WINDOWS).push(Recorded { at, length, window });
}

#[cfg(target_os = "linux")]
mod recorder {
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::thread::available_parallelism;

    use testkit::{LoopMount, Mounted, scratch};

    use super::*;
    use crate::remove::Remove;
    use crate::walk::MAX_IN_FLIGHT;
    use crate::{Directory, Entry, Error, Fields, Flow, Parallel, Select, Visitor, Walk};

    /// Asks for the size of every entry.
    struct Sizes;

    impl Visitor for Sizes {
        type State = ();

        fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
            Select::Take(Fields::SIZE)
        }

        fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
            Flow::Continue
        }

        fn error(&mut self, _: Error) -> Flow {
            Flow::Continue
        }
    }

    impl Parallel for Sizes {
        fn fork(&self, _: usize) -> Sizes {
            Sizes
        }

        fn merge(&mut self, _: Sizes) {}
    }

    fn walk<const N: usize>(roots: [&Path; N]) {
        Walk::over(roots).visit_parallel(Sizes);
    }

    fn remove(root: &Path) {
        let report = Remove { keep_roots: true, ..Remove::new(Walk::new(root)) }.run(&());
        assert!(report.is_complete());
    }

    /// The names of the columns. Times are in microseconds; `latency` is in nanoseconds.
    const COLUMNS: &str =
        "#     at  length workers pending  idle waiting   busy   latency requests decision";

    /// The most windows of a walk that are kept.
    const MOST: usize = 250;

    /// The windows of what `run` walks, as the text of a file. The controller asks for a longer
    /// window without remembering that it did, so of several such windows in a row the last one is
    /// enough.
    fn record(about: &str, kind: &str, run: impl FnOnce()) -> String {
        lock(&WINDOWS).clear();
        run();
        let windows = std::mem::take(&mut *lock(&WINDOWS));
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let mut text = format!("# {about}\ncores {cores} cap {MAX_IN_FLIGHT}{kind}\n{COLUMNS}\n");
        for window in windows {
            writeln!(text, "{}", window.line("?")).expect("a string takes everything");
        }
        let text = replay(&text);
        let lines: Vec<&str> = text.lines().collect();
        let both_longer = |a: &&str, b: &&str| a.ends_with("longer") && b.ends_with("longer");
        let kept = lines.chunk_by(both_longer).filter_map(<[_]>::last).take(MOST);
        kept.flat_map(|line| [line, "\n"]).collect()
    }

    fn save(name: &str, text: String) {
        std::fs::write(file(name), text).expect("the file can be written");
    }

    fn mount(flags: &str) -> Mounted {
        Mounted::new("record", flags).expect("a mounted slowfs")
    }

    /// Records removals, in a mount namespace of this thread where nothing else can be written.
    fn record_removals() -> [String; 2] {
        let _contained = scratch();
        let xfs = LoopMount::new("record", "xfs", "-q").expect("an XFS");
        let tree = xfs.path().join("tree");
        for dir in 0..200 {
            let dir = tree.join(dir.to_string());
            std::fs::create_dir_all(&dir).expect("a directory");
            for number in 0..200 {
                std::fs::write(dir.join(number.to_string()), "").expect("a file");
            }
        }
        let about = "the removal of 40,000 empty files from XFS";
        let fast = record(about, " cautious", || remove(&tree));
        let slow = mount("--nested 2,12,60 --latency 1ms --removable");
        let about = "the removal of 9,420 files from slowfs, 1 ms a request";
        [fast, record(about, " cautious", || remove(slow.path()))]
    }

    /// Takes half a minute, root's rights and slowfs.
    #[test]
    #[ignore = "it writes the files that the other test reads"]
    fn record_walks() {
        let usr = Path::new("/usr");
        walk([usr]);
        save("warm", record("/usr, read a moment before", "", || walk([usr])));

        let slow = mount("--dirs 200 --files 40 --latency 1ms");
        save("slow", record("slowfs, 1 ms a request", "", || walk([slow.path()])));

        let slow = mount("--dirs 60 --files 40 --latency 2ms");
        let share = Path::new("/usr/share");
        let between = mount("--dirs 200 --files 20 --latency 100us");
        let about = "slowfs, 2 ms a request, beside /usr/share and slowfs, 0.1 ms a request";
        save("uneven", record(about, "", || walk([slow.path(), share, between.path()])));

        let busy = mount("--nested 2,20,80 --latency 0");
        let about = "slowfs without latency, which answers no more than its processor time allows";
        save("saturated", record(about, "", || walk([busy.path()])));

        let thread = std::thread::Builder::new().spawn(record_removals).expect("a thread");
        let [removal, slow_removal] = thread.join().expect("no panic");
        save("removal", removal);
        save("slow-removal", slow_removal);
    }
}
