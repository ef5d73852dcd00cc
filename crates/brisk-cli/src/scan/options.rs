//! Everything that the command line of `brisk scan` says.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::{Run, Runs};

/// The form of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Parquet,
    Arrow,
    Csv,
    JsonLines,
}

impl Form {
    /// The form that a word names: a value of `--as`, or the extension of a file.
    pub fn named(word: &str) -> Option<Form> {
        Some(match word {
            "parquet" => Form::Parquet,
            "arrow" => Form::Arrow,
            "csv" => Form::Csv,
            "jsonl" => Form::JsonLines,
            _ => return None,
        })
    }
}

/// Everything the command line says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub paths: Vec<PathBuf>,
    /// Where the table goes; `-` is standard output.
    pub output: Option<PathBuf>,
    pub form: Option<Form>,
    /// The table or the data set whose rows are written, instead of those of directories.
    pub from: Option<PathBuf>,
    /// Names of columns, separated by commas.
    pub columns: Option<String>,
    pub sums: bool,
    pub hash: bool,
    /// Whether the table is a data set, which this run begins or goes on with.
    pub continues: bool,
    /// How long a unit of a data set takes.
    pub budget: Option<Duration>,
    /// How many entries a unit of a data set takes.
    pub budget_entries: Option<u64>,
    /// The file with the unit that is done instead of a scan; `-` is standard input.
    pub unit: Option<PathBuf>,
    /// The words that choose rows, for the units of a data set.
    pub words: Vec<OsString>,
    pub selecting: Selecting,
    pub run: Run,
}

impl Runs for Options {
    fn run(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Selects for Options {
    /// `-o` says where the table goes.
    const WITHOUT: &'static str = "o";

    fn selecting(&mut self) -> &mut Selecting {
        &mut self.selecting
    }
}
