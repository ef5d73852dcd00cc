//! The link `find`: find(1) in GNU's words, with its order, messages and exit codes.
//!
//! brisk-filter reads the words and makes of them one expression, whose actions are numbers. How the
//! tree is walked depends on them ([`Mode`]):
//!
//! | actions | who walks | who asks for metadata |
//! |---|---|---|
//! | `-print` or `-exec {} +` alone, at the end | readers go ahead; the calling thread prints or gathers what the filter lets through | the worker that reads the directory |
//! | that only print to standard output | readers go ahead, and evaluate in directories that they read | the same |
//! | that print elsewhere, or gather among other actions | readers go ahead; the calling thread evaluates | the same |
//! | that may change the tree | the calling thread alone, entry by entry, by handles | the calling thread, at the entry's turn |

mod exec;
mod finder;
mod long;
mod outputs;
mod plan;
mod printf;
mod roots;
mod running;
mod times;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

use brisk::{Fields, Follow, Meta, Order, Stats, Walk};
use brisk_filter::find::{self, Action, CommandLine, Context, Ending, Surroundings};
use brisk_filter::zone;
use brisk_sys::{Backend, Links, limits, stat_path};

use crate::front::messages::{Caller, cause};
use crate::front::{Refusal, StatsForm, standard};
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::show::text;
use finder::Finder;
use outputs::failed;
use plan::{Mode, Plan};
use running::Running;

const HELP: &str = include_str!("help.txt");
const DEBUG: &str = include_str!("debug.txt");

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let mut running = Running::default();
    let text = match read(words, &mut running) {
        Ok(line) => return search(line, running).unwrap_or_else(|why| refuse([why], false)),
        Err(Ending::Refused { messages, hints }) => return refuse(messages, hints),
        Err(Ending::Help) => format!("Usage: {} {HELP}", Caller::Find.as_typed("find")),
        Err(Ending::DebugHelp) => DEBUG.to_owned(),
        Err(Ending::Version) => format!("find {}\n", Caller::Find.version()),
    };
    standard::print(Caller::Find, text, 1)
}

#[cold]
fn refuse(messages: impl IntoIterator<Item = String>, has_hint: bool) -> u8 {
    for message in messages {
        standard::refuse(Caller::Find, "find", &Refusal { has_hint, ..Refusal::usage(message) });
    }
    1
}

/// Reads the words, and prepares each action where it stands.
fn read(words: &[OsString], running: &mut Running) -> Result<CommandLine, Ending> {
    let context = Context {
        now: &zone::now,
        length: text::first_length,
        min_depth: 0,
        stat: &stat,
        file_system: running.formatting.file_systems.of_tests(),
    };
    let surroundings = Surroundings {
        quote: &as_argument,
        is_posix: std::env::var_os("POSIXLY_CORRECT").is_some(),
        warns: io::stdin().is_terminal(),
        warn: &mut |message| Caller::Find.complain(&message),
        prepare: &mut |action, files| running.add(action, files),
    };
    find::command(words, &context, surroundings)
}

/// The metadata of a file that a test refers to. A link that leads nowhere is asked about itself.
fn stat(path: &Path, fields: Fields, follow: Follow) -> Result<Meta, String> {
    let ask = |links| stat_path(Backend::Native, path, fields, links);
    let asked = match follow {
        // Whether there is such a file, also through a link.
        Follow::Never if fields.contains(Fields::TARGET) => ask(Links::Follow),
        Follow::Never => ask(Links::NoFollow),
        Follow::Roots | Follow::Always => ask(Links::Follow).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ask(Links::NoFollow),
            _ => Err(error),
        }),
    };
    asked.map_err(|error| cause(&error))
}

fn search(line: CommandLine, running: Running) -> Result<u8, String> {
    let CommandLine { paths, options, expr, actions, .. } = line;
    let starts = match &options.files_from {
        Some(file) => roots::read(file, options.asks)?,
        None => paths.into_iter().map(named).collect(),
    };
    let shows = running.children.outputs.is_terminal(0);
    let plan = Plan::new(expr, &actions, &options, running.formats(), running.drafted(), shows);
    if options.explains {
        standard::eprint(plan.explain());
    }
    if !running.runs_programs() {
        // Programs inherit the limit: then it stays as it is.
        limits::raise_open_files();
    }
    let mut finder = Finder::new(&plan, running);
    let mut stats = Stats::default();
    // A starting point that an action may change, or that may not come to its turn, is looked at then.
    let waits = plan.mode == Mode::Acting || actions.contains(&Action::Quit);
    // Those that end in slashes are spelled with these.
    let slashed = |start: &Result<OsString, String>| {
        start.as_ref().ok().map(|start| path_bytes(start).ends_with(b"/"))
    };
    let together =
        |one: &_, next: &_| !waits && slashed(one).is_some() && slashed(one) == slashed(next);
    for group in starts.chunk_by(together) {
        if finder.is_over() {
            break;
        }
        if let [Err(message)] = group {
            plan.complain(message);
            continue;
        }
        finder.begin(slashed(&group[0]) == Some(true));
        let counts;
        (finder, counts) = walk(&plan, Walk::over(group.iter().flatten()), &options, finder);
        stats.add_later(&counts);
    }
    if starts.iter().any(Result::is_err) {
        finder.forget();
    }
    let failed = finder.finish();
    if options.stats {
        standard::eprint_stats(Some(StatsForm::Text), &stats);
    }
    Ok(u8::from(failed))
}

/// A starting point of the command line; without a name, the message about it.
fn named(path: OsString) -> Result<OsString, String> {
    let nameless = || failed(&path, &io::ErrorKind::NotFound.into());
    if path.is_empty() { Err(nameless()) } else { Ok(path) }
}

fn walk<'p>(
    plan: &Plan,
    walk: Walk,
    options: &find::Options,
    finder: Finder<'p>,
) -> (Finder<'p>, Stats) {
    let walk = plan.walk(walk, options);
    match plan.mode {
        Mode::Acting => walk.act(finder),
        // The calling thread has to get all entries: in any order but this one it does.
        _ if options.order == Order::Breadth => walk.order(Order::Breadth).visit(finder),
        _ => walk.visit_in_turn(finder),
    }
}
