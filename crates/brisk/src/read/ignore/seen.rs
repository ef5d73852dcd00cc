//! [`Seen`]: which of the names that matter to ignore rules a directory's listing showed, as bits.

use super::files::RuleDir;

pub(super) const GIT: u64 = 1;
pub(super) const JJ: u64 = 2;
pub(super) const GITIGNORE: u64 = 4;

/// The bit of a configured name. Names after the 60th share one bit, which costs only failing
/// reads: that a file is missing is no error.
pub(super) fn name_bit(rank: usize) -> u64 {
    1 << (rank + 3).min(63)
}

/// Which of the wanted names a listing showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) listed: u64,
    /// The names that may be in the directory: those listed, if the listing is complete, else all.
    pub(super) possible: u64,
}

impl Seen {
    /// Whether there can be no rules in the directory.
    pub(super) fn is_nothing(self) -> bool {
        self.possible == 0
    }

    pub(super) fn may_hold(self, bits: u64) -> bool {
        self.possible & bits != 0
    }

    /// Whether the directory holds a repository. System calls: none if the listing is complete or
    /// shows one.
    pub(super) fn repository_in(self, place: RuleDir<'_>) -> bool {
        self.listed & (GIT | JJ) != 0 || (self.may_hold(GIT | JJ) && is_repository(place))
    }
}

/// Whether a directory is the top of a repository. System calls: one or two stats.
pub(super) fn is_repository(place: RuleDir<'_>) -> bool {
    place.has(c".git") || place.has(c".jj")
}
