//! The load: each kind of request, made by 1, 4, 16 and 64 threads, each of which waits for the answer
//! before its next request.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::sync::RwLock;
use std::thread;
use std::time::{Duration, Instant};

use brisk::unstable::most_requests;
use brisk_cli_sys::signals;
use brisk_sys::threads;

use crate::front::messages::cause;
use crate::system::Making;

/// How many requests are in flight.
pub(super) const IN_FLIGHT: [usize; 4] = [1, 4, 16, 64];

/// How many renames are in flight in one directory: enough to see whether they wait for each other.
pub(super) const IN_ONE_DIRECTORY: usize = 16;

/// How long requests of one kind are made; each thread makes at least one.
const PATIENCE: Duration = Duration::from_millis(250);

/// How many requests of one kind are made at most.
const MOST: usize = 2000;

/// Files in a directory that is listed. On slow storage there is no time to make all of them, which
/// changes little there: a few files and fifty take the same requests.
pub(super) const LISTED: usize = 50;

/// What is in a file that is made.
const CONTENT: [u8; 1024] = [b'b'; 1024];

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Create,
    Open,
    Read,
    Stat,
    Absent,
    List,
    Rename,
    Unlink,
}

/// All of them, in the order in which they are made: the first makes files, the last removes them.
pub(super) const OPS: [(Op, &str); 8] = [
    (Op::Create, "create"),
    (Op::Open, "open, close"),
    (Op::Read, "open, read, close"),
    (Op::Stat, "stat"),
    (Op::Absent, "stat, absent"),
    (Op::List, "list"),
    (Op::Rename, "rename"),
    (Op::Unlink, "unlink"),
];

/// How long requests of one kind took, and how many were answered in a second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    pub(super) rate: f64,
}

/// Everything that was measured in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    /// Each kind with the number of requests in flight. Numbers for which there was no time are
    /// missing.
    pub(super) cells: Vec<(Op, usize, Cell)>,
    /// [`IN_ONE_DIRECTORY`] renames.
    pub(super) together: Option<Cell>,
    /// The median of a stat of a file whose directory was not listed, and of one whose directory was.
    pub(super) around_listing: Option<(Duration, Duration)>,
}

impl Figures {
    pub(super) fn cell(&self, op: Op, in_flight: usize) -> Option<Cell> {
        let found = self.cells.iter().find(|cell| (cell.0, cell.1) == (op, in_flight));
        found.map(|cell| cell.2)
    }
}

/// A thread with files of its own.
struct Worker {
    dir: Making,
    id: usize,
    /// Whether each file has its other name.
    moved: Vec<bool>,
}

impl Worker {
    fn new(root: &Making, id: usize, name: &str) -> io::Result<Worker> {
        root.directory(name.as_ref())?;
        Ok(Worker { dir: root.below(name.as_ref())?, id, moved: Vec::new() })
    }

    fn name(&self, file: usize, is_moved: bool) -> OsString {
        format!("{}{}-{file}", if is_moved { 'g' } else { 'f' }, self.id).into()
    }

    /// Makes a request; `turn` counts those of this kind. Returns whether there was one to make.
    fn request(&mut self, op: Op, turn: usize, list: &Making) -> io::Result<bool> {
        let files = self.moved.len();
        if files == 0 && !matches!(op, Op::Create | Op::Absent | Op::List) {
            return Ok(false);
        }
        let file = turn % files.max(1);
        let name = |worker: &Worker| worker.name(file, worker.moved[file]);
        match op {
            Op::Create => {
                let mut made = self.dir.file(&self.name(files, false))?;
                made.write_all(&CONTENT)?;
                self.moved.push(false);
            }
            Op::Open => drop(self.dir.reader(&name(self))?),
            Op::Read => _ = self.dir.reader(&name(self))?.read_to_end(&mut Vec::new())?,
            Op::Stat => self.dir.stat(&name(self))?,
            // A name that was never asked about, because a client remembers what is absent.
            Op::Absent => drop(self.dir.stat(format!("absent-{}-{turn}", self.id).as_ref())),
            Op::List => _ = list.list("listed".as_ref())?,
            Op::Rename => {
                self.dir.rename(&name(self), &self.name(file, !self.moved[file]))?;
                self.moved[file] ^= true;
            }
            Op::Unlink => {
                let last = files - 1;
                self.dir.remove(&self.name(last, self.moved[last]))?;
                self.moved.pop();
            }
        }
        Ok(true)
    }

    /// Makes up to `most` requests; returns how long each took.
    fn requests(&mut self, op: Op, most: usize, list: &Making) -> io::Result<Vec<Duration>> {
        let began = Instant::now();
        let mut times = Vec::new();
        for turn in 0..most {
            let at = Instant::now();
            if turn > 0 && (at - began > PATIENCE || signals::interrupted()) {
                break;
            }
            if !self.request(op, turn, list)? {
                break;
            }
            times.push(at.elapsed());
        }
        Ok(times)
    }
}

/// Measures in an empty directory. Before each part, `goes_on` gets the number of parts before it and
/// of all parts, and says whether there is time for more requests in flight.
///
/// # Errors
/// A request failed.
pub(super) fn measure(
    root: &Making,
    mut goes_on: impl FnMut(usize, usize) -> bool,
) -> io::Result<Figures> {
    let parts = OPS.len() * IN_FLIGHT.len() + 2;
    let unlisted = filled(root, "unlisted")?;
    let listed_later = filled(root, "listed-later")?;
    filled(root, "listed")?;
    let mut figures = Figures::default();
    for (round, in_flight) in IN_FLIGHT.into_iter().enumerate() {
        if in_flight > most_requests() || !goes_on(round * OPS.len(), parts) {
            return Ok(figures);
        }
        let worker = |id| Worker::new(root, id, &format!("worker-{in_flight}-{id}"));
        let mut workers = (0..in_flight).map(worker).collect::<io::Result<Vec<_>>>()?;
        for (at, (op, _)) in OPS.into_iter().enumerate() {
            goes_on(round * OPS.len() + at, parts);
            figures.cells.push((op, in_flight, cell(op, &mut workers, root)?));
        }
    }
    if goes_on(parts - 2, parts) {
        figures.together = Some(renames_together(root)?);
    }
    if goes_on(parts - 1, parts) {
        figures.around_listing = Some(around_listing(unlisted, listed_later, root)?);
    }
    Ok(figures)
}

/// A directory of files.
fn filled(root: &Making, name: &str) -> io::Result<Worker> {
    let mut worker = Worker::new(root, 0, name)?;
    worker.requests(Op::Create, LISTED, root)?;
    Ok(worker)
}

/// One kind of request by all workers at once.
fn cell(op: Op, workers: &mut [Worker], root: &Making) -> io::Result<Cell> {
    let count = workers.len();
    let most = (MOST / count).max(4);
    // The threads begin together, and not before all of them have started.
    let gate = RwLock::new(());
    let work = |worker: &mut Worker| {
        drop(gate.read());
        let began = Instant::now();
        let times = worker.requests(op, most, root);
        Ok::<_, io::Error>((times?, began, Instant::now()))
    };
    let ended = thread::scope(|scope| {
        let closed = gate.write();
        let start = |it| {
            let builder = threads::one_of(count).ok_or(io::ErrorKind::OutOfMemory)?;
            builder.spawn_scoped(scope, move || work(it))
        };
        let threads = workers.iter_mut().map(start).collect::<io::Result<Vec<_>>>();
        drop(closed);
        let threads = threads.map_err(|error| no_threads(count, &error))?;
        let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("BUG: no panic");
        threads.into_iter().map(join).collect::<io::Result<Vec<_>>>()
    })?;
    let began = ended.iter().map(|it| it.1).min().expect("BUG: one worker at least");
    let until = ended.iter().map(|it| it.2).max().expect("BUG: one worker at least");
    let times: Vec<Duration> = ended.into_iter().flat_map(|it| it.0).collect();
    Ok(summed_up(times, until - began))
}

fn no_threads(count: usize, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start {count} threads: {}", cause(error)))
}

fn summed_up(mut times: Vec<Duration>, wall: Duration) -> Cell {
    times.sort_unstable();
    let at = |hundredths: usize| times.get(times.len() * hundredths / 100).copied();
    Cell {
        p50: at(50).unwrap_or_default(),
        p99: at(99).unwrap_or_default(),
        rate: times.len() as f64 / wall.as_secs_f64().max(1e-9),
    }
}

/// Renames by many workers whose files are in one directory.
fn renames_together(root: &Making) -> io::Result<Cell> {
    root.directory("together".as_ref())?;
    let worker = |id| Ok(Worker { dir: root.below("together".as_ref())?, id, moved: Vec::new() });
    let mut workers = (0..IN_ONE_DIRECTORY).map(worker).collect::<io::Result<Vec<Worker>>>()?;
    for worker in &mut workers {
        worker.requests(Op::Create, 2, root)?;
    }
    cell(Op::Rename, &mut workers, root)
}

/// Stats of files whose directory was not listed, and of files whose directory was. The files were
/// made before everything else, so that a client has forgotten what it learned when they were made.
fn around_listing(
    mut unlisted: Worker,
    mut listed: Worker,
    root: &Making,
) -> io::Result<(Duration, Duration)> {
    let stats = |worker: &mut Worker| {
        let files = worker.moved.len();
        Ok::<_, io::Error>(summed_up(worker.requests(Op::Stat, files, root)?, PATIENCE).p50)
    };
    let before = stats(&mut unlisted)?;
    root.list("listed-later".as_ref())?;
    Ok((before, stats(&mut listed)?))
}
