//! What `du` and `duSync` call: how much space a tree takes up.

use brisk::usage::{HardLinks, Sums, Usage};
use brisk::{Follow, Mounts, Walk};
use brisk_sys::paths::bytes_to_path;
use napi::Result;
use napi_derive::napi;

use crate::job::{JobResult, Stop, answer};
use crate::packed::{ErrorParts, Packed};

/// Sums up the sizes of a tree. Finds the path that was given and the directories below it, largest
/// first, and of each four numbers: depth, allocated bytes, apparent bytes, entries.
#[napi]
pub fn usage(
    path: &[u8],
    max_depth: u32,
    count_links: bool,
    one_file_system: bool,
    stop: &Stop,
    sync: bool,
) -> Result<JobResult> {
    let walk = Walk::new(bytes_to_path(path))
        .follow(Follow::Never)
        .mounts(if one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        .cancelled_by(&stop.cancel);
    let mut usage = Usage::new(walk);
    usage.links = if count_links { HardLinks::Each } else { HardLinks::FirstSorted };
    let root = path.to_vec();
    answer(sync, move || {
        let mut directories = usage.directories(max_depth as usize);
        directories.sort_largest_first();
        let mut packed = Packed::default();
        let mut add = |path: &[u8], depth: usize, sums: Sums| {
            packed.push_text(path);
            let numbers = [depth as u64, sums.allocated, sums.apparent, sums.entries];
            packed.numbers.extend(numbers.map(|number| number as f64));
        };
        add(&root, 0, directories.report.total);
        for found in directories.found.iter().filter(|found| found.depth > 0) {
            add(found.path.as_os_str().as_encoded_bytes(), found.depth, found.sums);
        }
        packed.errors.extend(directories.errors.into_iter().map(ErrorParts::from));
        packed
    })
}
