//! The commands of brisk, as the programs `brisk` and `brisk-scan` run them. This file finds the
//! command that the user means, by the name under which `brisk` was called and by the first word.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![expect(missing_docs, reason = "no other crates than brisk's own programs use this one")]

mod bench;
mod changed;
mod cp;
mod diff;
mod du;
mod filter;
mod find;
mod front;
mod generate;
#[cfg(unix)]
mod gfind;
#[cfg(all(test, unix))]
mod goldens;
#[doc(hidden)]
pub mod internal;
mod ls;
mod manual;
mod own;
mod rm;
mod scan;
mod show;
mod system;
mod write;

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::front::here::help_for_here;
use crate::front::messages::{self, Caller};
use crate::front::{config, standard};
use crate::show::quoting::quoted;
use crate::write::out;

const HELP: &str = include_str!("help.txt");

/// The program `brisk`. Returns the exit code.
pub fn run() -> u8 {
    system::prepare_terminal();
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let called = Path::new(&name).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    match of_gnu(called) {
        Some((caller, run)) => {
            messages::typed_as(&name);
            run(caller, &words)
        }
        None if called == "fd" => find::run(Caller::Fd, &words),
        #[cfg(unix)]
        None if called == "find" => {
            messages::typed_as(&name);
            gfind::run(&words)
        }
        None => command(&words),
    }
}

type Main = fn(Caller, &[OsString]) -> u8;

/// The command that has the name of one of GNU's programs.
fn of_gnu(name: &str) -> Option<(Caller, Main)> {
    Some(match name {
        "ls" => (Caller::Ls, ls::run),
        "rm" => (Caller::Rm, rm::run),
        "cp" => (Caller::Cp, cp::run),
        "du" => (Caller::Du, du::run),
        "chmod" => (Caller::Chmod, |caller, words| own::run(caller, &own::CHMOD, words)),
        "chown" => (Caller::Chown, |caller, words| own::run(caller, &own::CHOWN, words)),
        "chgrp" => (Caller::Chgrp, |caller, words| own::run(caller, &own::CHGRP, words)),
        _ => return None,
    })
}

/// Runs the command that the first word names; returns the exit code.
fn command(words: &[OsString]) -> u8 {
    let Some((first, rest)) = words.split_first() else {
        let here = io::stderr().is_terminal().then(|| help_for_here(HELP));
        // If this cannot be written, the exit code still says so.
        let _ = out::write_error(here.as_deref().unwrap_or(HELP).as_bytes());
        return 2;
    };
    let name = first.to_str();
    if let Some((_, run)) = name.and_then(of_gnu) {
        return run(Caller::Brisk, rest);
    }
    match (name, rest) {
        (Some("find"), _) => find::run(Caller::Brisk, rest),
        (Some("bench"), _) => bench::run(rest),
        (Some("changed"), _) => changed::run(rest),
        (Some("scan"), _) => scan::run(rest, None),
        (Some("diff"), _) => diff::run(rest, None),
        (Some("help"), [name]) if name == "config" => explain_configuration(),
        (Some("help" | "-h" | "--help"), [name, ..]) if name != "help" => {
            command(&[name.clone(), "--help".into()])
        }
        (Some("help" | "-h" | "--help"), _) => answer(HELP),
        (Some("-V" | "--version"), []) => answer(&format!("brisk {}\n", Caller::Brisk.version())),
        (Some("completions"), _) => generate::completions(rest),
        (Some("man"), _) => generate::man(rest),
        _ => refuse(first),
    }
}

/// `brisk help config`.
#[cold]
fn explain_configuration() -> u8 {
    let (text, refusal) = config::explain(&[("find", find::CONFIGURED), ("ls", ls::CONFIGURED)]);
    let code = answer(&text);
    let Some(refusal) = refusal else { return code };
    standard::refuse(Caller::Brisk, "brisk help", &refusal);
    refusal.code
}

fn answer(text: &str) -> u8 {
    standard::print(Caller::Brisk, text, 1)
}

/// Words of other programs, each with the command that does the same here.
const OTHER_WORDS: &str = "tree=ls --tree; list=ls; dir=ls; search=find; fd=find; \
    watch=changed --watch; status=changed; snapshot=changed; compare=diff; size=du; usage=du; \
    look=du -i; ncdu=du -i; remove=rm; delete=rm; copy=cp; sync=cp; export=scan; \
    config=help config; configuration=help config";

#[cold]
fn refuse(word: &OsStr) -> u8 {
    let is_option = word.as_encoded_bytes().starts_with(b"-");
    let what = if is_option { "option" } else { "command" };
    let mut others = OTHER_WORDS.split("; ").filter_map(|other| other.split_once('='));
    let meant = others.find(|(other, _)| *other == word).map(|(_, name)| name.to_owned());
    let advice = match meant.or_else(|| generate::similar_command(word)) {
        Some(name) => format!("Did you mean 'brisk {name}'?"),
        None if is_option => "Options come after a command: see brisk --help.".to_owned(),
        None => "See brisk --help.".to_owned(),
    };
    Caller::Brisk.complain(&format!("unknown {what} {}. {advice}", quoted(word)));
    2
}
