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

use std::borrow::Cow;
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

/// Where options of this command are configured: a section of the files, and a variable.
pub(crate) const CONFIGURED: (SectionOf, &str) = (|file| file.ls, "BRISK_LS_OPTS");

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let around = &Surroundings::current(caller);
    let read = read(caller, words, around);
    let command = || flags::command(caller);
    standard::run(caller, "brisk ls", read, command, |given| Ok(list(&Plan::new(given, around)?)))
}

/// Reads the layers of options, of which the command line is the last and the strongest.
fn read(caller: Caller, words: &[OsString], around: &Surroundings<'_>) -> Result<Given, Refusal> {
    let words = &levels(caller, words)[..];
    let read = |words: &[_], given: &mut _| flags::GETOPT.read(caller, words, given);
    let nothing = Given::new(caller, around.terminal);
    let mut given = nothing.clone();
    read(words, &mut given)?;
    if given.common.answer.is_some() {
        return Ok(given);
    }
    let typed_depth = given.max_depth;
    let config = Config::load((caller == Caller::Brisk).then_some(CONFIGURED), given.no_config)?;
    if let Some(mut layered) = config.options(nothing, read)? {
        layered.paths.clear();
        if given.has_form() {
            layered.forget_form();
        }
        read(words, &mut layered)?;
        given = layered;
    }
    if typed_depth.is_some_and(|depth| depth > 1) && !given.recursive && !given.tree {
        return Err(Refusal::usage("--max-depth needs --tree or -R"));
    }
    given.themselves |= given.max_depth == Some(0);
    if given.paths.is_empty() && given.themselves {
        given.paths.push(".".into());
    }
    Ok(given)
}

/// The words, of which `-L 2` means a depth if `--tree` is among them, as for tree and eza: it becomes
/// `--max-depth=2`. Alone `-L` is GNU's.
fn levels(caller: Caller, words: &[OsString]) -> Cow<'_, [OsString]> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (options, rest) = words.split_at(end);
    if caller != Caller::Brisk || !options.iter().any(|word| word == "--tree") {
        return words.into();
    }
    let mut all = Vec::new();
    let mut left = options.iter();
    while let Some(word) = left.next() {
        let Some((before, depth)) = level(word, left.as_slice().first()) else {
            all.push(word.clone());
            continue;
        };
        if !before.is_empty() {
            all.push(format!("-{before}").into());
        }
        all.push(format!("--max-depth={depth}").into());
        if word.as_encoded_bytes().ends_with(b"L") {
            left.next();
        }
    }
    all.extend_from_slice(rest);
    all.into()
}

/// The letters before an L, and the depth behind it or in the next word.
fn level<'w>(word: &'w OsString, next: Option<&'w OsString>) -> Option<(&'w str, &'w str)> {
    let (before, attached) = word.to_str()?.strip_prefix('-')?.split_once('L')?;
    let depth = if attached.is_empty() { next?.to_str()? } else { attached };
    // What follows these letters is their value.
    let is_cluster = !before.contains(['-', 'I', 'T', 'w']);
    (is_cluster && depth.parse::<usize>().is_ok()).then_some((before, depth))
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
    standard::eprint_stats(given.common.stats, stats)
        && (!given.common.explain || standard::eprint(explain::explain(plan, census, measured)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_tree_a_number_after_l_is_a_depth() {
        for (typed, meant) in [
            ("--tree -L 2 src", "--tree --max-depth=2 src"),
            ("-L2 --tree", "--max-depth=2 --tree"),
            ("--tree -aL 2", "--tree -a --max-depth=2"),
            ("--tree -lL3 2", "--tree -l --max-depth=3 2"),
            ("--tree -L", "--tree -L"),
            ("--tree -L src", "--tree -L src"),
            ("--tree -La 2", "--tree -La 2"),
            ("--tree -IL 2", "--tree -IL 2"),
            ("--tree -- -L 2", "--tree -- -L 2"),
            ("-L 2", "-L 2"),
            ("-L 2 -- --tree", "-L 2 -- --tree"),
        ] {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let read = levels(Caller::Brisk, &words).join(" ".as_ref());
            assert_eq!(read, meant, "{typed}");
            assert_eq!(levels(Caller::Ls, &words).join(" ".as_ref()), typed, "GNU has no tree");
        }
    }
}
