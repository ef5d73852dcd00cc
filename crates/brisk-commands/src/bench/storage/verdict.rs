//! What figures of a storage mean: sentences, each only where the figures show it, and how long common
//! tasks take there. No clock is read here, so tests need none.

use std::time::Duration;

use super::load::{Figures, IN_FLIGHT, IN_ONE_DIRECTORY, LISTED, Op};
use crate::front::progress::grouped;

/// What takes less is the processor's work: no request leaves the machine.
const NOTHING: Duration = Duration::from_micros(50);

/// Times the rate of one request from which many in flight count as overlapping. Processors alone do
/// not reach that for requests that take longer than [`NOTHING`].
const OVERLAPS: f64 = 4.0;

/// The sentences that hold in one place; `beside` are the figures of a file system in memory.
pub(super) fn sentences(here: &Figures, beside: Option<&Figures>) -> Vec<String> {
    let told = [opens(here, beside), waits(here), attributes(here), renames(here)];
    told.into_iter().flatten().collect()
}

/// The least median of a kind: other work on the machine makes some of them longer.
fn least(figures: &Figures, op: Op) -> Option<Duration> {
    IN_FLIGHT.into_iter().filter_map(|it| Some(figures.cell(op, it)?.p50)).min()
}

/// How much more an open takes than a stat of the same file.
fn extra(figures: &Figures) -> Option<Duration> {
    Some(least(figures, Op::Open)?.saturating_sub(least(figures, Op::Stat)?))
}

/// An open may take a request more than a stat, or two. What it takes beyond them is no request.
fn opens(here: &Figures, beside: Option<&Figures>) -> Option<String> {
    let extra = extra(here)?;
    let usual = beside.and_then(self::extra).unwrap_or_default();
    // The lookup of an absent name is never more than one request.
    let request = least(here, Op::Absent)?.max(least(here, Op::Stat)?);
    (extra > NOTHING.max(usual * 10).max(request * 5 / 2)).then(|| {
        format!(
            "an open costs {} more than a stat here, whatever the file: something inspects opens",
            millis(extra)
        )
    })
}

fn waits(here: &Figures) -> Option<String> {
    let request = least(here, Op::Absent).filter(|request| *request > NOTHING)?;
    let one = here.cell(Op::Absent, 1)?.rate;
    let times = |in_flight: usize| Some((in_flight, here.cell(Op::Absent, in_flight)?.rate / one));
    let all = IN_FLIGHT.into_iter().filter_map(times);
    let (in_flight, times) = all.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let many = here.cell(Op::Absent, in_flight)?.p50;
    let whatever = if many <= request * 2 { " whatever their number" } else { "" };
    (times >= OVERLAPS).then(|| {
        format!(
            "requests wait {}{whatever}: {in_flight} in flight give {times:.0} times the rate of one",
            millis(request)
        )
    })
}

/// Whether listing a directory spares the stats that follow.
fn brings_attributes(here: &Figures) -> Option<(Duration, Duration)> {
    let around = here.around_listing?;
    (around.0 > NOTHING && around.1 * 5 < around.0).then_some(around)
}

fn attributes(here: &Figures) -> Option<String> {
    let (before, after) = brings_attributes(here)?;
    Some(format!(
        "listing brings attributes: a stat takes {} where the directory was not listed, and {} after \
         its listing",
        millis(before),
        millis(after)
    ))
}

fn renames(here: &Figures) -> Option<String> {
    let together = here.together?;
    least(here, Op::Rename).filter(|rename| *rename > NOTHING)?;
    let one = here.cell(Op::Rename, 1)?.rate;
    let apart = here.cell(Op::Rename, IN_ONE_DIRECTORY)?.rate / one;
    let together = together.rate / one;
    (apart >= OVERLAPS && together <= 2.0).then(|| {
        format!(
            "renames are serial within a directory: {IN_ONE_DIRECTORY} in flight give {together:.1} times \
             the rate of one, and {apart:.0} times in as many directories"
        )
    })
}

/// What is done with many files, with what it asks for each of them.
pub(super) const TASKS: [(&str, &[Op]); 4] = [
    ("find: a listing of each directory", &[]),
    ("ls -l: listings, and a stat of each file", &[Op::Stat]),
    ("rm: listings, and an unlink of each file", &[Op::Unlink]),
    ("a build: for each file a name that is absent, a file read, a file made", &BUILD),
];

const BUILD: [Op; 3] = [Op::Absent, Op::Read, Op::Create];

/// How long a task takes for so many files, [`LISTED`] in each directory, with so many requests in
/// flight.
pub(super) fn takes(
    here: &Figures,
    asked: &[Op],
    files: u64,
    in_flight: usize,
) -> Option<Duration> {
    let rate = |op| Some(here.cell(op, in_flight)?.rate.max(1e-9));
    let files = files as f64;
    let mut seconds = 0.0;
    if *asked != BUILD {
        seconds += files / LISTED as f64 / rate(Op::List)?;
    }
    for op in asked {
        seconds += match brings_attributes(here) {
            Some((_, after)) if *op == Op::Stat => files * after.as_secs_f64(),
            _ => files / rate(*op)?,
        };
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// The heading of the tasks.
pub(super) fn heading(files: u64) -> String {
    format!("What that makes of {} files", grouped(files))
}

fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    if millis < 0.1 { format!("{millis:.3} ms") } else { format!("{millis:.1} ms") }
}

#[cfg(test)]
mod tests {
    use super::super::load::Cell;
    use super::*;

    /// Figures of a storage: the median of each kind in microseconds, and how many requests overlap.
    fn figures(open: u64, stat: u64, request: u64, overlap: f64) -> Figures {
        let mut figures = Figures::default();
        for in_flight in IN_FLIGHT {
            for (op, micros) in [
                (Op::Create, request * 2),
                (Op::Open, open),
                (Op::Read, open),
                (Op::Stat, stat),
                (Op::Absent, request),
                (Op::List, request * 3),
                (Op::Rename, request),
                (Op::Unlink, request),
            ] {
                let p50 = Duration::from_micros(micros);
                let rate = 1e6 / micros as f64 * overlap.min(in_flight as f64);
                figures.cells.push((op, in_flight, Cell { p50, p99: p50 * 2, rate }));
            }
        }
        figures
    }

    fn memory() -> Figures {
        figures(4, 1, 1, 1.8)
    }

    fn told(here: &Figures) -> Vec<String> {
        sentences(here, Some(&memory()))
    }

    #[test]
    fn nothing_is_told_of_memory_and_of_local_disks() {
        assert_eq!(told(&memory()), [""; 0]);
        assert_eq!(told(&figures(9, 2, 2, 1.9)), [""; 0], "a local disk, whose caches are warm");
        assert_eq!(told(&figures(90, 45, 45, 3.0)), [""; 0], "a busy machine");
        assert_eq!(told(&Figures::default()), [""; 0]);
    }

    #[test]
    fn requests_that_wait_overlap() {
        let slow = figures(2_200, 1_100, 1_100, 58.0);
        let expected = "requests wait 1.1 ms whatever their number: 64 in flight give 58 times the rate of one";
        assert_eq!(told(&slow), [expected]);
        assert_eq!(told(&figures(2_200, 1_100, 1_100, 1.0)), [""; 0], "one after another");
        let mut crowded = figures(220, 110, 110, 12.0);
        let many = crowded.cells.iter_mut().filter(|cell| cell.1 == 64);
        many.for_each(|cell| cell.2.p50 *= 5);
        let crowded = told(&crowded);
        assert!(crowded[0].starts_with("requests wait 0.1 ms"), "{crowded:?}");
    }

    #[test]
    fn an_inspected_open_is_told_from_one_more_request() {
        let inspected = figures(440, 8, 8, 2.0);
        let expected = "an open costs 0.4 ms more than a stat here, whatever the file: something inspects opens";
        assert_eq!(told(&inspected), [expected]);
        let told = sentences(&figures(3_000, 1_000, 1_000, 2.0), None);
        assert_eq!(told, [""; 0], "two requests more");
        let told = sentences(&inspected, Some(&inspected));
        assert_eq!(told, [""; 0], "it is the same in memory");
    }

    #[test]
    fn a_listing_that_brings_attributes_shortens_ls() {
        let micros = Duration::from_micros;
        let mut plus = figures(2_000, 1_000, 1_000, 1.0);
        let ls = TASKS[1].1;
        let before = takes(&plus, ls, 10_000, 1).expect("measured");
        assert_eq!(before.as_millis(), 200 * 3 + 10_000);
        plus.around_listing = Some((micros(1_000), micros(3)));
        let expected = "listing brings attributes: a stat takes 1.0 ms where the directory was not \
                        listed, and 0.003 ms after its listing";
        assert_eq!(told(&plus), [expected]);
        assert_eq!(takes(&plus, ls, 10_000, 1).expect("measured").as_millis(), 200 * 3 + 30);
        for around in
            [(micros(1_000), micros(990)), (micros(3), micros(1)), (micros(40), micros(1))]
        {
            plus.around_listing = Some(around);
            assert_eq!(told(&plus), [""; 0], "{around:?}");
        }
    }

    #[test]
    fn renames_are_serial_where_other_directories_are_not() {
        let cell = |rate| Cell { p50: Duration::from_millis(16), p99: Duration::ZERO, rate };
        let mut slow = figures(2_000, 1_000, 1_000, 64.0);
        slow.together = Some(cell(1_010.0));
        let renames = told(&slow).pop().expect("told");
        let expected = "renames are serial within a directory: 16 in flight give 1.0 times the rate \
                        of one, and 16 times in as many directories";
        assert_eq!(renames, expected);
        slow.together = Some(cell(15_000.0));
        assert_eq!(told(&slow).len(), 1);
        let mut local = figures(9, 2, 2, 1.9);
        local.together = Some(cell(300_000.0));
        assert_eq!(told(&local), [""; 0]);
    }

    #[test]
    fn tasks_are_sums() {
        let slow = figures(2_000, 1_000, 1_000, 64.0);
        let takes = |task: usize, in_flight| takes(&slow, TASKS[task].1, 6_400, in_flight);
        assert_eq!(takes(0, 1).map(|it| it.as_millis()), Some(128 * 3));
        assert_eq!(takes(2, 1).map(|it| it.as_millis()), Some(128 * 3 + 6_400));
        assert_eq!(takes(3, 1).map(|it| it.as_millis()), Some(6_400 * 5));
        assert_eq!(takes(3, 64).map(|it| it.as_millis()), Some(500));
        assert_eq!(super::takes(&Figures::default(), TASKS[0].1, 1, 1), None);
    }
}
