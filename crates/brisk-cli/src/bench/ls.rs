//! `brisk bench ls`: one directory as `ls` shows it: names, names in colours, details. Every way
//! runs as a program of its own, with its output thrown away. The names printed by the programs
//! that print nothing else are compared once.

use std::path::Path;

use super::options::Options;
use super::programs;
use super::report::Report;
use super::rivals::{Known, Lists, Rival, installed};

const NAMES: &str = "Names, one a line";
const COLORS: &str = "Names in colours";
const DETAILS: &str = "Details: -l";

/// Other programs that list one directory. eza and lsd quote names, and eza shows where links lead,
/// so their output is not compared.
#[cfg(not(windows))]
const OTHERS: &[Known] = &[
    (NAMES, "ls", &["-1A", "DIR"], Lists::Paths),
    (NAMES, "eza", &["-1a", "DIR"], Lists::Other),
    (NAMES, "lsd", &["-1A", "DIR"], Lists::Other),
    (COLORS, "ls", &["-1A", "--color=always", "DIR"], Lists::Other),
    (COLORS, "eza", &["-1a", "--color=always", "DIR"], Lists::Other),
    (COLORS, "lsd", &["-1A", "--color=always", "DIR"], Lists::Other),
    (DETAILS, "ls", &["-lA", "DIR"], Lists::Other),
    (DETAILS, "eza", &["-la", "DIR"], Lists::Other),
    (DETAILS, "lsd", &["-lA", "DIR"], Lists::Other),
];

/// Other programs that list one directory. eza and lsd quote names, and eza shows where links lead,
/// so their output is not compared.
#[cfg(windows)]
const OTHERS: &[Known] = &[
    (NAMES, "cmd", &["/d", "/c", "dir", "/b", "/a", "/on", "DIR"], Lists::Paths),
    (NAMES, "eza", &["-1a", "DIR"], Lists::Other),
    (COLORS, "eza", &["-1a", "--color=always", "DIR"], Lists::Other),
    (DETAILS, "cmd", &["/d", "/c", "dir", "/a", "/on", "DIR"], Lists::Other),
    (DETAILS, "eza", &["-la", "DIR"], Lists::Other),
];

/// Measures, and compares the names.
///
/// # Errors
/// A program that cannot be started, although it is installed.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let mut report = programs::listed("ls", &programs(&options.dir)?, options)?;
    if std::env::var_os("LS_COLORS").is_none() {
        report.notes.push("LS_COLORS is not set: each program uses its own colours".to_owned());
    }
    Ok(report)
}

/// The programs; brisk comes first in each group.
fn programs(dir: &Path) -> Result<Vec<Rival>, String> {
    let own = |group, name, words: &[&str]| Rival::own(group, name, words, dir);
    let mut programs = vec![
        own(NAMES, "brisk ls -1A", &["ls", "-1A", "DIR"])?,
        own(NAMES, "brisk ls -1AU, unsorted", &["ls", "-1AU", "DIR"])?,
        own(COLORS, "brisk ls -1A --color=always", &["ls", "-1A", "--color=always", "DIR"])?,
        own(DETAILS, "brisk ls -lA", &["ls", "-lA", "DIR"])?,
    ];
    programs.extend(installed(OTHERS, dir));
    Ok(programs)
}
