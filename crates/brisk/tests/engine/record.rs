//! The tests' visitor: it records everything, and checks the rules that hold in any mode.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Meta, Needs, Order, Parallel,
    Pause, Select, Shape, Stats, Visitor, Walk,
};

pub const DEPTH: Order = Order::Depth(Shape::Pre);
pub const SORTED: Order = Order::Sorted(Shape::Pre);
pub const ORDERS: [Order; 4] = [Order::Unordered, DEPTH, Order::Breadth, SORTED];

/// The order with directories after their contents; `None` where that is not defined.
pub fn post(order: Order) -> Option<Order> {
    match order {
        Order::Depth(_) => Some(Order::Depth(Shape::Post)),
        Order::Sorted(_) => Some(Order::Sorted(Shape::Post)),
        Order::Unordered | Order::Breadth => None,
    }
}

/// How a walk is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Serial,
    Threads(usize),
    Adaptive,
    Iter,
    ParallelIter,
}

pub const MODES: [Mode; 6] = [
    Mode::Serial,
    Mode::Threads(2),
    Mode::Threads(8),
    Mode::Adaptive,
    Mode::Iter,
    Mode::ParallelIter,
];

impl Mode {
    /// Whether entries may come from several threads.
    pub fn is_parallel(self) -> bool {
        !matches!(self, Mode::Serial | Mode::Iter)
    }

    pub fn is_iterator(self) -> bool {
        matches!(self, Mode::Iter | Mode::ParallelIter)
    }
}

/// How the visitor treats entries, by their last component.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Select::Drop.
    pub dropped: &'static [&'static str],
    /// Select::Enter.
    pub only_entered: &'static [&'static str],
    /// Entry::prune.
    pub pruned: &'static [&'static str],
    /// Enter::Prune.
    pub refused: &'static [&'static str],
    /// Flow::Stop once this many entries were delivered.
    pub stop_after: Option<usize>,
    /// The fields of Select::Take.
    pub fields: Fields,
    /// Whether the calling thread lingers, so that even a small tree gets several workers.
    pub lingers: bool,
}

impl Rules {
    /// Every entry is delivered; no metadata, no lingering. The default, for constants.
    pub const NONE: Rules = Rules {
        dropped: &[],
        only_entered: &[],
        pruned: &[],
        refused: &[],
        stop_after: None,
        fields: Fields::empty(),
        lingers: false,
    };
}

impl Rules {
    /// Whether an iterator, which takes every entry, does the same.
    pub fn is_plain(&self) -> bool {
        let lists = [self.dropped, self.only_entered, self.pruned, self.refused];
        lists.iter().all(|list| list.is_empty()) && self.stop_after.is_none()
    }
}

/// An entry as it was delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub path: PathBuf,
    pub file_type: FileType,
    pub depth: usize,
    pub meta: Option<Box<MetaView>>,
}

/// The fields that tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaView {
    pub filled: Fields,
    pub size: Option<u64>,
    pub mtime: Option<(i64, u32)>,
    pub identity: Option<(u64, u64)>,
}

impl MetaView {
    fn of(meta: &Meta) -> Box<MetaView> {
        let mtime = meta.mtime().map(|time| (time.secs, time.nanos));
        let identity = meta.dev().zip(meta.ino());
        Box::new(MetaView { filled: meta.filled(), size: meta.size(), mtime, identity })
    }
}

impl Found {
    /// The path with the type's sign at its end, as cases spell it: `dir/`, `link@`, `pipe|`.
    pub fn sign(&self) -> String {
        let path = self.path.to_string_lossy();
        let path = path.trim_end_matches('/');
        match self.file_type {
            FileType::File => path.to_owned(),
            FileType::Directory => format!("{path}/"),
            FileType::Symlink => format!("{path}@"),
            FileType::Fifo => format!("{path}|"),
            FileType::Unknown => format!("{path}?"),
            _ => format!("{path}!"),
        }
    }
}

/// What a walk did.
#[derive(Debug, Default)]
pub struct Outcome {
    pub found: Vec<Found>,
    /// Operation and path of each error, sorted.
    pub errors: Vec<String>,
    /// Breaches of the visitor's contract.
    pub wrong: Vec<String>,
    /// Outcome and path of each directory that was not left complete, sorted. A visitor's alone.
    pub unfinished: Vec<String>,
    pub stats: Option<Stats>,
}

impl Outcome {
    pub fn signs(&self) -> Vec<String> {
        self.found.iter().map(Found::sign).collect()
    }

    pub fn sorted_signs(&self) -> Vec<String> {
        let mut signs = self.signs();
        signs.sort();
        signs
    }

    /// Whether a visitor saw the walk: an iterator does not leave directories.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "Linux's tests count calls"))]
    pub fn is_visitors(&self) -> bool {
        self.stats.is_some()
    }

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "Linux's tests count calls"))]
    pub fn stats(&self) -> Stats {
        self.stats.expect("a visitor's walk")
    }
}

#[derive(Default)]
struct Log {
    found: Mutex<Vec<Found>>,
    errors: Mutex<Vec<String>>,
    wrong: Mutex<Vec<String>>,
    unfinished: Mutex<Vec<String>>,
    entered: AtomicUsize,
    left: AtomicUsize,
    forks: AtomicUsize,
    stopped: AtomicBool,
}

fn push<T>(list: &Mutex<Vec<T>>, value: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(value);
}

fn take<T>(list: &Mutex<Vec<T>>) -> Vec<T> {
    std::mem::take(&mut *list.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A directory between enter and leave.
#[derive(Default)]
pub struct Place {
    path: PathBuf,
    /// Directories below it that were entered and not left.
    open: AtomicUsize,
    left: AtomicBool,
}

impl Place {
    fn new(path: PathBuf) -> Place {
        Place { path, open: AtomicUsize::new(0), left: AtomicBool::new(false) }
    }
}

/// How often the calling thread lingers. A worker's first samples take 0.4 ms and 2 ms, and other
/// workers are started only after a sample.
const LINGERS: usize = 6;
const LINGER: Duration = Duration::from_micros(2200);

pub struct Recorder {
    rules: Rules,
    log: Arc<Log>,
    lingers: usize,
    merged: usize,
}

/// Waits; the workspace has no sleep.
pub fn linger(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    let _ = receiver.recv_timeout(time);
}

impl Recorder {
    fn new(rules: Rules) -> Recorder {
        let lingers = if rules.lingers { LINGERS } else { 0 };
        Recorder { rules, log: Arc::default(), lingers, merged: 0 }
    }

    fn wrong(&self, what: impl Into<String>) {
        push(&self.log.wrong, what.into());
    }

    fn check_path(&self, dir: &Directory<'_>, place: &Place) {
        if dir.path() != place.path {
            self.wrong(format!("{:?} is not {:?}", dir.path(), place.path));
        }
    }
}

fn is_listed(list: &[&str], entry: &Entry<'_>) -> bool {
    let name = entry.name();
    let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    list.iter().any(|listed| listed.as_bytes() == name)
}

impl Visitor for Recorder {
    type State = Place;

    fn top(&self) -> Place {
        if self.rules.lingers {
            linger(Duration::from_micros(500));
        }
        Place::new(PathBuf::new())
    }

    fn needs(&self) -> Needs {
        Needs { leave: true, ..Needs::fields(self.rules.fields) }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Place) -> Enter<Place> {
        if is_listed(self.rules.refused, entry) {
            return Enter::Prune;
        }
        if parent.left.load(Ordering::SeqCst) {
            self.wrong(format!("entered {:?} after its parent was left", entry.path()));
        }
        if !entry.file_type().is_dir() {
            self.wrong(format!("entered {:?}, which is not a directory", entry.path()));
        }
        self.log.entered.fetch_add(1, Ordering::SeqCst);
        parent.open.fetch_add(1, Ordering::SeqCst);
        // Without a separator at the end.
        let path = entry.path();
        let path = match path.to_str().and_then(|path| path.strip_suffix('/')) {
            Some(rest) if !rest.is_empty() => PathBuf::from(rest),
            _ => path,
        };
        Enter::Read(Place::new(path))
    }

    fn select(&mut self, _: &Place, entry: &Entry<'_>) -> Select {
        if is_listed(self.rules.dropped, entry) {
            Select::Drop
        } else if is_listed(self.rules.only_entered, entry) {
            Select::Enter
        } else {
            Select::Take(self.rules.fields)
        }
    }

    fn entries(&mut self, _: &Directory<'_>, place: &Place, entries: &[Entry<'_>]) -> Flow {
        if place.left.load(Ordering::SeqCst) {
            self.wrong(format!("entries of {:?} after it was left", place.path));
        }
        if entries.is_empty() {
            self.wrong("a call without entries");
        }
        let mut found = self.log.found.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in entries {
            if entry.depth() > 0 && entry.directory().path() != place.path {
                self.wrong(format!("{:?} is not in {:?}", entry.path(), place.path));
            }
            if is_listed(self.rules.pruned, entry) {
                entry.prune();
            }
            found.push(Found {
                path: entry.path(),
                file_type: entry.file_type(),
                depth: entry.depth(),
                meta: entry.meta().map(MetaView::of),
            });
        }
        if self.rules.stop_after.is_some_and(|most| found.len() >= most) {
            self.log.stopped.store(true, Ordering::SeqCst);
            return Flow::Stop;
        }
        Flow::Continue
    }

    fn leave(
        &mut self,
        dir: &Directory<'_>,
        place: &Place,
        parent: &Place,
        outcome: brisk::Outcome,
    ) -> Flow {
        self.check_path(dir, place);
        if outcome != brisk::Outcome::Complete {
            push(&self.log.unfinished, format!("{outcome:?} {}", dir.path().display()));
        }
        if place.left.swap(true, Ordering::SeqCst) {
            self.wrong(format!("{:?} was left twice", place.path));
        }
        if place.open.load(Ordering::SeqCst) != 0 && !self.log.stopped.load(Ordering::SeqCst) {
            self.wrong(format!("{:?} was left before what is below it", place.path));
        }
        parent.open.fetch_sub(1, Ordering::SeqCst);
        self.log.left.fetch_add(1, Ordering::SeqCst);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        push(&self.log.errors, format!("{:?} {}", error.operation(), error.path().display()));
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        if self.lingers > 0 {
            self.lingers -= 1;
            linger(LINGER);
        }
        Flushed::default()
    }
}

impl Parallel for Recorder {
    fn fork(&self, _: usize) -> Recorder {
        self.log.forks.fetch_add(1, Ordering::SeqCst);
        Recorder { rules: self.rules, log: Arc::clone(&self.log), lingers: 0, merged: 0 }
    }

    fn merge(&mut self, other: Recorder) {
        self.merged += 1 + other.merged;
    }
}

fn visited(rules: Rules, run: impl FnOnce(Recorder) -> (Recorder, Stats)) -> Outcome {
    let (recorder, stats) = run(Recorder::new(rules));
    let forks = recorder.log.forks.load(Ordering::SeqCst);
    // A thread that the system refuses has cost a fork all the same.
    if recorder.merged != forks || forks + 1 < stats.peak_workers {
        recorder.wrong(format!("{forks} forks, {} merged, {stats}", recorder.merged));
    }
    let log = &*recorder.log;
    let found = take(&log.found);
    let mut errors = take(&log.errors);
    errors.sort();
    let mut wrong = take(&log.wrong);
    let mut unfinished = take(&log.unfinished);
    unfinished.sort();
    let stopped = log.stopped.load(Ordering::SeqCst);
    let entered = log.entered.load(Ordering::SeqCst);
    let left = log.left.load(Ordering::SeqCst);
    if entered != left && !stopped {
        wrong.push(format!("entered {entered} directories, left {left}"));
    }
    if stats.taken != found.len() as u64 || stats.errors != errors.len() as u64 {
        wrong.push(format!("{stats:?} for {} and {}", found.len(), errors.len()));
    }
    Outcome { found, errors, wrong, unfinished, stats: Some(stats) }
}

fn iterated(walk: impl Iterator<Item = Result<brisk::DirEntry, Error>>) -> Outcome {
    let mut outcome = Outcome::default();
    for result in walk {
        match result {
            Ok(entry) => outcome.found.push(Found {
                path: entry.path().to_owned(),
                file_type: entry.file_type(),
                depth: entry.depth(),
                meta: entry.meta().map(MetaView::of),
            }),
            Err(error) => {
                let error = format!("{:?} {}", error.operation(), error.path().display());
                outcome.errors.push(error);
            }
        }
    }
    outcome.errors.sort();
    outcome
}

/// Runs a walk in a mode.
pub fn run(walk: Walk, mode: Mode, rules: Rules) -> Outcome {
    match mode {
        Mode::Serial => visited(Rules { lingers: false, ..rules }, |recorder| walk.visit(recorder)),
        Mode::Threads(count) => {
            let walk = walk.threads(NonZeroUsize::new(count));
            visited(rules, |recorder| walk.visit_parallel(recorder))
        }
        Mode::Adaptive => visited(rules, |recorder| walk.visit_parallel(recorder)),
        Mode::Iter => iterated(walk.iter_with(rules.fields)),
        Mode::ParallelIter => iterated(walk.par_iter(rules.fields)),
    }
}

/// Runs work that must end: a walk that hangs is a failed test, not a test that never ends.
pub fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = sync_channel(1);
    let thread = Builder::new()
        .name(what.to_owned())
        .spawn(move || {
            let _ = sender.send(work());
        })
        .expect("a thread");
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("{what}: hangs"),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().expect_err("it panicked"))
        }
    }
}
