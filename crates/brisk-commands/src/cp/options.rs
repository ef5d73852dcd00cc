//! Everything that the command line of `brisk cp` says.

use std::ffi::OsString;
use std::path::PathBuf;

use brisk::Follow;
use brisk::copy::Copy;

use super::backup::Control;
use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{CommonOptions, HasCommon};

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// What the engine is to do, except for its walk, which is set later.
    pub copy: Copy,
    /// Which links are followed. By default all without -R or with -l, otherwise none.
    pub follow: Option<Follow>,
    pub hard_links: bool,
    pub symbolic_links: bool,
    /// What to do about destinations that exist: ask (-i), or leave them as they are (-n).
    pub asks: bool,
    pub keeps: bool,
    /// `--update` has a value, which GNU cp does not take.
    pub names_update: bool,
    pub makes_backups: bool,
    /// The word that says how backups are named, and what that means.
    pub control: Option<OsString>,
    pub backup: Option<Control>,
    pub suffix: Option<OsString>,
    pub target: Option<PathBuf>,
    /// The last operand is the destination itself, even if it is a directory (-T).
    pub no_target_directory: bool,
    pub strip_slashes: bool,
    pub parents: bool,
    pub verbose: bool,
    /// The security context that `--context` names.
    pub context: Option<OsString>,
    pub content: bool,
    pub json: bool,
    pub selecting: Selecting,
    pub common: CommonOptions,
    pub paths: Vec<PathBuf>,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

impl Selects for Options {
    /// GNU cp has other letters, or none.
    const WITHOUT: &'static str = "eFgHiImopsSutdx";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
