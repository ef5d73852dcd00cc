//! `--html`: one page with a zoomable treemap. The template is `page.html`; the data is an array
//! for each node: name, size, days since anything in it was modified, number of entries, and what
//! is below.

use std::io::Write as _;
use std::path::Path;

use brisk::Timestamp;
use brisk::usage::Report;

use super::forest::Forest;
use super::plan::{Plan, path_bytes};
use super::rows::{MOST_ROWS, Row};
use crate::common::messages::cause;
use crate::common::quoting::in_message;

const PAGE: &str = include_str!("page.html");

/// The most bytes of the data: with the template the page stays under 4 MiB.
const MOST_BYTES: usize = 7 << 19;

/// Writes the page. Returns whether that worked; if not, a message says why.
pub(super) fn write(plan: &Plan<'_>, file: &Path, rows: Vec<Row>, report: &Report) -> bool {
    let forest = Forest::new(plan, rows, MOST_ROWS);
    let unit = if plan.options.inodes { "entries" } else { "bytes" };
    let page =
        PAGE.replacen("/*UNIT*/", unit, 1).replacen("/*DATA*/", &data(plan, &forest, report), 1);
    let written = std::fs::write(file, page);
    if let Err(error) = &written {
        let shown = in_message(path_bytes(file));
        plan.complain(&format!("cannot write {shown}: {}", cause(error)));
    }
    written.is_ok()
}

/// The nodes that fit, the largest first.
fn data(plan: &Plan<'_>, forest: &Forest, report: &Report) -> String {
    let head = |at| node(plan, forest, at);
    let mut room = MOST_BYTES;
    let fits = |at: &usize| {
        // A comma and two brackets.
        room = room.saturating_sub(head(*at).len() + 3);
        room > 0
    };
    let shown = (0..forest.rows.len()).take_while(fits).count();
    let (number, entries) = (plan.number(&report.total), report.total.entries);
    let mut out = format!("[\"total\",{number},0,{entries},[");
    // What is left to write, the next at the end; `None` ends a node.
    let mut left: Vec<Option<usize>> = forest.roots.iter().rev().copied().map(Some).collect();
    while let Some(next) = left.pop() {
        let Some(at) = next else {
            out.push_str("]]");
            continue;
        };
        if at >= shown {
            continue;
        }
        if out.ends_with(']') {
            out.push(',');
        }
        out.push_str(&head(at));
        left.push(None);
        left.extend(forest.children[at].iter().rev().copied().map(Some));
    }
    out + "]]"
}

/// The beginning of a node's array.
fn node(plan: &Plan<'_>, forest: &Forest, at: usize) -> String {
    let Row { sums, is_dir, .. } = &forest.rows[at];
    let mut name = String::from_utf8_lossy(forest.name(at)).into_owned();
    if *is_dir && !name.ends_with('/') {
        name.push('/');
    }
    let now = Timestamp::from(std::time::SystemTime::now()).secs;
    let days = sums.newest.map_or(0, |time| (now - time.secs).max(0) / 86_400);
    let mut out = b"[".to_vec();
    serde_json::to_writer(&mut out, &name).expect("BUG: a Vec takes every write");
    let number = plan.number(sums);
    write!(out, ",{number},{days},{},[", sums.entries).expect("BUG: a Vec takes every write");
    // A name must not end the script.
    String::from_utf8_lossy(&out).replace('<', "\\u003c")
}
