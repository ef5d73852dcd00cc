//! The plan that all workers of a search share, and its making from options: roots, rules, filters,
//! and how results are shown.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use brisk::filter::Filter;
use brisk::ignore::Rules;
use brisk_colors::{Colors, MetadataColors};

use super::exec::Commands;
use super::flags::Options;
use super::lists::Lists;
use super::paths::{self, Paths};
use super::print::{Hyperlinks, LineForm, Printer};
use super::sort::Sort;
use crate::front::Refusal;
use crate::front::messages::{Caller, cannot, cause};
use crate::front::progress::Messenger;
use crate::ls::long::Long;
use crate::show::hyperlink::{Addresses, Habit};
use crate::show::quoting::quoted;
use crate::show::template::parts::Separator;
use crate::show::template::{Placeholders, Template};
use crate::system;
use crate::write::out::output_is_file;

/// What all workers of a search share.
pub(crate) struct Plan {
    pub(crate) caller: Caller,
    pub(crate) messenger: Messenger,
    /// The ignore rules; `None` if nothing is ignored.
    pub(crate) rules: Option<Rules>,
    pub(crate) filter: Filter,
    pub(crate) printer: Printer,
    pub(crate) action: Action,
    /// Whether results are removed, or go to commands, which may change files.
    pub(crate) changes_files: bool,
    /// Whether directories that match are not entered.
    pub(crate) prune: bool,
    /// The depth at which directories are not entered.
    pub(crate) max_depth: usize,
    pub(crate) show_errors: bool,
    pub(crate) max_errors: usize,
    /// How many more results there may be, if there is a limit.
    pub(crate) remaining: Option<AtomicUsize>,
    pub(crate) found: AtomicBool,
    /// Results that were removed.
    pub(crate) removed: AtomicU64,
    /// In a dry run: whether a directory is among the results.
    pub(crate) dry_run: Option<AtomicBool>,
    /// What is hidden or ignored, counted where a terminal shows the results, and reported if there
    /// are none.
    pub(crate) left_out: Option<LeftOut>,
    /// Whether the results are what ignore rules leave out.
    pub(crate) lists_ignored: bool,
    pub(crate) errors: AtomicUsize,
    /// Whether a directory was left alone because its ignore rules could not be read.
    pub(crate) skipped_for_rules: AtomicBool,
}

/// What hidden entries and ignore rules have left out, of what the walk has seen.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// Entries that match.
    pub(crate) matching: AtomicUsize,
    /// Directories, which were not searched.
    pub(crate) dirs: AtomicUsize,
}

/// What is done with results.
pub(crate) enum Action {
    /// Each is printed as a line.
    Print,
    /// They are counted.
    Count,
    /// They are written into lists, whose names are printed.
    Lists(Lists),
    /// Commands are run on them.
    Run,
    /// The first one ends the search.
    Quiet,
    /// Each is removed: a directory when everything below it is done.
    Delete,
}

impl Plan {
    /// Whether there were errors, for the exit code.
    pub(crate) fn failed(&self) -> bool {
        self.errors.load(Ordering::Relaxed) > 0
    }

    /// Whether there were as many errors as the user accepts.
    pub(crate) fn gives_up(&self) -> bool {
        self.max_errors < usize::MAX && self.errors.load(Ordering::Relaxed) >= self.max_errors
    }

    /// Counts a result. Returns how many results there may be from now on, this one included;
    /// `None` if the limit is reached and this is not a result any more.
    pub(crate) fn count_result(&self) -> Option<usize> {
        let Some(remaining) = &self.remaining else { return Some(usize::MAX) };
        remaining
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .ok()
    }
}

/// The roots, and whether a path was left out because it is not a directory.
///
/// # Errors
/// No root is left.
pub(super) fn roots(caller: Caller, options: &Options) -> Result<(Vec<PathBuf>, bool), Refusal> {
    if let Some(base) = &options.base_directory {
        enter_base(caller, base)?;
    }
    let root = |path| paths::root(path, options.output.absolute);
    if options.paths.is_empty() {
        let gone =
            |_| Refusal::failure("Could not retrieve current directory (has it been deleted?).");
        env::current_dir().map_err(gone)?;
        let root = root(Path::new(".")).map_err(gone)?;
        return Ok((vec![root], false));
    }
    let mut roots = Vec::new();
    for path in &options.paths {
        match root(path) {
            Ok(root) if path.is_dir() => roots.push(root),
            _ => caller.complain(&no_directory(caller, "Search path", path)),
        }
    }
    if roots.is_empty() {
        let pattern = &options.selecting.matching.pattern;
        let swapped = caller == Caller::Brisk && pattern != "." && Path::new(pattern).is_dir();
        let why = if swapped {
            format!("the pattern comes before the paths, and {} is a directory", quoted(pattern))
        } else {
            "No valid search paths given.".to_owned()
        };
        return Err(Refusal::failure(why));
    }
    let bad = roots.len() < options.paths.len();
    Ok((roots, bad))
}

/// Why nothing can be searched there: in fd's words under its name.
#[cold]
fn no_directory(caller: Caller, what: &str, path: &Path) -> String {
    if caller == Caller::Fd {
        return format!("{what} {} is not a directory.", quoted(path));
    }
    let error = path.metadata().err().unwrap_or_else(|| io::ErrorKind::NotADirectory.into());
    cannot("search", path, &error)
}

fn enter_base(caller: Caller, base: &Path) -> Result<(), Refusal> {
    if !base.is_dir() {
        return Err(no_directory(caller, "The '--base-directory' path", base).into());
    }
    env::set_current_dir(base).map_err(|error| {
        let shown = quoted(base);
        format!("Could not set {shown} as the current working directory: {}", cause(&error)).into()
    })
}

/// Compiles the options.
///
/// # Errors
/// A pattern, glob, date or template that cannot be understood.
pub(super) fn new(caller: Caller, options: &Options, roots: &[PathBuf]) -> Result<Plan, Refusal> {
    let output = &options.output;
    let action = action(options);
    let printer = printer(caller, options)?;
    let prints_to_terminal = matches!(action, Action::Print) && printer.for_terminal;
    let tells_left_out = caller == Caller::Brisk
        && prints_to_terminal
        && !options.ignored
        && options.selecting.ignoring.is_undone_by_unrestricted();
    let limit = output.max_results.filter(|limit| *limit > 0 && output.sort.is_none());
    Ok(Plan {
        caller,
        messenger: messenger(caller, options, &action),
        filter: options.selecting.filter(caller)?,
        rules: options.selecting.ignoring.rules(caller, roots, options.changes_files())?,
        printer,
        action,
        changes_files: options.changes_files(),
        prune: options.selecting.filtering.prune,
        max_depth: options.selecting.max_depth.unwrap_or(usize::MAX),
        show_errors: output.show_errors.unwrap_or(caller == Caller::Brisk),
        max_errors: output.max_errors.filter(|most| *most > 0).unwrap_or(usize::MAX),
        remaining: limit.map(AtomicUsize::new),
        found: AtomicBool::new(false),
        removed: AtomicU64::new(0),
        dry_run: options.dry_run.then(AtomicBool::default),
        left_out: tells_left_out.then(LeftOut::default),
        lists_ignored: options.ignored,
        errors: AtomicUsize::new(0),
        skipped_for_rules: AtomicBool::new(false),
    })
}

/// Compiles what may be wrong in the options of one layer, so that a message can name the layer.
///
/// # Errors
/// As [`new`].
pub(super) fn check(caller: Caller, options: &Options) -> Result<(), String> {
    options.selecting.filter(caller)?;
    options.selecting.ignoring.check()?;
    let format = options.output.format.as_deref();
    format.map_or(Ok(()), |text| Template::parse(text, placeholders(caller)).map(drop))
}

/// What the user is told meanwhile. Progress is shown only if nothing else goes to the terminal:
/// neither results, directly or through a pager, nor the output of commands.
fn messenger(caller: Caller, options: &Options, action: &Action) -> Messenger {
    let terminal_is_free = || match action {
        Action::Print => output_is_file(),
        Action::Run => false,
        Action::Count | Action::Lists(_) | Action::Quiet | Action::Delete => true,
    };
    Messenger::if_free(caller, options.common.progress, terminal_is_free)
}

fn action(options: &Options) -> Action {
    if options.output.quiet {
        Action::Quiet
    } else if options.output.count {
        Action::Count
    } else if let Some(limit) = options.output.list_limit {
        let end = if options.output.print0 { 0 } else { b'\n' };
        let prefix = options.output.part_name.clone().unwrap_or_else(|| "part".into());
        Action::Lists(Lists::new(limit, prefix, options.output.overwrites_lists, end))
    } else if options.delete && !options.dry_run {
        Action::Delete
    } else if options.runs_commands() {
        Action::Run
    } else {
        Action::Print
    }
}

/// The commands to run on results, if any.
///
/// # Errors
/// A command that makes no sense, as a usage error: under fd's name in fd's form.
pub(super) fn commands(plan: &Plan, options: &Options) -> Result<Option<Commands>, Refusal> {
    let separator = &plan.printer.paths.separator;
    let commands = if !options.exec.is_empty() {
        Commands::each(&options.exec, separator)
    } else if !options.exec_batch.is_empty() {
        Commands::batch(&options.exec_batch, separator)
    } else {
        return Ok(None);
    };
    let refusal = |why| Refusal { has_hint: plan.caller == Caller::Fd, ..Refusal::usage(why) };
    commands.map(Some).map_err(refusal)
}

fn printer(caller: Caller, options: &Options) -> Result<Printer, Refusal> {
    let output = &options.output;
    let is_listed = output.list_limit.is_some();
    let for_terminal = !is_listed && crate::write::out::output_is_terminal();
    let colored = !is_listed && colored(options, for_terminal);
    let linked = !is_listed && output.hyperlink.is_some_and(|when| when.is_on(|| colored));
    let paths = paths(options);
    Ok(Printer {
        sort: output.sort,
        form: form(caller, options, colored, &paths.separator)?,
        paths,
        end: if output.print0 { 0 } else { b'\n' },
        links: if linked && !(output.json || output.details) { Some(links()?) } else { None },
        for_terminal,
    })
}

fn colored(options: &Options, for_terminal: bool) -> bool {
    let refused = || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    options.output.color.is_on(|| for_terminal && !refused())
}

fn paths(options: &Options) -> Paths {
    let output = &options.output;
    let auto = || !output.print0 && !options.runs_commands() && !output.details;
    let strip = output.strip_cwd_prefix.is_on(auto);
    let separator = output.path_separator.as_ref().map(String::as_bytes);
    Paths {
        strip: strip && options.paths.is_empty(),
        separator: separator.map_or_else(Separator::default, Separator::new),
    }
}

fn form(
    caller: Caller,
    options: &Options,
    colored: bool,
    separator: &Separator,
) -> Result<LineForm, Refusal> {
    let output = &options.output;
    if output.json {
        return Ok(LineForm::Json);
    }
    if let Some(text) = &output.format {
        let template = Template::parse(text, placeholders(caller))?;
        return Ok(LineForm::Template(template.with_separator(separator.clone())));
    }
    if output.details {
        let details = Long::new(caller, colored, output.sort.map(Sort::of_ls))?;
        return Ok(LineForm::Details(Arc::new(details)));
    }
    if !colored {
        return Ok(LineForm::Path);
    }
    let value = env::var_os("LS_COLORS");
    let bytes = value.as_ref().map(|value| value.as_encoded_bytes());
    let (colors, refusal) = Colors::from_env_value(bytes);
    if let Some(refusal) = refusal.filter(|_| caller == Caller::Brisk) {
        caller.complain(&refusal.to_string());
    }
    let colors = colors.with_metadata(MetadataColors::On);
    Ok(LineForm::Colored(Box::new(if caller == Caller::Fd { colors.normalized() } else { colors })))
}

fn placeholders(caller: Caller) -> Placeholders {
    if caller == Caller::Fd { Placeholders::Fd } else { Placeholders::Brisk }
}

fn links() -> Result<Hyperlinks, Refusal> {
    let base = system::current_directory()
        .map_err(|error| format!("Could not determine current directory: {}", cause(&error)))?;
    Ok(Hyperlinks { addresses: Addresses::new(Habit::Fd), base })
}
