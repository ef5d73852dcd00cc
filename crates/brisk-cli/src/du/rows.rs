//! What a count tells of directories and files.

use brisk::Outcome;
use brisk::usage::Sums;

/// A directory or a file, for the end.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub path: Box<[u8]>,
    pub depth: usize,
    pub sums: Sums,
    pub is_dir: bool,
}

/// How many rows are kept where only the largest are shown. Twice as many are gathered before the
/// smallest are dropped.
pub(super) const MOST_ROWS: usize = 100_000;

/// A directory or a file that is shown.
pub(super) struct Shown<'a> {
    pub path: &'a [u8],
    pub depth: usize,
    /// Without subdirectories.
    pub own: Sums,
    pub sums: Sums,
    /// How much of a directory was seen; `None` for a file.
    pub outcome: Option<Outcome>,
}
