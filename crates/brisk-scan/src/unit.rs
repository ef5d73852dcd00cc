//! One unit of a data set: a scan of some directories, which ends when its budget is used up, and
//! becomes a part and an outcome.

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use brisk::{Stats, Unvisited, Walk};
use brisk_cli_sys::signals;
use brisk_commands::internal::{
    Caller, Descriptor, Form, Messenger, Options, Refusal, cannot, eprint_stats, quoted, root,
    unit_options,
};
use brisk_sys::limits;
use brisk_sys::output::Output;
use brisk_sys::paths::{bytes_to_path, with_slashes};
use brisk_table::Column;
use brisk_table::dataset::{
    Fault, Name, Unit, UnitDir, UnitOutcome, VERSION, commit_part, new_part,
};
use jiff::Timestamp;

use crate::budget::Budget;
use crate::plan::{self, Plan};
use crate::run::{check_roots, metadata};
use crate::scanner::Scanner;
use crate::target::Target;

/// The message for the user.
pub(crate) fn failed(fault: Fault) -> Refusal {
    Refusal::failure(match &fault {
        Fault::Io(verb, path, error) => cannot(verb, path, error),
        fault => fault.to_string(),
    })
}

/// `brisk scan --unit`: reads a unit, does it, and prints the outcome. Returns the exit code.
///
/// # Errors
/// The unit cannot be used, or not be done.
pub(crate) fn scan(given: &Options, file: &Path) -> Result<u8, Refusal> {
    signals::notice_interrupts();
    limits::raise_open_files();
    let is_input = file == Path::new("-");
    let text = if is_input { read_line() } else { fs::read_to_string(file) };
    let text = text.map_err(|error| Refusal::failure(cannot("read", file, &error)))?;
    let unit = Unit::from_json(&text).map_err(failed)?;
    let words = &unit.options;
    let mut options = options_of(words, bytes_to_path(&unit.out.0))?;
    if unit.roots.is_empty() {
        // Who distributes units asks once whether they can have these options.
        return Ok(0);
    }
    options.paths = unit.roots.iter().map(|root| path_of(&root.0)).collect();
    let cached = options.common.cached;
    options.common = given.common.clone();
    options.common.cached |= cached;
    let report = Arc::new(Messenger::new(Caller::Brisk, options.common.progress));
    let begun = |part: &Path| if is_input { end_with_input(part) } else { Ok(()) };
    let done = run(&unit, &options, &report, begun)?;
    report.close();
    let Some((outcome, stats)) = done else {
        Caller::Brisk.complain("interrupted: nothing was written");
        return Ok(signals::exit_code());
    };
    let line = outcome.to_json() + "\n";
    let printed = Descriptor::default().write_all(line.as_bytes());
    printed.map_err(|error| Refusal::failure(cannot("write", "-", &error)))?;
    Ok(u8::from(!eprint_stats(options.common.stats, &stats)))
}

/// Reads the options of units of the data set `out`: for each of the ways to begin one.
///
/// # Errors
/// Options that units cannot have.
pub(crate) fn options_of(words: &[Name], out: &Path) -> Result<Options, Refusal> {
    let words: Vec<_> = words.iter().map(|word| path_of(&word.0).into()).collect();
    let options = unit_options(&words)?;
    let columns = plan::columns(&options, Column::defaults())?;
    if columns.iter().any(|column| Column::SUMS.contains(column)) {
        let why = "sums need the whole table: scan without them, and then use";
        let from = format!("brisk scan --from {} --sums -o FILE.parquet", quoted(out));
        return Err(Refusal::usage(format!("{why} {from}")));
    }
    options.selecting.filter(Caller::Brisk)?;
    Ok(options)
}

fn path_of(bytes: &[u8]) -> PathBuf {
    bytes_to_path(bytes).to_owned()
}

fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line)
}

/// Ends the program, and removes its file, once standard input ends: the program that has started
/// this one has died.
fn end_with_input(part: &Path) -> io::Result<()> {
    let part = part.to_owned();
    let wait = move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        let _ = fs::remove_file(part);
        std::process::exit(1);
    };
    std::thread::Builder::new().name("brisk-input".to_owned()).spawn(wait).map(drop)
}

/// Does a unit; `options` are those that it names, besides its own limits. `begun` is told the path of the unfinished part.
/// `None`: the unit was interrupted, and nothing of it counts.
///
/// # Errors
/// Options that cannot be used, a root that is missing, a part that cannot be written.
pub(crate) fn run(
    unit: &Unit,
    options: &Options,
    report: &Arc<Messenger>,
    begun: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<Option<(UnitOutcome, Stats)>, Refusal> {
    let began = Timestamp::now();
    let clock = Instant::now();
    let options = &limited(unit, options)?;
    let roots = &options.paths;
    // What is below a root that is missing would seem to be deleted.
    check_roots(roots)?;
    let out = bytes_to_path(&unit.out.0);
    let part = new_part(out).map_err(failed)?;
    let unwritten = |error| failed(Fault::Io("write", out.to_owned(), error));
    begun(part.path()).map_err(unwritten)?;
    // The scan leaves out the file that it writes: here, the whole data set.
    let target = Target::Named(Output::File(part, out.to_owned()));
    let budget = Budget::of(unit);
    let cancel = budget.cancel.clone();
    let columns = plan::columns(options, Column::defaults())?;
    let plan = Plan::new(options, columns, Form::Parquet, &target, report, Some(budget))?;
    let walk = walk(unit, options).rules(plan.rules.clone()).filter(plan.filter.clone());
    let walk = walk.cancelled_by(&cancel);
    let (scanner, stats) = walk.visit_parallel(Scanner::new(&plan));
    scanner.close();
    if signals::interrupted() && !plan.stop_at_boundary() {
        return Ok(None);
    }
    let mut outcome = UnitOutcome {
        version: VERSION,
        unit: unit.id.clone(),
        rows: plan.gathering.taken(),
        errors: plan.failures(),
        unvisited: cancel.take_unvisited().iter().map(|one| place(one, options)).collect(),
        volumes: serde_json::from_str(&plan.volumes(roots)).unwrap_or_default(),
        seconds: clock.elapsed().as_secs_f64(),
        ..UnitOutcome::default()
    };
    let metadata = metadata(roots, began, &stats, &plan);
    plan.gathering.finish(metadata).map_err(unwritten)?;
    if let Target::Named(Output::File(part, _)) = target
        && outcome.rows > 0
    {
        commit_part(part, out, unit, &mut outcome).map_err(failed)?;
    }
    Ok(Some((outcome, stats)))
}

/// The options within the unit's limits.
fn limited(unit: &Unit, options: &Options) -> Result<Options, Refusal> {
    let mut options = options.clone();
    if !unit.began.is_empty() {
        let began = unit.began.parse();
        let bad = |_| Refusal::failure(format!("{} is not a time", quoted(&unit.began)));
        options.selecting.count_ages_from(began.map_err(bad)?);
    }
    let most = unit.requests.and_then(NonZeroUsize::new);
    options.common.threads =
        options.common.threads.map(|threads| most.map_or(threads, |m| m.min(threads)));
    Ok(options)
}

fn walk(unit: &Unit, options: &Options) -> Walk {
    let roots: Vec<_> = options.paths.iter().map(|path| root(path)).collect();
    let mut walk = options.selecting.walk(&roots, &options.common);
    if let Some(requests) = unit.requests {
        walk = walk.max_in_flight(requests);
    }
    if unit.directories.is_empty() {
        return walk;
    }
    let unvisited = unit
        .directories
        .iter()
        .map(|place| Unvisited::new(&roots[place.root], bytes_to_path(&place.below.0), place.link));
    walk.resume(unvisited.collect())
}

/// A directory that was not entered, as an outcome has it.
fn place(unvisited: &Unvisited, options: &Options) -> UnitDir {
    let is_its = |path: &PathBuf| root(path) == unvisited.root();
    UnitDir {
        root: options.paths.iter().position(is_its).unwrap_or_default(),
        below: with_slashes(unvisited.below_root()).into(),
        link: unvisited.is_followed_link(),
    }
}
