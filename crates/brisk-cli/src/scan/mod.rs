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
#[cfg(feature = "table")]
mod volumes;

use std::ffi::OsString;

use crate::common::messages::Caller;
use crate::common::options::Refusal;
#[cfg(not(feature = "table"))]
use crate::common::quoting;
use crate::common::{standard, tables};
use options::Answer;
#[cfg(feature = "table")]
use run::scan;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let answered = flags::read(words).and_then(|options| match options.answer {
        Some(Answer::Help) => Ok(standard::print(Caller::Brisk, flags::help(), 1)),
        Some(Answer::Version) => {
            let text = format!("brisk scan {}\n", Caller::Brisk.version());
            Ok(standard::print(Caller::Brisk, text, 1))
        }
        None if tables::IS_HERE => scan(&options),
        None => tables::elsewhere("scan", words).map_err(Refusal::value),
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

/// A build without tables.
#[cfg(not(feature = "table"))]
fn scan(options: &options::Options) -> Result<u8, Refusal> {
    let file = quoting::quoted(options.output.as_deref().unwrap_or("-".as_ref()));
    Err(Refusal::value(format!("cannot write {file}: {}", tables::MISSING)))
}
