//! `--explain`: what a count asks of the file system, and why.

use brisk::Follow;

use super::plan::Plan;
use crate::filter;
use crate::show::fields::{explained, need, words};

/// Lines for standard error. `answered`: of how many paths the file system knew the sums.
pub(super) fn explain(plan: &Plan<'_>, answered: usize) -> String {
    let options = plan.options;
    let asks_root = options.follow == Some(Follow::Always) || options.one_file_system;
    let links = "The same request brings links and inode, so that hard links count once";
    let follows = "Links that are followed, and -x, cost one statx more for each directory";
    let reflinks = "--reflinks: an open, a FIEMAP for 64 extents and a close for each regular file";
    let always = "Names and types come with each directory: openat2, getdents64, close for \
                  each.\nEach entry costs one request, a directory by its own handle: size and \
                  blocks";
    let lines = [
        (true, always),
        (!options.count_links, links),
        (asks_root, follows),
        (options.reflinks, reflinks),
    ];
    let told = (answered > 0).then(|| {
        format!(
            "CephFS told the sums of {answered} paths in one request each (ceph.dir.rbytes); \
             --no-shortcuts walks instead"
        )
    });
    let times = plan.stamp().map(|stamp| format!("Times need {}", words(stamp.field())));
    let filters = filter::explain(&plan.filter).filter_map(need);
    explained(lines, told.into_iter().chain(times).chain(filters))
}
