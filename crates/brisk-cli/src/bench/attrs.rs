//! `brisk bench attrs`: name, type, size and time of each entry of one directory, asked for in
//! every way that the system has; brisk's own way is among them. Ways that bring the same fields
//! must have seen the same entries.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use brisk::{Directory, Entry, Error, Fields, FileType, Flow, Parallel, Select, Visitor, Walk};
use brisk_cli_sys::survey::{Row, techniques};
use brisk_sys::Timestamp;

use super::duel::{ROUNDS, contenders, verdict};
use super::machine::{self, Machine};
use super::options::Options;
use super::programs::go_on;
use super::report::{Line, Report};
use super::timing::Times;

const WHOLE: &str = "Name, type, size and time";
const NAMES: &str = "Name and type alone: what not asking costs";

/// How long all runs of one method may take, once the method has run twice. Some methods are a
/// thousand times slower than others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks about a directory's entries, and returns how many system calls were made.
type Ask = Box<dyn Fn(&Path, &mut Tally) -> io::Result<u64>>;

/// One entry: name, type, size, time.
type Known = (Vec<u8>, FileType, u64, Timestamp);

/// A way of asking: its name, whether it brings all four fields, and how to run it.
struct Method {
    name: String,
    is_whole: bool,
    ask: Ask,
}

/// What a method saw, whatever the order of the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    entries: u64,
    bytes: u64,
    /// Sum of the entries' hashes.
    hash: u64,
    /// The entries one by one, where a report of differences needs them.
    rows: Option<Vec<Known>>,
}

impl Tally {
    fn take(&mut self, row: Row<'_>) {
        // The size of a directory depends on the file system, and Windows reports none.
        let size = if row.file_type.is_dir() { 0 } else { row.size };
        let mut hasher = DefaultHasher::new();
        (row.name, row.file_type, size, row.mtime.secs, row.mtime.nanos).hash(&mut hasher);
        self.entries += 1;
        self.bytes += size;
        self.hash = self.hash.wrapping_add(hasher.finish());
        if let Some(rows) = &mut self.rows {
            rows.push((row.name.to_vec(), row.file_type, size, row.mtime));
        }
    }
}

/// Measures, and compares what was seen.
///
/// # Errors
/// A directory that brisk itself cannot read.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let methods = methods();
    let mut lines: Vec<Line> = methods.iter().map(line).collect();
    let mut notes = Vec::from_iter(busy());
    let drops = options.drop_caches && machine::drop_caches();
    if !drops {
        notes.push("caches were not dropped: the first runs may be warm".to_owned());
    }
    let seen = run_all(options, drops, &methods, &mut lines)?;
    for best in contenders(&lines) {
        let best: Vec<&Method> = best.into_iter().map(|at| &methods[at]).collect();
        notes.extend(duel(dir, &best, options.runs * ROUNDS)?);
    }
    let own = methods.len() - 1;
    let Some(mine) = seen[own].clone() else {
        let why = lines[own].failure.clone().unwrap_or_default();
        return Err(format!("cannot read '{}': {why}", dir.display()));
    };
    let disagreements = (0..own)
        .filter(|at| methods[*at].is_whole)
        .filter_map(|at| difference(dir, &methods[at], &methods[own], seen[at].as_ref()?, &mine))
        .collect();
    notes.extend(lines.iter().filter_map(|line| fewer_runs(line, options.runs)));
    Ok(Report {
        title: format!("brisk bench attrs {}: {} entries", dir.display(), mine.entries),
        machine: Machine::here(dir),
        entries: mine.entries,
        lines,
        disagreements,
        notes,
    })
}

/// Runs all methods, interleaved: what disturbs the machine disturbs all of them alike. Returns
/// what each saw.
fn run_all(
    options: &Options,
    drops: bool,
    methods: &[Method],
    lines: &mut [Line],
) -> Result<Vec<Option<Tally>>, String> {
    let mut seen: Vec<Option<Tally>> = vec![None; methods.len()];
    for run in 0..=options.runs {
        for at in turns(run, methods.len()) {
            if has_shown_enough(&lines[at].times) {
                continue;
            }
            if run == 0 && drops {
                machine::drop_caches();
            }
            go_on()?;
            seen[at] = run_once(&options.dir, &methods[at], &mut lines[at]).or(seen[at].take());
        }
    }
    Ok(seen)
}

/// Runs a method, unless it failed before. Returns what the method saw.
fn run_once(dir: &Path, method: &Method, line: &mut Line) -> Option<Tally> {
    if line.failure.is_some() {
        return None;
    }
    let mut tally = Tally::default();
    let began = Instant::now();
    let asked = (method.ask)(dir, &mut tally);
    let time = began.elapsed();
    match asked {
        Ok(calls) => {
            line.times.push(time);
            line.calls = Some(calls);
            return Some(tally);
        }
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            line.failure = Some("not on this system".to_owned());
        }
        Err(error) => line.failure = Some(error.to_string()),
    }
    None
}

/// brisk's method, which is the first, and the best others in turns.
fn duel(dir: &Path, methods: &[&Method], runs: usize) -> Result<Option<String>, String> {
    let mut lines: Vec<Line> = methods.iter().map(|method| line(method)).collect();
    let began = Instant::now();
    for run in 0..=runs {
        // After at least one more run of each.
        if run > 1 && began.elapsed() > PATIENCE {
            break;
        }
        for at in turns(run, methods.len()) {
            go_on()?;
            run_once(dir, methods[at], &mut lines[at]);
        }
    }
    Ok(verdict(&lines, "way"))
}

/// The order of the methods in a round. Each round has another order, because a method is slowed by
/// what its predecessor left in the processor's caches, and gains from the processor's rest after a
/// slow one.
fn turns(run: usize, methods: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..methods).collect();
    order.sort_by_cached_key(|at| {
        let mut hasher = DefaultHasher::new();
        (run, at).hash(&mut hasher);
        hasher.finish()
    });
    order
}

/// Whether a method has run at least twice, and for so long that more runs would add little for the
/// time they take.
fn has_shown_enough(times: &Times) -> bool {
    !times.again.is_empty() && times.first.iter().chain(&times.again).sum::<Duration>() > PATIENCE
}

/// The note on a method that ran less often than the others.
fn fewer_runs(line: &Line, runs: usize) -> Option<String> {
    let had = line.times.again.len();
    let seconds = PATIENCE.as_secs();
    (line.failure.is_none() && had < runs)
        .then(|| format!("{}: {had} of {runs} runs, which took more than {seconds} s", line.name))
}

/// A warning if other programs want the processors too. Called before the measurement, which wants
/// the processors itself.
pub(crate) fn busy() -> Option<String> {
    let load = machine::load().filter(|load| *load > 0.5)?;
    Some(format!("the machine is busy: {load:.1} threads a core want to run; times may mislead"))
}

fn line(method: &Method) -> Line {
    Line {
        name: method.name.clone(),
        group: if method.is_whole { WHOLE } else { NAMES },
        times: Times::default(),
        calls: None,
        usage: None,
        failure: None,
    }
}

/// All methods; brisk's own is the last.
fn methods() -> Vec<Method> {
    let mut methods: Vec<Method> = techniques()
        .map(|technique| Method {
            name: technique.name.to_owned(),
            is_whole: technique.is_whole,
            ask: Box::new(|dir, tally| (technique.run)(dir, &mut |row| tally.take(row))),
        })
        .collect();
    let fields = Fields::SIZE | Fields::MTIME;
    methods.push(Method {
        name: "brisk, names and types".to_owned(),
        is_whole: false,
        ask: Box::new(|dir, tally| own(dir, Fields::empty(), tally)),
    });
    methods.push(Method {
        name: "brisk".to_owned(),
        is_whole: true,
        ask: Box::new(move |dir, tally| own(dir, fields, tally)),
    });
    methods
}

/// brisk's engine on one directory.
fn own(dir: &Path, fields: Fields, tally: &mut Tally) -> io::Result<u64> {
    let collects = tally.rows.is_some();
    let lister = Lister { fields, tally: empty(collects), failure: None };
    let (lister, stats) = Walk::new(dir).max_depth(1).min_depth(1).visit_parallel(lister);
    *tally = lister.tally;
    match lister.failure {
        Some(error) => Err(io::Error::other(error.to_string())),
        // Each directory that was opened was also closed.
        None => Ok(stats.calls.total() + stats.calls.open),
    }
}

fn empty(collects: bool) -> Tally {
    Tally { rows: collects.then(Vec::new), ..Tally::default() }
}

struct Lister {
    fields: Fields,
    tally: Tally,
    failure: Option<Error>,
}

impl Visitor for Lister {
    type State = ();

    fn select(&mut self, _: &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, _: &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let meta = entry.meta();
            self.tally.take(Row {
                name: entry.name(),
                file_type: entry.file_type(),
                size: meta.and_then(brisk::Meta::size).unwrap_or_default(),
                mtime: meta.and_then(brisk::Meta::mtime).unwrap_or_default(),
            });
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.failure.get_or_insert(error);
        Flow::Continue
    }
}

impl Parallel for Lister {
    fn fork(&self, _: usize) -> Self {
        let tally = empty(self.tally.rows.is_some());
        Lister { fields: self.fields, tally, failure: None }
    }

    fn merge(&mut self, other: Self) {
        self.tally.entries += other.tally.entries;
        self.tally.bytes += other.tally.bytes;
        self.tally.hash = self.tally.hash.wrapping_add(other.tally.hash);
        if let (Some(rows), Some(more)) = (&mut self.tally.rows, other.tally.rows) {
            rows.extend(more);
        }
        self.failure = self.failure.take().or(other.failure);
    }
}

/// How two methods saw the directory differently.
fn difference(
    dir: &Path,
    method: &Method,
    own: &Method,
    seen: &Tally,
    mine: &Tally,
) -> Option<String> {
    if seen == mine {
        return None;
    }
    let rows = |method: &Method| {
        let mut tally = empty(true);
        (method.ask)(dir, &mut tally).ok()?;
        let mut rows = tally.rows?;
        rows.sort_unstable();
        Some(rows)
    };
    let (theirs, ours) = (rows(method)?, rows(own)?);
    let other = theirs.iter().find(|row| ours.binary_search(row).is_err());
    let missing = ours.iter().find(|row| theirs.binary_search(row).is_err());
    let shown = |row: Option<&Known>| {
        row.map_or("nothing".to_owned(), |(name, kind, size, time)| {
            let name = String::from_utf8_lossy(name).into_owned();
            format!("'{name}' ({kind:?}, {size} bytes, {}.{:09})", time.secs, time.nanos)
        })
    };
    Some(format!(
        "{} saw {} entries of {} bytes, {}; brisk {} of {}, {}",
        method.name,
        seen.entries,
        seen.bytes,
        shown(other),
        mine.entries,
        mine.bytes,
        shown(missing)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_turn_in_each_round_and_other_neighbours() {
        let rounds: Vec<Vec<usize>> = (0..10).map(|run| turns(run, 9)).collect();
        let mut before = [[false; 9]; 9];
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, Vec::from_iter(0..9));
            round.windows(2).for_each(|pair| before[pair[1]][pair[0]] = true);
        }
        for (at, before) in before.iter().enumerate() {
            let others = before.iter().filter(|other| **other).count();
            assert!(others >= 4, "{at} follows {others} others in {rounds:?}");
        }
    }

    #[test]
    fn a_slow_method_runs_twice() {
        let times = |seconds: &[u64]| {
            let mut times = Times::default();
            seconds.iter().for_each(|seconds| times.push(Duration::from_secs(*seconds)));
            times
        };
        assert!(!has_shown_enough(&times(&[])) && !has_shown_enough(&times(&[60])));
        assert!(has_shown_enough(&times(&[60, 1])) && has_shown_enough(&times(&[0, 3, 3])));
        assert!(!has_shown_enough(&times(&[0, 1, 1, 1])));
    }
}
