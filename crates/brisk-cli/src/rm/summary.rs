//! What was done: `--stats`, `--json`, and the outcome of a dry run.

use brisk::remove::{Progress, Report};

use super::options::Options;
use super::terminal::Terminal;
use crate::common::progress::grouped;
use crate::common::quoting::in_message;
use crate::common::{json, standard};

/// Writes what the options ask for: to standard output through `terminal`, which knows whether that
/// worked, and to standard error. Returns `false` if writing to standard error failed.
pub(super) fn tell(terminal: &Terminal, options: &Options, report: &Report) -> bool {
    terminal.print(&match (options.json, options.dry_run) {
        (true, _) => json(options, report) + "\n",
        (false, true) => text(options, report) + "\n",
        (false, false) => String::new(),
    });
    let stats = || format!("{}\n{}\n", text(options, report), report.stats);
    !options.stats || standard::tell(stats())
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

/// What would be removed of one operand: the line of a dry run.
pub(super) fn operand(path: &[u8], of_it: &Progress) -> String {
    let gone = entries(of_it.files, of_it.directories);
    format!("{}: {gone} ({})", in_message(path), counted(of_it.bytes, "byte", "bytes"))
}

fn entries(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!("{files} and {}", counted(directories, "directory", "directories"))
}

/// A number with its noun: `1 file`, `1,234 files`.
pub(super) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
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
