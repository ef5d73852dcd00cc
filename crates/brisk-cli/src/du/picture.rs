//! What people see: on a terminal the largest directories as a tree with bars, elsewhere lines, the
//! largest first.

use std::collections::BTreeMap;

use brisk::usage::{Report, Sums};

use super::forest::{self, Forest};
use super::plan::{Form, Plan, sizes};
use super::rows::Row;
use crate::common::json;
use crate::common::safe;
use crate::common::stream::{output_is_terminal, terminal_size};
use crate::common::text::{Charset, pieces, width};

/// Columns of a bar.
const BAR: usize = 10;

/// Appends the rows.
pub(super) fn rows(plan: &Plan<'_>, mut rows: Vec<Row>, report: &Report, out: &mut Vec<u8>) {
    let top = plan.options.top;
    if !output_is_terminal() || plan.options.zero {
        forest::sort(plan, &mut rows);
        for row in rows.iter().take(top.unwrap_or(usize::MAX)) {
            plan.line(&row.sums, &row.path, out);
        }
        return;
    }
    let (columns, lines) = size();
    // The prompt needs a line, and so does the line that the user typed.
    let forest = Forest::new(plan, rows, top.unwrap_or(lines.saturating_sub(2)));
    let whole = plan.number(&report.total);
    // What is left to print, the next at the end: a row, and what stands in front of its name and
    // of those below.
    let root = |at: &usize| (*at, String::new(), String::new());
    let mut left: Vec<_> = forest.roots.iter().rev().map(root).collect();
    while let Some((at, front, below)) = left.pop() {
        let Row { sums, is_dir, .. } = &forest.rows[at];
        let mut name = Vec::new();
        safe::append_name(forest.name(at), &mut name);
        if *is_dir && !name.ends_with(b"/") {
            name.push(b'/');
        }
        line(plan, sums, whole, &[front.as_bytes(), &name].concat(), columns, out);
        for (index, child) in forest.children[at].iter().rev().enumerate() {
            let (branch, trunk) =
                if index == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            left.push((*child, format!("{below}{branch}"), format!("{below}{trunk}")));
        }
    }
}

/// Appends the sums by group, the largest first.
pub(super) fn groups(
    plan: &Plan<'_>,
    mut groups: BTreeMap<Vec<u8>, Sums>,
    report: &Report,
    out: &mut Vec<u8>,
) {
    // What is not in a group.
    let mut directories = report.total;
    for sums in groups.values() {
        directories.allocated = directories.allocated.saturating_sub(sums.allocated);
        directories.apparent = directories.apparent.saturating_sub(sums.apparent);
        directories.entries = directories.entries.saturating_sub(sums.entries);
    }
    if directories.entries > 0 {
        groups.insert(b"(directories)".to_vec(), directories);
    }
    let mut sorted: Vec<_> = groups.into_iter().filter(|(_, sums)| plan.shows(sums)).collect();
    sorted.sort_by_key(|(_, sums)| std::cmp::Reverse(plan.number(sums)));
    sorted.truncate(plan.options.top.unwrap_or(usize::MAX));
    let whole = plan.number(&report.total);
    for (name, sums) in &sorted {
        if plan.form == Form::Json {
            let text = json::of(|object| {
                object.name("group", name);
                sizes(object, "", sums);
            });
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        } else if output_is_terminal() && !plan.options.zero {
            let mut shown = Vec::new();
            safe::append_name(name, &mut shown);
            line(plan, sums, whole, &shown, size().0, out);
        } else {
            plan.line(sums, name, out);
        }
    }
}

fn size() -> (usize, usize) {
    let told = terminal_size().filter(|(columns, lines)| *columns > 0 && *lines > 0);
    told.unwrap_or((80, 24))
}

/// Appends size, share, bar and name; no more than fits into a line of the terminal.
fn line(plan: &Plan<'_>, sums: &Sums, whole: u64, name: &[u8], columns: usize, out: &mut Vec<u8>) {
    let number = plan.number(sums);
    let part = |of: usize| {
        let part = u128::from(number) * of as u128 / u128::from(whole.max(1));
        usize::try_from(part).unwrap_or(of).min(of)
    };
    let mut shown = Vec::new();
    plan.scale.write(number, 1, &mut shown);
    let full = part(BAR * 8);
    let eighth = "▏▎▍▌▋▊▉".chars().nth((full % 8).wrapping_sub(1));
    let bar: String = "█".repeat(full / 8).chars().chain(eighth).collect();
    let size = String::from_utf8_lossy(&shown);
    let front = format!("{size:>7} {:>3}% {bar:BAR$} ", part(100));
    out.extend_from_slice(front.as_bytes());
    let mut room = columns.saturating_sub(7 + 1 + 4 + 1 + BAR + 1);
    for (bytes, _) in pieces(name, Charset::Utf8) {
        let wide = width(bytes, Charset::Utf8);
        if wide > room {
            break;
        }
        room -= wide;
        out.extend_from_slice(bytes);
    }
    out.push(b'\n');
}
