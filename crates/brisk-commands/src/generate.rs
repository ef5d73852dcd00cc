//! Shell completions and man pages, generated from the flag table.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_complete_nushell::Nushell;

use crate::changed::flags as changed;
use crate::cp::flags as cp;
use crate::diff::flags as diff;
use crate::du::flags as du;
use crate::find::flags as find;
use crate::front::messages::{Caller, cannot};
use crate::front::suggest::nearest;
use crate::front::{
    self, CommonOptions, Flag, FlagTable, HasCommon, Parsed, Refusal, Section, standard,
};
use crate::ls::flags as ls;
use crate::own::{self, flags::command as own_command};
use crate::rm::flags as rm;
use crate::scan::flags as scan;
use crate::show::quoting::quoted;
use crate::write::file;
use crate::{bench, manual};

/// What the program is, in one line.
const ABOUT: &str = "Work on large file trees, as fast as the kernel and the storage allow";

/// Prints the completions of the called command, for `shell` or, if that is empty, for the shell
/// that `SHELL` names. Returns the exit code.
///
/// # Errors
/// The shell is unknown.
pub(crate) fn print_completions(caller: Caller, shell: &str) -> Result<u8, String> {
    let mut command = if caller == Caller::Fd { find::command(caller) } else { whole() };
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    let shell = match shell {
        "nushell" => {
            clap_complete::generate(Nushell, &mut command, name, &mut text);
            return Ok(standard::print(caller, text, 1));
        }
        "" => Shell::from_env().ok_or("Unable to get shell from environment")?,
        name => {
            name.parse().map_err(|_| format!("there are no completions for {}", quoted(name)))?
        }
    };
    clap_complete::generate(shell, &mut command, name, &mut text);
    if shell == Shell::Bash {
        text = offering_files(&String::from_utf8_lossy(&text)).into_bytes();
    }
    Ok(standard::print(caller, text, 1))
}

/// Completions of bash that offer files for an empty word behind a command that has nothing but
/// options and paths: clap's offer the options.
fn offering_files(text: &str) -> String {
    let mut has_words = false;
    let line = |line: &str| {
        if let Some(words) = line.trim_start().strip_prefix("opts=\"") {
            has_words = words.split(' ').any(|word| word.starts_with(|c: char| c.is_alphabetic()));
        }
        match line {
            _ if has_words => format!("{line}\n"),
            // What is offered behind the last value of an option, or behind a path.
            "            COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )" => String::new(),
            _ => match line.split_once(" || ${COMP_CWORD} -eq ") {
                Some((before, _)) => format!("{before} ]] ; then\n"),
                None => format!("{line}\n"),
            },
        }
    };
    text.lines().map(line).collect()
}

/// `brisk completions [SHELL]`: returns the exit code.
pub(crate) fn completions(words: &[OsString]) -> u8 {
    standard::run(Caller::Brisk, "brisk completions", read(words), completions_command, |given| {
        let shell = given.operands.first().map_or("".into(), |shell| shell.to_string_lossy());
        Ok(print_completions(Caller::Brisk, &shell)?)
    })
}

/// `brisk man DIR`: returns the exit code.
pub(crate) fn man(words: &[OsString]) -> u8 {
    standard::run(Caller::Brisk, "brisk man", read(words), man_command, |given| {
        let dir = given.operands.first();
        let dir = dir.ok_or_else(|| Refusal::hinted("the directory is missing"))?;
        // A user who asks for the page of a command wants no directory of this name.
        if let Some(name) = dir.to_str().filter(|name| whole().find_subcommand(name).is_some()) {
            return Err(Refusal::hinted(format!(
                "{name} is a command: brisk help {name} explains it; to write the pages into a \
                 directory of this name: brisk man ./{name}"
            )));
        }
        write_pages(Path::new(dir)).map_err(Refusal::failure)?;
        Ok(0)
    })
}

/// The command line of a command that takes one operand and nothing else.
#[derive(Default)]
struct OneOperand {
    operands: Vec<OsString>,
    common: CommonOptions,
}

impl HasCommon for OneOperand {
    const IS_LIMITED: bool = false;

    fn common(&mut self) -> &mut CommonOptions {
        &mut self.common
    }
}

static TABLE: FlagTable<OneOperand> =
    FlagTable::new(|| vec![Section::new("Help", [Flag::answers()])]);

/// Reads the words after the command's name.
fn read(words: &[OsString]) -> Result<OneOperand, Refusal> {
    let mut given = OneOperand::default();
    Parsed::read(&TABLE, |given, word| given.operands.push(word), words, &mut given)?;
    match &given.operands[..] {
        [_, more, ..] => Err(Refusal::hinted(format!("extra operand {}", quoted(more)))),
        _ => Ok(given),
    }
}

fn completions_command() -> Command {
    let brief = "Print completions for a shell";
    let long = "Print completions of all commands for a shell, by default for the shell that the \
               environment variable SHELL names.";
    front::command("brisk completions", brief, long, manual::COMPLETIONS, &TABLE).arg(
        Arg::new("shell")
            .value_name("SHELL")
            .value_parser(["bash", "elvish", "fish", "nushell", "powershell", "zsh"])
            .help("The shell; by default the one that SHELL names"),
    )
}

fn man_command() -> Command {
    let brief = "Write the man pages into a directory";
    let long =
        "Write the man pages of all commands into a directory, which is created if necessary.";
    front::command("brisk man", brief, long, manual::MAN, &TABLE).arg(
        Arg::new("dir")
            .value_name("DIR")
            .required(true)
            .value_hint(ValueHint::DirPath)
            .help("The directory, such as ~/.local/share/man/man1"),
    )
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
        .subcommand(cp::command(Caller::Brisk))
        .subcommand(du::command(Caller::Brisk))
        .subcommand(own_command(Caller::Brisk, &own::CHMOD))
        .subcommand(own_command(Caller::Brisk, &own::CHOWN))
        .subcommand(own_command(Caller::Brisk, &own::CHGRP))
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
    let whole = whole();
    let names = whole.get_subcommands().map(Command::get_name);
    nearest(word.to_str()?, names.chain(["help"])).map(str::to_owned)
}

/// Writes the man pages of all commands into a directory.
fn write_pages(dir: &Path) -> Result<(), String> {
    let failed = |path: &Path, error: io::Error| cannot("write", path, &error);
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
