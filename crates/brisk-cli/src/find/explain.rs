//! `--explain`: what a search asks of the file system, and for which option.

use brisk::FileType;
use brisk_colors::Cost;

use super::plan::Plan;
use super::print::Form;
use crate::common::fields::words;

/// Lines for standard error.
pub(super) fn explain(plan: &Plan) -> String {
    let mut asked: Vec<_> = plan
        .filters
        .explain()
        .into_iter()
        .map(|(option, fields, files)| format!("{option} needs {} of {files}", words(fields)))
        .collect();
    let colors = match &plan.printer.form {
        Form::Colored(colors) => Some(colors),
        _ => None,
    };
    if let Some(colors) = colors {
        asked.extend(colors.costs().iter().map(color_cost));
    } else if !plan.printer.shown().any().is_empty() {
        asked.push(format!("output needs {} of results", words(plan.printer.shown().any())));
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
    let (keys, fields) = (cost.keys.join(", "), words(cost.fields));
    format!("colours ({keys}) need {fields} of {files}")
}
