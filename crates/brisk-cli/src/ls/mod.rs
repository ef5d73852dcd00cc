//! `brisk ls`: lists directories. This file leads from words to an exit code: it reads the options,
//! compiles the plan, looks at the paths, walks and finishes.

mod arguments;
mod explain;
pub(crate) mod flags;
mod given;
mod grid;
mod lister;
pub(crate) mod long;
mod object;
mod order;
mod plan;
mod surroundings;
mod tree;
mod version;
mod writer;

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use brisk::{Stats, Walk};
use brisk_colors::Cost;
use brisk_sys::limits;

use crate::front::config::{Config, SectionOf};
use crate::front::messages::Caller;
use crate::front::{Refusal, standard};
use arguments::Arguments;
use explain::Census;
use given::Given;
use lister::{Headers, Lister, Writing};
use plan::{Plan, SERIOUS};
use surroundings::Surroundings;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let around = &Surroundings::current(caller);
    let read = read(caller, words, around);
    let command = || flags::command(caller);
    standard::run(caller, "brisk ls", read, command, |given| Ok(list(&Plan::new(given, around)?)))
}

/// Reads the layers of options, of which the command line is the last and the strongest.
fn read(caller: Caller, words: &[OsString], around: &Surroundings<'_>) -> Result<Given, Refusal> {
    let read = |words: &[_], given: &mut _| flags::GETOPT.read(caller, words, given);
    let nothing = Given::new(caller, around.terminal);
    let mut given = nothing.clone();
    read(words, &mut given)?;
    if given.run.answer.is_some() {
        return Ok(given);
    }
    let own: (SectionOf, _) = (|file| file.ls, "BRISK_LS_OPTS");
    let config = Config::load((caller == Caller::Brisk).then_some(own), given.no_config)?;
    if let Some(mut layered) = config.options(nothing, read)? {
        layered.paths.clear();
        if given.has_form() {
            layered.forget_form();
        }
        read(words, &mut layered)?;
        given = layered;
    }
    given.themselves |= given.max_depth == Some(0);
    if given.paths.is_empty() && given.themselves {
        given.paths.push(".".into());
    }
    Ok(given)
}

fn list(plan: &Plan) -> u8 {
    let mut writing = Writing::new(plan);
    let paths = &plan.given.paths;
    let arguments = if paths.is_empty() {
        Arguments { directories: vec![".".into()], ..Arguments::default() }
    } else {
        arguments::look(plan, paths)
    };
    let first = arguments.directories.first().filter(|_| plan.given.measure);
    let measured = first.map_or(Vec::new(), |dir| explain::measure(dir.as_ref()));
    let files = &arguments.files;
    if plan.given.json {
        object::write_operands(files, &mut writing.out);
    } else if !files.is_empty() {
        let writer = &mut writing.writer;
        writer.begin_directory(Path::new(""));
        files.iter().chain(arguments.beside.iter()).for_each(|item| writer.note(&item));
        writer.write_lines(files, &mut writing.out);
    }
    files.iter().for_each(|item| writing.census.note(item.file_type));
    let mut stats = Stats::default();
    if !arguments.directories.is_empty() {
        writing.headers = Headers {
            shown: plan.given.recursive || paths.len() > 1,
            first: files.is_empty(),
            given: arguments.directories.iter().rev().cloned().collect(),
        };
        let roots = arguments.directories.iter();
        let walk = roots.fold(Walk::over::<&Path>([]), Walk::directory);
        limits::raise_open_files();
        let (lister, walked) = plan.walk(walk).visit_in_turn(Lister::new(plan, writing));
        stats = walked;
        writing = lister.writing.expect("BUG: the first worker writes");
        writing.end_tree();
    }
    writing.writer.finish(&mut writing.out.bytes);
    plan.fail(standard::finish(plan.caller, writing.out.finish(), SERIOUS));
    if !report(plan, &writing.census, &measured, &stats) {
        plan.fail(SERIOUS);
    }
    plan.code.load(Ordering::Relaxed)
}

/// Writes what the options ask for to standard error. Returns whether that worked.
fn report(plan: &Plan, census: &Census, measured: &[(Cost, Duration)], stats: &Stats) -> bool {
    let given = &plan.given;
    standard::eprint_stats(given.run.stats, stats)
        && (!given.run.explain || standard::eprint(explain::explain(plan, census, measured)))
}
