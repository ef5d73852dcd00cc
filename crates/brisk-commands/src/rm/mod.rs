//! `brisk rm`: removes files and trees. This file leads from words to an exit code: it reads the
//! options, asks once, removes or sets aside, and reports.

mod background;
mod explain;
pub(crate) mod flags;
mod removal;
mod talk;
mod teller;

use std::ffi::OsString;

use brisk::remove::Report;

use crate::front::messages::Caller;
use crate::front::progress::counted;
use crate::front::{Refusal, confirm, standard};
use crate::show::quoting::{quoted, retypable};
use flags::{Options, Prompt};
use teller::Teller;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let read = flags::read(caller, words).map_err(|refusal| advised(caller, words, refusal));
    let command = || flags::command(caller);
    standard::run(caller, "brisk rm", read, command, |options| rm(caller, &options))
}

fn rm(caller: Caller, options: &Options) -> Result<u8, Refusal> {
    if let Some(record) = &options.finish_record {
        return Ok(background::work(caller, record, options));
    }
    let names_nothing = options.paths.is_empty() && options.files0_from.is_none();
    if names_nothing && !options.force && !options.finish {
        return Err(Refusal::hinted("missing operand"));
    }
    if options.common.explain {
        return Ok(u8::from(!standard::eprint(explain::explain(caller, options))));
    }
    if options.finish {
        return background::finish(caller, options).map_err(Refusal::failure);
    }
    if names_nothing || options.prompt == Prompt::Once && !asked_once(caller, options) {
        let teller = Teller::new(caller, options);
        return Ok(removal::conclude(options, &teller, &Report::default()));
    }
    let remove = if options.background { background::start } else { removal::remove };
    Ok(remove(caller, options))
}

/// -I: one question, if there is much to remove.
fn asked_once(caller: Caller, options: &Options) -> bool {
    let how = if options.recursive { " recursively" } else { "" };
    if let Some(from) = &options.files0_from {
        let shown = quoted(from);
        return confirm::ask(caller, &format!("remove all files that {shown} lists{how}?"));
    }
    let count = options.paths.len();
    if !options.recursive && count <= 3 {
        return true;
    }
    let arguments = counted(count as u64, "argument", "arguments");
    confirm::ask(caller, &format!("remove {arguments}{how}?"))
}

/// The refusal with advice for a user who has a file called `-x`.
fn advised(caller: Caller, words: &[OsString], mut refusal: Refusal) -> Refusal {
    let dashed = words.iter().take_while(|word| *word != "--").find(|word| {
        let bytes = word.as_encoded_bytes();
        bytes.len() > 1 && bytes[0] == b'-' && std::fs::symlink_metadata(word).is_ok()
    });
    if let Some(word) = dashed.filter(|_| refusal.has_hint) {
        let command = caller.as_typed("brisk rm");
        let shown = retypable(word);
        let file = quoted(word);
        refusal.message += &format!("\nTry '{command} ./{shown}' to remove the file {file}.");
    }
    refusal
}
