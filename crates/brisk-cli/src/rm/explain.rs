//! `--explain`: how a removal would be done, what it would ask of the file system, and for which
//! option. No file is looked at.

use brisk::Fields;
use brisk::remove::{Observer, Preserve};

use super::options::{Options, Prompt};
use super::terminal::Terminal;
use crate::front::messages::Caller;
use crate::show::fields::words;

/// Lines for standard error.
pub(super) fn explain(caller: Caller, options: &Options) -> String {
    let asks = asks(caller, options);
    let mut text =
        "Nothing is removed: this is what the command does without --explain.\n".to_owned();
    let lines = paths(options).into_iter().chain(trees(options)).map(str::to_owned);
    let lines = lines.chain(asked(options, asks)).chain([workers(options, asks)]);
    lines.for_each(|line| text += &format!("{line}.\n"));
    text
}

/// Whether the removal asks about entries.
fn asks(caller: Caller, options: &Options) -> bool {
    if options.finish {
        options.prompt == Prompt::Always
    } else {
        !options.background && Terminal::new(caller, options).asks()
    }
}

/// How the paths are found, and which are refused.
fn paths(options: &Options) -> Vec<&'static str> {
    let mut lines = Vec::new();
    if options.prompt_once {
        lines.push("One question is asked before anything is removed");
    }
    if options.finish {
        lines.push("--finish: the paths are the trees that --background has left");
    }
    if options.files0_from.is_some() {
        lines.push("--files0-from: the list is read while its files are removed");
    }
    lines.push(if options.recurses() {
        "Each path costs a statx, one more if it is a directory, and an openat if it has a slash"
    } else {
        "Each path costs a statx, and an openat if it has a slash"
    });
    lines.push(match options.preserve {
        Preserve::Root => "'/' is refused, by one statx that says which directory that is",
        Preserve::RootAndMounts => {
            "--preserve-root=all: '/' and mount points are refused, by one statx for '/' and one \
             for the parent of each path that is a directory"
        }
        Preserve::Nothing => "--no-preserve-root: '/' is no exception",
    });
    lines
}

/// What happens to entries, to the directories that were named, and to mount points.
fn trees(options: &Options) -> Vec<&'static str> {
    let mut lines = vec![
        match (options.recurses(), options.empty_dirs) {
            (true, _) => {
                "Names and types come with the directory: openat2, getdents64, close for each"
            }
            (false, true) => "A directory is removed if it is empty; none is read",
            (false, false) => "A directory is refused, because -r is not given",
        },
        if options.dry_run {
            "--dry-run: instead of removals, a faccessat2 and a statx for each directory with \
             entries"
        } else {
            "Each entry is removed by its directory's handle: one unlinkat"
        },
    ];
    if options.background {
        lines.push(
            "--background: each directory is recorded in the journal and renamed; another process \
             removes it",
        );
    }
    if options.keep_root {
        lines.push("--keep-root: the directories that were named are emptied and stay");
    }
    if options.recurses() {
        lines.push(if options.cross_mounts && !options.one_file_system {
            "--cross-mounts: file systems that are mounted below the paths are emptied too"
        } else {
            "Mount points below the paths stay: each is reported, and the exit code is then 1"
        });
    }
    lines
}

/// What is asked of entries, as `brisk find --explain` says it.
fn asked(options: &Options, asks: bool) -> Vec<String> {
    let removable = Fields::SIZE | Fields::UID | Fields::NLINK | Fields::DEV | Fields::INO;
    let needs = [
        (options.older_than.is_some(), "--older-than needs", Fields::MTIME),
        (options.dry_run, "--dry-run needs", removable),
        (asks, "Questions need", Fields::MODE | Fields::SIZE),
    ];
    let needs = needs.into_iter().filter(|(on, ..)| *on);
    let mut lines: Vec<_> =
        needs.map(|(_, what, of)| format!("{what} {} of all entries", words(of))).collect();
    lines.push(if lines.is_empty() {
        "Nothing else is asked of any entry".to_owned()
    } else {
        "Each entry is asked about once, for all fields together".to_owned()
    });
    lines
}

/// How many workers remove, and in which order.
fn workers(options: &Options, asks: bool) -> String {
    let in_turn = if options.verbose || options.dry_run || asks {
        "; each path is finished before the next"
    } else {
        ""
    };
    let workers = match options.run.threads {
        _ if asks => "one worker, which asks".to_owned(),
        Some(count) if count.get() == 1 => "exactly 1 worker".to_owned(),
        Some(count) => format!("exactly {count} workers"),
        None => "as many workers as pay off".to_owned(),
    };
    format!("The work is done by {workers}{in_turn}")
}
