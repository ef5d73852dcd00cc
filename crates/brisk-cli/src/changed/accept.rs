//! Accepting a state: stamp, depfile and state are written to temporary files beside them, and then
//! renamed, the state last. After an interruption the next run reports the same changes again.

use brisk_state::{Place, Report};
use brisk_sys::output::Output;
use brisk_sys::paths::with_slashes;

use super::depfile;
use super::files::{Draft, Files, cannot};
use super::options::Options;
use crate::common::changes::roots::{Roots, named};

/// What is written and not yet in its place. What is dropped instead of accepted is removed.
pub(super) struct Acceptance<'f> {
    files: &'f Files,
    report: &'f Report,
    /// Stamp and depfile, if they differ.
    drafts: Vec<Draft<'f>>,
    state: State,
}

enum State {
    /// Nothing is to be written.
    Stays,
    /// It is written when it is accepted.
    Due,
    /// It is written, and gets its name when it is accepted.
    Pending(Output),
}

impl<'f> Acceptance<'f> {
    /// Writes what is renamed later. `first`: the state too, so that a full disk is noticed before
    /// a command runs, and what is edited meanwhile is not in it.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn prepare(
        options: &Options,
        files: &'f Files,
        report: &'f Report,
        roots: &Roots,
        first: bool,
    ) -> Result<Acceptance<'f>, String> {
        let differs = files.keeps && (report.is_new() || files.next != files.state);
        let state = if differs { State::Due } else { State::Stays };
        let mut acceptance = Acceptance { files, report, drafts: Vec::new(), state };
        if let Some(file) = &files.stamp {
            let mut list = Vec::new();
            report.stamp(&mut list).map_err(|error| cannot("write", file, &error))?;
            acceptance.drafts.extend(Draft::new(file, list)?);
        }
        if let Some(file) = &files.depfile {
            acceptance.drafts.extend(Draft::new(file, rule(options, report, roots))?);
        }
        if first && differs {
            let written = report.prepare(&files.next);
            let written = written.map_err(|error| cannot("write", &files.next, &error))?;
            acceptance.state = State::Pending(written);
        }
        Ok(acceptance)
    }

    /// Puts everything into its place. Devices and pipes come last: while brisk waits for a reader,
    /// nothing is left to be done or removed.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn accept(self) -> Result<(), String> {
        let next = &self.files.next;
        let (streams, files): (Vec<_>, Vec<_>) =
            self.drafts.into_iter().partition(Draft::is_stream);
        files.into_iter().try_for_each(Draft::accept)?;
        if !matches!(self.state, State::Stays) {
            self.files.make_way()?;
        }
        let written = match self.state {
            State::Stays => Ok(()),
            State::Due => self.report.write(next),
            State::Pending(output) => output.commit(),
        };
        written.map_err(|error| cannot("write", next, &error))?;
        streams.into_iter().try_for_each(Draft::accept)
    }
}

/// The depfile's text.
fn rule(options: &Options, report: &Report, roots: &Roots) -> Vec<u8> {
    let target = options.stamp.as_deref().or(options.save.as_deref()).unwrap_or(&options.state);
    // What only the state knows is no longer looked at.
    let named = named(&options.paths);
    let is_named = |root: &usize| named.contains(&report.roots()[*root]);
    let tops = (0..report.roots().len()).filter(is_named);
    let tops = tops.map(|root| Place { root, path: Vec::new() });
    let places: Vec<Place> =
        tops.chain(report.entries().into_iter().map(|(place, _)| place)).collect();
    depfile::rule(&with_slashes(target), places.iter().map(|place| roots.path(place)))
}
