//! `brisk scan`: a table with a row for each entry. This file leads from the command line to an
//! exit code.

pub(crate) mod flags;
mod options;
#[cfg(feature = "table")]
mod plan;
#[cfg(feature = "table")]
mod run;
#[cfg(feature = "table")]
mod scanner;
#[cfg(feature = "table")]
mod sums;
#[cfg(feature = "table")]
mod target;
#[cfg(feature = "table")]
mod text;

use std::ffi::OsString;

use crate::common::messages::{Caller, cause};
use crate::common::options::Refusal;
use crate::common::standard;
use crate::system;
use options::Answer;
#[cfg(feature = "table")]
use run::scan;

/// Whether this program makes tables itself. `brisk-scan` does, which is built from these sources
/// as well. `brisk` does not link the code for tables, because every command would start more
/// slowly with it: 0.2 ms, for twice as many pages that the loader writes to.
const IS_HERE: bool = cfg!(not(feature = "table")) || is_scan(env!("CARGO_BIN_NAME"));

const fn is_scan(program: &str) -> bool {
    program.len() > "brisk".len()
}

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let answered = flags::read(words).and_then(|options| match options.answer {
        Some(Answer::Help) => Ok(standard::print(Caller::Brisk, flags::help(), 1)),
        Some(Answer::Version) => {
            let text = format!("brisk scan {}\n", Caller::Brisk.version());
            Ok(standard::print(Caller::Brisk, text, 1))
        }
        None if IS_HERE => scan(&options),
        None => elsewhere(words),
    });
    answered.unwrap_or_else(|refusal| refuse(&refusal))
}

#[cold]
fn refuse(refusal: &Refusal) -> u8 {
    let asks = refusal.did_you_mean(Caller::Brisk).map(|question| format!(". {question}"));
    Caller::Brisk.complain(&format!("{}{}", refusal.message, asks.unwrap_or_default()));
    if refusal.hint {
        standard::tell("Try 'brisk scan --help' for more information.\n");
    }
    2
}

/// Has the program beside this one make the table.
fn elsewhere(words: &[OsString]) -> Result<u8, Refusal> {
    let program = format!("brisk-scan{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let program = own.with_file_name(program);
    let error = system::replace_by(std::process::Command::new(&program).arg("scan").args(words));
    error.map_err(|error| {
        let (program, why) = (program.display(), cause(&error));
        Refusal::value(format!("cannot run '{program}', which makes tables: {why}"))
    })
}

/// A build without tables.
#[cfg(not(feature = "table"))]
fn scan(options: &options::Options) -> Result<u8, Refusal> {
    let file = options.output.as_deref().unwrap_or("-".as_ref()).display();
    let why = "this brisk was built without tables (the feature 'table')";
    Err(Refusal::value(format!("cannot write '{file}': {why}")))
}
