//! `--index`: names and types from a state, of which only what has changed is read again.

use std::path::PathBuf;

use brisk::{FileType, Flow, Order, Stats};
use brisk_cli_sys::signals;
use brisk_state::{Report, Rescan, State};

use super::options::Options;
use super::plan::{Action, Plan};
use super::search::{Search, line_fields};
use crate::filter::Selecting;
use crate::front::Refusal;
use crate::front::messages::{cannot, unnumbered};
use crate::show::quoting::quoted;

/// Brings the index up to date. `None` if the user named none, or if this search needs more than
/// names and types, or another order: then it walks.
///
/// # Errors
/// The index cannot be used or written, or the tree not be read.
pub fn open(plan: &Plan, options: &Options, roots: &[PathBuf]) -> Result<Option<Report>, Refusal> {
    let Some(file) = options.index.as_ref().filter(|_| suffices(plan, options)) else {
        return Ok(None);
    };
    let [root] = roots else { return Err("--index takes one path".to_owned().into()) };
    // What is ignored is not in the index. All other filters are asked anew.
    let ignoring = options.selecting.ignoring.clone();
    let filter = Selecting { ignoring, ..Selecting::default() }.filter(plan.caller)?;
    let rescan = Rescan {
        old: State::load(file),
        filter,
        rules: plan.rules.clone(),
        omitted: vec![file.clone()],
        names_only: true,
        accepts_other_volumes: true,
        threads: options.common.threads,
        ..Rescan::over([root])
    };
    if let Some(why) = rescan.why_other(file) {
        return Err(format!("cannot use {} as an index: {why}", quoted(file)).into());
    }
    let report = rescan.run().map_err(|why| Refusal::failure(unnumbered(&why)))?;
    if report.is_worth_saving() {
        signals::notice_interrupts();
        let written = report.write(file);
        signals::end_at_once();
        written.map_err(|error| Refusal::failure(cannot("write", file, &error)))?;
    }
    Ok(Some(report))
}

/// Whether names and types are all that the search needs, and the order of a sorted walk will do.
fn suffices(plan: &Plan, options: &Options) -> bool {
    let selecting = &options.selecting;
    let fields = plan.filter.fields(FileType::Unknown) | line_fields(plan).any();
    let asks = selecting.follow || selecting.one_file_system || options.unique;
    fields.is_empty()
        && !asks
        && options.order != Some(Order::Breadth)
        && !matches!(plan.action, Action::Delete)
}

/// Searches the index.
pub(super) fn search<'p>(
    report: &Report,
    plan: &Plan,
    min_depth: usize,
    mut search: Search<'p>,
) -> (Search<'p>, Stats) {
    let changes_files = plan.changes_files;
    let goes_on =
        report.complaints(changes_files).all(|error| search.failed(error) == Flow::Continue);
    if changes_files && !report.warnings.is_empty() {
        plan.messenger.complain("nothing is done: not all ignore rules are known");
    } else if goes_on {
        report.replay(&mut search, &plan.filter, min_depth..=plan.max_depth);
    }
    (search, report.stats)
}
