//! Methods that run in turns, in another order in each round: what disturbs the machine disturbs all
//! of them alike. Then the figures of each, beside those of the others in its group.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Duration;

use brisk_cli_sys::signals;

use super::machine;
use super::options::{INTERRUPTED, Options};
use super::report::{Figure, Line, Report};
use crate::front::progress::ProgressLine;
use crate::show::quoting::retypable;

/// Runs each method once, and then as often as the options say: `run` gets its number. Returns notes.
///
/// # Errors
/// A run could not be prepared, or the user interrupted.
pub(crate) fn measure(
    methods: &mut [Line],
    options: &Options,
    mut run: impl FnMut(usize, &mut Line) -> Result<(), String>,
) -> Result<Vec<String>, String> {
    let mut notes = Vec::from_iter(machine::busy());
    if !options.drop_caches {
        notes.push("without --drop-caches, the first runs may be warm".to_owned());
    }
    let mut progress = ProgressLine::default();
    for round in 0..=options.runs {
        // Between runs: in one, the terminal's own work would be measured.
        let of = options.runs + 1;
        progress.show(&format!("brisk bench: round {} of {of}", round + 1));
        for turn in order(round, methods.len()) {
            if methods[turn].failure.is_none() {
                run(turn, &mut methods[turn])?;
                go_on()?;
            }
        }
    }
    Ok(notes)
}

/// Drops the system's caches before a method's first run, if the options say so.
///
/// # Errors
/// Caches could not be dropped.
pub(crate) fn cool(method: &Line, options: &Options) -> Result<(), String> {
    if options.drop_caches && method.runs.is_empty() { machine::drop_caches() } else { Ok(()) }
}

/// The order of the methods in a round. Each round has another order, because a method is slowed by
/// what its predecessor left in the processor's caches, and gains from the processor's rest after a
/// slow one.
fn order(round: usize, methods: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..methods).collect();
    order.sort_by_cached_key(|at| {
        let mut hasher = DefaultHasher::new();
        (round, at).hash(&mut hasher);
        hasher.finish()
    });
    order
}

/// Fails if the user has interrupted.
pub(crate) fn go_on() -> Result<(), String> {
    if signals::interrupted() { Err(INTERRUPTED.to_owned()) } else { Ok(()) }
}

impl Line {
    /// The least, the median and the greatest of all runs but the first.
    fn range(&self) -> [Duration; 3] {
        let mut again = self.runs.get(1..).unwrap_or_default().to_vec();
        again.sort_unstable();
        let at = |at: usize| again.get(at).copied().unwrap_or_default();
        [at(0), at(again.len() / 2), at(again.len().saturating_sub(1))]
    }

    /// The figures of the runs, compared with brisk's.
    fn compared(&self, own: Option<&Line>) -> Vec<Figure> {
        let [least, median, most] = self.range();
        let own = own.map(|own| own.range()[1].as_secs_f64());
        let ratio = own.filter(|own| *own > 0.0).map(|own| median.as_secs_f64() / own);
        let mut figures = vec![
            Figure::time("first", self.runs.first().copied()),
            Figure::time("min", Some(least)),
            Figure::time("median", Some(median)),
            Figure::time("max", Some(most)),
            Figure::new("ratio", "ratio", ratio, |ratio| format!("{ratio:.2}")),
        ];
        if let Some((calls, entries)) = self.calls {
            let each = |calls| format!("{:.2}", calls / entries.max(1) as f64);
            figures.push(Figure::new("calls/entry", "calls", Some(calls as f64), each));
        }
        if let Some(usage) = self.usage {
            let peak = Some(usage.peak as f64).filter(|peak| *peak > 0.0);
            figures.extend([
                Figure::time("user", Some(usage.user)),
                Figure::time("system", Some(usage.system)),
                Figure::new("MiB", "peak_bytes", peak, |it| format!("{:.1}", it / 1024.0 / 1024.0)),
            ]);
        }
        figures
    }
}

/// The report of methods that were measured on a directory with so many entries.
pub(crate) fn report(
    kind: &str,
    place: &Path,
    entries: u64,
    methods: Vec<Line>,
    options: &Options,
) -> Report {
    Report {
        title: format!("brisk bench {kind} {}: {entries} entries", retypable(place)),
        machine: machine::facts(place),
        entries: Some(entries),
        legend: format!(
            "Times in milliseconds: of the first run, and the minimum, median and maximum of the \
             next {}. The ratio is the median divided by brisk's.",
            options.runs
        ),
        lines: lines(methods),
        ..Report::default()
    }
}

/// The methods with their figures: the groups in the order of their first methods, and in each the
/// fastest method first.
fn lines(mut methods: Vec<Line>) -> Vec<Line> {
    let figures = |method: &Line| {
        let own = methods.iter().find(|own| own.is_own && own.group == method.group);
        if method.failure.is_none() { method.compared(own) } else { Vec::new() }
    };
    let figures: Vec<Vec<Figure>> = methods.iter().map(figures).collect();
    let groups: Vec<String> = methods.iter().map(|method| method.group.clone()).collect();
    methods.iter_mut().zip(figures).for_each(|(method, figures)| method.figures = figures);
    let group = |method: &Line| groups.iter().position(|group| *group == method.group);
    methods.sort_by_cached_key(|method| (group(method), method.range()[1]));
    methods
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_turn_in_each_round_and_other_neighbours() {
        let rounds: Vec<Vec<usize>> = (0..10).map(|round| order(round, 9)).collect();
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
    fn the_first_run_stands_apart() {
        let millis = |all: &[u64]| all.iter().map(|it| Duration::from_millis(*it)).collect();
        let method = |all| Line { runs: millis(all), ..Line::default() };
        assert_eq!(method(&[100, 3, 1, 2, 9, 2]).range().to_vec(), millis(&[1, 2, 9]));
        assert_eq!(method(&[]).range(), [Duration::ZERO; 3]);
    }
}
