//! The changes as JSON lines: the header object, and then the changes.

use std::path::PathBuf;

use brisk_state::Report;
use brisk_sys::paths::with_slashes;

use super::options::Options;
use crate::front::messages::unnumbered;
use crate::show::changes::json::{VERSION, change, end};
use crate::show::changes::roots::{Roots, named};
use crate::show::json;

/// Appends the head, with its newline. `named`: the directories as the user spelled them.
pub(super) fn head(report: &Report, named: &[PathBuf], out: &mut Vec<u8>) {
    let reason = report.full.as_ref().map(|why| unnumbered(why));
    json::line(out, |object| {
        object.number("brisk", Some(VERSION));
        object.time("clock", Some(report.began));
        object.plain("full", reason.is_some());
        object.text("reason", reason.as_deref());
        object.plain("roots", json::paths(named.iter().map(|root| with_slashes(root))));
    });
}

/// All lines.
pub(super) fn whole(options: &Options, report: &Report, roots: &Roots) -> Vec<u8> {
    let mut out = Vec::new();
    head(report, &named(&options.paths), &mut out);
    report.changes.iter().for_each(|one| change(one, false, roots, &mut out));
    end(report.changes.len(), &mut out);
    out
}
