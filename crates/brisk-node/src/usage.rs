//! What `du` and `duSync` call: how much space a tree takes up.

use brisk::usage::{HardLinks, Observer, Sums, Total, Usage};
use brisk::{Error, Flow, Follow, Mounts, Walk};
use brisk_sys::paths::bytes_to_path;
use napi::Result;
use napi_derive::napi;

use crate::job::{Answer, Stop, answer};
use crate::packed::{Failure, Packed};

/// Keeps the sums of directories down to a depth.
struct Gathering {
    max_depth: usize,
    directories: Vec<(Vec<u8>, usize, Sums)>,
    errors: Vec<Failure>,
}

impl Observer for Gathering {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        if (1..=self.max_depth).contains(&total.depth) {
            let path = total.path.as_os_str().as_encoded_bytes().to_vec();
            self.directories.push((path, total.depth, total.all));
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error.into());
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Gathering {
        Gathering { max_depth: self.max_depth, directories: Vec::new(), errors: Vec::new() }
    }

    fn merge(&mut self, other: Gathering) {
        self.directories.extend(other.directories);
        self.errors.extend(other.errors);
    }
}

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
) -> Result<Answer> {
    let walk = Walk::new(bytes_to_path(path))
        .follow(Follow::Never)
        .mounts(if one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        .cancelled_by(&stop.cancel());
    let mut usage = Usage::new(walk);
    usage.links = if count_links { HardLinks::Each } else { HardLinks::FirstSorted };
    let gathering =
        Gathering { max_depth: max_depth as usize, directories: Vec::new(), errors: Vec::new() };
    let root = path.to_vec();
    answer(sync, move || {
        let (Gathering { mut directories, errors, .. }, report) = usage.run(gathering);
        directories.sort_by(|(one, _, a), (other, _, b)| {
            b.allocated.cmp(&a.allocated).then_with(|| one.cmp(other))
        });
        let mut packed = Packed { errors, ..Packed::default() };
        for (path, depth, sums) in std::iter::once((root, 0, report.total)).chain(directories) {
            packed.push_text(&path);
            let numbers = [depth as u64, sums.allocated, sums.apparent, sums.entries];
            packed.numbers.extend(numbers.map(|number| number as f64));
        }
        packed
    })
}
