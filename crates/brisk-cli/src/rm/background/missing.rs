//! Whether the way to the journal is made.

/// What to do where a directory does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The directory is made, for this user alone.
    Make,
    /// The directory stays missing.
    Leave,
}
