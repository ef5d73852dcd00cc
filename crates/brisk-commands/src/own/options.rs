//! Everything that the command lines of `brisk chmod`, `chown` and `chgrp` say.

use std::ffi::OsString;
use std::path::PathBuf;

use brisk::Follow;
use brisk::change::Ids;

use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{CommonOptions, HasCommon};

/// What a command sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sets {
    Mode,
    Owners,
    Group,
}

/// About which files lines are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    #[default]
    None,
    Changes,
    All,
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub lines: Verbosity,
    /// No messages about single files.
    pub quiet: bool,
    pub recursive: bool,
    /// Whether '/' is refused.
    pub preserve_root: bool,
    pub reference: Option<PathBuf>,
    /// Whether what a link leads to is changed, instead of the link.
    pub dereference: Option<bool>,
    /// Which links are followed to directories; none by default.
    pub follow: Option<Follow>,
    /// Only files of these owners are changed.
    pub from: Ids,
    /// The MODE, if it looks like an option.
    pub dashed: Option<OsString>,
    /// What the user should have typed otherwise.
    pub warnings: Vec<String>,
    /// Files that are already as requested are changed too.
    pub always: bool,
    pub cross_mounts: bool,
    pub dry_run: bool,
    pub json: bool,
    pub selecting: Selecting,
    pub files0_from: Option<OsString>,
    pub common: CommonOptions,
    pub words: Vec<OsString>,
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

impl Selects for Options {
    /// GNU's programs have other letters, or none.
    const WITHOUT: &'static str = "eFgHiImopsSu";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
