//! One removal, from options to an exit code, with what is told of it at the end: `--stats`, `--json`,
//! and the outcome of a dry run.

use std::time::{Duration, Instant};

use brisk::Walk;
use brisk::remove::{Directories, Remove, Report};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use super::flags::Options;
use super::talk::entries;
use super::terminal::Terminal;
use crate::front::list::List;
use crate::front::messages::Caller;
use crate::front::progress::{counted, grouped};
use crate::front::standard;
use crate::show::json;

/// With `--wait`: the time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Removes what the options name. Returns the exit code.
pub(super) fn remove(caller: Caller, options: &Options) -> u8 {
    limits::raise_open_files();
    signals::notice_interrupts();
    let terminal = Terminal::new(caller, options);
    let report = match (&options.files0_from, options.wait) {
        (None, None) => removal(options).run(&terminal),
        (None, Some(most)) => remove_patiently(options, most, &terminal),
        (Some(from), _) => {
            // The program that wrote the list may have been stopped within a path.
            let rest = Some("no NUL behind the name: not removing it");
            let mut list = List::open(from.as_os_str(), rest, |message| terminal.complain(message));
            removal(options).run_over(&mut list, &terminal)
        }
    };
    conclude(options, &terminal, &report)
}

/// Removes what the options name, and again what failed, as long as some of it is in use and the
/// time is not over. The messages of a try that another follows are forgotten.
fn remove_patiently(options: &Options, most: Duration, terminal: &Terminal<'_>) -> Report {
    let began = Instant::now();
    let mut paths = options.paths.clone();
    let mut report = Report::default();
    loop {
        report.add(removal(options).run_over(&paths, terminal));
        let failed = terminal.take_failed();
        let is_last = report.stopped || began.elapsed() >= most;
        if is_last || !failed.iter().any(|failed| failed.is_in_use) {
            failed.iter().for_each(|failed| terminal.complain_of(failed));
            return report;
        }
        report.failed = 0;
        report.failures.clear();
        paths.retain(|path| failed.iter().any(|failed| failed.path.starts_with(path)));
        std::thread::park_timeout(PAUSE);
    }
}

/// Ends a removal: prints the remaining messages. Returns the exit code.
pub(super) fn conclude(options: &Options, terminal: &Terminal<'_>, report: &Report) -> u8 {
    let told = tell(terminal, options, report);
    let code = terminal.close();
    if report.stopped {
        let gone = counted(report.files + report.directories, "entry", "entries");
        let message = format!("interrupted: {gone} removed; the same command removes the rest");
        terminal.caller.complain(&message);
        return signals::exit_code();
    }
    code.max(u8::from(!told))
}

/// The removal that the options ask for.
pub(super) fn removal(options: &Options) -> Remove {
    Remove {
        directories: match (options.recursive, options.empty_dirs) {
            (true, _) => Directories::Recursive,
            (false, true) => Directories::Empty,
            (false, false) => Directories::Refused,
        },
        preserve: options.preserve,
        keep_roots: options.keep_root,
        cross_mounts: options.cross_mounts,
        ignore_missing: options.force,
        dry_run: options.dry_run,
        in_turn: options.verbose,
        older_than: options.older_than,
        ..Remove::new(Walk::over(&options.paths).threads(options.run.threads))
    }
}

/// Writes what the options ask for: to standard output through `terminal`, which knows whether that
/// worked, and to standard error. Returns `false` if writing to standard error failed.
fn tell(terminal: &Terminal<'_>, options: &Options, report: &Report) -> bool {
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
