//! Shell completions and man pages, generated from the flag table.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use clap_complete::Shell;

use crate::bench;
use crate::changed::flags as changed;
use crate::diff::flags as diff;
use crate::du::flags as du;
use crate::find::flags as find;
use crate::front::messages::{Caller, failure};
use crate::front::standard;
use crate::front::{Examples, help};
use crate::ls::flags as ls;
use crate::manual;
use crate::rm::flags as rm;
use crate::scan::flags as scan;
use crate::show::safe::path_bytes;
use crate::write::file;

/// What the program is, in one line.
const ABOUT: &str = "Work on large file trees, as fast as the kernel and the storage allow";

/// Prints the completions of the called command, for `shell` or, if that is empty, for the shell
/// that `SHELL` names. Returns the exit code.
///
/// # Errors
/// The shell is unknown.
pub(crate) fn print_completions(caller: Caller, shell: &str) -> Result<u8, String> {
    let shell = match shell {
        "" => Shell::from_env().ok_or("Unable to get shell from environment")?,
        name => name.parse()?,
    };
    let mut command = match caller {
        Caller::Brisk | Caller::Ls | Caller::Rm | Caller::Du => whole(),
        Caller::Fd => find::command(Caller::Fd),
    };
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(standard::print(caller, text, 1))
}

/// `brisk completions [SHELL]`: returns the exit code.
pub(crate) fn completions(words: &[OsString]) -> u8 {
    let matches = match parsed(completions_command(), words) {
        Ok(matches) => matches,
        Err(code) => return code,
    };
    let shell = matches.get_one::<Shell>("shell").map_or(String::new(), Shell::to_string);
    print_completions(Caller::Brisk, &shell).unwrap_or_else(|message| {
        Caller::Brisk.complain(&message);
        2
    })
}

/// `brisk man DIR`: returns the exit code.
pub(crate) fn man(words: &[OsString]) -> u8 {
    let matches = match parsed(man_command(), words) {
        Ok(matches) => matches,
        Err(code) => return code,
    };
    let Some(dir) = matches.get_one::<PathBuf>("dir") else { return 2 };
    match write_pages(dir) {
        Ok(()) => 0,
        Err(message) => {
            Caller::Brisk.complain(&message);
            1
        }
    }
}

/// What the words mean, or the exit code after an answer or a message.
fn parsed(command: Command, words: &[OsString]) -> Result<ArgMatches, u8> {
    let name = command.get_bin_name().unwrap_or("brisk").to_owned();
    let words = std::iter::once(OsString::from("brisk")).chain(words.iter().cloned());
    let answer = |error| standard::answer(Caller::Brisk, &name, error);
    command.try_get_matches_from(words).map_err(answer)
}

fn completions_command() -> Command {
    let command = Command::new("completions")
        .bin_name("brisk completions")
        .about("Print completions for a shell")
        .long_about(
            "Print completions of all commands for a shell, by default for the shell that the \
             environment variable SHELL names.",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .value_parser(value_parser!(Shell))
                .help("The shell; by default the one that SHELL names"),
        );
    answering(command, manual::COMPLETIONS)
}

fn man_command() -> Command {
    let command = Command::new("man")
        .bin_name("brisk man")
        .about("Write the man pages into a directory")
        .long_about(
            "Write the man pages of all commands into a directory, which is created if necessary.",
        )
        .arg(
            Arg::new("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The directory, such as ~/.local/share/man/man1"),
        );
    answering(command, manual::MAN)
}

/// A command without a table, with its help.
fn answering(command: Command, examples: Examples) -> Command {
    let command = command.disable_help_flag(true).disable_version_flag(true);
    let version = Caller::Brisk.version();
    help::laid_out(command.version(version).args(help::answers()), examples)
}

/// The program with all its commands, as completions and man pages see it.
fn whole() -> Command {
    Command::new("brisk")
        .version(Caller::Brisk.version())
        .about(ABOUT)
        .subcommand_required(true)
        .subcommand(find::command(Caller::Brisk))
        .subcommand(ls::command(Caller::Brisk).mut_args(ls::again))
        .subcommand(rm::command(Caller::Brisk))
        .subcommand(du::command(Caller::Brisk))
        .subcommand(changed::command())
        .subcommand(scan::command())
        .subcommand(diff::command())
        .subcommand(bench::command())
        .subcommand(completions_command())
        .subcommand(man_command())
}

/// The command whose name is most like `word`, if one is.
#[cold]
pub(crate) fn similar_command(word: &OsStr) -> Option<String> {
    let refusal = whole().try_get_matches_from([OsStr::new("brisk"), word]).err()?;
    match refusal.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::Strings(names) => names.first().cloned(),
        _ => None,
    }
}

/// Writes the man pages of all commands into a directory.
fn write_pages(dir: &Path) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| failure("cannot write", path_bytes(path), &error);
    fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
    let whole = whole().disable_help_subcommand(true);
    for (name, page) in manual::pages(&whole) {
        let path = dir.join(format!("{name}.1"));
        file::write(&path, &page).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_man_page() {
        let whole = whole();
        whole.clone().debug_assert();
        let pages: Vec<&str> = manual::pages(&whole).map(|(name, _)| name).collect();
        assert_eq!(pages.len(), 1 + whole.get_subcommands().count());
        for command in whole.get_subcommands() {
            let page = format!("brisk-{}", command.get_name());
            assert!(pages.contains(&page.as_str()), "there is no {page}");
        }
    }
}
