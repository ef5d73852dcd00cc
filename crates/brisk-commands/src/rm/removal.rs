//! One removal, from options to an exit code, with what is told of it at the end: `--stats`,
//! `--json`, and the outcome of a dry run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use brisk::Walk;
use brisk::remove::{Directories, Freed, Observer as _, Remove, Report};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use super::flags::Options;
use super::talk::entries;
use super::teller::{HeldMessage, Teller};
use crate::front::list::List;
use crate::front::messages::Caller;
use crate::front::progress::{counted, grouped};
use crate::front::standard;
use crate::show::{freed, json};
use crate::write::out::output_is_terminal;

/// With `--wait`: the time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Removes what the options name. Returns the exit code.
pub(super) fn remove(caller: Caller, options: &Options) -> u8 {
    limits::raise_open_files();
    signals::notice_interrupts();
    let teller = Teller::new(caller, options);
    let report = match (&options.files0_from, options.wait) {
        (None, None) => removal(options, &options.paths).run(&teller),
        (None, Some(most)) => remove_patiently(options, most, &teller),
        (Some(from), _) => {
            // The program that wrote the list may have been stopped within a path.
            let rest = Some("no NUL behind the name: not removing it");
            let mut list = List::open(from.as_os_str(), rest, |message| teller.complain(message));
            removal(options, &[]).run_over(&mut list, &teller)
        }
    };
    conclude(options, &teller, &report)
}

/// Paths that are tried together, and what their last try left.
struct Attempt<'o> {
    paths: Vec<&'o Path>,
    spared: u64,
    failed: Vec<HeldMessage>,
}

/// Removes what the options name, and tries those paths again below which something is in use,
/// until the time is over. Only the last try of a path counts for what stays; the messages of that
/// try are printed at the end.
fn remove_patiently<'o>(options: &'o Options, most: Duration, teller: &Teller<'_>) -> Report {
    let began = Instant::now();
    let removal = Remove { old: Some(Arc::default()), ..removal(options, &[]) };
    let together = if tries_one_by_one(options, teller) { 1 } else { usize::MAX };
    let untried = |paths: &'o [PathBuf]| Attempt {
        paths: paths.iter().map(PathBuf::as_path).collect(),
        spared: 0,
        failed: Vec::new(),
    };
    let mut due: Vec<_> = options.paths.chunks(together).map(untried).collect();
    let mut report = Report::default();
    loop {
        for attempt in &mut due {
            if !report.stopped {
                attempt.run(&removal, teller, &mut report);
            }
        }
        due.retain(|attempt| !attempt.paths.is_empty());
        if report.stopped || due.is_empty() || began.elapsed() >= most {
            due.iter().flat_map(|it| &it.failed).for_each(|it| teller.complain_of(it));
            return report;
        }
        std::thread::park_timeout(PAUSE);
    }
}

/// With `--wait`: whether each path is an attempt of its own. If paths are tried together, it is
/// unknown whose entries were spared, whose question was asked and, if one path begins with
/// another, whose failure it was.
pub(super) fn tries_one_by_one(options: &Options, teller: &Teller<'_>) -> bool {
    let mut paths: Vec<&PathBuf> = options.paths.iter().collect();
    // What begins with a path comes right behind it.
    paths.sort_unstable();
    let is_nested = paths.windows(2).any(|pair| pair[1].starts_with(pair[0]));
    is_nested || options.older_than.is_some() || teller.asks()
}

impl Attempt<'_> {
    /// Tries to remove the paths, and keeps those below which something is in use.
    fn run(&mut self, removal: &Remove, teller: &Teller<'_>, report: &mut Report) {
        report.spared -= self.spared;
        report.failed -= self.failed.len() as u64;
        let tried = removal.run_over(&self.paths, teller);
        self.spared = tried.spared;
        report.add(tried);
        let failed = teller.take_failed();
        let is_used = |it: &HeldMessage, path: &Path| it.is_in_use && it.path.starts_with(path);
        self.paths.retain(|path| failed.iter().any(|it| is_used(it, path)));
        let stays_due = |it: &HeldMessage| self.paths.iter().any(|path| it.path.starts_with(path));
        let (due, settled) = failed.into_iter().partition::<Vec<_>, _>(stays_due);
        settled.iter().for_each(|it| teller.complain_of(it));
        self.failed = due;
    }
}

/// Ends a removal: prints what is told at its end. Returns the exit code.
pub(super) fn conclude(options: &Options, teller: &Teller<'_>, report: &Report) -> u8 {
    let is_printed = print_report(teller, options, report);
    let code = teller.close();
    if report.stopped {
        let gone = counted(report.files + report.directories, "entry", "entries");
        let did = match (options.dry_run, options.older_than) {
            (true, _) => "would be removed; the rest was not looked at",
            (false, None) => "removed; the same command removes the rest",
            // Directories that have lost entries are young now.
            (false, Some(_)) => "removed",
        };
        teller.caller.complain(&format!("interrupted: {gone} {did}"));
        return signals::exit_code();
    }
    code.max(u8::from(!is_printed))
}

/// The removal of these paths that the options ask for.
pub(super) fn removal(options: &Options, paths: &[PathBuf]) -> Remove {
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
        frees: options.dry_run,
        in_turn: options.verbose,
        older_than: options.older_than,
        ..Remove::new(Walk::over(paths).threads(options.common.threads))
    }
}

/// Writes what the options ask for: to standard output through `teller`, which knows whether that
/// worked, and to standard error. Returns `false` if writing to standard error failed.
fn print_report(teller: &Teller<'_>, options: &Options, report: &Report) -> bool {
    teller.print(&match (options.json, options.dry_run) {
        (true, _) => json(options, report) + "\n",
        (false, true) => text(options, report) + "\n",
        (false, false) => String::new(),
    });
    let stats = || format!("{}\n{}", text(options, report), report.stats);
    standard::eprint_run(options.common.stats, stats, || json(options, report))
}

fn text(options: &Options, report: &Report) -> String {
    let Report { files, directories, bytes, spared, failed, .. } = *report;
    let gone = entries(files, directories);
    let part = |count: u64, what: &str| {
        if count == 0 { String::new() } else { format!("; {} {what}", grouped(count)) }
    };
    if options.dry_run {
        let rest = part(spared, "would stay") + &part(failed, "would fail");
        let frees = report.frees.as_ref().map_or_else(String::new, frees);
        let names = !options.verbose && files + directories > 0 && output_is_terminal();
        let more = if names { "; -v names each" } else { "" };
        let bytes = counted(bytes, "byte", "bytes");
        return format!("would remove {gone} ({bytes}{more}){rest}{frees}");
    }
    format!("removed {gone}{}{}", part(spared, "stayed"), part(failed, "failed"))
}

/// What would be freed, in a line of its own.
fn frees(freed: &Freed) -> String {
    let bound = if freed::is_bound(freed.most, freed.least) { "at most " } else { "" };
    let held = match freed.held_by_snapshots {
        0 => String::new(),
        bytes => format!("; {}", freed::held(&counted(bytes, "byte", "bytes"))),
    };
    let more = if freed.hides_overwritten { format!("; {}", freed::OVERWRITTEN) } else { held };
    format!("\nwould free {bound}{}{more}", counted(freed.most, "byte", "bytes"))
}

fn json(options: &Options, report: &Report) -> String {
    json::of(|object| {
        object.plain("dry_run", options.dry_run);
        object.number("files", Some(report.files));
        object.number("directories", Some(report.directories));
        object.number("bytes", options.dry_run.then_some(report.bytes));
        if let Some(freed) = &report.frees {
            freed::keys(object, freed.most, freed.least);
        }
        object.number("spared", Some(report.spared));
        object.number("failed", Some(report.failed));
        object.plain("interrupted", report.stopped);
        object.plain("stats", json::stats(&report.stats));
    })
}
