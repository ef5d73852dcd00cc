//! Everything that the command line of `brisk cp` says.

use std::ffi::OsString;
use std::path::PathBuf;

use brisk::Follow;
use brisk::copy::{Preserve, Update, When};

use super::backup::Control;
use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{Run, Runs};

/// What happens to destinations that exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Existing {
    #[default]
    Overwritten,
    /// As the user answers (-i).
    Asked,
    /// They stay (-n).
    Kept,
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub recursive: bool,
    /// Which links are followed. By default all without -R or with -l, none otherwise.
    pub follow: Option<Follow>,
    pub preserve: Preserve,
    /// `--preserve=context`, which is refused where there are no contexts.
    pub wants_context: bool,
    pub hard_links: bool,
    pub symbolic_links: bool,
    pub attributes_only: bool,
    pub copy_contents: bool,
    pub force: bool,
    pub existing: Existing,
    pub update: Update,
    /// `--update` has a value, which GNU cp does not take.
    pub names_update: bool,
    pub remove_destination: bool,
    pub makes_backups: bool,
    /// The word that says how backups are named.
    pub control: Option<OsString>,
    pub suffix: Option<OsString>,
    /// How backups are named, if they are made.
    pub backup: Option<Control>,
    pub target: Option<PathBuf>,
    /// The last operand is the destination itself, even if it is a directory (-T).
    pub no_target_directory: bool,
    pub strip_slashes: bool,
    pub parents: bool,
    pub verbose: bool,
    pub reflink: Option<When>,
    pub sparse: Option<When>,
    /// The context that `--context` names.
    pub context: Option<OsString>,
    /// -Z: contexts are those of new files.
    pub sets_context: bool,
    pub content: bool,
    pub delete: bool,
    pub sync: bool,
    pub dry_run: bool,
    pub json: bool,
    pub selecting: Selecting,
    pub run: Run,
    pub paths: Vec<PathBuf>,
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Selects for Options {
    /// GNU cp has other letters, or none.
    const WITHOUT: &'static str = "eFgHiImopsSutdx";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
