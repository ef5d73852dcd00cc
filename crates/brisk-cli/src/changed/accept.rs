//! Accepting a state: stamp, depfile and state are written to temporary files beside them, and then
//! renamed, the state last. After an interruption the next run reports the same changes again.

use brisk_state::{Place, Report};
use brisk_sys::paths::with_slashes;

use super::depfile;
use super::files::{Files, Replaced, cannot, remove, rename};
use super::options::Options;
use crate::common::changes::roots::{Roots, named};

/// What is written and not yet in its place.
pub(super) struct Acceptance<'f> {
    files: &'f Files,
    report: &'f Report,
    stamp: Option<&'f Replaced>,
    depfile: Option<&'f Replaced>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing is to be written.
    Stays,
    /// It is written when it is accepted.
    Due,
    /// It is written, and renamed when it is accepted.
    Pending,
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
        let mut acceptance = Acceptance { files, report, stamp: None, depfile: None, state };
        if let Some(file) = &files.stamp {
            let mut list = Vec::new();
            report.stamp(&mut list).map_err(|error| cannot("write", &file.path, &error))?;
            acceptance.stamp = file.prepare(&list)?.then_some(file);
        }
        if let Some(file) = &files.depfile {
            let rule = rule(options, report, roots);
            acceptance.depfile = file.prepare(&rule)?.then_some(file);
        }
        if first && differs {
            let written = report.write(&files.pending);
            written.map_err(|error| cannot("write", &files.pending, &error))?;
            acceptance.state = State::Pending;
        }
        Ok(acceptance)
    }

    /// Puts everything into its place.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn accept(mut self) -> Result<(), String> {
        let Files { next, pending, .. } = self.files;
        for file in [&mut self.stamp, &mut self.depfile] {
            if let Some(file) = file.take() {
                file.accept()?;
            }
        }
        if self.state != State::Stays {
            self.files.make_way()?;
        }
        match std::mem::replace(&mut self.state, State::Stays) {
            State::Stays => Ok(()),
            State::Due => self.report.write(next).map_err(|error| cannot("write", next, &error)),
            State::Pending => rename(pending, next),
        }
    }
}

impl Drop for Acceptance<'_> {
    /// Removes what was not accepted.
    fn drop(&mut self) {
        for file in self.stamp.iter().chain(&self.depfile) {
            remove(&file.temporary);
        }
        if self.state == State::Pending {
            remove(&self.files.pending);
        }
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
