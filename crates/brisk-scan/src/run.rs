//! One scan, from options to an exit code.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brisk::Stats;
use brisk_cli_sys::signals;
use brisk_commands::internal::{
    Caller, Messenger, Options, Refusal, cannot, eprint_stats, file_system, grouped, host_name,
    path_list, quoted, root,
};
use brisk_sys::limits;
use brisk_sys::paths::with_slashes;
use brisk_table::Column;
use jiff::Timestamp;

use crate::plan::{self, Plan};
use crate::scanner::Scanner;
use crate::target::{self, Target};

/// Scans. Returns the exit code.
///
/// # Errors
/// Options that cannot be used.
pub(crate) fn scan(options: &Options) -> Result<u8, Refusal> {
    let began = Timestamp::now();
    let output = options.output.as_deref();
    let output = output.ok_or_else(|| Refusal::hinted("--output is missing: the file to write"))?;
    let form = target::form(options.form, output)?;
    let roots = &options.paths;
    check_roots(roots)?;
    signals::notice_interrupts();
    limits::raise_open_files();
    let columns = plan::columns(options, Column::defaults())?;
    let target = match Target::open(output) {
        Ok(target) => target,
        Err(error) => return Ok(unwritten(output, &error)),
    };
    let report = Arc::new(Messenger::new(Caller::Brisk, options.common.progress));
    let plan = Plan::new(options, columns, form, &target, &report, None)?;
    let walk = options.selecting.walk(options.paths.iter().map(|path| root(path)), &options.common);
    let (scanner, stats) = walk
        .rules(plan.rules.clone())
        .filter(plan.filter.clone())
        .visit_parallel(Scanner::new(&plan));
    scanner.close();
    plan.report.close();
    if signals::interrupted() {
        Caller::Brisk.complain("interrupted: nothing was written");
        return Ok(signals::exit_code());
    }
    let has_failed = plan.report.has_failed();
    let metadata = metadata(roots, began, &stats, &plan);
    let rows = plan.gathering.taken();
    let written =
        plan.gathering.finish(metadata).and_then(|()| commit(target, output, rows, stats.wall));
    Ok(match written {
        Err(error) => unwritten(output, &error),
        Ok(()) => u8::from(has_failed || !eprint_stats(options.common.stats, &stats)),
    })
}

/// Gives a table that is complete its name, and says on a terminal what was written.
///
/// # Errors
/// What the system says.
pub(crate) fn commit(target: Target, output: &Path, rows: u64, time: Duration) -> io::Result<()> {
    let bytes = target.bytes();
    target.commit()?;
    if io::stderr().is_terminal() {
        Caller::Brisk.complain(&written_in_words(output, rows, bytes, time));
    }
    Ok(())
}

/// Checks that each root is a directory. A table from which a whole root is missing replaces no other
/// one.
pub(crate) fn check_roots(roots: &[PathBuf]) -> Result<(), Refusal> {
    for root in roots {
        let error = match root.metadata() {
            Ok(meta) if meta.is_dir() => continue,
            Ok(_) => io::ErrorKind::NotADirectory.into(),
            Err(error) => error,
        };
        return Err(Refusal::failure(cannot("scan", root, &error) + "; nothing was written"));
    }
    Ok(())
}

/// What was written.
pub fn written_in_words(output: &Path, rows: u64, bytes: Option<u64>, time: Duration) -> String {
    let bytes = bytes.map_or_else(String::new, |bytes| format!(", {} bytes", grouped(bytes)));
    let place = bytes.is_empty().then(|| "standard output".to_owned());
    let place = place.unwrap_or_else(|| quoted(output));
    let seconds = time.as_secs_f64();
    format!("{place}: {} rows{bytes}, in {seconds:.1} s", grouped(rows))
}

/// The exit code of a table that could not be written. A reader that has enough is not a failure.
#[cold]
pub(crate) fn unwritten(output: &Path, error: &io::Error) -> u8 {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return 0;
    }
    Caller::Brisk.complain(&cannot("write", output, error));
    1
}

/// What the file's metadata says about the scan.
pub(crate) fn metadata(
    roots: &[PathBuf],
    began: Timestamp,
    stats: &Stats,
    plan: &Plan,
) -> Vec<(String, String)> {
    let list = |paths: &[PathBuf]| path_list(paths.iter().map(|path| with_slashes(path)));
    let absolute = |root: &PathBuf| root.canonicalize().unwrap_or_else(|_| root.clone());
    let absolute: Vec<_> = roots.iter().map(absolute).collect();
    let types: Vec<_> = roots.iter().map(|root| file_system(root).unwrap_or_default()).collect();
    let pairs = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("roots", list(roots)),
        ("absolute_roots", list(&absolute)),
        ("file_systems", serde_json::Value::from(types).to_string()),
        ("volumes", plan.volumes(roots)),
        ("host", String::from_utf8_lossy(&host_name()).into_owned()),
        ("began", began.to_string()),
        ("ended", Timestamp::now().to_string()),
        ("errors", stats.errors.to_string()),
        ("unread", list(&plan.unread())),
    ];
    pairs.into_iter().map(|(key, value)| (format!("brisk.{key}"), value)).collect()
}
