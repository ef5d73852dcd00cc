//! The changes as JSON lines: the header object, and then the changes.

use std::path::PathBuf;

use brisk_state::Report;
use brisk_sys::paths::with_slashes;

use super::options::Options;
use crate::front::messages::unnumbered;
use crate::show::changes::json::{VERSION, append, change, end, value};
use crate::show::changes::roots::{Roots, named};
use crate::show::json;
use crate::show::time::rfc3339::write_utc;

/// Appends the head, with its newline. `named`: the directories as the user spelled them.
pub(super) fn head(report: &Report, named: &[PathBuf], out: &mut Vec<u8>) {
    let roots: Vec<String> = named.iter().map(|root| value(&with_slashes(root))).collect();
    let reason = report.full.as_ref().map(|why| unnumbered(why));
    let mut clock = Vec::new();
    let clock = write_utc(report.began, &mut clock).map(|()| clock);
    let clock = clock.and_then(|clock| String::from_utf8(clock).ok());
    let line = json::of(|object| {
        object.number("brisk", Some(VERSION));
        object.text("clock", clock.as_deref());
        object.plain("full", reason.is_some());
        object.plain("reason", reason.map_or("null".to_owned(), |why| value(why.as_bytes())));
        object.plain("roots", format_args!("[{}]", roots.join(",")));
    });
    append(&line, out);
}

/// All lines.
pub(super) fn whole(options: &Options, report: &Report, roots: &Roots) -> Vec<u8> {
    let mut out = Vec::new();
    head(report, &named(&options.paths), &mut out);
    report.changes.iter().for_each(|one| change(one, false, roots, &mut out));
    end(report.changes.len(), &mut out);
    out
}
