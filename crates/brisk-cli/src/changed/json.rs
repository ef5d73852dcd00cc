//! The changes as JSON lines: the header object, and then the changes.

use brisk_sys::paths::with_slashes;

use super::outcome::Outcome;
use crate::front::messages::unnumbered;
use crate::show::changes::json::{VERSION, change, end};
use crate::show::changes::roots::named;
use crate::show::json;

/// Appends the head, with its newline.
pub(super) fn head(outcome: &Outcome<'_>, out: &mut Vec<u8>) {
    let Outcome { options, report, .. } = outcome;
    let named = named(&options.paths);
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
pub(super) fn whole(outcome: &Outcome<'_>) -> Vec<u8> {
    let changes = &outcome.report.changes;
    let mut out = Vec::new();
    head(outcome, &mut out);
    changes.iter().for_each(|one| change(one, false, &outcome.roots, &mut out));
    end(changes.len(), &mut out);
    out
}
