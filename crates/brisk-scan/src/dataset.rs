//! `brisk scan --continue`: a data set, from its first unit or from where an earlier run stopped.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use brisk::Stats;
use brisk_cli_sys::signals;
use brisk_commands::internal::{
    Caller, Messenger, Options, Refusal, cannot, eprint_stats, grouped, quoted, root,
};
use brisk_sys::limits;
use brisk_sys::paths::with_slashes;
use brisk_table::Column;
use brisk_table::dataset::{Description, Journal, Limits, Totals, journal_of};
use jiff::Timestamp;

use crate::plan;
use crate::run::{check_roots, written_in_words};
use crate::target::{check_place, is_directory};
use crate::unit::{self, failed};

/// How long a unit takes unless the user says so: long enough that what a unit costs besides its
/// entries is not felt, and short enough to lose.
const SECONDS: f64 = 30.0;

/// Scans. Returns the exit code.
///
/// # Errors
/// Options that cannot be used, or what ends the scan: the same command goes on.
pub(crate) fn scan(options: &Options, out: &Path) -> Result<u8, Refusal> {
    if !is_directory(out) {
        return Err(Refusal::usage("--continue writes a directory: end its name with a slash"));
    }
    let columns = plan::columns(options, Column::defaults())?;
    let what = description(options, &columns);
    unit::options_of(&what.options, out)?;
    check_place(out).map_err(|error| Refusal::failure(cannot("write", out, &error)))?;
    check_roots(&options.paths)?;
    signals::notice_interrupts();
    limits::raise_open_files();
    let seconds = options.budget.map_or(SECONDS, |time| time.as_secs_f64());
    let limits = Limits { seconds: Some(seconds), entries: options.budget_entries, requests: None };
    let mut journal = Journal::open(out, what).map_err(failed)?;
    if journal.is_finished() {
        Caller::Brisk.complain(&format!("{}: there is nothing left to do", quoted(out)));
        return Ok(ending(out, journal.totals(), 0));
    }
    let report = Arc::new(Messenger::new(Caller::Brisk, options.common.progress));
    let mut sum = Stats::default();
    let mut errors = 0;
    while !signals::interrupted()
        && let Some(unit) = journal.next_unit(limits).map_err(failed)?
    {
        let Some((outcome, stats)) = unit::run(&unit, options, &report, |_| Ok(()))? else {
            break;
        };
        sum.add_later(&stats);
        errors += outcome.errors.len() as u64;
        journal.record(outcome).map_err(failed)?;
    }
    report.close();
    if signals::interrupted() {
        Caller::Brisk.complain("interrupted: the same command goes on from here");
        return Ok(signals::exit_code());
    }
    let totals = journal.finish().map_err(failed)?;
    if io::stderr().is_terminal() {
        Caller::Brisk.complain(&written_in_words(out, totals.rows, Some(totals.bytes), sum.wall));
    }
    let is_printed = eprint_stats(options.common.stats, &sum);
    Ok(ending(out, totals, errors).max(u8::from(!is_printed)))
}

/// The exit code of a data set that is complete. `told`: so many errors were told in this run.
fn ending(out: &Path, totals: Totals, told: u64) -> u8 {
    if totals.errors > told {
        let journal = journal_of(out).unwrap_or_default();
        let count = grouped(totals.errors - told);
        Caller::Brisk.complain(&format!("{} has {count} errors of earlier runs", quoted(&journal)));
    }
    u8::from(totals.errors > 0)
}

/// What the data set is a table of.
fn description(options: &Options, columns: &[Column]) -> Description {
    let roots = &options.paths;
    let absolute = roots.iter().map(|root| root.canonicalize().unwrap_or_else(|_| root.clone()));
    // Another version of brisk may have other columns by default.
    let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
    let columns = format!("--columns={}", names.join(","));
    let words = options.words.iter().map(AsRef::as_ref).chain([OsStr::new(&columns)]);
    Description {
        roots: roots.iter().map(|path| with_slashes(&root(path)).into()).collect(),
        absolute_roots: absolute.map(|path| with_slashes(&path).into()).collect(),
        options: words.map(|word| word.as_encoded_bytes().into()).collect(),
        began: Timestamp::now().to_string(),
        split: 1,
        ..Description::default()
    }
}
