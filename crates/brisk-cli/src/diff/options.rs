//! Everything that the command line of `brisk diff` says.

use std::path::PathBuf;

use crate::filter::Criteria;
use crate::filter::flags::Selects;
use crate::front::{Run, Runs};

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) criteria: Criteria,
    /// Whether hidden entries are compared, and whether ignore rules are disregarded, if the user
    /// said so.
    pub(crate) hidden: Option<bool>,
    pub(crate) no_ignore: Option<bool>,
    /// The earlier and the later side.
    pub(crate) sides: Vec<PathBuf>,
    /// Whether each entry below a directory has a line of its own.
    pub(crate) recursive: bool,
    pub(crate) no_renames: bool,
    /// Whether contents decide.
    pub(crate) content: bool,
    pub(crate) print0: bool,
    pub(crate) json: bool,
    pub(crate) summary: bool,
    /// How many levels of directories a summary has.
    pub(crate) depth: Option<usize>,
    pub(crate) exit_code: bool,
    pub(crate) run: Run,
}

impl Options {
    /// Which entries of directories are compared. `whole`: nothing is left out, unless the user said
    /// so.
    pub(crate) fn criteria(&self, whole: bool) -> Criteria {
        let mut criteria = self.criteria.clone();
        criteria.ignoring.hidden = self.hidden.unwrap_or(whole);
        criteria.ignoring.no_ignore = self.no_ignore.unwrap_or(whole);
        criteria
    }
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Selects for Options {
    fn criteria(&mut self) -> &mut Criteria {
        &mut self.criteria
    }
}
