//! `brisk chmod`, `brisk chown` and `brisk chgrp`: change modes, owners and groups. This file leads
//! from words to an exit code: it reads the options, compiles the plan, changes, and reports.

mod changer;
pub(crate) mod flags;
mod mode;
mod options;
mod owners;
mod plan;
mod talk;

use std::ffi::OsString;

use brisk::Stats;
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::messages::Caller;
use crate::front::progress::grouped;
use crate::front::{Refusal, StatsForm, standard};
use crate::show::json;
use crate::sync::lock;
use crate::system;
use changer::Changer;
pub(crate) use options::Tool;
use plan::{Count, Plan};

/// Runs `brisk chmod` on the words behind its name; returns the exit code.
pub(crate) fn chmod(caller: Caller, words: &[OsString]) -> u8 {
    run(caller, Tool::Chmod, words)
}

/// Runs `brisk chown` on the words behind its name; returns the exit code.
pub(crate) fn chown(caller: Caller, words: &[OsString]) -> u8 {
    run(caller, Tool::Chown, words)
}

/// Runs `brisk chgrp` on the words behind its name; returns the exit code.
pub(crate) fn chgrp(caller: Caller, words: &[OsString]) -> u8 {
    run(caller, Tool::Chgrp, words)
}

fn run(caller: Caller, tool: Tool, words: &[OsString]) -> u8 {
    change(caller, tool, words).unwrap_or_else(|refusal| {
        standard::refuse(caller, tool.called(), &refusal);
        if caller == Caller::Brisk { 2 } else { 1 }
    })
}

fn change(caller: Caller, tool: Tool, words: &[OsString]) -> Result<u8, Refusal> {
    let options = flags::read(caller, tool, words)?;
    if !system::HAS_MODES && options.run.answer.is_none() {
        return Err(Refusal::value("files have no modes and no numeric owners on this system"));
    }
    if let Some(answer) = options.run.answer {
        return Ok(standard::help(caller, answer, flags::command(caller, tool), 1));
    }
    let (plan, files) = Plan::new(caller, tool, &options)?;
    limits::raise_open_files();
    signals::notice_interrupts();
    // Lines come in the order of the files.
    let step = if plan.is_verbose() { 1 } else { files.len().max(1) };
    let mut stats = Stats::default();
    for files in files.chunks(step) {
        let (_, later) = plan.walk(files).act(Changer::new(&plan));
        stats.add_later(&later);
    }
    plan.report.close();
    Ok(conclude(&plan, &stats))
}

/// Prints what is left to print; returns the exit code.
fn conclude(plan: &Plan<'_>, stats: &Stats) -> u8 {
    let mut out = lock(&plan.out);
    if plan.options.json {
        let text = json(plan, stats) + "\n";
        out.bytes.extend_from_slice(text.as_bytes());
    }
    let code = standard::finish(plan.caller, out.finish(), 1);
    let told = match plan.options.run.stats {
        Some(StatsForm::Text) => standard::tell(format!("{}\n{stats}\n", text(plan))),
        Some(StatsForm::Json) => standard::tell(json(plan, stats) + "\n"),
        None => true,
    };
    if signals::interrupted() {
        let done = text(plan);
        plan.caller.complain(&format!("interrupted: {done}; the same command does the rest"));
        return signals::exit_code();
    }
    let has_failed = plan.counts.of(Count::Failed) > 0;
    if has_failed && plan.caller == Caller::Brisk && plan.options.recursive && !plan.options.quiet {
        plan.caller.complain(&text(plan));
    }
    code.max(u8::from(has_failed || !told))
}

fn text(plan: &Plan<'_>) -> String {
    let did = if plan.options.dry_run { "would be changed" } else { "changed" };
    let [changed, retained, failed] = counts(plan).map(grouped);
    format!("{changed} {did}, {retained} already as requested, {failed} failed")
}

fn json(plan: &Plan<'_>, stats: &Stats) -> String {
    let [changed, retained, failed] = counts(plan).map(Some);
    json::of(|object| {
        object.plain("dry_run", plan.options.dry_run);
        object.number("changed", changed);
        object.number("retained", retained);
        object.number("failed", failed);
        object.plain("interrupted", signals::interrupted());
        object.plain("stats", json::stats(stats));
    })
}

fn counts(plan: &Plan<'_>) -> [u64; 3] {
    [Count::Changed, Count::Retained, Count::Failed].map(|which| plan.counts.of(which))
}
