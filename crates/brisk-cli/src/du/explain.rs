//! `--explain`: what a count asks of the file system, and why.

use brisk::Follow;
use std::fmt::Write;

use super::plan::Plan;
use crate::common::fields::words;

/// Lines for standard error. `answered`: of how many paths the file system knew the sums.
pub(super) fn explain(plan: &Plan<'_>, answered: usize) -> String {
    let options = plan.options;
    let mut text =
        "Names and types come with each directory: openat2, getdents64, close for each.\n\
         Each entry is asked about once, a directory by its own handle: size and blocks.\n"
            .to_owned();
    let mut add = |line: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}.");
    };
    if !options.count_links {
        add("The same request brings links and inode, so that hard links count once");
    }
    if let Some(stamp) = plan.stamp() {
        add(&format!("It also brings {} for times", words(stamp.field())));
    }
    if let Some(filters) = &plan.filters {
        for (option, fields, files) in filters.explain() {
            add(&format!("{option} needs {} of {files}", words(fields)));
        }
    }
    if options.follow == Some(Follow::Always) || options.one_file_system {
        add("Links that are followed, and -x, cost one statx more for each directory");
    }
    if options.reflinks {
        add("--reflinks: an open, a FIEMAP for 64 extents and a close for each regular file");
    }
    if answered > 0 {
        add(&format!(
            "CephFS told the sums of {answered} paths in one request each (ceph.dir.rbytes); \
             --no-shortcuts walks instead"
        ));
    }
    text
}
