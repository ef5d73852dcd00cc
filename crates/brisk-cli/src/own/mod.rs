//! `brisk chmod`, `brisk chown` and `brisk chgrp`: change modes, owners and groups. This file leads
//! from words to an exit code: it reads the options, compiles the plan, changes, and reports.

mod changer;
mod explain;
pub(crate) mod flags;
mod options;
mod owners;
mod plan;
mod talk;

use std::ffi::OsString;

use brisk::Stats;
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::list::List;
use crate::front::messages::Caller;
use crate::front::progress::grouped;
use crate::front::{Refusal, StatsForm, standard};
use crate::show::json;
use crate::sync::lock;
use crate::system;
use changer::{Changer, Counts};
use flags::Tool;
pub(crate) use flags::{CHGRP, CHMOD, CHOWN};
use options::Lines;
use plan::Plan;

/// Runs one of the commands on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, tool: &Tool, words: &[OsString]) -> u8 {
    change(caller, tool, words).unwrap_or_else(|refusal| {
        standard::refuse(caller, tool.called, &refusal);
        if caller == Caller::Brisk { 2 } else { 1 }
    })
}

fn change(caller: Caller, tool: &Tool, words: &[OsString]) -> Result<u8, Refusal> {
    let options = flags::read(caller, tool, words)?;
    if let Some(answer) = options.run.answer {
        return Ok(standard::help(caller, answer, flags::command(caller, tool), 1));
    }
    if !system::HAS_MODES {
        return Err(Refusal::value("files have no modes and no numeric owners on this system"));
    }
    let (plan, files) = Plan::new(caller, tool.sets, &options)?;
    if options.run.explain {
        return Ok(u8::from(!standard::tell(explain::explain(&plan))));
    }
    limits::raise_open_files();
    signals::notice_interrupts();
    let mut changer = Changer::new(&plan);
    let files = match &options.files0_from {
        None => files,
        Some(from) => {
            let refusal = Some("no NUL behind the name: not changing it");
            List::open(from, refusal, |message| changer.complain(message)).collect()
        }
    };
    // Whether an argument can be reached may depend on what becomes of the one before it. The files
    // of a list are changed side by side, unless there are lines, which come in the list's order.
    let is_list = options.files0_from.is_some() && options.lines == Lines::None;
    let step = if is_list { files.len().max(1) } else { 1 };
    let mut stats = Stats::default();
    for files in files.chunks(step).take_while(|_| !signals::interrupted()) {
        let (merged, later) = plan.walk(files).act(changer);
        changer = merged;
        stats.add_later(&later);
    }
    plan.report.close();
    Ok(conclude(&plan, changer.counts, &stats))
}

/// Prints what is left to print; returns the exit code.
fn conclude(plan: &Plan<'_>, counts: Counts, stats: &Stats) -> u8 {
    let options = plan.options;
    let caller = plan.caller;
    let text = text(options.dry_run, counts);
    let json = || json(options.dry_run, counts, stats) + "\n";
    let mut out = lock(&plan.out);
    if options.json {
        out.bytes.extend_from_slice(json().as_bytes());
    }
    let code = standard::finish(caller, out.finish(), 1);
    let told = match options.run.stats {
        Some(StatsForm::Text) => standard::tell(format!("{text}\n{stats}\n")),
        Some(StatsForm::Json) => standard::tell(json()),
        None => true,
    };
    if signals::interrupted() {
        caller.complain(&format!("interrupted: {text}; the same command does the rest"));
        return signals::exit_code();
    }
    let has_failed = counts.failed > 0;
    if has_failed && caller == Caller::Brisk && options.recursive && !options.quiet {
        caller.complain(&text);
    }
    code.max(u8::from(has_failed || !told))
}

fn text(is_trial: bool, counts: Counts) -> String {
    let did = if is_trial { "would be changed" } else { "changed" };
    let [changed, retained, failed] = [counts.changed, counts.retained, counts.failed].map(grouped);
    format!("{changed} {did}, {retained} already as requested, {failed} failed")
}

fn json(is_trial: bool, counts: Counts, stats: &Stats) -> String {
    json::of(|object| {
        object.plain("dry_run", is_trial);
        object.number("changed", Some(counts.changed));
        object.number("retained", Some(counts.retained));
        object.number("failed", Some(counts.failed));
        object.plain("interrupted", signals::interrupted());
        object.plain("stats", json::stats(stats));
    })
}
