//! `--explain`: what a count asks of the file system, and why.

use brisk::Follow;

use super::plan::Plan;
use crate::common::fields::words;

/// Lines for standard error. `answered`: of how many paths the file system knew the sums.
pub(super) fn explain(plan: &Plan<'_>, answered: usize) -> String {
    let (options, stamp) = (plan.options, plan.stamp());
    let asks_root = options.follow == Some(Follow::Always) || options.one_file_system;
    let times = stamp.map(|stamp| format!("It also brings {} for times", words(stamp.field())));
    let filters = plan.filters.iter().flat_map(|filters| filters.explain());
    let filters = filters
        .map(|(option, fields, files)| format!("{option} needs {} of {files}", words(fields)));
    let told = format!(
        "CephFS told the sums of {answered} paths in one request each (ceph.dir.rbytes); \
         --no-shortcuts walks instead"
    );
    let links = "The same request brings links and inode, so that hard links count once";
    let follows = "Links that are followed, and -x, cost one statx more for each directory";
    let reflinks = "--reflinks: an open, a FIEMAP for 64 extents and a close for each regular file";
    let mut lines = vec![
        "Names and types come with each directory: openat2, getdents64, close for each".to_owned(),
        "Each entry is asked about once, a directory by its own handle: size and blocks".to_owned(),
    ];
    lines.extend((!options.count_links).then(|| links.to_owned()));
    lines.extend(times);
    lines.extend(filters);
    lines.extend(asks_root.then(|| follows.to_owned()));
    lines.extend(options.reflinks.then(|| reflinks.to_owned()));
    lines.extend((answered > 0).then_some(told));
    lines.join(".\n") + ".\n"
}
