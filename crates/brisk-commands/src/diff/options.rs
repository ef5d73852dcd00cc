//! Everything that the command line of `brisk diff` says.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::changed::compare::CompareOptions;

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) compare: CompareOptions,
    /// The earlier and the later side.
    pub(crate) sides: Vec<PathBuf>,
    /// The filters' flags, as words in the order of the table.
    pub(crate) filter_words: Vec<OsString>,
    /// Whether each entry below a directory has a line of its own.
    pub(crate) recursive: bool,
    pub(crate) summary: bool,
    /// How many levels of directories a summary has.
    pub(crate) depth: Option<usize>,
}

impl AsMut<CompareOptions> for Options {
    fn as_mut(&mut self) -> &mut CompareOptions {
        &mut self.compare
    }
}
