//! The options of all layers: configuration files, the environment, and the command line, which is
//! the strongest. Only the command line says what is done with results, and with which.

use std::ffi::OsString;

use super::flags;
use super::options::{Options, Origin};
use super::plan;
use crate::front::Refusal;
use crate::front::config::{Config, Layer, Section};
use crate::front::messages::Caller;

/// Reads the options of all layers.
///
/// # Errors
/// A layer that cannot be used, or options of several layers that exclude each other.
pub(super) fn read(caller: Caller, words: &[OsString]) -> Result<Options, Refusal> {
    let mut typed = Options::default();
    flags::read_layer(caller, Origin::CommandLine, words, &mut typed)?;
    if typed.run.answer.is_some() {
        return Ok(typed);
    }
    refuse_for_deleting(&typed, "")?;
    let own: (Section, _) = (|file| file.find, "BRISK_FIND_OPTS");
    let config = Config::load((caller != Caller::Fd).then_some(own), typed.output.no_config)?;
    if config.is_incomplete && typed.acts() {
        let why = "nothing is done: not all configured options are known (--no-config omits them)";
        return Err(Refusal::failure(why));
    }
    let mut options = typed.clone();
    if !config.layers.is_empty() {
        options = configured(caller, &config.layers)?;
        flags::read_layer(caller, Origin::CommandLine, words, &mut options)?;
        refuse_for_deleting(&options, " in the configuration (--no-config leaves it out)")?;
        if typed.acts() {
            // Neither an output form nor --max-errors in a configuration file changes the results
            // that a command receives or that are removed.
            options.output = typed.output;
            options.run.explain = typed.run.explain;
            options.run.stats = typed.run.stats;
        }
    }
    refuse_without_lists(&options)?;
    Ok(options)
}

/// Refuses what is said of lists where no lists are written.
fn refuse_without_lists(options: &Options) -> Result<(), Refusal> {
    let output = &options.output;
    let said = match output {
        _ if output.parts.is_some() => return Ok(()),
        _ if output.part_name.is_some() => "--part-name",
        _ if output.overwrites_parts => "--overwrite",
        _ => return Ok(()),
    };
    let why = format!("'{said}' needs '--parts', '--part-size' or '--part-files'");
    Err(Refusal::value(why))
}

fn configured(caller: Caller, layers: &[Layer]) -> Result<Options, Refusal> {
    let mut options = Options::default();
    for layer in layers {
        flags::read_layer(caller, Origin::Configuration, &layer.words, &mut options)
            .map_err(|refusal| layer.refusal(&refusal.message))?;
        plan::check(caller, &options).map_err(|why| layer.refusal(&why))?;
    }
    Ok(options)
}

/// Refuses options that `--delete` cannot obey: it removes exactly what a listing would have shown,
/// and never removes through a link.
fn refuse_for_deleting(options: &Options, place: &str) -> Result<(), Refusal> {
    let why = if !options.delete {
        return Ok(());
    } else if options.unique {
        "'--unique'{}: of several names of one file it lists the first that is met, and once \
        that is removed the others count as the first"
    } else if options.selecting.follow {
        "'--follow'{}: nothing is removed through a link"
    } else {
        return Ok(());
    };
    let why = why.replace("{}", place);
    Err(Refusal::value(format!("'--delete' cannot be used with {why}")))
}
