//! What was done: `--stats`, `--json`, and the outcome of a dry run.

use brisk::remove::Report;

use super::options::Options;
use super::talk::entries;
use super::terminal::Terminal;
use crate::front::progress::{counted, grouped};
use crate::front::standard;
use crate::show::json;

/// Writes what the options ask for: to standard output through `terminal`, which knows whether that
/// worked, and to standard error. Returns `false` if writing to standard error failed.
pub(super) fn tell(terminal: &Terminal<'_>, options: &Options, report: &Report) -> bool {
    terminal.print(&match (options.json, options.dry_run) {
        (true, _) => json(options, report) + "\n",
        (false, true) => text(options, report) + "\n",
        (false, false) => String::new(),
    });
    let stats = || format!("{}\n{}", text(options, report), report.stats);
    standard::tell_run(options.run.stats, stats, || json(options, report))
}

fn text(options: &Options, report: &Report) -> String {
    let Report { files, directories, bytes, spared, failed, .. } = *report;
    let gone = entries(files, directories);
    let part = |count: u64, what: &str| {
        if count == 0 { String::new() } else { format!("; {} {what}", grouped(count)) }
    };
    if options.dry_run {
        let rest = part(spared, "would stay") + &part(failed, "would fail");
        return format!("would remove {gone} ({}){rest}", counted(bytes, "byte", "bytes"));
    }
    format!("removed {gone}{}{}", part(spared, "stayed"), part(failed, "failed"))
}

fn json(options: &Options, report: &Report) -> String {
    json::of(|object| {
        object.plain("dry_run", options.dry_run);
        object.number("files", Some(report.files));
        object.number("directories", Some(report.directories));
        object.number("bytes", options.dry_run.then_some(report.bytes));
        object.number("spared", Some(report.spared));
        object.number("failed", Some(report.failed));
        object.plain("interrupted", report.stopped);
        object.plain("stats", json::stats(&report.stats));
    })
}
