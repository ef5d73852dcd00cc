//! `brisk scan`: a table with a row for each entry. This file leads from the command line to the
//! program `brisk-scan`, which has the code for tables.

pub(crate) mod flags;

use std::ffi::OsString;

use crate::front::messages::Caller;
use crate::front::{Refusal, parts, standard};
use flags::Options;

/// Writes a table; returns the exit code.
pub type Scan = fn(&Options) -> Result<u8, Refusal>;

/// Runs the command on the words behind its name; returns the exit code. `scan` is missing in
/// `brisk`, which starts `brisk-scan` instead.
pub fn run(words: &[OsString], scan: Option<Scan>) -> u8 {
    let read = flags::read(words);
    standard::run(Caller::Brisk, "brisk scan", read, flags::command, |options| match scan {
        Some(scan) => scan(&options),
        None => parts::TABLES.run("scan", words).map_err(Refusal::usage),
    })
}
