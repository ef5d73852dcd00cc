//! What the layers of options say: the command line, the environment and the configuration.

use std::path::PathBuf;
use std::time::Duration;

use super::lists::Limit;
use super::sort::Sort;
use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{self, CommonOptions, HasCommon, When};

/// A flag of `brisk find`.
pub(super) type Flag = front::Flag<Options>;

/// Everything the command line, the environment and the configuration say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) selecting: Selecting,
    // Where the walk goes.
    /// From arguments or --search-path; empty: the current directory.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) base_directory: Option<PathBuf>,
    /// `None` if the user named no order: a short walk is then printed sorted.
    pub(crate) order: Option<brisk::Order>,
    pub(crate) unique: bool,
    /// Whether what ignore rules leave out is looked for, and nothing else.
    pub(crate) ignored: bool,
    /// The state in which names and types are kept.
    pub(crate) index: Option<PathBuf>,
    pub(crate) output: Output,
    // What is done with results.
    /// Commands that are run once for each result.
    pub(crate) exec: Vec<Vec<String>>,
    /// Commands that are run once for many results.
    pub(crate) exec_batch: Vec<Vec<String>>,
    /// The most results that a command of `exec_batch` receives; 0: as many as fit.
    pub(crate) batch_size: usize,
    /// Whether results are removed.
    pub(crate) delete: bool,
    /// With `delete`: results are listed, and stay.
    pub(crate) dry_run: bool,
    pub(crate) common: CommonOptions,
}

impl Options {
    /// Whether results are removed, or go to commands, which may change files.
    pub(crate) fn changes_files(&self) -> bool {
        self.runs_commands() || self.delete
    }

    /// Whether results go to commands rather than to standard output.
    pub(crate) fn runs_commands(&self) -> bool {
        !self.exec.is_empty() || !self.exec_batch.is_empty()
    }
}

impl HasCommon for Options {
    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

impl Selects for Options {
    /// fd's -x runs a command, and fd has no -m.
    const WITHOUT: &'static str = "mx";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}

/// Where options come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The user, or a script, typed them for this call.
    CommandLine,
    /// A file, or a variable of the environment.
    Configuration,
}

/// How results are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub(crate) absolute: bool,
    pub(crate) details: bool,
    pub(crate) format: Option<String>,
    pub(crate) json: bool,
    pub(crate) print0: bool,
    pub(crate) color: When,
    /// `None`: never.
    pub(crate) hyperlink: Option<When>,
    pub(crate) path_separator: Option<String>,
    pub(crate) strip_cwd_prefix: When,
    /// 0 or `None`: no limit.
    pub(crate) max_results: Option<usize>,
    pub(crate) quiet: bool,
    /// Whether the number of results is all that is printed.
    pub(crate) count: bool,
    pub(crate) sort: Option<Sort>,
    /// `--parts`, `--part-size` or `--part-files`: when a list is full. `None`: there are no lists.
    pub(crate) list_limit: Option<Limit>,
    /// What the names of lists begin with.
    pub(crate) part_name: Option<PathBuf>,
    pub(crate) overwrites_lists: bool,
    /// `None`: neither asked for nor refused. By default `fd` is silent about errors and `brisk
    /// find` is not.
    pub(crate) show_errors: Option<bool>,
    /// 0 or `None`: no limit.
    pub(crate) max_errors: Option<usize>,
    pub(crate) max_buffer_time: Option<Duration>,
    /// A shell's name, or the empty string for the shell that the environment names.
    pub(crate) completions: Option<String>,
    /// Whether configuration files and the environment are disregarded.
    pub(crate) no_config: bool,
}

impl Output {
    /// Takes back the form that an earlier layer asked for: the later layer decides.
    pub(super) fn forget_form(&mut self) {
        self.details = false;
        self.json = false;
        self.format = None;
    }
}
