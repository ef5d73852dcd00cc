//! What people see: on a terminal the largest directories as a tree with bars, elsewhere lines, the
//! largest first.

use brisk::usage::Sums;

use super::plan::{Form, Plan, sizes};
use super::rows::{Row, largest, sort};
use crate::common::stream::{output_is_terminal, terminal_size};
use crate::common::text::{Charset, pieces, width};
use crate::common::{json, safe};

/// Columns of a bar.
const BAR: usize = 10;

/// Appends the rows.
pub(super) fn rows(plan: &Plan<'_>, mut rows: Vec<Row>, all: &Sums, out: &mut Vec<u8>) {
    let top = plan.options.top;
    if plan.form == Form::Rows && !plan.options.zero && output_is_terminal() {
        return tree(plan, rows, plan.number(all), out);
    }
    sort(plan, &mut rows);
    for Row { path, sums, .. } in rows.iter().take(top.unwrap_or(usize::MAX)) {
        if plan.form == Form::Json {
            json::line(out, |object| {
                object.name("group", path);
                sizes(object, "", sums);
            });
        } else {
            plan.line(sums, path, out);
        }
    }
}

/// Appends a tree with bars, the largest first.
fn tree(plan: &Plan<'_>, mut rows: Vec<Row>, whole: u64, out: &mut Vec<u8>) {
    let told = terminal_size().filter(|(columns, lines)| *columns > 0 && *lines > 0);
    let (columns, lines) = told.unwrap_or((80, 24));
    // The prompt needs a line, and so does the line that the user typed.
    let fits = if plan.options.by.is_some() { usize::MAX } else { lines.saturating_sub(2) };
    let parents = largest(plan, &mut rows, plan.options.top.unwrap_or(fits));
    let (mut children, mut left) = (vec![Vec::new(); rows.len()], Vec::new());
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(at),
            None => left.push((at, String::new(), String::new())),
        }
    }
    // What is left to print, the next at the end: a row, and what stands in front of its name and
    // of those below.
    while let Some((at, front, below)) = left.pop() {
        let mut name = front.into_bytes();
        safe::append_name(&rows[at].name(parents[at]), &mut name);
        line(plan, &rows[at].sums, whole, &name, columns, out);
        for (index, child) in children[at].iter().enumerate() {
            let (branch, trunk) =
                if index == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            left.push((*child, format!("{below}{branch}"), format!("{below}{trunk}")));
        }
    }
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
