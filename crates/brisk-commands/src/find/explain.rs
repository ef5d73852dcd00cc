//! `--explain`: what a search asks of the file system, and for which option.

use brisk::{Fields, FileType};
use brisk_colors::Cost;

use super::options::Options;
use super::plan::{Action, Plan};
use super::print::LineForm;
use crate::filter;
use crate::show::fields::{READING, explained, free_colors, need, needs};

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
        LineForm::Colored(colors) if prints => Some(colors),
        _ => None,
    };
    if let Some(colors) = colors {
        asked.extend(colors.costs().iter().map(color_cost));
    } else {
        let fields = plan.printer.line_fields().any();
        asked.extend(need((prints && !fields.is_empty(), "The output", fields, "results")));
        let by_size = matches!(&plan.action, Action::Lists(lists) if lists.by_size());
        asked.extend(need((by_size, "A limit on sizes", Fields::SIZE, "regular files")));
    }
    explained([(true, READING)], asked, None)
        + &colors.map_or(String::new(), |colors| free_colors(colors))
}

/// "LS_COLORS (su, sg, ex) needs mode of regular files".
fn color_cost(cost: &Cost) -> String {
    let files = match cost.file_type {
        FileType::File => "regular files",
        FileType::Directory => "directories",
        _ => "symbolic links",
    };
    needs(&format!("LS_COLORS ({})", cost.keys.join(", ")), cost.fields, files)
}
