//! `--explain`: how a removal would be done, what it would ask of the file system, and for which
//! option. No file is looked at.

use brisk::Fields;
use brisk::remove::{Observer, Preserve};

use super::flags::{Options, Prompt};
use super::removal::tries_one_by_one;
use super::teller::Teller;
use crate::front::messages::Caller;
use crate::show::fields::{ALL, MOUNTS_STAY, READING, ROOT_STAYS, explained, need};

/// Lines for standard error.
pub(super) fn explain(caller: Caller, options: &Options) -> String {
    let teller = Teller::new(caller, options);
    let asks = match options.finish {
        true => options.prompt == Prompt::Always,
        false => !options.background && teller.asks(),
    };
    let one_by_one = options.wait.is_some() && tries_one_by_one(options, &teller);
    let in_turn = options.verbose || options.dry_run || asks || one_by_one;
    let removable =
        Fields::SIZE | Fields::UID | Fields::NLINK | Fields::DEV | Fields::INO | Fields::BLOCKS;
    let needs = [
        (options.older_than.is_some(), "--older-than", Fields::MTIME, ALL),
        (options.dry_run, "--dry-run", removable, ALL),
        (asks, "A question", Fields::MODE | Fields::SIZE, ALL),
    ];
    let needs = needs.into_iter().filter_map(need).collect();
    explained(facts(options), needs, [workers(options, asks, in_turn)])
}

/// What the command does: how the paths are found, and which are refused; what happens to entries,
/// to the directories that were named, and to mount points.
// long: a row for each sentence
fn facts(options: &Options) -> [(bool, &'static str); 19] {
    let recurses = options.recurses();
    let crosses = options.cross_mounts;
    let preserves = |what| options.preserve == what;
    [
        (true, "Nothing is removed: this is what the command does without --explain"),
        (options.prompt == Prompt::Once, "One question is asked before anything is removed"),
        (options.finish, "--finish: the paths are the trees that --background has left"),
        (
            options.files0_from.is_some(),
            "--files0-from: the list is read while its files are removed",
        ),
        (true, "Each path costs a statx, and an openat if it has a slash"),
        (
            recurses,
            "Each path that is a directory costs one statx more; where paths lie in several \
             directories, so does each directory above these",
        ),
        (preserves(Preserve::Root), ROOT_STAYS),
        (
            preserves(Preserve::RootAndMounts),
            "--preserve-root=all: '/' and mount points are refused, by one statx for '/' and one \
             for the parent of each path that is a directory",
        ),
        (preserves(Preserve::Nothing), "--no-preserve-root: '/' is no exception"),
        (recurses, READING),
        (!recurses && options.empty_dirs, "A directory is removed if it is empty; none is read"),
        (!recurses && !options.empty_dirs, "A directory is refused, because -r is not given"),
        (
            options.dry_run,
            "--dry-run: instead of removals, a faccessat2 and a statx for each directory with \
             entries; for what would be freed a statfs for each device and, where files can share \
             what they store, an open, an ioctl or more and a close for each regular file",
        ),
        (!options.dry_run, "Each entry is removed by its directory's handle: one unlinkat"),
        (
            options.background,
            "--background: each directory is recorded in the journal and renamed; another process \
             removes it",
        ),
        (
            options.wait.is_some(),
            "--wait: the paths below which something is in use are tried again every 50 ms",
        ),
        (options.keep_root, "--keep-root: the directories that were named are emptied and stay"),
        (
            recurses && crosses,
            "--cross-mounts: file systems that are mounted below the paths are emptied too",
        ),
        (recurses && !crosses, MOUNTS_STAY),
    ]
}

/// How many workers remove, and in which order.
fn workers(options: &Options, asks: bool, in_turn: bool) -> String {
    let in_turn = if in_turn { "; each path is finished before the next" } else { "" };
    let workers = if asks { "one worker, which asks".to_owned() } else { options.common.workers() };
    format!("The work is done by {workers}{in_turn}")
}
