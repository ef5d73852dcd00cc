//! Everything that the command line of `brisk diff` says.

use std::path::PathBuf;

use crate::changed::comparing::Comparing;

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) comparing: Comparing,
    /// The earlier and the later side.
    pub(crate) sides: Vec<PathBuf>,
    /// Whether each entry below a directory has a line of its own.
    pub(crate) recursive: bool,
    pub(crate) summary: bool,
    /// How many levels of directories a summary has.
    pub(crate) depth: Option<usize>,
}

impl AsMut<Comparing> for Options {
    fn as_mut(&mut self) -> &mut Comparing {
        &mut self.comparing
    }
}
