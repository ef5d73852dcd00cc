//! [`Directories`]: what a count finds, kept.

use std::path::PathBuf;

use super::observer::{Observer, Total};
use super::sums::Sums;
use super::{Report, Usage};
use crate::{Error, Flow};

/// What [`Usage::directories`] has found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Directories {
    /// The directories, in the order in which they were left.
    pub found: Vec<DirectorySums>,
    /// What failed.
    pub errors: Vec<Error>,
    /// The sums of all roots.
    pub report: Report,
}

/// What a directory takes, with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirectorySums {
    /// The directory's path; a root's is as the caller spelled it.
    pub path: PathBuf,
    /// How deep it is; a root's depth is 0.
    pub depth: usize,
    /// The directory itself and everything below it.
    pub sums: Sums,
}

impl Directories {
    /// Sorts the directories: those that take most first, and of these by path.
    pub fn sort_largest_first(&mut self) {
        self.found.sort_by(|one, other| {
            let largest = other.sums.allocated.cmp(&one.sums.allocated);
            largest.then_with(|| one.path.as_os_str().cmp(other.path.as_os_str()))
        });
    }
}

impl Usage {
    /// Adds up, and keeps the sums of the directories that are at most so deep; a root's depth is 0.
    /// Costs an allocation for each of them.
    #[must_use]
    pub fn directories(&self, max_depth: usize) -> Directories {
        let (keeping, report) = self.run(Keeping(max_depth, Directories::default()));
        Directories { report, ..keeping.1 }
    }
}

/// Keeps the sums of directories down to a depth, and the errors.
struct Keeping(usize, Directories);

impl Observer for Keeping {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        if total.depth <= self.0 {
            let Total { path, depth, all: sums, .. } = *total;
            self.1.found.push(DirectorySums { path: path.to_owned(), depth, sums });
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.1.errors.push(error);
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Keeping {
        Keeping(self.0, Directories::default())
    }

    fn merge(&mut self, other: Keeping) {
        self.1.found.extend(other.1.found);
        self.1.errors.extend(other.1.errors);
    }
}
