//! `--explain`: what a run asks of the file system, and for which option. No file is looked at.

use brisk::change::{Ids, To};

use super::plan::Plan;
use crate::filter;
use crate::show::fields::{ALL, MOUNTS_STAY, READING, ROOT_STAYS, explained, need};

/// Lines for standard error.
// long: a row for each sentence
pub(super) fn explain(plan: &Plan<'_>) -> String {
    let options = plan.options;
    let recurses = options.recursive;
    let of_mode = matches!(plan.change.to, To::Mode(_));
    let fields = plan.change.fields();
    let asks = !fields.is_empty();
    let changes = !options.dry_run;
    let always = options.always;
    let crosses = options.cross_mounts;
    let sets_late = recurses && !of_mode;
    let from = options.from != Ids::default();
    let follows = options.dereference == Some(true);
    let facts = [
        (true, "Nothing is changed: this is what the command does without --explain"),
        (options.files0_from.is_some(), "--files0-from: all of the list is read first"),
        (true, "Each path costs a statx; one more if it is a link that is followed"),
        (recurses && options.preserve_root, ROOT_STAYS),
        (recurses, READING),
        (
            recurses && !asks,
            "Each directory costs a statx, which says whether it is a mount point; other entries \
             are asked only if anything is mounted below the paths",
        ),
        (!changes, "--dry-run: no call changes anything"),
        (changes && !always, "A call follows where an entry is not yet as requested"),
        (changes && always, "A call follows for each entry, even one that is already as requested"),
        (
            changes && of_mode,
            "The call is a fchmodat2 by the directory's handle (before Linux 6.6: openat, fstat, \
             chmod, close)",
        ),
        (changes && !of_mode && !from, "The call is a fchownat by the directory's handle"),
        (
            changes && from,
            "--from: the call is a fchownat between an openat, a fstat and a close, so that no \
             other file is changed",
        ),
        (sets_late, "Owners of a directory are set after all below it"),
        (sets_late && plan.change.asks_again(), "For that, each directory costs one statx more"),
        (!of_mode && follows, "What a link leads to is changed, by one statx more"),
        (recurses && crosses, "Mount points are changed and entered"),
        (recurses && !crosses, MOUNTS_STAY),
    ];
    let of_change = need((asks, "The change", fields, ALL));
    let needs = filter::explain(&plan.filter).filter_map(need).chain(of_change);
    let workers = format!("The work is done by {}", options.common.workers());
    explained(facts, needs.collect(), [workers])
}
