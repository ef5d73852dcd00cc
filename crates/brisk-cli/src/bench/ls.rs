//! `brisk bench ls`: one directory as `ls` shows it: names, names in colours, details. Every way
//! runs as a program of its own, with its output thrown away. The names printed by the programs
//! that print nothing else are compared once.

use std::path::Path;

use super::options::Options;
use super::programs;
use super::report::Report;
use super::rivals::{Rival, listers};

/// Names, colours, details.
const GROUPS: [&str; 3] = ["Names, one a line", "Names in colours", "Details: -l"];

/// Measures, and compares the names.
///
/// # Errors
/// A program that cannot be started, although it is installed.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let programs = programs(dir)?;
    let mut notes = Vec::new();
    let lines = programs::measure(&programs, options, None, &mut notes)?;
    if std::env::var_os("LS_COLORS").is_none() {
        notes.push("LS_COLORS is not set: each program uses its own colours".to_owned());
    }
    let (names, disagreements) = programs::compare(&programs, dir);
    let report = Report::new("ls", dir, Some(names), lines, notes);
    Ok(Report { disagreements, ..report })
}

/// The programs; brisk comes first in each group.
fn programs(dir: &Path) -> Result<Vec<Rival>, String> {
    let [names, colors, details] = GROUPS;
    let own = |group, name, words: &[&str]| Rival::own(group, name, words, dir);
    let mut programs = vec![
        own(names, "brisk ls -1A", &["ls", "-1A", "DIR"])?,
        own(names, "brisk ls -1AU, unsorted", &["ls", "-1AU", "DIR"])?,
        own(colors, "brisk ls -1A --color=always", &["ls", "-1A", "--color=always", "DIR"])?,
        own(details, "brisk ls -lA", &["ls", "-lA", "DIR"])?,
    ];
    programs.extend(listers(GROUPS, dir));
    Ok(programs)
}
