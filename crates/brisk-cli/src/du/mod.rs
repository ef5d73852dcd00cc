//! `brisk du`: what takes the space. This file leads from words to an exit code: it reads the
//! options, compiles the plan, counts and finishes.

mod count;
mod explain;
pub(crate) mod flags;
mod forest;
mod groups;
mod html;
mod names;
mod options;
mod picture;
mod plan;
mod rows;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use brisk::usage::{Apparent, HardLinks, Usage};
use brisk::{Follow, Mounts, Order, Shape, Walk};
use brisk_sys::limits;

use crate::common::json;
use crate::common::messages::Caller;
use crate::common::options::{Refusal, StatsForm};
use crate::common::standard;
use count::Counter;
use options::{Answer, Options};
use plan::{Form, Plan};

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let options = match flags::read(caller, words) {
        Ok(options) => options,
        Err(refusal) => return refuse(caller, &refusal),
    };
    match options.answer {
        Some(Answer::Help) => {
            let text = flags::command(caller).render_long_help().to_string();
            return standard::print(caller, text, 1);
        }
        Some(Answer::Version) => {
            let text = format!("{} {}\n", caller.du_command(), caller.version());
            return standard::print(caller, text, 1);
        }
        None => {}
    }
    let plan = match Plan::new(caller, &options) {
        Ok(plan) => plan,
        Err(refusal) => return refuse(caller, &refusal),
    };
    match names::paths(caller, &options) {
        Ok((paths, whole)) => count(&plan, &paths).max(u8::from(!whole)),
        Err(message) => refuse(caller, &Refusal::value(message)),
    }
}

fn refuse(caller: Caller, refusal: &Refusal) -> u8 {
    caller.complain(&refusal.message);
    if refusal.hint {
        let command = caller.hint(caller.du_command());
        standard::tell(format!("Try '{command} --help' for more information.\n"));
    }
    1
}

/// Counts and prints; returns the exit code.
fn count(plan: &Plan<'_>, paths: &[PathBuf]) -> u8 {
    limits::raise_open_files();
    let (counter, report) = usage(plan, paths).run(Counter::new(plan));
    plan.close_display();
    let explained = plan.options.explain.then(|| explain::explain(plan, counter.answered));
    let mut out = plan.out();
    let whole = match &plan.options.html {
        Some(file) => html::write(plan, file, counter.rows, &report),
        None if plan.options.by.is_some() => {
            picture::groups(plan, counter.groups, &report, &mut out.bytes);
            true
        }
        None if plan.form == Form::Rows => {
            picture::rows(plan, counter.rows, &report, &mut out.bytes);
            true
        }
        None => true,
    };
    if plan.form != Form::Json && plan.options.total {
        plan.line(&report.total, b"total", &mut out.bytes);
    }
    let code = standard::finish(plan.caller, out.finish(), 1);
    let told = explained.is_none_or(standard::tell)
        && match plan.options.stats {
            Some(StatsForm::Text) => standard::tell(format!("{}\n", report.stats)),
            Some(StatsForm::Json) => standard::tell(json::stats(&report.stats) + "\n"),
            None => true,
        };
    code.max(u8::from(plan.has_failed() || !whole || !told))
}

/// What is added up. Sums of paths alone are added up in any order, lines of directories in GNU
/// du's.
fn usage(plan: &Plan<'_>, paths: &[PathBuf]) -> Usage {
    let options = plan.options;
    let follow = options.follow.unwrap_or(Follow::Never);
    let follows = follow == Follow::Always;
    let only_roots =
        options.shown_depth() == 0 && !options.separate && (paths.len() == 1 || !follows);
    let in_order = plan.form == Form::Lines && !only_roots;
    let walk = Walk::over(paths)
        .follow(follow)
        .order(if in_order { Order::Depth(Shape::Post) } else { Order::Unordered })
        .mounts(if options.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        // Which way to a file is the first must not depend on reading ahead.
        .threads(if in_order && follows { NonZeroUsize::new(1) } else { options.threads })
        .backend(crate::common::backend());
    let usage = Usage::new(walk).links(links(plan)).reflinks(options.reflinks);
    let usage = match plan.stamp() {
        Some(stamp) => usage.time(stamp.field()),
        None => usage,
    };
    let asks_all = options.inodes || options.by.is_some() || plan.filters.is_some();
    let shortcuts = !options.no_shortcuts && plan.caller != Caller::Du && !asks_all;
    usage
        .apparent(if plan.caller == Caller::Du { Apparent::All } else { Apparent::Contents })
        .only_roots(only_roots && options.exclude.is_empty())
        .shortcuts(shortcuts)
}

fn links(plan: &Plan<'_>) -> HardLinks {
    match plan.options {
        Options { count_links: true, .. } => HardLinks::Each,
        // In groups a file must not move.
        Options { by: Some(_), .. } => HardLinks::FirstMet,
        _ if plan.caller == Caller::Du => HardLinks::FirstMet,
        _ => HardLinks::FirstSorted,
    }
}
