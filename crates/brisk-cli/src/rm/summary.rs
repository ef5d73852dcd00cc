//! What was done, said at the end: `--stats`, `--json`, and the outcome of a dry run.

use std::io::{self, Write};

use brisk::remove::Report;

use super::flags::Options;

/// Says what the options ask for; whether that worked.
pub(super) fn tell(options: &Options, report: &Report) -> bool {
    if options.stats {
        let line = text(options, report);
        // There is nobody to tell if that fails.
        let _ = writeln!(io::stderr(), "{line}\n{}", report.stats);
    }
    let mut out = io::stdout();
    if options.json {
        writeln!(out, "{}", json(options, report)).is_ok()
    } else if options.dry_run {
        writeln!(out, "{}", text(options, report)).is_ok()
    } else {
        true
    }
}

fn text(options: &Options, report: &Report) -> String {
    let Report { files, directories, bytes, spared, failed, .. } = report;
    if options.dry_run {
        return format!(
            "would remove {files} files and {directories} directories, {bytes} bytes; {spared} would \
             stay, {failed} fail"
        );
    }
    format!("removed {files} files and {directories} directories; {spared} stay, {failed} failed")
}

fn json(options: &Options, report: &Report) -> String {
    let bytes =
        if options.dry_run { format!("\"bytes\":{},", report.bytes) } else { String::new() };
    format!(
        "{{\"dry_run\":{},\"files\":{},\"directories\":{},{bytes}\"spared\":{},\"failed\":{},\
         \"interrupted\":{},\"stats\":{}}}",
        options.dry_run,
        report.files,
        report.directories,
        report.spared,
        report.failed,
        report.stopped,
        report.stats.to_json(),
    )
}
