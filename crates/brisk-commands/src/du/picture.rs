//! Prints [`Row`]s: on a terminal, and with `--tree`, the largest directories as a tree with bars;
//! elsewhere as lines, the largest first.

use std::collections::{BTreeMap, HashMap};

use brisk::Flow;
use brisk::usage::Sums;

use super::plan::{Plan, sizes};
use super::rows::{Row, Rows};
use crate::show::bars::{bar, share};
use crate::show::text::{Charset, Strokes, pieces, width};
use crate::show::{json, palette, safe};
use crate::write::out::{Out, output_is_terminal, terminal_size};

/// The most columns of a bar.
const BAR: usize = 10;
/// Columns that the size, the percentage and the name get before a bar gets any.
const BEFORE_BAR: usize = 40;

impl Row<'_> {
    /// The last component of the path, or all of it if the parent is not shown.
    pub fn name(&self, parent: Option<usize>) -> Vec<u8> {
        let begin = parent.map_or(0, |_| above(&self.path).len() + 1);
        let mut name = self.path[begin..].to_vec();
        if self.is_dir && !name.ends_with(b"/") {
            name.push(b'/');
        }
        name
    }
}

/// This many rows, the largest first, and the index of each row's parent, which comes before it: a
/// directory is at least as large as what is in it. `None`: the parent is not shown.
pub(super) fn largest(
    rows: impl Iterator<Item = Row<'static>>,
    most: usize,
) -> (Vec<Row<'static>>, Vec<Option<usize>>) {
    let rows: Vec<_> = rows.take(most).collect();
    let trimmed = |path| <[u8]>::strip_suffix(path, b"/").unwrap_or(path);
    let dirs = rows.iter().enumerate().filter(|(_, row)| row.is_dir);
    let known: HashMap<&[u8], usize> = dirs.map(|(at, row)| (trimmed(&*row.path), at)).collect();
    let parent = |row: &Row<'_>| known.get(above(&row.path)).copied().filter(|_| row.depth > 0);
    let parents = rows.iter().map(parent).collect();
    (rows, parents)
}

/// The path without its last component and the slash before that.
fn above(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

/// The groups, and what is in none of them.
pub(super) fn of_groups(plan: &Plan<'_>, groups: BTreeMap<Vec<u8>, Sums>, total: &Sums) -> Rows {
    let mut directories = *total;
    groups.values().for_each(|sums| directories -= *sums);
    let others = Some((b"(directories)".to_vec(), directories)).filter(|_| directories.entries > 0);
    let mut rows = Rows::default();
    for (name, sums) in groups.into_iter().chain(others).filter(|(_, sums)| plan.shows(sums)) {
        let row = Row { path: name.into(), depth: 0, sums, is_dir: false, link: None };
        rows.push(plan.number(&sums), &row);
    }
    rows
}

/// Writes the rows.
pub(super) fn rows(plan: &Plan<'_>, rows: Rows, all: &Sums, out: &mut Out) {
    if plan.draws {
        return tree(plan, rows, plan.number(all), &mut out.bytes);
    }
    for Row { path, sums, .. } in rows.sorted().take(plan.options.top.unwrap_or(usize::MAX)) {
        if plan.options.json {
            json::line(&mut out.bytes, |object| {
                object.name("bucket", &path);
                sizes(object, "", &sums);
            });
        } else {
            plan.line(&sums, &path, &mut out.bytes);
        }
        if out.write_if_full() == Flow::Stop {
            break;
        }
    }
}

/// Appends a tree with bars, the largest first.
fn tree(plan: &Plan<'_>, rows: Rows, whole: u64, out: &mut Vec<u8>) {
    let told = terminal_size().filter(|(columns, lines)| *columns > 0 && *lines > 0);
    let unknown = if output_is_terminal() { (80, 24) } else { (usize::MAX, usize::MAX) };
    let (columns, lines) = told.unwrap_or(unknown);
    let charset = Charset::current();
    let Strokes { branch, last, past } = Strokes::new(charset);
    // Three lines are for the prompt, the command line, and the line about smaller entries.
    let fits = if plan.options.by.is_some() { usize::MAX } else { lines.saturating_sub(3) };
    // An entry that takes up no space is left out, unless the user named it.
    let mut rest = rows.sorted().filter(|row| row.depth == 0 || plan.number(&row.sums) > 0);
    let (rows, parents) = largest(rest.by_ref(), plan.options.top.unwrap_or(fits));
    let more = if plan.options.top.is_some() { 0 } else { rest.count() };
    let mut children = vec![Vec::new(); rows.len()];
    let mut left = Vec::new();
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(at),
            None => left.push((at, String::new(), String::new())),
        }
    }
    // What is left to print, the next at the end: a row, and the strokes in front of its name and
    // of the names below it.
    while let Some((at, front, below)) = left.pop() {
        let mut name = front.into_bytes();
        safe::append_name(&rows[at].name(parents[at]), &mut name);
        line(plan, &rows[at].sums, whole, &name, columns, charset, out);
        let strokes = [(last, "    ")].into_iter().chain(std::iter::repeat((branch, past)));
        let children = children[at].iter().zip(strokes);
        left.extend(children.map(|(child, (branch, past))| {
            (*child, format!("{below}{branch}"), format!("{below}{past}"))
        }));
    }
    if more > 0 {
        let all = rows.len() + more;
        out.extend_from_slice(format!("and {more} smaller: --top {all} shows all\n").as_bytes());
    }
}

/// Appends size, share, bar and name; no more than fits into a line of the terminal.
fn line(
    plan: &Plan<'_>,
    sums: &Sums,
    whole: u64,
    name: &[u8],
    columns: usize,
    charset: Charset,
    out: &mut Vec<u8>,
) {
    let number = plan.number(sums);
    let mut size = Vec::new();
    plan.size_of(sums, &mut size);
    let size = String::from_utf8_lossy(&size);
    let bar_columns = columns.saturating_sub(BEFORE_BAR).min(BAR);
    let mut bar = bar(number, whole, bar_columns, charset == Charset::Utf8);
    if bar_columns > 0 {
        bar.push(' ');
    }
    let size = format!("{size:>7}");
    let percent = share(number, whole, 100);
    let middle = format!(" {percent:>3}% ");
    let color = |of| Some(of).filter(|_| plan.paints);
    palette::append(color(palette::of_size(number)), &size, out);
    out.extend_from_slice(middle.as_bytes());
    palette::append(color(palette::of_share(percent)), &bar, out);
    let front: usize = [&size, &middle, &bar].iter().map(|part| part.chars().count()).sum();
    let mut room = columns.saturating_sub(front);
    let fitting = pieces(name, Charset::Utf8).map_while(|(bytes, _)| {
        room = room.checked_sub(width(bytes, Charset::Utf8))?;
        Some(bytes)
    });
    out.extend(fitting.flatten());
    out.push(b'\n');
}
