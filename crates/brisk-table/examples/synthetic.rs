//! Scans a tree that does not exist with the real journal: how many units and how much journal a
//! tree of a billion entries takes, the coordinator's memory, and how long the workers would take
//! if each request took a millisecond. docs/scale.md has its results.
//!
//! Each directory down to LEVELS has FANOUT directories and FILES files, so a formula says how many
//! entries are below each, and nothing is stored.
//!
//! ```text
//! cargo run --release -p brisk-table --example synthetic -- OUT LEVELS FANOUT FILES WORKERS [breadth]
//! ```
//!
//! A unit reads depth first, as the engine does by and large: what was found last is read first, and
//! few directories are left. With `breadth` as many as possible are left: the worst case.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use brisk_table::dataset::{
    Description, Journal, Limits, Name, Seal, Unit, UnitDir, UnitOutcome, journal_of,
};

/// What a directory costs: lookup, open, and two reads.
const REQUESTS_PER_DIRECTORY: u64 = 4;
/// How many requests a worker has in flight, each of which takes a millisecond.
const REQUESTS_IN_FLIGHT: u64 = 64;
/// Starting the program, and syncing its part.
const START_MS: u64 = 50;
/// The largest and the smallest budget, as in briskfs.distributed.
const BUDGET_MS: u64 = 30_000;
const SHORT_BUDGET_MS: u64 = 1_000;

struct Tree {
    fanout: u64,
    files: u64,
    is_breadth_first: bool,
    /// How many directories there are in a directory of each level and below it, with itself.
    directories: Vec<u64>,
}

/// What a worker has done in a unit.
struct Done {
    outcome: UnitOutcome,
    ms: u64,
}

impl Tree {
    fn new(levels: usize, fanout: u64, files: u64, is_breadth_first: bool) -> Tree {
        let mut directories = vec![1];
        for _ in 0..levels {
            let below = directories[directories.len() - 1];
            directories.push(1 + fanout * below);
        }
        directories.reverse();
        Tree { fanout, files, is_breadth_first, directories }
    }

    fn entries(&self) -> u64 {
        self.directories[0] * (1 + self.files)
    }

    /// Runs a unit.
    fn run(&self, unit: &Unit, budget_ms: u64) -> Done {
        let budget = budget_ms * REQUESTS_IN_FLIGHT / REQUESTS_PER_DIRECTORY;
        let mut rows = 0;
        let mut waiting = VecDeque::from(unit.directories.clone());
        if waiting.is_empty() {
            waiting.push_back(UnitDir::default());
            rows = 1;
        }
        let mut read = 0;
        while read < budget {
            let next = if self.is_breadth_first { waiting.pop_front() } else { waiting.pop_back() };
            let Some(place) = next else { break };
            let below = &place.below.0;
            let level = below.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).count();
            let whole = self.directories[level];
            if read + whole <= budget && !(self.is_breadth_first && whole > 1) {
                read += whole;
                rows += whole * (1 + self.files) - 1;
            } else {
                read += 1;
                rows += self.fanout + self.files;
                waiting.extend((0..self.fanout).map(|number| child(&place, number)));
            }
        }
        let ms = START_MS + read * REQUESTS_PER_DIRECTORY / REQUESTS_IN_FLIGHT;
        let outcome = UnitOutcome {
            version: unit.version,
            unit: unit.id.clone(),
            part: None,
            rows,
            seal: Seal::default(),
            errors: Vec::new(),
            unvisited: waiting.into(),
            volumes: Vec::new(),
            seconds: ms as f64 / 1e3,
        };
        Done { outcome, ms }
    }
}

fn child(place: &UnitDir, number: u64) -> UnitDir {
    let mut below = place.below.0.clone();
    if !below.is_empty() {
        below.push(b'/');
    }
    below.extend(format!("dir-{number:03}").bytes());
    UnitDir { below: Name(below), ..*place }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [out, levels, fanout, files, workers, order @ ..] = words.as_slice() else {
        return Err("arguments: OUT LEVELS FANOUT FILES WORKERS [breadth]".into());
    };
    let tree = Tree::new(levels.parse()?, fanout.parse()?, files.parse()?, !order.is_empty());
    let workers: usize = workers.parse()?;
    let root = Name(b"/synthetic".to_vec());
    let what = Description {
        roots: vec![root.clone()],
        absolute_roots: vec![root],
        options: Vec::new(),
        began: "2026-01-01T00:00:00Z".to_owned(),
        split: 8 * workers,
        ..Description::default()
    };
    let began = Instant::now();
    let mut journal = Journal::open(Path::new(out), what)?;
    // When each unit will be done, with its budget. It is run when it is done: until then its
    // outcome would be in a worker's memory.
    let mut running = BinaryHeap::new();
    let mut units = HashMap::new();
    // What the workers' clock shows.
    let mut now = 0;
    let mut largest = 0;
    loop {
        while running.len() < workers {
            let is_scarce = journal.pending() < workers;
            let Some(unit) = journal.next_unit(Limits::default())? else { break };
            let budget = if is_scarce { 0 } else { (now / 10).min(BUDGET_MS) };
            let budget = budget.max(SHORT_BUDGET_MS);
            running.push(Reverse((now + tree.run(&unit, budget).ms, unit.id.clone())));
            units.insert(unit.id.clone(), (unit, budget));
        }
        let Some(Reverse((end, id))) = running.pop() else { break };
        now = end;
        let (unit, budget) = units.remove(&id).ok_or("a unit was handed out twice")?;
        let outcome = tree.run(&unit, budget).outcome.to_json();
        largest = largest.max(outcome.len());
        journal.record(UnitOutcome::from_json(&outcome)?)?;
    }
    let totals = journal.finish()?;
    let bytes = std::fs::metadata(journal_of(Path::new(out))?)?.len();
    let directories = tree.directories[0];
    let ideal = directories * REQUESTS_PER_DIRECTORY / REQUESTS_IN_FLIGHT / workers as u64;
    println!("{} entries, {directories} directories: {} rows", tree.entries(), totals.rows);
    println!("{} units, {bytes} bytes of journal, the largest outcome {largest}", totals.units);
    println!("coordinator: {:.1} s, peak {} KiB", began.elapsed().as_secs_f64(), peak_kib()?);
    println!("{workers} workers: {} s, without any loss {} s", now / 1000, ideal / 1000);
    if totals.rows == tree.entries() { Ok(()) } else { Err("the rows are not the tree's".into()) }
}

/// The most memory that this process has had. The units that run are in it as well.
fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
