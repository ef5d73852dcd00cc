//! `brisk bench storage`: how long a file system takes for each kind of request, alone and with many in
//! flight, the same in memory, and what follows from that.

mod load;
mod verdict;

use std::path::Path;
use std::time::{Duration, Instant};

use super::machine;
use super::options::Options;
use super::report::{Figure, Line, Report};
use super::scratch::{Scratch, Shape};
use super::turns::go_on;
use crate::front::messages::cannot;
use crate::front::progress::ProgressLine;
use crate::show::fields::limit_told;
use crate::show::quoting::retypable;
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
    Ok(Report {
        title: format!("brisk bench storage {}", retypable(dir)),
        machine: place,
        legend: LEGEND.to_owned(),
        lines,
        notes,
        ..Report::default()
    })
}

type Facts = Vec<(&'static str, String)>;

/// The figures of the file system that holds a directory, and where they were measured.
fn figures_of(dir: &Path, wanted: Option<&Path>) -> Result<(Figures, Facts), String> {
    let scratch = Scratch::new(dir, wanted, Shape::default())?;
    let place = scratch.place();
    let facts = machine::facts(place);
    let began = Instant::now();
    let mut progress = ProgressLine::default();
    let measured = Making::at(place).and_then(|root| {
        load::measure(&root, |part, parts| {
            let dir = retypable(dir);
            progress.show(&format!("brisk bench: {dir}, part {} of {parts}", part + 1));
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
            let mut figures = Vec::from(of_cell(["p50", "p99", "per second"], cell));
            let memory = beside.and_then(|it| it.cell(op, in_flight));
            let names = ["tmpfs p50", "tmpfs p99", "tmpfs per second"];
            figures.extend(memory.into_iter().flat_map(|cell| of_cell(names, cell)));
            let name = format!("{name}, {in_flight} in flight");
            lines.push(Line { name, group: "Requests".to_owned(), figures, ..Line::default() });
        }
    }
    lines
}

fn of_cell([p50, p99, rate]: [&'static str; 3], cell: Cell) -> [Figure; 3] {
    [
        Figure::time(p50, Some(cell.p50)),
        Figure::time(p99, Some(cell.p99)),
        Figure::count(rate, cell.rate as u64),
    ]
}

/// A line for each task.
fn tasks(here: &Figures, beside: Option<&Figures>, files: u64) -> Vec<Line> {
    let task = |(name, asked): (&str, &[load::Op])| {
        let takes = |figures: &Figures, in_flight| verdict::takes(figures, asked, files, in_flight);
        let figures = vec![
            Figure::time("one by one", Some(takes(here, 1)?)),
            Figure::time("64 in flight", takes(here, 64)),
            Figure::time("tmpfs one by one", beside.and_then(|beside| takes(beside, 1))),
        ];
        let group = verdict::heading(files);
        Some(Line { name: name.to_owned(), group, figures, ..Line::default() })
    };
    verdict::TASKS.into_iter().filter_map(task).collect()
}
