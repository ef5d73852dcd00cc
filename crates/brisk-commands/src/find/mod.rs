//! `brisk find`: lists a tree, filtered, formatted, or passed to commands. This file leads from
//! words to an exit code: it reads the options, compiles the plan, walks and finishes.

mod exec;
mod explain;
pub(crate) mod flags;
mod index;
mod layers;
pub(crate) mod lists;
mod options;
mod output;
mod paths;
mod plan;
mod print;
mod search;
mod sort;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::iter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex};

use brisk::{Follow, Mounts, Order, Stats, Walk};
use brisk_cli_sys::signals;
use brisk_state::Report;
use brisk_sys::limits;

use crate::front::messages::{Caller, cause};
use crate::front::progress::counted;
use crate::front::{Refusal, StatsForm, standard};
use crate::show::quoting::{quoted, retypable};
use crate::write::out::Descriptor;
pub(crate) use layers::CONFIGURED;

use exec::{Commands, Execution, Queue, Success};
use lists::Lists;
use options::Options;
use output::{Arrangement, ENDLESS, HOLD_BACK, Lines, Sink};
use plan::{Action, LeftOut, Plan};
use search::Search;

/// The most commands that run at once, whatever the user asks for: each takes a thread, a process
/// and two pipes.
const MAX_JOBS: usize = 1024;

/// Where entries come from: a walk, or the state that `--index` names.
enum TreeOrIndex {
    Tree(Walk),
    Index(Box<Report>),
}

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    find(caller, words).unwrap_or_else(|refusal| match caller {
        Caller::Fd if refusal.has_hint => {
            // If the message cannot be written, the exit code still reports the refusal.
            let _ = standard::eprint(flags::refusal_of_clap(words, &refusal));
            2
        }
        _ => {
            standard::refuse(caller, "brisk find", &refusal);
            if caller == Caller::Fd && refusal.code == 2 { 1 } else { refusal.code }
        }
    })
}

fn find(caller: Caller, words: &[OsString]) -> Result<u8, Refusal> {
    let options = layers::read(caller, words)?;
    if let Some(answer) = options.common.answer {
        return Ok(standard::help(caller, answer, flags::command(caller), 1));
    }
    if let Some(shell) = &options.output.completions {
        return Ok(crate::generate::print_completions(caller, shell)?);
    }
    let (roots, bad_roots) = plan::roots(caller, &options)?;
    let plan = plan::new(caller, &options, &roots)?;
    let explained = !options.common.explain || standard::eprint(explain::explain(&plan, &options));
    let source = match index::open(&plan, &options, &roots)? {
        Some(report) => TreeOrIndex::Index(Box::new(report)),
        None => TreeOrIndex::Tree(walk(&options, &roots, &plan)),
    };
    let (stats, outcome) = match plan::commands(&plan, &options)? {
        Some(commands) => execute(&options, &plan, &commands, source)?,
        None => {
            // Each directory that is being read is an open file. The limit is not raised where
            // commands run: they would inherit it, and restoring it for each command costs more
            // than a walk under the original limit.
            limits::raise_open_files();
            (visit(&options, &plan, None, source)?, Success::Fine)
        }
    };
    advise(&plan, &options);
    tell_dry_run(&plan);
    let told = tell_removed(&plan, &options);
    let is_printed = standard::eprint_stats(options.common.stats, &stats) && explained && told;
    Ok(exit_code(&plan, bad_roots, outcome).max(u8::from(!is_printed)))
}

/// Says how many entries `--delete` has removed: with `--stats`, and where progress is shown.
/// Returns `false` if writing failed.
fn tell_removed(plan: &Plan, options: &Options) -> bool {
    let is_told = match options.common.stats {
        Some(form) => form == StatsForm::Text,
        None => plan.messenger.shows_progress(),
    };
    if !is_told || !matches!(plan.action, Action::Delete) {
        return true;
    }
    let removed = plan.removed.load(Ordering::Relaxed);
    standard::eprint(format!("removed {}\n", counted(removed, "entry", "entries")))
}

/// Says on a terminal what the list of a dry run does not show.
fn tell_dry_run(plan: &Plan) {
    let has_dir = plan.dry_run.as_ref().is_some_and(|has_dir| has_dir.load(Ordering::Relaxed));
    if has_dir && io::stderr().is_terminal() {
        plan.caller.complain("a directory that still holds something else would stay");
    }
}

/// Tells a user who gets no results what was perhaps meant: a directory whose name was taken for
/// the pattern; with `--ignored`, a .gitignore outside a repository; on a terminal also several
/// extensions, or something that is hidden or ignored.
fn advise(plan: &Plan, options: &Options) {
    let pattern = &options.selecting.matching.pattern;
    let has_results = plan.found.load(Ordering::Relaxed);
    if plan.caller != Caller::Brisk || has_results {
        return;
    }
    // A pattern with these characters is a regular expression: most searches are spared the stat.
    let may_be_place =
        !pattern.chars().all(|c| c == '.') && !pattern.contains(['^', '$', '*', '|', '[']);
    let is_quiet = matches!(plan.action, Action::Quiet);
    if may_be_place && !is_quiet && options.paths.is_empty() && Path::new(pattern).is_dir() {
        let shown = quoted(pattern);
        let place = retypable(pattern);
        plan.caller.complain(&format!(
            "no name here matches {shown}, which is the pattern; to look in the directory of this \
             name, put a dot before it: brisk find . {place}"
        ));
    }
    if options.ignored && !options.selecting.ignoring.no_require_git && !is_quiet {
        let roots = options.paths.iter().map(PathBuf::as_path);
        if roots.chain([Path::new(".")]).take(options.paths.len().max(1)).any(lacks_repository) {
            let why =
                "a .gitignore counts only in git repositories; --no-require-git obeys it anywhere";
            plan.caller.complain(why);
        }
    }
    if !io::stderr().is_terminal() {
        return;
    }
    let several = options.selecting.filtering.extensions.iter().find(|one| one.contains(','));
    if let Some(several) = several {
        let each = format!("-e {}", retypable(several).replace(',', " -e "));
        let why = "is read as one extension; for several, write";
        plan.caller.complain(&format!("{} {why}: {each}", quoted(several)));
    }
    if let Some(told) = plan.left_out.as_ref().and_then(left_out) {
        plan.caller.complain(&told);
    }
}

/// Whether a directory has a .gitignore, and is in no git repository.
fn lacks_repository(dir: &Path) -> bool {
    let is_in_repository = |dir: PathBuf| dir.ancestors().any(|dir| dir.join(".git").exists());
    dir.join(".gitignore").exists() && !dir.canonicalize().is_ok_and(is_in_repository)
}

/// What is said of hidden and ignored entries if there are no results.
fn left_out(LeftOut { matching, dirs }: &LeftOut) -> Option<String> {
    match (matching.load(Ordering::Relaxed), dirs.load(Ordering::Relaxed)) {
        (0, 0) => None,
        (0, 1) => Some("a hidden or ignored directory was not searched: -u searches it".to_owned()),
        (0, n) => {
            Some(format!("{n} hidden or ignored directories were not searched: -u searches them"))
        }
        (1, _) => Some("one entry that matches is hidden or ignored: -u shows it".to_owned()),
        (n, _) => Some(format!("{n} entries that match are hidden or ignored: -u shows them")),
    }
}

/// Walks, and does with results what the plan's action says; `queue` takes those for commands.
fn visit(
    options: &Options,
    plan: &Plan,
    queue: Option<&Queue>,
    source: TreeOrIndex,
) -> Result<Stats, Refusal> {
    let sink = Sink::new(
        Box::new(Descriptor::default()),
        arrangement(plan.caller, options),
        plan.printer.details().cloned(),
    );
    let lists = if let Action::Lists(lists) = &plan.action { Some(lists) } else { None };
    if let Some(lists) = lists {
        if let Some(path) = lists.in_the_way() {
            let shown = quoted(&path);
            let why = "exists: use --overwrite, or give the lists another --part-name";
            return Err(Refusal::usage(format!("{shown} {why}")));
        }
        signals::notice_interrupts();
    }
    let search = Search::new(plan, Lines::new(&sink), queue);
    let min_depth = options.selecting.min_depth;
    let (search, stats) = match source {
        TreeOrIndex::Index(report) => index::search(&report, plan, min_depth, search),
        TreeOrIndex::Tree(walk) if matches!(plan.action, Action::Delete) => walk.act(search),
        TreeOrIndex::Tree(walk) => walk.visit_parallel(search),
    };
    plan.messenger.close();
    let lists_written = search.close();
    if sink.is_full() {
        let why = "the results do not fit in memory: they cannot be sorted";
        return Err(Refusal::failure(why));
    }
    sink.finish().map_err(|error| Refusal::failure(standard::why_lost(plan.caller, &error)))?;
    lists_written
        .map_err(|error| Refusal::failure(format!("cannot write the lists: {}", cause(&error))))?;
    if lists.is_some() && signals::interrupted() {
        let refusal = Refusal::failure("interrupted: some results are in no list");
        return Err(Refusal { code: signals::exit_code(), ..refusal });
    }
    if let Some(path) = lists.and_then(Lists::left_over) {
        let why = "is a list of an earlier search, and so are those after it";
        return Err(Refusal::failure(format!("{} {why}", quoted(&path))));
    }
    Ok(stats)
}

/// Walks, and runs commands on the results meanwhile.
fn execute(
    options: &Options,
    plan: &Plan,
    commands: &Commands,
    source: TreeOrIndex,
) -> Result<(Stats, Success), Refusal> {
    let execution = Execution {
        caller: plan.caller,
        commands,
        jobs: jobs(options),
        null: options.output.print0,
        batch_size: options.batch_size,
        complain: &|message| plan.caller.complain(message),
        running: Mutex::default(),
        ended: Condvar::new(),
    };
    let (stats, outcome) = execution.run(|queue| visit(options, plan, Some(queue), source));
    Ok((stats?, outcome))
}

/// How many commands run at once: by default one a core, up to fd's limit.
fn jobs(options: &Options) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(64);
    options.common.threads.map_or_else(cores, |threads| threads.get().min(MAX_JOBS))
}

/// How lines are ordered. `--sort` holds all of them back; `--order` streams; without either, the
/// results of a short search are sorted by path.
fn arrangement(caller: Caller, options: &Options) -> Arrangement {
    let output = &options.output;
    if let Some(sort) = output.sort {
        let most = output.max_results.filter(|most| *most > 0).unwrap_or(usize::MAX);
        return Arrangement::Sorted { reverse: sort.reverse, most };
    }
    match options.order {
        Some(Order::Breadth) => Arrangement::InTurn,
        Some(_) => Arrangement::AsTheyCome,
        // Nothing goes through the sink: `Lists` prints the names.
        None if output.list_limit.is_some() => Arrangement::AsTheyCome,
        // fd hands all results to ls at once.
        None if output.details && caller == Caller::Fd => Arrangement::SortedIfSoon(ENDLESS),
        None => Arrangement::SortedIfSoon(output.max_buffer_time.unwrap_or(HOLD_BACK)),
    }
}

/// The walk over the roots, which are known to be directories.
fn walk(options: &Options, roots: &[PathBuf], plan: &Plan) -> Walk {
    let selecting = &options.selecting;
    let walk = selecting
        .walk(iter::empty::<&Path>(), &options.common)
        .rules(plan.rules.clone())
        .filter(plan.filter.clone())
        .order(options.order.unwrap_or(Order::Unordered))
        .follow(if selecting.follow { Follow::Always } else { Follow::Roots })
        .unique(options.unique);
    let walk = roots.iter().fold(walk, Walk::directory);
    // A removal enters no mount.
    let walk = if options.dry_run { walk.mounts(Mounts::SameMount) } else { walk };
    if !options.runs_commands() {
        return walk;
    }
    // The other descriptors are for the commands' pipes.
    walk.handle_limit(usize::try_from(limits::open_files() / 4).unwrap_or(usize::MAX))
}

fn exit_code(plan: &Plan, bad_roots: bool, outcome: Success) -> u8 {
    let details_failed = plan.printer.details().is_some_and(|details| details.has_failed());
    let skipped_for_rules = plan.skipped_for_rules.load(Ordering::Relaxed);
    let failed = details_failed
        || skipped_for_rules
        || (plan.failed() || bad_roots) && plan.caller == Caller::Brisk;
    let is_fine = match &plan.action {
        Action::Quiet => plan.found.load(Ordering::Relaxed),
        _ => !failed && outcome == Success::Fine,
    };
    u8::from(!is_fine)
}
