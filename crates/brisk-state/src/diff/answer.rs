//! The result of a comparison: [`Difference`], [`Compared`], or why there is no result.

use std::fmt;

use crate::change::Change;
use crate::state::Unusable;

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What became of the entry.
    pub change: Change,
    /// The entry is a directory, and everything below it was added, deleted or renamed with it, but
    /// for what has a difference of its own.
    pub whole: bool,
    /// The sizes in bytes before and after: 0 of directories, of what is not there, and where one
    /// side does not know sizes.
    pub old_size: u64,
    /// See [`Difference::old_size`].
    pub new_size: u64,
}

/// What came of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Directories or files were met that one side could not read.
    pub has_unknown: bool,
    /// The caller has stopped it.
    pub is_stopped: bool,
    /// Files of two trees count as the same if their sizes and times of modification are equal.
    pub trusts_times: bool,
    /// How many files of the earlier and the later state were to be compared by their contents, and
    /// have no digest.
    pub without_digest: [u64; 2],
}

/// Why there is no answer.
#[derive(Debug)]
pub struct Undecided {
    /// Whether the later state is the one that cannot be used.
    pub is_new: bool,
    /// What is wrong with that state.
    pub why: Unusable,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl std::error::Error for Undecided {}

/// What ends a walk.
#[derive(Debug)]
pub(super) enum Fault {
    /// The state of this side cannot be used.
    Input(usize, Unusable),
    /// The caller wants no more.
    Stopped,
}

impl Fault {
    pub fn torn(side: usize) -> Fault {
        Fault::Input(side, Unusable::Torn)
    }
}

impl From<Fault> for Undecided {
    #[cold]
    fn from(fault: Fault) -> Undecided {
        match fault {
            Fault::Input(side, why) => Undecided { is_new: side != 0, why },
            // A caller that stops is no fault, and is not told of one.
            Fault::Stopped => Undecided { is_new: false, why: Unusable::Torn },
        }
    }
}
