//! Everything that the command line of `brisk diff` says.

use std::path::PathBuf;

use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{Run, Runs};

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) selecting: Selecting,
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

impl Runs for Options {
    const LOST: u8 = 2;

    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Selects for Options {
    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
