//! [`run`] leads most commands (not `find`) from the options that were read to the exit code. This
//! file also owns what commands print to standard output, and what if that cannot be written:
//!
//! | standard output            | message  | exit code                           |
//! |----------------------------|----------|-------------------------------------|
//! | its reader has left        | none     | as if all had been written          |
//! | is a full disk, or closed  | one line | 1; 2 for `ls`, `changed` and `diff` |
//!
//! The same holds for text that an option sends to standard error (`--stats`, `--explain`), but
//! without the message; the code is 125 if `changed` has a command. A message that cannot be
//! written is lost; the exit code stays the same.

use std::io;

use brisk::Stats;
use clap::Command;

use crate::front::config::Config;
use crate::front::messages::{Caller, cause};
use crate::front::{Answer, HasCommon, Refusal, StatsForm};
use crate::show::json;
use crate::write::out::{Out, forgive_broken_pipe, write_error};

/// Prints all of `text`, or a message with the reason. Returns the exit code: 0 or `failure`.
pub fn print(caller: Caller, text: impl AsRef<[u8]>, failure: u8) -> u8 {
    let mut out = <Out>::default();
    let _ = out.write(text.as_ref());
    finish(caller, out.finish(), failure)
}

/// Prints why the output is incomplete, if it is. Returns the exit code: 0 or `failure`.
pub(crate) fn finish(caller: Caller, finished: io::Result<()>, failure: u8) -> u8 {
    match finished {
        Ok(()) => 0,
        Err(error) => {
            caller.complain(&why_lost(caller, &error));
            failure
        }
    }
}

/// The message about lost output: in GNU's or fd's words under their names.
#[cold]
pub(crate) fn why_lost(caller: Caller, error: &io::Error) -> String {
    let what = match caller {
        Caller::Brisk => "cannot write to standard output",
        Caller::Fd => "Could not write to output",
        _ => "write error",
    };
    format!("{what}: {}", cause(error))
}

/// Writes what an option asks for to standard error. Returns whether that worked, or the reader has
/// gone.
pub(crate) fn eprint(text: impl AsRef<[u8]>) -> bool {
    write_error(text.as_ref()).or_else(forgive_broken_pipe).is_ok()
}

/// Prints the help or the version of a command. Returns the exit code: 0 or `failure`.
pub(crate) fn help(caller: Caller, answer: Answer, mut command: Command, failure: u8) -> u8 {
    let text = match answer {
        Answer::Help => command.render_long_help().to_string(),
        Answer::Summary => command.render_help().to_string(),
        Answer::Version => {
            format!("{} {}\n", command.get_bin_name().unwrap_or_default(), caller.version())
        }
    };
    print(caller, text, failure)
}

/// Runs a command on the options that were read; returns the exit code. Under the names of GNU's
/// programs but ls, a refusal exits with 1. `called`: how the command is called.
pub(crate) fn run<O: HasCommon>(
    caller: Caller,
    called: &'static str,
    read: Result<O, Refusal>,
    command: impl FnOnce() -> Command,
    work: impl FnOnce(O) -> Result<u8, Refusal>,
) -> u8 {
    let worked = read.and_then(|mut options| match options.common().answer {
        Some(answer) => Ok(help(caller, answer, command(), O::HELP_NOT_PRINTED)),
        None => {
            if O::IS_LIMITED {
                // Sets the limit on requests (`max_in_flight`) that the configuration has.
                Config::load(None, false)?;
            }
            work(options)
        }
    });
    worked.unwrap_or_else(|refusal| {
        refuse(caller, called, &refusal);
        if matches!(caller, Caller::Brisk | Caller::Ls) { refusal.code } else { 1 }
    })
}

/// Says why a command line is refused. `command`: how the command is called.
#[cold]
pub(crate) fn refuse(caller: Caller, command: &'static str, refusal: &Refusal) {
    caller.complain(&refusal.message);
    // If the lines cannot be written, the exit code still says that the call was refused.
    if let Some(question) = refusal.did_you_mean(caller) {
        let _ = write_error(format!("{question}\n").as_bytes());
    }
    if refusal.has_hint {
        let command = caller.as_typed(command);
        let hint = format!("Try '{command} --help' for more information.\n");
        let _ = write_error(hint.as_bytes());
    }
}

/// Writes the counts of a walk to standard error, if `--stats` was given. Returns whether
/// that worked, or the reader has gone.
pub fn eprint_stats(form: Option<StatsForm>, stats: &Stats) -> bool {
    eprint_run(form, || stats.to_string(), || json::stats(stats))
}

/// As [`eprint_stats`], for a command that reports more than the counts of its walk.
pub(crate) fn eprint_run(
    form: Option<StatsForm>,
    text: impl FnOnce() -> String,
    json: impl FnOnce() -> String,
) -> bool {
    match form {
        Some(StatsForm::Text) => eprint(text() + "\n"),
        Some(StatsForm::Json) => eprint(json() + "\n"),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_words() {
        let full = || io::Error::other("No space left on device");
        assert!(
            why_lost(Caller::Brisk, &full()).starts_with("cannot write to standard output: No ")
        );
        assert!(why_lost(Caller::Fd, &full()).starts_with("Could not write to output: No "));
        assert!(why_lost(Caller::Rm, &full()).starts_with("write error: No "));
        assert!(!why_lost(Caller::Ls, &io::Error::from_raw_os_error(28)).contains("os error"));
    }
}
