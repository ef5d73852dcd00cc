//! `--explain`: what a search asks of the file system, and for which option.

use brisk::{Fields, FileType};
use brisk_colors::Cost;

use super::options::Options;
use super::plan::{Action, Plan};
use super::print::Form;
use crate::filter;
use crate::show::fields::{explained, need, words};

/// Lines for standard error.
pub(super) fn explain(plan: &Plan, options: &Options) -> String {
    let unique = Fields::DEV | Fields::INO | Fields::NLINK;
    let walk = [
        (options.selecting.follow, "--follow", Fields::TYPE | Fields::INO, "symbolic links"),
        (options.selecting.one_file_system, "--one-file-system", Fields::DEV, "directories"),
        (options.unique, "--unique", unique, "all entries"),
    ];
    let mut asked: Vec<_> =
        walk.into_iter().chain(filter::explain(&plan.filter)).filter_map(need).collect();
    let prints = matches!(plan.action, Action::Print);
    let colors = match &plan.printer.form {
        Form::Colored(colors) if prints => Some(colors),
        _ => None,
    };
    if let Some(colors) = colors {
        asked.extend(colors.costs().iter().map(color_cost));
    } else {
        let shown = plan.printer.shown().any();
        asked.extend(need((prints && !shown.is_empty(), "output", shown, "results")));
        let by_size = matches!(&plan.action, Action::Part(parts) if parts.by_size());
        asked.extend(need((by_size, "lists by size", Fields::SIZE, "regular files")));
    }
    let asks = !asked.is_empty();
    let facts = [
        (true, "Names and types come with the directory: openat2, getdents64, close for each"),
        (!asks, "Nothing else is requested for any entry"),
    ];
    if asks {
        let each = "Each entry that the cheaper filters keep costs one request, for all fields \
                    together";
        asked.push(each.to_owned());
        let free = colors.map(|colors| colors.free_suffix()).filter(|free| !free.is_empty());
        let told =
            |free| format!("Colours would need nothing with '{free}' at the end of LS_COLORS");
        asked.extend(free.map(told));
    }
    explained(facts, asked)
}

/// "colours (su, sg, ex) need mode of regular files".
fn color_cost(cost: &Cost) -> String {
    let files = match cost.file_type {
        FileType::File => "regular files",
        FileType::Directory => "directories",
        _ => "symbolic links",
    };
    let keys = cost.keys.join(", ");
    let fields = words(cost.fields);
    format!("colours ({keys}) need {fields} of {files}")
}
