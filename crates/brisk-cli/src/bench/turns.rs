//! Methods that run in turns: interleaved, so that what disturbs the machine disturbs all of them
//! alike. Afterwards brisk and the best others run once more, alone and in turns.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use brisk_cli_sys::signals;

use super::duel::{contenders, verdict};
use super::machine;
use super::options::{INTERRUPTED, Options};
use super::progress::Progress;
use super::report::Line;
use super::times::Times;

/// How methods are run.
pub(crate) struct Contest<'a> {
    /// Runs the method of this number once, after it has dropped caches if it is told to, and adds
    /// what was measured to the line. An error: no further run is possible.
    pub(crate) run: &'a mut dyn FnMut(usize, &mut Line, bool) -> Result<(), String>,
    /// Rounds of the duel for each run of all methods; 0 for no duel.
    pub(crate) rounds: usize,
    /// How long all runs of one method may take, once the method has run twice.
    pub(crate) patience: Duration,
}

/// Runs each method once, and then as often as the options say; notes go to `notes`.
///
/// # Errors
/// A run could not be prepared, caches could not be dropped, or the user interrupted.
pub(crate) fn measure(
    mut contest: Contest<'_>,
    lines: &mut [Line],
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    notes.extend(machine::busy());
    if !options.drop_caches {
        notes.push("without --drop-caches, the first runs may be warm".to_owned());
    }
    let all: Vec<usize> = (0..lines.len()).collect();
    take_turns(&mut contest, &all, lines, options.runs, options.drop_caches)?;
    let duels = if contest.rounds == 0 { Vec::new() } else { contenders(lines) };
    for best in duels {
        let unmeasured = |at: &usize| Line { times: Times::default(), ..lines[*at].clone() };
        let mut duel: Vec<Line> = best.iter().map(unmeasured).collect();
        let runs = options.runs * contest.rounds;
        take_turns(&mut contest, &best, &mut duel, runs, false)?;
        notes.extend(verdict(&duel));
    }
    Ok(())
}

/// Runs these methods in turns; the first run of each is not among `runs`.
fn take_turns(
    contest: &mut Contest<'_>,
    methods: &[usize],
    lines: &mut [Line],
    runs: usize,
    drops: bool,
) -> Result<(), String> {
    let mut progress = Progress::default();
    let what = format!("{} in turns, round", methods.len());
    for round in 0..=runs {
        progress.show(&what, round + 1, runs + 1);
        for turn in order(round, methods.len()) {
            let line = &mut lines[turn];
            if line.failure.is_none() && !has_shown_enough(&line.times, contest.patience) {
                (contest.run)(methods[turn], line, drops && round == 0)?;
                go_on()?;
            }
        }
    }
    Ok(())
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

/// Whether a method has run at least twice, and for so long that more runs would add little for the
/// time they take.
fn has_shown_enough(times: &Times, patience: Duration) -> bool {
    !times.again.is_empty() && times.first.iter().chain(&times.again).sum::<Duration>() > patience
}

/// Fails if the user has interrupted.
pub(crate) fn go_on() -> Result<(), String> {
    if signals::interrupted() { Err(INTERRUPTED.to_owned()) } else { Ok(()) }
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
    fn a_slow_method_runs_twice() {
        let enough = |seconds: &[u64]| {
            let mut times = Times::default();
            seconds.iter().for_each(|seconds| times.push(Duration::from_secs(*seconds)));
            has_shown_enough(&times, Duration::from_secs(5))
        };
        assert!(!enough(&[]) && !enough(&[60]) && !enough(&[0, 1, 1, 1]));
        assert!(enough(&[60, 1]) && enough(&[0, 3, 3]));
    }
}
