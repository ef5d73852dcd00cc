//! Everything that the command line of `brisk changed` says.

use std::ffi::OsString;
use std::path::PathBuf;

use super::comparing::Comparing;

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) comparing: Comparing,
    /// Empty: the current directory.
    pub(crate) paths: Vec<PathBuf>,
    /// The words that chose the entries.
    pub(crate) words: Vec<OsString>,
    /// Empty until its place is chosen, if the user named none.
    pub(crate) state: PathBuf,
    /// Whether the user named no state: each run that prints changes accepts them.
    pub(crate) keeps_state: bool,
    /// Where the new state goes.
    pub(crate) save: Option<PathBuf>,
    /// Whether nothing is accepted.
    pub(crate) dry_run: bool,
    /// Whether roots on another file system than before are accepted.
    pub(crate) full: bool,
    /// Whether a change of ctime alone is none.
    pub(crate) no_ctime: bool,
    pub(crate) no_shortcuts: bool,
    pub(crate) format: Option<String>,
    pub(crate) stamp: Option<PathBuf>,
    pub(crate) depfile: Option<PathBuf>,
    /// The words of COMMAND, if there is one.
    pub(crate) command: Vec<OsString>,
    /// Whether COMMAND reads the paths from its standard input.
    pub(crate) stdin0: bool,
    /// Whether it is an error if another brisk has locked the state.
    pub(crate) no_wait: bool,
}

impl AsMut<Comparing> for Options {
    fn as_mut(&mut self) -> &mut Comparing {
        &mut self.comparing
    }
}
