//! Passing a command to `brisk-scan`, the program with the code for tables. `brisk` does not link
//! that code, because every command would start more slowly with it: 0.2 ms, for twice as many
//! pages that the loader writes to.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::front::messages::cause;
use crate::show::quoting::quoted;
use crate::system;

/// Has the program beside this one run a command; returns the exit code.
///
/// # Errors
/// The message for the user.
pub(crate) fn elsewhere(command: &str, words: &[OsString]) -> Result<u8, String> {
    let program = format!("brisk-scan{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let program = own.with_file_name(program);
    let error = system::replace_by(std::process::Command::new(&program).arg(command).args(words));
    error.map_err(|error| refusal(&program, &error))
}

#[cold]
fn refusal(program: &Path, error: &io::Error) -> String {
    let shown = quoted(program);
    match error.kind() {
        io::ErrorKind::NotFound => format!(
            "tables need another program, and there is no {shown}: in brisk's sources, \
             'cargo build --release -p brisk-scan' builds it"
        ),
        _ => format!("cannot run {shown}, which reads and writes tables: {}", cause(error)),
    }
}
