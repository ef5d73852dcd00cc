//! Shell completions and man pages, generated from the flag table.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;

use crate::bench;
use crate::common::messages::{Caller, cause};
use crate::common::standard;
use crate::find::flags as find;
use crate::ls::flags as ls;
use crate::rm::flags as rm;

/// What the program is, in one line.
const ABOUT: &str = "Large file trees, as fast as the kernel and the storage allow";

/// The shells that completions are generated for, and what their files are called.
const FILES: [(Shell, &str); 4] = [
    (Shell::Bash, "brisk.bash"),
    (Shell::Zsh, "_brisk"),
    (Shell::Fish, "brisk.fish"),
    (Shell::PowerShell, "_brisk.ps1"),
];

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
        Caller::Brisk | Caller::Ls | Caller::Rm => whole(),
        Caller::Fd => find::command(Caller::Fd),
    };
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(standard::print(caller, text, 1))
}

/// The program with all its commands, as completions and man pages see it.
fn whole() -> Command {
    Command::new("brisk")
        .version(Caller::Brisk.version())
        .about(ABOUT)
        .subcommand_required(true)
        .subcommand(find::command(Caller::Brisk))
        .subcommand(ls::command(Caller::Brisk))
        .subcommand(rm::command(Caller::Brisk))
        .subcommand(bench::command())
}

/// Why some files, or all, were not generated: one line.
pub(crate) enum Failure {
    /// The user asked for neither man pages nor completions.
    Unknown(String),
    /// A file or the directory could not be written.
    Unwritten(String),
}

/// Writes man pages or completions into a directory: `brisk generate man|completions DIR`.
///
/// # Errors
/// The word that was not understood, or the file that could not be written.
pub(crate) fn run(what: &str, dir: &Path) -> Result<(), Failure> {
    let files = match what {
        "man" => man_pages(),
        "completions" => completions(),
        other => {
            let message = format!("cannot generate '{other}', only man or completions");
            return Err(Failure::Unknown(message));
        }
    };
    let failed = |path: &Path, error: io::Error| {
        Failure::Unwritten(format!("cannot write '{}': {}", path.display(), cause(&error)))
    };
    fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

fn man_pages() -> Vec<(String, Vec<u8>)> {
    let find = find::command(Caller::Brisk).name("brisk-find").display_name("brisk-find");
    let ls = ls::command(Caller::Brisk).name("brisk-ls").display_name("brisk-ls");
    let rm = rm::command(Caller::Brisk).name("brisk-rm").display_name("brisk-rm");
    let whole = whole().disable_help_subcommand(true);
    let bench = bench::command().name("brisk-bench").display_name("brisk-bench");
    let pages = [
        ("brisk.1", whole),
        ("brisk-find.1", find),
        ("brisk-ls.1", ls),
        ("brisk-rm.1", rm),
        ("brisk-bench.1", bench),
    ];
    pages
        .into_iter()
        .map(|(name, command)| {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .expect("BUG: writing into memory failed");
            (name.to_owned(), page)
        })
        .collect()
}

fn completions() -> Vec<(String, Vec<u8>)> {
    FILES
        .into_iter()
        .map(|(shell, name)| {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut whole(), "brisk", &mut text);
            (name.to_owned(), text)
        })
        .collect()
}
