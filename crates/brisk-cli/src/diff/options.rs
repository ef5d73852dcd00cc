//! Everything that the command line of `brisk diff` says.

use std::path::PathBuf;

use crate::filter::flags::Selects;
use crate::filter::{Filtering, Ignoring, Matching};
use crate::front::groups::{Run, Runs};

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) matching: Matching,
    pub(crate) ignoring: Ignoring,
    /// Whether hidden entries are compared, and whether ignore rules are disregarded, if the user
    /// said so.
    pub(crate) hidden: Option<bool>,
    pub(crate) no_ignore: Option<bool>,
    pub(crate) filtering: Filtering,
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
    /// What is left out of directories. `whole`: nothing, unless the user said so.
    pub(crate) fn leaving_out(&self, whole: bool) -> Ignoring {
        Ignoring {
            hidden: self.hidden.unwrap_or(whole),
            no_ignore: self.no_ignore.unwrap_or(whole),
            ..self.ignoring.clone()
        }
    }
}

impl Selects for Options {
    const OWNER: &'static str = "o";

    fn matching(&mut self) -> &mut Matching {
        &mut self.matching
    }

    fn ignoring(&mut self) -> &mut Ignoring {
        &mut self.ignoring
    }

    fn filtering(&mut self) -> &mut Filtering {
        &mut self.filtering
    }
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}
