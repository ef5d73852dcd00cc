//! Which program has the code for tables, and how a command is handed on to it.

use std::ffi::OsString;

use super::messages::cause;
use super::quoting::quoted;
use crate::system;

/// Whether this program reads and writes tables itself. `brisk-scan` does, which is built from these
/// sources as well. `brisk` does not link the code for tables, because every command would start
/// more slowly with it: 0.2 ms, for twice as many pages that the loader writes to.
pub(crate) const IS_HERE: bool = cfg!(not(feature = "table")) || is_scan(env!("CARGO_BIN_NAME"));

/// Why a build without tables cannot do what a user asks for.
#[cfg(not(feature = "table"))]
pub(crate) const MISSING: &str = "this brisk was built without tables (the feature 'table')";

const fn is_scan(program: &str) -> bool {
    program.len() > "brisk".len()
}

/// Has the program beside this one run a command; returns the exit code.
///
/// # Errors
/// The message for the user.
pub(crate) fn elsewhere(command: &str, words: &[OsString]) -> Result<u8, String> {
    let program = format!("brisk-scan{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let program = own.with_file_name(program);
    let error = system::replace_by(std::process::Command::new(&program).arg(command).args(words));
    error.map_err(|error| {
        let (program, why) = (quoted(&program), cause(&error));
        format!("cannot run {program}, which reads and writes tables: {why}")
    })
}
