//! Everything that the command line of `brisk rm` says.

use std::path::{Path, PathBuf};
use std::time::Duration;

use brisk::Timestamp;
use brisk::remove::Preserve;

use crate::front::{Run, Runs};

/// When questions are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// About write-protected files, on a terminal.
    #[default]
    IfProtected,
    /// Once before anything is removed (-I), and about write-protected files.
    Once,
    /// About everything.
    Always,
    /// Never.
    Never,
}

impl Options {
    /// Whether directories are entered.
    pub(crate) fn recurses(&self) -> bool {
        self.recursive || self.finish
    }

    /// Whether standard input is the list of what to remove.
    pub(crate) fn reads_input(&self) -> bool {
        self.files0_from.as_deref().is_some_and(|from| from == Path::new("-"))
    }
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) force: bool,
    pub(crate) prompt: Prompt,
    pub(crate) recursive: bool,
    pub(crate) empty_dirs: bool,
    pub(crate) verbose: bool,
    pub(crate) one_file_system: bool,
    pub(crate) cross_mounts: bool,
    pub(crate) preserve: Preserve,
    /// Whether standard input counts as a terminal.
    pub(crate) presume_terminal: bool,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
    pub(crate) background: bool,
    pub(crate) finish: bool,
    /// With `finish`: show the trees that it would remove.
    pub(crate) list: bool,
    /// The record of a detached process.
    pub(crate) record: Option<String>,
    pub(crate) older_than: Option<Timestamp>,
    pub(crate) keep_root: bool,
    /// How long to try again what another process uses.
    pub(crate) wait: Option<Duration>,
    pub(crate) run: Run,
    pub(crate) paths: Vec<PathBuf>,
    /// The file that lists what to remove; `-` is standard input.
    pub(crate) files0_from: Option<PathBuf>,
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}
