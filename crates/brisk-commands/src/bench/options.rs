//! What the command line of `brisk bench` says, and the message after an interrupt.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::report::Report;
use crate::front::{CommonOptions, HasCommon};

/// The message after the user interrupted.
pub(super) const INTERRUPTED: &str = "interrupted: nothing is reported";

/// What is measured.
pub(super) struct Bench {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) measure: fn(&Options) -> Result<Report, String>,
}

/// What the command line says.
#[derive(Default)]
pub(crate) struct Options {
    pub(super) operands: Vec<OsString>,
    pub(super) kind: Option<&'static Bench>,
    pub(crate) dir: PathBuf,
    /// The command of `calls`, and its words.
    pub(crate) command: Vec<OsString>,
    /// How often each method runs, after a first run that is not counted.
    pub(crate) runs: usize,
    /// Whether the system's caches are dropped before first runs. Only root can do that.
    pub(crate) drop_caches: bool,
    /// Where directories are made for the measurement; by default beside the directory.
    pub(crate) scratch: Option<PathBuf>,
    /// How many entries the directories have that are made for the measurement: one tree for `rm`,
    /// one directory for each number for `attrs`. Without any, `rm` makes the directory's shape,
    /// and `attrs` makes nothing.
    pub(crate) files: BTreeSet<NonZeroUsize>,
    /// Whether the report is printed as JSON.
    pub(super) json: bool,
    pub(super) common: CommonOptions,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}
