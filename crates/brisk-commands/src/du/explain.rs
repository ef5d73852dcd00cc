//! `--explain`: what a count asks of the file system, and why.

use brisk::{Fields, Follow};

use super::plan::Plan;
use crate::filter;
use crate::show::fields::{ALL, READING, explained, need};

/// Lines for standard error. `answered`: of how many paths the file system knew the sums.
pub(super) fn explain(plan: &Plan<'_>, answered: usize) -> String {
    let options = plan.options;
    let asks_root = options.follow == Some(Follow::Always) || options.one_file_system;
    let told = format!(
        "CephFS gave the sums of {answered} paths in one request each (ceph.dir.rbytes); \
         --no-shortcuts walks instead"
    );
    let facts = [
        (true, READING),
        (true, "A directory's metadata is requested through its own handle"),
        (asks_root, "-L and -x cost one more statx per directory"),
        (
            options.reflinks,
            "--reflinks: an open, a FIEMAP for 64 extents and a close for each regular file",
        ),
        (
            options.frees,
            "--frees: a statfs for each device. Where files can share what they store, an open, a \
             FIEMAP for 64 extents and a close for each regular file; for root on btrfs an open, \
             two searches, a request for each extent and a close",
        ),
        (answered > 0, &told),
    ];
    let of_links = Fields::NLINK | Fields::INO;
    let time = plan.stamp().map(|stamp| (true, "The time", stamp.field(), ALL));
    let needs = [
        (true, "The count", Fields::SIZE | Fields::BLOCKS, ALL),
        (!options.count_links, "Counting hard links once", of_links, ALL),
    ];
    let needs = needs.into_iter().chain(time).chain(filter::explain(&plan.filter));
    explained(facts, needs.filter_map(need).collect(), None)
}
