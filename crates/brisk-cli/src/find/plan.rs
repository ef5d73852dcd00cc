//! From options to the plan that all workers share: roots, rules, filters, and how results are
//! shown.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};

use brisk::ignore::{self, GitRules, GlobalRules, Hidden, Parents, Rules};
use brisk::{Fields, FileType};
use brisk_colors::{Colors, Cost, MetadataColors};

use super::details;
use super::exec::Commands;
use super::filter::Filters;
use super::flags::Options;
use super::format::{Dialect, Template};
use super::layers::Failure;
use super::paths::{self, Absolute, Paths};
use super::print::{Form, Links, Printer};
use super::search::{Action, Plan};
use crate::common::messages::Caller;
use crate::system;

pub(super) const NO_ROOT: &str = "No valid search paths given.";

/// The roots, and whether a path was left out because it is no directory.
///
/// # Errors
/// No root is left.
pub(super) fn roots(caller: Caller, options: &Options) -> Result<(Vec<PathBuf>, bool), Failure> {
    if let Some(base) = &options.walking.base_directory {
        enter_base(base)?;
    }
    let absolute = if options.output.absolute { Absolute::Yes } else { Absolute::No };
    if options.walking.paths.is_empty() {
        let gone = |_| "Could not retrieve current directory (has it been deleted?).".to_owned();
        env::current_dir().map_err(gone)?;
        let root = paths::root(Path::new("."), absolute).map_err(gone)?;
        return Ok((vec![root], false));
    }
    let mut roots = Vec::new();
    for path in &options.walking.paths {
        match paths::root(path, absolute) {
            Ok(root) if path.is_dir() => roots.push(root),
            _ => {
                caller.complain(&format!("Search path '{}' is not a directory.", path.display()));
            }
        }
    }
    if roots.is_empty() {
        return Err(NO_ROOT.to_owned().into());
    }
    let bad = roots.len() < options.walking.paths.len();
    Ok((roots, bad))
}

fn enter_base(base: &Path) -> Result<(), Failure> {
    if !base.is_dir() {
        let shown = base.display();
        return Err(format!("The '--base-directory' path '{shown}' is not a directory.").into());
    }
    env::set_current_dir(base).map_err(|error| {
        let shown = base.display();
        format!("Could not set '{shown}' as the current working directory: {error}").into()
    })
}

/// Compiles the options.
///
/// # Errors
/// A pattern, glob, date or template that cannot be understood.
pub(super) fn new(caller: Caller, options: &Options, roots: &[PathBuf]) -> Result<Plan, Failure> {
    let output = &options.output;
    let limit = output.max_results.filter(|limit| *limit > 0);
    Ok(Plan {
        caller,
        filters: Filters::new(options, caller)?,
        rules: rules(caller, options, roots)?,
        printer: printer(caller, options)?,
        action: action(options),
        min_depth: options.walking.min_depth.unwrap_or(0).max(1),
        prune: options.filtering.prune,
        show_errors: output.show_errors.unwrap_or(caller == Caller::Brisk),
        max_errors: output.max_errors.unwrap_or(0),
        left: limit.map(AtomicU64::new),
        found: AtomicBool::new(false),
        errors: AtomicU64::new(0),
    })
}

fn action(options: &Options) -> Action {
    if options.output.quiet {
        Action::Quiet
    } else if options.running.delete {
        Action::Delete
    } else if options.running.any() || options.output.details {
        Action::Run(paths(options).separator())
    } else {
        Action::Print
    }
}

/// The commands to run on results, if any.
///
/// # Errors
/// A command that makes no sense, as a usage error.
pub(super) fn commands(options: &Options) -> Result<Option<Commands>, Failure> {
    let running = &options.running;
    let separator = paths(options).separator();
    let commands = if options.output.details {
        details::command(colored(options), &separator)
    } else if !running.each.is_empty() {
        Commands::each(&running.each, &separator)
    } else if !running.batch.is_empty() {
        Commands::batch(&running.batch, &separator)
    } else {
        return Ok(None);
    };
    commands.map(Some).map_err(|message| Failure::Message(message, 2))
}

/// The ignore rules, or `None` if nothing can be ignored.
fn rules(caller: Caller, options: &Options, roots: &[PathBuf]) -> Result<Option<Rules>, Failure> {
    let ignoring = &options.ignoring;
    let vcs = !ignoring.no_ignore && !ignoring.no_ignore_vcs;
    let applies = !ignoring.no_ignore
        || !ignoring.hidden
        || !ignoring.exclude.is_empty()
        || !ignoring.ignore_files.is_empty()
        || !ignoring.ignore_contain.is_empty();
    if !applies {
        return Ok(None);
    }
    let mut files = Vec::new();
    if !ignoring.no_ignore && !ignoring.no_global_ignore_file {
        files.extend(global_ignore_file());
    }
    files.extend(ignoring.ignore_files.iter().cloned());
    let names: &[&str] = if ignoring.no_ignore { &[] } else { &[".ignore", ".fdignore"] };
    let rules = Rules::new(ignore::Options {
        hidden: if ignoring.hidden { Hidden::Kept } else { Hidden::Ignored },
        git: match (vcs, ignoring.no_require_git) {
            (false, _) => GitRules::Off,
            (true, false) => GitRules::InRepositories,
            (true, true) => GitRules::Everywhere,
        },
        global: if vcs { GlobalRules::Configured } else { GlobalRules::Off },
        parents: if ignoring.no_ignore_parent { Parents::Off } else { Parents::Apply },
        names: names.iter().map(Into::into).collect(),
        files,
        overrides: ignoring.exclude.iter().map(|glob| format!("!{glob}")).collect(),
        overrides_base: roots.first().cloned().unwrap_or_default(),
        contain: ignoring.ignore_contain.iter().map(Into::into).collect(),
    });
    let rules = rules.map_err(|error| format!("Malformed exclude pattern: {error}"))?;
    for error in rules.errors() {
        caller.complain(&format!("Malformed pattern in ignore file. {error}"));
    }
    Ok(Some(rules))
}

/// fd's own ignore file, which applies to `brisk find` and `fd` alike.
fn global_ignore_file() -> Option<PathBuf> {
    let base = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| env::home_dir().map(|home| home.join(".config")))?;
    Some(base.join("fd").join("ignore")).filter(|path| path.is_file())
}

fn printer(caller: Caller, options: &Options) -> Result<Printer, Failure> {
    let output = &options.output;
    let colored = colored(options);
    let linked = output.hyperlink.is_some_and(|when| when.is_on(|| colored));
    Ok(Printer {
        paths: paths(options),
        form: form(caller, options, colored)?,
        end: if output.print0 { 0 } else { b'\n' },
        links: if linked && !output.json { Some(links()?) } else { None },
        for_terminal: crate::common::standard::output_is_terminal(),
    })
}

fn colored(options: &Options) -> bool {
    let refused = || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let auto = || crate::common::standard::output_is_terminal() && !refused();
    options.output.color.is_on(auto)
}

fn paths(options: &Options) -> Paths {
    let output = &options.output;
    let auto = || !output.print0 && !options.running.any() && !output.details;
    let strip = output.strip_cwd_prefix.is_on(auto);
    Paths {
        strip: strip && options.walking.paths.is_empty(),
        separator: paths::separator(output.path_separator.as_deref()),
    }
}

fn form(caller: Caller, options: &Options, colored: bool) -> Result<Form, Failure> {
    let output = &options.output;
    if output.json {
        return Ok(Form::Json);
    }
    if let Some(text) = &output.format {
        return Ok(Form::Template(
            Template::parse(text, dialect(caller))?.with_separator(paths(options).separator()),
        ));
    }
    if !colored {
        return Ok(Form::Path);
    }
    let value = env::var_os("LS_COLORS");
    let bytes = value.as_ref().map(|value| value.as_encoded_bytes());
    let (colors, refusal) = Colors::from_env_value(bytes);
    if let Some(refusal) = refusal.filter(|_| caller == Caller::Brisk) {
        caller.complain(&refusal.to_string());
    }
    let colors = colors.with_metadata(MetadataColors::On);
    Ok(Form::Colored(Box::new(if caller == Caller::Fd { colors.normalized() } else { colors })))
}

fn dialect(caller: Caller) -> Dialect {
    match caller {
        Caller::Brisk | Caller::Ls | Caller::Rm => Dialect::Brisk,
        Caller::Fd => Dialect::Fd,
    }
}

fn links() -> Result<Links, Failure> {
    let base = env::current_dir()
        .map_err(|error| format!("Could not determine current directory: {error}"))?;
    Ok(Links::new(system::host_name(), brisk_sys::paths::with_slashes(&base)))
}

/// What the search will ask of the file system, and for which option: lines for standard error.
pub(super) fn explain(plan: &Plan) -> String {
    let mut asked: Vec<_> = plan
        .filters
        .explain()
        .into_iter()
        .map(|(option, fields, files)| format!("{option} needs {} of {files}", names(fields)))
        .collect();
    let colors = match &plan.printer.form {
        Form::Colored(colors) => Some(colors),
        _ => None,
    };
    if let Some(colors) = colors {
        asked.extend(colors.costs().iter().map(color_cost));
    } else if !plan.printer.shown().any().is_empty() {
        asked.push(format!("output needs {} of results", names(plan.printer.shown().any())));
    }
    let mut text =
        "Names and types come with the directory: openat2, getdents64, close for each.\n"
            .to_owned();
    if asked.is_empty() {
        return text + "Nothing else is asked of any entry.\n";
    }
    for line in &asked {
        text += &format!("{line}.\n");
    }
    text +=
        "Each entry that the cheaper filters keep is asked about once, for all fields together.\n";
    let free = colors.map(|colors| colors.free_suffix()).unwrap_or_default();
    if !free.is_empty() {
        text += &format!("Colours would need nothing with '{free}' at the end of LS_COLORS.\n");
    }
    text
}

/// "colours (su, sg, ex) need mode of regular files".
fn color_cost(cost: &Cost) -> String {
    let files = match cost.file_type {
        FileType::File => "regular files",
        FileType::Directory => "directories",
        _ => "symbolic links",
    };
    let (keys, fields) = (cost.keys.join(", "), names(cost.fields));
    format!("colours ({keys}) need {fields} of {files}")
}

fn names(fields: Fields) -> String {
    let names: Vec<String> = fields.iter_names().map(|(name, _)| name.to_lowercase()).collect();
    names.join(", ")
}
