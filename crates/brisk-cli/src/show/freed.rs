//! What removing would free, in words: a number that may be only a bound.

use super::json;

/// What the mark of a bound means.
pub(crate) const BOUND: &str = "< before a size means at most: who else shares some of it, or how \
    much its names and inodes take, is not known";

/// What is in no number.
pub(crate) const OVERWRITTEN: &str = "parts of files that were overwritten may free more: on btrfs \
    only root learns how much";

/// What snapshots hold.
pub(crate) fn held(size: &str) -> String {
    format!("{size} more is held by snapshots, and is freed only when they are removed too")
}

/// Whether the most that may be freed is a bound: what is sure differs by more than 1 %.
#[must_use]
pub fn is_bound(most: u64, least: u64) -> bool {
    most.saturating_sub(least) > most / 100
}

/// Adds both numbers to an object.
pub(crate) fn keys(object: &mut json::Object<'_>, most: u64, least: u64) {
    object.number("frees", Some(most));
    object.number("frees_at_least", Some(least));
}
