//! [`Missing`]: whether missing directories on the way to the journal are made.

/// What to do where a directory does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The directory is made, for this user alone.
    Make,
    /// The directory stays missing.
    Leave,
}
