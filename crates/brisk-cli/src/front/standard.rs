//! What commands print to standard output, and what happens if it cannot be written:
//!
//! | standard output            | message  | exit code                   |
//! |----------------------------|----------|-----------------------------|
//! | its reader has left        | none     | as if all had been written  |
//! | is a full disk, or closed  | one line | 1; 2 for `ls`, as for GNU's |
//!
//! The same holds for text that an option sends to standard error (`--stats`, `--explain`), but
//! without the message. A message that cannot be written is lost; the exit code stays the same.

use std::io;

use brisk::Stats;
use brisk_sys::quoting::line;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::front::messages::{Caller, cause};
use crate::front::{Answer, Refusal, StatsForm};
use crate::show::json;
use crate::show::quoting::quoted;
use crate::show::safe;
use crate::write::stream::{Descriptor, Output, forgive_leaving, write_error};

/// Prints all of `text`, or a message with the reason. Returns the exit code: 0 or `failure`.
pub(crate) fn print(caller: Caller, text: impl AsRef<[u8]>, failure: u8) -> u8 {
    let mut output = Output::<Descriptor>::default();
    let _ = output.write(text.as_ref());
    finish(caller, output.finish(), failure)
}

/// What clap says of the user's words: clap puts them between `'` and `'`.
fn harmless(value: &ContextValue) -> Option<ContextValue> {
    let word = |text: &String| {
        let quoted = quoted(text);
        let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        inner.unwrap_or(text).to_owned()
    };
    Some(match value {
        ContextValue::String(text) => ContextValue::String(word(text)),
        ContextValue::Strings(texts) => ContextValue::Strings(texts.iter().map(word).collect()),
        ContextValue::StyledStrs(tips) => {
            let lines = tips.iter().map(|tip| line(tip.to_string().as_bytes()).into());
            ContextValue::StyledStrs(lines.collect())
        }
        _ => return None,
    })
}

/// Prints clap's answer: help or a version, or a refusal on standard error, for brisk in the form of
/// its other messages, for fd in clap's, as fd does. `command`: what its help is called by, such as
/// `brisk find`. Returns the exit code.
pub(crate) fn answer(caller: Caller, command: &str, mut answer: clap::Error) -> u8 {
    let given: Vec<_> = answer.context().map(|(kind, value)| (kind, harmless(value))).collect();
    for (kind, value) in given {
        value.map(|value| answer.insert(kind, value));
    }
    let text = answer.render().to_string();
    if !answer.use_stderr() {
        return print(caller, text, 1);
    }
    match caller {
        Caller::Brisk => caller.complain(&refusal(command, &answer, &text)),
        // The exit code says so too.
        _ => drop(write_error(safe::lines(&text).as_bytes())),
    }
    2
}

/// clap's refusal, of which `text` is the whole, in one line, and a line each with a question and a
/// hint.
fn refusal(command: &str, refusal: &clap::Error, text: &str) -> String {
    let given = |kind| match refusal.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let what = text.strip_prefix("error: ").unwrap_or(text);
    let what = what.split_once("\n\n").map_or(what, |(what, _)| what);
    let mut message = match given(ContextKind::InvalidArg) {
        Some(option) if refusal.kind() == ErrorKind::UnknownArgument && option.starts_with('-') => {
            format!("unrecognized option '{option}'")
        }
        _ => what.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let near = given(ContextKind::SuggestedArg).or_else(|| given(ContextKind::SuggestedValue));
    if let Some(near) = near {
        message += &format!("\nDid you mean {near}?");
    }
    message + &format!("\nTry '{command} --help' for more information.")
}

/// Prints why the output is incomplete, if it is. Returns the exit code: 0 or `failure`.
pub(crate) fn finish(caller: Caller, finished: io::Result<()>, failure: u8) -> u8 {
    match finished {
        Ok(()) => 0,
        Err(error) => {
            caller.complain(&lost(caller, &error));
            failure
        }
    }
}

/// The message about lost output: in GNU's or fd's words under their names.
#[cold]
pub(crate) fn lost(caller: Caller, error: &io::Error) -> String {
    let what = match caller {
        Caller::Brisk => "cannot write to standard output",
        Caller::Fd => "Could not write to output",
        Caller::Ls | Caller::Rm | Caller::Du => "write error",
    };
    format!("{what}: {}", cause(error))
}

/// Writes what an option asks for to standard error. Returns whether that worked, or the reader has
/// gone.
pub(crate) fn tell(text: impl AsRef<[u8]>) -> bool {
    write_error(text.as_ref()).or_else(forgive_leaving).is_ok()
}

/// Prints the help or the version of a command. Returns the exit code: 0 or `failure`.
pub(crate) fn help(caller: Caller, answer: Answer, mut command: Command, failure: u8) -> u8 {
    let text = match answer {
        Answer::Help => command.render_long_help().to_string(),
        Answer::ShortHelp => command.render_help().to_string(),
        Answer::Version => {
            format!("{} {}\n", command.get_bin_name().unwrap_or_default(), caller.version())
        }
    };
    print(caller, text, failure)
}

/// Says why a command line is refused. `command`: how the command is called.
#[cold]
pub(crate) fn refuse(caller: Caller, command: &'static str, refusal: &Refusal) {
    caller.complain(&refusal.message);
    // If the lines cannot be written, the exit code still says that the call was refused.
    if let Some(question) = refusal.did_you_mean(caller) {
        let _ = write_error(format!("{question}\n").as_bytes());
    }
    if refusal.hint {
        let command = caller.hint(command);
        let hint = format!("Try '{command} --help' for more information.\n");
        let _ = write_error(hint.as_bytes());
    }
}

/// Writes the counts of a walk to standard error, if `--stats` was given. Returns as [`tell`] does.
pub fn tell_stats(form: Option<StatsForm>, stats: &Stats) -> bool {
    match form {
        Some(StatsForm::Text) => tell(format!("{stats}\n")),
        Some(StatsForm::Json) => tell(json::stats(stats) + "\n"),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_words() {
        let full = || io::Error::other("No space left on device");
        assert!(lost(Caller::Brisk, &full()).starts_with("cannot write to standard output: No "));
        assert!(lost(Caller::Fd, &full()).starts_with("Could not write to output: No "));
        assert!(lost(Caller::Rm, &full()).starts_with("write error: No "));
        assert!(!lost(Caller::Ls, &io::Error::from_raw_os_error(28)).contains("os error"));
    }
}
