//! `brisk bench storage`: how long a file system takes for each kind of request, alone and with many in
//! flight, the same in memory, and what follows from that.

mod load;
mod verdict;

use std::path::Path;
use std::time::{Duration, Instant};

use super::machine;
use super::options::Options;
use super::progress::Progress;
use super::report::{Line, Measured, Report};
use super::scratch::{Scratch, Shape};
use super::turns::go_on;
use crate::front::messages::cannot;
use crate::show::fields::limit_told;
use crate::show::quoting::typed;
use crate::system::Making;
use load::{Cell, Figures, IN_FLIGHT, OPS};

/// Where Linux has a file system in memory.
const MEMORY: &str = "/dev/shm";

/// How long a measurement may have taken before more requests are in flight: with the last ones, it
/// takes half a minute at most.
const BUDGET: Duration = Duration::from_secs(15);

/// The files of the tasks, unless --files says how many.
const FILES: u64 = 10_000;

const LEGEND: &str = "Times in milliseconds: the median (p50) and the time within which 99 of 100 \
    requests were answered (p99); `per second` are all requests together. Each thread has a directory \
    of its own, and makes the next request when the one before was answered.";

/// Measures in a directory of its own, which is removed.
///
/// # Errors
/// The directory cannot be made, a request fails, or the user interrupted.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let mut notes: Vec<String> = machine::busy().into_iter().collect();
    let (here, place) = figures_of(dir, options.scratch.as_deref())?;
    let memory = Path::new(MEMORY);
    let beside = if memory.is_dir() { figures_of(memory, Some(memory)).ok() } else { None };
    let beside = beside.map(|it| it.0);
    go_on()?;
    let files = options.files.first().map_or(FILES, |files| files.get() as u64);
    let mut lines = requests(&here, beside.as_ref());
    lines.extend(tasks(&here, beside.as_ref(), files));
    notes.extend(verdict::sentences(&here, beside.as_ref()));
    if IN_FLIGHT.iter().any(|it| here.cell(load::Op::Stat, *it).is_none()) {
        let no_time = || "there was no time for more requests in flight".to_owned();
        notes.push(limit_told().unwrap_or_else(no_time));
    }
    let report = Report::new("storage", dir, None, lines, notes);
    let title = format!("brisk bench storage {}", typed(dir));
    Ok(Report { title, machine: place, about: Some(LEGEND), ..report })
}

type Facts = Vec<(&'static str, String)>;

/// The figures of the file system that holds a directory, and where they were measured.
fn figures_of(dir: &Path, wanted: Option<&Path>) -> Result<(Figures, Facts), String> {
    let scratch = Scratch::on(dir, wanted, Shape::of_packages(8000))?;
    let place = scratch.place();
    let facts = machine::facts(place);
    let began = Instant::now();
    let mut progress = Progress::default();
    let measured = Making::at(place).and_then(|root| {
        load::measure(&root, |part, parts| {
            progress.show(&format!("{}, part", typed(dir)), part + 1, parts);
            began.elapsed() < BUDGET && go_on().is_ok()
        })
    });
    go_on()?;
    Ok((measured.map_err(|error| cannot("measure in", place, &error))?, facts))
}

/// A line for each kind of request and number in flight.
fn requests(here: &Figures, beside: Option<&Figures>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (op, name) in OPS {
        for in_flight in IN_FLIGHT {
            let Some(cell) = here.cell(op, in_flight) else { continue };
            let mut measured = of_cell(["p50", "p99", "per second"], cell);
            let memory = beside.and_then(|it| it.cell(op, in_flight));
            let names = ["tmpfs p50", "tmpfs p99", "tmpfs per second"];
            measured.extend(memory.into_iter().flat_map(|cell| of_cell(names, cell)));
            let name = format!("{name}, {in_flight} in flight");
            lines.push(Line::measured("Requests", name, cell.p50, measured));
        }
    }
    lines
}

fn of_cell(names: [&'static str; 3], cell: Cell) -> Vec<Measured> {
    let room = |name: &str| name.len().max(8) + 1;
    vec![
        Measured::time(names[0], room(names[0]), cell.p50),
        Measured::time(names[1], room(names[1]), cell.p99),
        Measured::count(names[2], room(names[2]), cell.rate as u64),
    ]
}

/// A line for each task.
fn tasks(here: &Figures, beside: Option<&Figures>, files: u64) -> Vec<Line> {
    let task = |(name, asked): (&str, &[load::Op])| {
        let takes = |figures: &Figures, in_flight| verdict::takes(figures, asked, files, in_flight);
        let one = takes(here, 1)?;
        let many = takes(here, 64);
        let memory = beside.and_then(|beside| takes(beside, 1));
        let columns =
            [("one by one", Some(one)), ("64 in flight", many), ("tmpfs one by one", memory)];
        let measured = columns
            .into_iter()
            .filter_map(|(name, time)| Some(Measured::time(name, name.len() + 2, time?)));
        Some(Line::measured(&verdict::heading(files), name.to_owned(), one, measured.collect()))
    };
    verdict::TASKS.into_iter().filter_map(task).collect()
}
