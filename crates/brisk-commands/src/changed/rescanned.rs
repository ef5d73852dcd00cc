//! [`Rescanned`]: what a rescan found, for the code that prints or writes it.

use std::io::Write;

use brisk::Flow;
use brisk_state::{Report, Scanned, Unusable};
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
    pub(super) files: &'o Files,
    pub(super) report: &'o Report,
    /// What a watcher scanned because events did not say what changed there.
    pub(super) scanned: &'o [Scanned],
    pub(super) displayed: DisplayedPaths,
}

impl<'o> Rescanned<'o> {
    pub(super) fn new(
        options: &'o Options,
        files: &'o Files,
        report: &'o Report,
        scanned: &'o [Scanned],
    ) -> Rescanned<'o> {
        let displayed = DisplayedPaths::new(&report.roots, options.is_bare);
        Rescanned { options, files, report, scanned, displayed }
    }

    /// Whether this is a first run, whose entries are counted and not listed: everything is new. It
    /// records the state with which the next run compares.
    pub(super) fn is_silent_first_run(&self, form: &Form) -> bool {
        self.options.state_is_chosen
            && !self.options.dry_run
            && matches!(self.report.no_state, Some(Unusable::Missing))
            && matches!(form, Form::Git { .. })
    }

    /// Why everything was scanned, if it was.
    fn why_full(&self) -> Option<String> {
        let no_state = self.report.no_state.as_ref().map(|why| unnumbered(why));
        let all = || self.scanned.iter().find(|scanned| scanned.place.is_none());
        no_state.or_else(|| Some(all()?.why.to_string()))
    }

    /// The parts that were scanned, as JSON.
    fn parts(&self) -> Option<String> {
        let part = |scanned: &Scanned| {
            let place = scanned.place.as_ref()?;
            Some(json::of(|object| {
                object.name("path", &self.displayed.path(place));
                object.text("reason", Some(&scanned.why.to_string()));
            }))
        };
        let parts: Vec<_> = self.scanned.iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| format!("[{}]", parts.join(",")))
    }

    /// Writes all changes. `Stop`: not all could be written.
    pub(super) fn write<W: Write>(&self, form: &Form, out: &mut Out<W>) -> Flow {
        let Rescanned { options, report, displayed, .. } = self;
        let mut lines = Lines::new(form, displayed, out, |head| {
            let reason = self.why_full();
            head.time("clock", Some(report.began));
            head.plain("full", reason.is_some());
            head.text("reason", reason.as_deref());
            head.plain("roots", json::paths(options.paths.iter().map(|root| with_slashes(root))));
            if let Some(parts) = self.parts() {
                head.plain("scanned", parts);
            }
        });
        for change in &report.changes {
            if lines.write(change, false) == Flow::Stop {
                return Flow::Stop;
            }
        }
        lines.end()
    }
}
