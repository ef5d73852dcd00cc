//! The options of all layers: configuration files, the environment, and the command line, which is
//! the strongest. What is looked for and what is done with it are accepted on the command line
//! alone.

use std::ffi::OsString;

use super::options::{Options, Origin};
use super::{flags, plan};
use crate::filter::{Filtering, Selecting};
use crate::front::Refusal;
use crate::front::config::{Config, SectionOf};
use crate::front::messages::Caller;

/// Where options of this command are configured: a section of the files, and a variable.
pub(crate) const CONFIGURED: (SectionOf, &str) = (|file| file.find, "BRISK_FIND_OPTS");

/// Reads the options of all layers.
///
/// # Errors
/// A layer that cannot be used, or options of several layers that exclude each other.
pub(super) fn read(caller: Caller, words: &[OsString]) -> Result<Options, Refusal> {
    let mut typed = Options::default();
    flags::read_layer(caller, Origin::CommandLine, words, &mut typed)?;
    if typed.common.answer.is_some() {
        return Ok(typed);
    }
    refuse_without_choice(&typed)?;
    refuse_for_deleting(&typed, "")?;
    let config =
        Config::load((caller != Caller::Fd).then_some(CONFIGURED), typed.output.no_config)?;
    if config.is_incomplete && typed.changes_files() {
        let why =
            "nothing is done: not all configured options could be read (--no-config ignores them)";
        return Err(Refusal::failure(why));
    }
    let configured = config.options(Options::default(), |words, options| {
        flags::read_layer(caller, Origin::Configuration, words, options)?;
        Ok(plan::check(caller, options)?)
    })?;
    let mut options = typed.clone();
    if let Some(configured) = configured {
        options = configured;
        flags::read_layer(caller, Origin::CommandLine, words, &mut options)?;
        refuse_for_deleting(&options, " in the configuration (--no-config leaves it out)")?;
        if typed.changes_files() {
            // Neither an output form nor --max-errors in a configuration file changes the results
            // that a command receives or that are removed.
            options.output = typed.output;
            options.common.explain = typed.common.explain;
            options.common.stats = typed.common.stats;
        }
    }
    refuse_without_lists(&options)?;
    // The root itself is never a result.
    options.selecting.min_depth = options.selecting.min_depth.max(1);
    Ok(options)
}

/// Refuses options about lists if no lists are written.
fn refuse_without_lists(options: &Options) -> Result<(), Refusal> {
    let output = &options.output;
    let said = match output {
        _ if output.list_limit.is_some() => return Ok(()),
        _ if output.part_name.is_some() => "--part-name",
        _ if output.overwrites_lists => "--overwrite",
        _ => return Ok(()),
    };
    let why = format!("'{said}' needs '--parts', '--part-size' or '--part-files'");
    Err(Refusal::usage(why))
}

/// Refuses a `--delete` that was typed without a pattern or a filter.
fn refuse_without_choice(typed: &Options) -> Result<(), Refusal> {
    let Selecting { matching, filtering, .. } = &typed.selecting;
    let all = Filtering { prune: filtering.prune, ..Filtering::default() };
    let chooses = !matching.pattern.is_empty() || !matching.and.is_empty() || *filtering != all;
    if chooses || !typed.delete {
        return Ok(());
    }
    Err(Refusal::usage(
        "'--delete' needs a pattern or a filter; the pattern '.' matches every name",
    ))
}

/// Refuses options that `--delete` cannot obey: it removes exactly what a listing would have shown,
/// and never removes through a link.
fn refuse_for_deleting(options: &Options, place: &str) -> Result<(), Refusal> {
    let (flag, why) = if !options.delete {
        return Ok(());
    } else if options.unique {
        let why = "of a file with several names it lists one, and would list another once that is \
                   removed";
        ("--unique", why)
    } else if options.selecting.follow {
        ("--follow", "nothing is removed through a link")
    } else {
        return Ok(());
    };
    Err(Refusal::usage(format!("'--delete' cannot be used with '{flag}'{place}: {why}")))
}
