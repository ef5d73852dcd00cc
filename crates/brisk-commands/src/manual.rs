//! Man pages: the sections that clap's table of flags yields, examples, and what `manual/` has:
//! environment, files and exit status.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

use crate::changed::flags as changed;
use crate::cp::flags as cp;
use crate::diff::flags as diff;
use crate::du::flags as du;
use crate::find::flags as find;
use crate::front::Examples;
use crate::ls::flags as ls;
use crate::rm::flags as rm;
use crate::scan::flags as scan;
use crate::{bench, own};

/// Examples of the program itself, and of the two commands that have no table of flags. A test runs each of them.
const PROGRAM: Examples = &[
    ("find --stats .", "List the tree below the current directory, and what that took"),
    ("help rm", "Explain every option of brisk rm"),
];

pub(crate) const COMPLETIONS: Examples =
    &[("bash > brisk.bash", "Write the completions of bash to a file")];

pub(crate) const MAN: Examples =
    &[("~/.local/share/man/man1", "Write the pages where man(1) looks for them")];

/// Each page with its examples and the text of the sections that clap does not know, in the order of
/// `brisk --help`. A heading of the text stands alone; what is named stands above what it means.
const PAGES: [(&str, Examples, &str); 15] = [
    ("brisk", PROGRAM, include_str!("manual/brisk.txt")),
    ("brisk-find", find::EXAMPLES, include_str!("manual/find.txt")),
    ("brisk-ls", ls::EXAMPLES, include_str!("manual/ls.txt")),
    ("brisk-rm", rm::EXAMPLES, include_str!("manual/rm.txt")),
    ("brisk-cp", cp::EXAMPLES, include_str!("manual/cp.txt")),
    ("brisk-du", du::EXAMPLES, include_str!("manual/du.txt")),
    ("brisk-chmod", own::CHMOD_EXAMPLES, include_str!("manual/own.txt")),
    ("brisk-chown", own::CHOWN_EXAMPLES, include_str!("manual/own.txt")),
    ("brisk-chgrp", own::CHGRP_EXAMPLES, include_str!("manual/own.txt")),
    ("brisk-changed", changed::EXAMPLES, include_str!("manual/changed.txt")),
    ("brisk-scan", scan::EXAMPLES, include_str!("manual/scan.txt")),
    ("brisk-diff", diff::EXAMPLES, include_str!("manual/diff.txt")),
    ("brisk-bench", bench::EXAMPLES, include_str!("manual/bench.txt")),
    ("brisk-completions", COMPLETIONS, include_str!("manual/completions.txt")),
    ("brisk-man", MAN, include_str!("manual/man.txt")),
];

/// The man pages of the program and of its commands: names, and texts in roff.
pub(crate) fn pages(whole: &Command) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    PAGES.into_iter().map(move |(name, examples, text)| {
        let command = match name.strip_prefix("brisk-") {
            Some(name) => whole.find_subcommand(name).expect("BUG: a page without a command"),
            None => whole,
        };
        let page = page(command.clone().name(name).display_name(name));
        let mut page = page.expect("BUG: writing into memory failed");
        page.extend_from_slice(of_examples(name, examples).as_bytes());
        page.extend_from_slice(sections(text).as_bytes());
        if name == "brisk" {
            page.extend_from_slice(project(env!("CARGO_PKG_REPOSITORY")).as_bytes());
        }
        (name, page)
    })
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let has_subcommands = command.has_subcommands();
    let usage = command.clone().render_usage().to_string();
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(usage, &mut page)?;
    man.render_description_section(&mut page)?;
    options(&man, &mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    Ok(page)
}

/// The lines of the usage. clap's own synopsis names every option.
fn synopsis(usage: String, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH SYNOPSIS")?;
    let lines = usage.trim_start_matches("Usage:").lines();
    lines.map(str::trim).try_for_each(|line| writeln!(page, "{}\n.br", roff(line)))
}

/// The options. Their headings become subsections; clap makes each of them a section.
fn options(man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    let mut section = Vec::new();
    man.render_options_section(&mut section)?;
    let text = String::from_utf8_lossy(&section);
    let text = text.replace(".SH ", ".SS ").replacen(".SS OPTIONS", ".SH OPTIONS", 1);
    page.extend_from_slice(text.as_bytes());
    Ok(())
}

fn of_examples(name: &str, examples: Examples) -> String {
    let bin = name.replace('-', " ");
    let example = |(line, does): &(&str, &str)| {
        let line = roff(&format!("{bin} {line}"));
        format!(".PP\n{}:\n.PP\n.RS 4\n.EX\n{line}\n.EE\n.RE\n", roff(does))
    };
    ".SH EXAMPLES\n".to_owned() + &examples.iter().map(example).collect::<String>()
}

/// The sections of a page's text, whose blocks an empty line ends.
fn sections(text: &str) -> String {
    let block = |block: &str| match block.trim_end().split_once('\n') {
        Some((what, meaning)) => {
            let meaning = roff(&meaning.replace('\n', " "));
            format!(".TP\n\\fB{}\\fR\n{meaning}\n", roff(what))
        }
        None => format!(".SH \"{}\"\n", block.trim_end()),
    };
    // Git may have checked the text out with the line ends of Windows.
    text.replace('\r', "").split("\n\n").map(block).collect()
}

/// The section with the address of the repository, if that is set.
fn project(address: &str) -> String {
    let text = format!("PROJECT\n\n{address}\nSource code, releases, and reports of bugs.");
    if address.is_empty() { String::new() } else { sections(&text) }
}

/// A line of text in roff: dashes and quotes that can be copied, and no request at its start.
fn roff(text: &str) -> String {
    let start = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
    start.to_owned() + &text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_repository_once_its_address_is_set() {
        assert_eq!(project(""), "");
        let shown = project("https://host.test/a-b");
        assert!(
            shown.starts_with(".SH \"PROJECT\"\n.TP\n\\fBhttps://host.test/a\\-b\\fR\n"),
            "{shown}"
        );
    }
}
