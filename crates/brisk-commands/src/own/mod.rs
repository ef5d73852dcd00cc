//! `brisk chmod`, `brisk chown` and `brisk chgrp`: change modes, owners and groups. This file leads
//! from words to an exit code: it reads the options, compiles the plan, has the engine make the
//! change, and reports the result.

mod explain;
pub(crate) mod flags;
mod options;
mod owners;
mod plan;
mod talk;

use std::ffi::OsString;

use brisk::Walk;
use brisk::change::Report;
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::list::List;
use crate::front::messages::Caller;
use crate::front::progress::grouped;
use crate::front::{Refusal, standard};
use crate::show::json;
use crate::system;
use brisk_sys::threads::lock;
use flags::Tool;
pub(crate) use flags::{CHGRP, CHGRP_EXAMPLES, CHMOD, CHMOD_EXAMPLES, CHOWN, CHOWN_EXAMPLES};
use options::Options;
use plan::Plan;
use talk::Teller;

/// Runs one of the commands on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, tool: &'static Tool, words: &[OsString]) -> u8 {
    let read = flags::read(caller, tool, words);
    let command = || flags::command(caller, tool);
    standard::run(caller, tool.called, read, command, |options| change(caller, tool, &options))
}

fn change(caller: Caller, tool: &'static Tool, options: &Options) -> Result<u8, Refusal> {
    if !system::HAS_MODES {
        return Err(Refusal::usage("files have no modes and no numeric owners on this system"));
    }
    let mut plan = Plan::new(caller, tool.sets, options)?;
    if options.common.explain {
        return Ok(u8::from(!standard::eprint(explain::explain(&plan))));
    }
    limits::raise_open_files();
    signals::notice_interrupts();
    let mut failed = 0;
    if let Some(from) = &options.files0_from {
        let complain = |message: &str| {
            failed += 1;
            if !options.quiet {
                caller.complain(message);
            }
        };
        let refusal = Some("no NUL behind the name: not changing it");
        plan.change.walk = List::open(from, refusal, complain).fold(plan.change.walk, Walk::root);
    }
    let (teller, mut report) = plan.change.run(Teller::new(&plan));
    report.failed += failed + teller.failed;
    plan.report.close();
    Ok(conclude(caller, &plan, &report))
}

/// Prints what is left to print; returns the exit code.
fn conclude(caller: Caller, plan: &Plan<'_>, report: &Report) -> u8 {
    let options = plan.options;
    let text = text(options, report);
    let json = || json(options, report);
    let mut out = lock(&plan.out);
    if options.json {
        out.bytes.extend_from_slice((json() + "\n").as_bytes());
    }
    let code = standard::finish(caller, out.finish(), 1);
    let stats = || format!("{text}\n{}", report.stats);
    let is_printed = standard::eprint_run(options.common.stats, stats, json);
    if signals::interrupted() {
        let rest = if options.dry_run {
            "the rest was not looked at"
        } else {
            "the same command does the rest"
        };
        caller.complain(&format!("interrupted: {text}; {rest}"));
        return signals::exit_code();
    }
    let has_failed = report.failed > 0;
    if has_failed && caller == Caller::Brisk && options.recursive && !options.quiet {
        caller.complain(&text);
    }
    code.max(u8::from(has_failed || !is_printed))
}

fn text(options: &Options, report: &Report) -> String {
    let did = if options.dry_run { "would be changed" } else { "changed" };
    let [changed, retained, failed] = [report.changed, report.retained, report.failed].map(grouped);
    format!("{changed} {did}, {retained} already as requested, {failed} failed")
}

fn json(options: &Options, report: &Report) -> String {
    json::of(|object| {
        object.plain("dry_run", options.dry_run);
        object.number("changed", Some(report.changed));
        object.number("retained", Some(report.retained));
        object.number("failed", Some(report.failed));
        object.plain("interrupted", signals::interrupted());
        object.plain("stats", json::stats(&report.stats));
    })
}
