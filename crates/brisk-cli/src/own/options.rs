//! Everything that the command lines of `brisk chmod`, `chown` and `chgrp` say.

use std::ffi::OsString;
use std::path::PathBuf;

use brisk::Follow;
use brisk_sys::Ids;

use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{Run, Runs};

/// Which of the three commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Chmod,
    Chown,
    Chgrp,
}

impl Tool {
    pub(super) fn called(self) -> &'static str {
        match self {
            Tool::Chmod => "brisk chmod",
            Tool::Chown => "brisk chown",
            Tool::Chgrp => "brisk chgrp",
        }
    }
}

/// Which lines are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verbosity {
    #[default]
    Nothing,
    Changes,
    Everything,
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(super) verbosity: Verbosity,
    /// No messages about single files.
    pub(super) quiet: bool,
    pub(super) recursive: bool,
    /// Whether '/' is refused; the default depends on the caller.
    pub(super) preserve_root: Option<bool>,
    pub(super) reference: Option<PathBuf>,
    /// Whether what a link leads to is changed, instead of the link.
    pub(super) dereference: Option<bool>,
    /// Which links are followed to directories; none by default.
    pub(super) follow: Option<Follow>,
    /// Only files of these owners are changed.
    pub(super) from: Ids,
    /// The MODE, if it looks like an option.
    pub(super) dashed: Option<OsString>,
    /// What the user should have typed otherwise.
    pub(super) warnings: Vec<String>,
    /// Files that are already as requested are changed too.
    pub(super) always: bool,
    pub(super) cross_mounts: bool,
    pub(super) dry_run: bool,
    pub(super) json: bool,
    pub(super) selecting: Selecting,
    pub(super) files0_from: Option<OsString>,
    pub(super) run: Run,
    pub(super) words: Vec<OsString>,
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Selects for Options {
    /// GNU's programs have other letters, or none.
    const WITHOUT: &'static str = "eFgHiImopsSu";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
