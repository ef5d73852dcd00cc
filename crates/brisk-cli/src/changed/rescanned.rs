//! [`Rescanned`]: what a rescan found, for the code that prints or writes it.

use std::io::Write;

use brisk::Flow;
use brisk_state::Report;
use brisk_sys::paths::with_slashes;

use super::files::Files;
use super::flags::Options;
use crate::front::messages::unnumbered;
use crate::show::changes::lines::{Form, Lines};
use crate::show::changes::roots::DisplayedPaths;
use crate::show::json;
use crate::write::out::Out;

/// The report of a rescan, and what is needed to show it.
pub(super) struct Rescanned<'o> {
    pub(super) options: &'o Options,
    pub(super) files: Files,
    pub(super) report: Report,
    pub(super) displayed: DisplayedPaths,
}

impl Rescanned<'_> {
    /// Writes all changes. `Stop`: not all could be written.
    pub(super) fn write<W: Write>(&self, form: &Form, out: &mut Out<W>) -> Flow {
        let Rescanned { options, report, displayed, .. } = self;
        let mut lines = Lines::new(form, displayed, out, |head| {
            let reason = report.no_state.as_ref().map(|why| unnumbered(why));
            head.time("clock", Some(report.began));
            head.plain("full", reason.is_some());
            head.text("reason", reason.as_deref());
            head.plain("roots", json::paths(options.paths.iter().map(|root| with_slashes(root))));
        });
        for change in &report.changes {
            if lines.write(change, false) == Flow::Stop {
                return Flow::Stop;
            }
        }
        lines.end()
    }
}
