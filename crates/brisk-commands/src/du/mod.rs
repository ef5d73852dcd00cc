//! `brisk du`: what takes up the space. This file leads from words to an exit code: it reads the
//! options, compiles the plan, counts and finishes.

mod count;
mod explain;
pub(crate) mod flags;
mod groups;
mod html;
mod interactive;
mod options;
mod picture;
mod plan;
mod rows;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use brisk::ignore::Rules;
use brisk::usage::{Apparent, HardLinks, Usage};
use brisk::{Follow, Mounts, Order, Shape, Walk};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::messages::Caller;
use crate::front::{Refusal, parts, standard};
use brisk_sys::threads::lock;
use count::Counter;
use options::Options;
use plan::Plan;

pub use interactive::{Interactive, ShowTree};

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    run_with(caller, words, |_, _| parts::LOOK.run("du", words).map_err(Refusal::usage))
}

/// As `run`, in the program `brisk-look`, which shows the tree of -i itself.
pub fn run_looking(words: &[OsString], look: ShowTree) -> u8 {
    run_with(Caller::Brisk, words, |plan, usage| look(Interactive::new(plan, usage)))
}

fn run_with(
    caller: Caller,
    words: &[OsString],
    look: impl FnOnce(&Plan<'_>, Usage) -> Result<u8, Refusal>,
) -> u8 {
    let read = flags::read(caller, words);
    let command = || flags::command(caller);
    standard::run(caller, "brisk du", read, command, |options| match options.interactive {
        true => start_tree(caller, &options, look),
        false => du(caller, &options),
    })
}

/// Checks and reads what the tree of -i needs, and calls `look`, which shows it.
fn start_tree(
    caller: Caller,
    options: &Options,
    look: impl FnOnce(&Plan<'_>, Usage) -> Result<u8, Refusal>,
) -> Result<u8, Refusal> {
    interactive::check(options)?;
    let plan = Plan::new(caller, options)?;
    let paths = plan.paths().unwrap_or_default();
    interactive::check_paths(options, &paths)?;
    let rules = options.selecting.ignoring.rules(caller, &paths, false)?;
    limits::raise_open_files();
    look(&plan, usage(&plan, &[], rules))
}

fn du(caller: Caller, options: &Options) -> Result<u8, Refusal> {
    let plan = Plan::new(caller, options)?;
    if caller != Caller::Du {
        // A signal ends GNU du at once.
        signals::notice_interrupts();
    }
    let Some(paths) = plan.paths() else { return Ok(1) };
    let rules = options.selecting.ignoring.rules(caller, &paths, false)?;
    Ok(count(&plan, &paths, rules))
}

/// Counts and prints; returns the exit code.
fn count(plan: &Plan<'_>, paths: &[PathBuf], rules: Option<Rules>) -> u8 {
    limits::raise_open_files();
    let (counter, report) = usage(plan, paths, rules).run(Counter::new(plan));
    plan.report.close();
    let mut out = lock(&plan.out);
    if signals::interrupted() {
        // Writes complete lines. The exit code says that some are missing.
        let _ = out.finish();
        return signals::exit_code();
    }
    let options = plan.options;
    let total = &report.total;
    for (_, line) in counter.linked.into_values() {
        out.bytes.extend(line);
        let _ = out.write_if_full();
    }
    let rows = match options.by {
        Some(_) => picture::of_groups(plan, counter.groups, total),
        None => counter.rows,
    };
    if plan.gathers && options.older_than.is_some() && rows.is_empty() {
        plan.caller.complain(NONE_OLD);
    }
    if plan.chooses && total.entries == 0 && io::stderr().is_terminal() {
        plan.caller.complain("nothing matches");
    }
    match &options.html {
        Some(file) => html::write(plan, file, paths, rows, total),
        None => picture::rows(plan, rows, total, &mut out),
    }
    if options.total && !options.json {
        plan.line(total, b"total", &mut out.bytes);
    }
    let code = standard::finish(plan.caller, out.finish(), 1);
    plan.explain_frees(&report);
    let done = (!options.common.explain
        || standard::eprint(explain::explain(plan, counter.answered)))
        && standard::eprint_stats(options.common.stats, &report.stats);
    code.max(u8::from(plan.report.has_failed() || !done))
}

/// The notice if --older-than leaves nothing to show.
const NONE_OLD: &str = "nothing listed is that old with everything below it; -a lists single files, \
    --by type adds them up";

/// The count. If only sums of paths are needed, the walk has any order; for lines of directories it
/// has GNU du's.
fn usage(plan: &Plan<'_>, paths: &[PathBuf], rules: Option<Rules>) -> Usage {
    let options = plan.options;
    let is_du = plan.caller == Caller::Du;
    let follow = options.follow.unwrap_or(Follow::Never);
    let follows = follow == Follow::Always;
    let only_roots =
        options.max_depth == Some(0) && !options.separate && (paths.len() == 1 || !follows);
    let in_order = !plan.gathers && !options.json && !only_roots;
    let walk = Walk::over(paths)
        .follow(follow)
        .order(if in_order { Order::Depth(Shape::Post) } else { Order::Unordered })
        .mounts(if options.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        // Which path to a file is met first must not depend on reading ahead.
        .threads(if in_order && follows { NonZeroUsize::new(1) } else { options.common.threads })
        .rules(rules)
        .filter(plan.filter.clone())
        .backend(crate::front::config::backend());
    let links = match options.by {
        _ if options.count_links => HardLinks::Each,
        None if !is_du || plan.gathers => HardLinks::FirstSorted,
        // A file must not move to another group.
        _ => HardLinks::FirstMet,
    };
    let apparent = if is_du { Apparent::All } else { Apparent::Contents };
    let shortcuts =
        only_roots && options.by.is_none() && !is_du && !options.inodes && !options.no_shortcuts;
    Usage { walk, links, apparent, reflinks: options.reflinks, frees: options.frees, shortcuts }
}
