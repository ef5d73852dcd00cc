//! How every command's help is laid out: what the command does, its usage, examples, options under
//! headings, and the options for help itself at the end.

use clap::Command;

/// What follows the command's name on a command line, and what that line does.
pub(crate) type Examples = &'static [(&'static str, &'static str)];

const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Columns of the widest line: a terminal of 100 with a margin.
const WIDTH: usize = 98;

/// How many examples the summary shows, so that it fits on a screen.
const IN_SUMMARY: usize = 3;

/// The command, with its help laid out.
pub(crate) fn laid_out(command: Command, examples: Examples) -> Command {
    let bin = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    let command = command.help_template(TEMPLATE).max_term_width(WIDTH);
    if examples.is_empty() {
        return command;
    }
    command.before_help(summary(&bin, examples)).before_long_help(full(&bin, examples))
}

/// The first examples, one on each line.
fn summary(bin: &str, examples: Examples) -> String {
    let shown = &examples[..examples.len().min(IN_SUMMARY)];
    let width = shown.iter().map(|(line, _)| line.len()).max().unwrap_or_default();
    let example = |(line, does): &(&str, &str)| format!("\n  {bin} {line:width$}  {does}");
    "Examples:".to_owned() + &shown.iter().map(example).collect::<String>()
}

/// All examples, each above what it does, as options are.
fn full(bin: &str, examples: Examples) -> String {
    let example = |(line, does): &(&str, &str)| format!("\n  {bin} {line}\n          {does}");
    "Examples:".to_owned() + &examples.iter().map(example).collect::<String>()
}
