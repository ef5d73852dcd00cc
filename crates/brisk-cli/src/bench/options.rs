//! What all measurements share: the options, and the message after an interrupt.

use std::path::PathBuf;

/// The message after the user interrupted.
pub(super) const INTERRUPTED: &str = "interrupted: nothing is reported";

/// What all measurements share.
pub(crate) struct Options {
    pub(crate) dir: PathBuf,
    /// How often each method runs, after a first run that is not counted.
    pub(crate) runs: usize,
    /// Whether caches are dropped before first runs, where the system allows that.
    pub(crate) drop_caches: bool,
    /// Where `rm` makes the copy that is removed; by default beside the directory.
    pub(crate) scratch: Option<PathBuf>,
    pub(super) json: Option<PathBuf>,
    pub(super) html: Option<PathBuf>,
}
