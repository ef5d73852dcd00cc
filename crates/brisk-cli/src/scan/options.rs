//! Everything that the command line of `brisk scan` says.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::common::filter::flags::Selects;
use crate::common::filter::{Filtering, Ignoring, Matching};
use crate::common::options::{StatsForm, When};

/// The form of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Parquet,
    Arrow,
    Csv,
    JsonLines,
}

impl Form {
    /// The form that a word names: a value of `--format`, or the extension of a file.
    pub(super) fn named(word: &str) -> Option<Form> {
        Some(match word {
            "parquet" => Form::Parquet,
            "arrow" => Form::Arrow,
            "csv" => Form::Csv,
            "jsonl" => Form::JsonLines,
            _ => return None,
        })
    }
}

/// What the command prints instead of scanning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Help,
    Version,
}

/// Everything the command line says.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) paths: Vec<PathBuf>,
    /// Where the table goes; `-` is standard output.
    pub(super) output: Option<PathBuf>,
    pub(super) form: Option<Form>,
    /// Names of columns, separated by commas.
    pub(super) columns: Option<String>,
    pub(super) sums: bool,
    pub(super) hash: bool,
    pub(super) matching: Matching,
    pub(super) filtering: Filtering,
    pub(super) ignoring: Ignoring,
    pub(super) max_depth: Option<usize>,
    pub(super) min_depth: usize,
    pub(super) one_file_system: bool,
    pub(super) cached: bool,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) progress: When,
    pub(super) stats: Option<StatsForm>,
    pub(super) answer: Option<Answer>,
}

/// An inventory lists everything, hidden and ignored files too.
impl Default for Options {
    fn default() -> Options {
        Options {
            paths: Vec::new(),
            output: None,
            form: None,
            columns: None,
            sums: false,
            hash: false,
            matching: Matching::default(),
            filtering: Filtering::default(),
            ignoring: Ignoring { hidden: true, no_ignore: true, ..Ignoring::default() },
            max_depth: None,
            min_depth: 0,
            one_file_system: false,
            cached: false,
            threads: None,
            progress: When::default(),
            stats: None,
            answer: None,
        }
    }
}

impl Selects for Options {
    /// `-o` says where the table goes.
    const OWNER: &'static str = "";

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
