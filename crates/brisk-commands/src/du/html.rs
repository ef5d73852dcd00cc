//! `--html`: one page with a zoomable treemap. The template is `page.html`; the data is an array
//! for each row: place of the parent, name, size, days since anything in it was modified, number of
//! entries.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use brisk::usage::Sums;
use serde::Serialize;

use super::groups::days_since;
use super::picture::largest;
use super::plan::{MAX_ROWS, Plan};
use super::rows::Rows;
use crate::front::messages::cannot;
use crate::front::progress::grouped;
use crate::show::quoting::quoted;
use crate::show::size::Scale;
use crate::write::file;
use brisk_filter::zone;

const PAGE: &str = include_str!("page.html");

/// The most bytes of the data: with the template the page stays under 4 MiB.
const MAX_BYTES: usize = 7 << 19;

/// Writes the page, or a message with the reason.
pub(super) fn write(plan: &Plan<'_>, path: &Path, paths: &[PathBuf], rows: Rows, all: &Sums) {
    let unit = if plan.options.inodes { "entries" } else { "bytes" };
    let total = format!("{},0,{}", plan.number(all), all.entries);
    let page = PAGE.replacen("/*UNIT*/", unit, 1).replacen("/*TOTAL*/", &total, 1);
    let page = page.replacen("/*TITLE*/", &in_script(&title(plan, paths, all)), 1);
    let page = page.replacen("/*DATA*/", &data(plan, rows), 1);
    match file::write(path, page.as_bytes()) {
        Err(error) => plan.report.complain(&cannot("write", path, &error)),
        Ok(()) if io::stderr().is_terminal() => {
            plan.caller.complain(&format!("wrote {}", quoted(path)))
        }
        Ok(()) => {}
    }
}

/// What the page is about: the paths, when they were counted, and the totals.
fn title(plan: &Plan<'_>, paths: &[PathBuf], all: &Sums) -> String {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let paths: Vec<_> = paths.iter().map(absolute).collect();
    let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    let time = zone::now().strftime("%Y-%m-%d %H:%M").to_string();
    let bytes = if plan.options.apparent { all.apparent } else { all.allocated };
    let size = Scale::BINARY.text(bytes);
    format!("{}: {time}, {size}, {} entries", paths.join(", "), grouped(all.entries))
}

/// A value as a script has it. A name must not end the script.
fn in_script(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("BUG: text and numbers are JSON");
    text.replace('<', "\\u003c")
}

/// The rows that fit, the largest first.
fn data(plan: &Plan<'_>, rows: Rows) -> String {
    let (rows, parents) = largest(rows.sorted(), MAX_ROWS);
    let mut out = String::new();
    for (row, parent) in rows.iter().zip(parents) {
        let name = row.name(parent);
        let number = plan.number(&row.sums);
        let days = row.sums.newest.map_or(0, days_since).max(0);
        let array = (parent, String::from_utf8_lossy(&name), number, days, row.sums.entries);
        let text = in_script(&array) + ",";
        if out.len() + text.len() > MAX_BYTES {
            break;
        }
        out += &text;
    }
    out
}
