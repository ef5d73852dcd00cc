//! [`Directories`]: an observer that keeps what a count finds.

use std::path::PathBuf;

use super::observer::{Observer, Total};
use super::sums::Sums;
use crate::{Error, Flow};

/// Keeps the sums of directories down to a depth, and the errors. Costs an allocation a directory.
#[derive(Debug, Default)]
pub struct Directories {
    /// How deep the directories are at most; a root's depth is 0.
    pub max_depth: usize,
    /// The directories, in the order in which they were left.
    pub found: Vec<DirectorySums>,
    /// What failed.
    pub errors: Vec<Error>,
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

impl Observer for Directories {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        if total.depth <= self.max_depth {
            let Total { path, depth, all: sums, .. } = *total;
            self.found.push(DirectorySums { path: path.to_owned(), depth, sums });
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Directories {
        Directories { max_depth: self.max_depth, ..Directories::default() }
    }

    fn merge(&mut self, other: Directories) {
        self.found.extend(other.found);
        self.errors.extend(other.errors);
    }
}
