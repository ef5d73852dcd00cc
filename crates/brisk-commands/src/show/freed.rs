//! How much space a removal would free, as text: the number may be only an upper bound.

use super::json;

/// What the mark of a bound means.
pub(crate) const BOUND: &str = "< before a size means at most: it is not known how much of it other \
    files share, or how much its names and inodes take up";

/// What no number includes.
pub(crate) const OVERWRITTEN: &str = "overwritten parts of files may free more: on btrfs only root \
    can see how much";

/// How much snapshots hold.
pub(crate) fn held(size: &str) -> String {
    format!("{size} more is held by snapshots, and is freed only when they are removed too")
}

/// Whether the most that may be freed is only a bound: the least differs from it by more than 1 %.
#[must_use]
pub fn is_bound(most: u64, least: u64) -> bool {
    most.saturating_sub(least) > most / 100
}

/// Adds both numbers to an object.
pub(crate) fn keys(object: &mut json::Object<'_>, most: u64, least: u64) {
    object.number("frees", Some(most));
    object.number("frees_at_least", Some(least));
}
