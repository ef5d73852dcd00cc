//! `brisk bench run`: commands of the user's choice in turns. Each runs as the user typed it, in
//! the current directory, with its output thrown away. The first is the one that the others are
//! compared with.

use std::ffi::OsString;

use super::options::Options;
use super::programs;
use super::report::Report;
use super::rivals::Rival;

/// The commands: words, with `--` between two commands.
///
/// # Errors
/// A command has no words, or there is no such program.
pub(crate) fn commands(words: &[OsString]) -> Result<Vec<Rival>, String> {
    let mut commands = words
        .split(|word| word == "--")
        .map(Rival::given)
        .collect::<Result<Vec<Rival>, String>>()?;
    commands[0].is_own = true;
    Ok(commands)
}

/// Measures.
///
/// # Errors
/// The user interrupted.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let mut notes = Vec::new();
    let lines = programs::measure(&options.commands, options, None, &mut notes)?;
    Ok(Report::new("run", &options.dir, None, lines, notes))
}
