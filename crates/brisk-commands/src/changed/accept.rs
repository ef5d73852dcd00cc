//! Accepting a state: stamp, depfile and state are written to temporary files beside them, and then
//! renamed, the state last of the files; devices and pipes follow. After an interruption before the
//! state is renamed, the next run reports the same changes again.

use std::path::Path;

use brisk::FileType;
use brisk_cli_sys::signals;
use brisk_state::RootedPath;
use brisk_sys::output::Output;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use super::depfile;
use super::files::{Files, Rewrite};
use super::rescanned::Rescanned;
use crate::front::Refusal;
use crate::front::messages::cannot;
use crate::show::quoting::quoted;

/// Temporaries that are not renamed yet; none in a run that accepts nothing (a dry run, or one that
/// only looks at a state). Dropping this removes them.
pub(super) struct Acceptance<'f> {
    files: &'f Files,
    /// Stamp and depfile, if they differ.
    rewrites: Vec<Rewrite<'f>>,
    /// The next state, if it is to be kept, and differs or goes to another file.
    state: Option<Output>,
}

impl<'f> Acceptance<'f> {
    /// Writes the temporaries. So a full disk is noticed before COMMAND runs, and what is edited while
    /// it runs is a change for the next run. From now on signals are noticed, and do not end the
    /// program while temporaries are there.
    ///
    /// # Errors
    /// The message for the user, with the code 1 if the depfile cannot hold a name (with a command,
    /// the exit code is 125).
    pub(super) fn prepare(rescanned: &'f Rescanned<'_>) -> Result<Acceptance<'f>, Refusal> {
        let Rescanned { files, report, .. } = rescanned;
        signals::notice_interrupts();
        let mut rewrites = Vec::new();
        // A build that finds a new stamp would take what is unknown for unchanged.
        let is_known = report.errors.is_empty();
        if let Some(file) = files.stamp.as_ref().filter(|_| is_known) {
            rewrites.extend(Rewrite::new(file, report.list_with_digests())?);
        }
        if let Some(file) = files.depfile.as_ref().filter(|_| is_known) {
            let text = rule(rescanned).map_err(|name| Refusal::failure(unwritable(file, &name)))?;
            rewrites.extend(Rewrite::new(file, text)?);
        }
        let is_written =
            files.saves_state && (report.is_worth_saving() || files.next != files.state);
        let state = is_written.then(|| report.prepare(&files.next)).transpose();
        let state = state.map_err(|error| cannot("write", &files.next, &error))?;
        Ok(Acceptance { files, rewrites, state })
    }

    /// Puts everything into its place, unless a signal has come; returns the exit code. Devices and
    /// pipes come last: while brisk waits for a reader, nothing is left to be done or removed.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn accept(self) -> Result<u8, String> {
        if signals::interrupted() {
            return Ok(signals::exit_code());
        }
        let (streams, files): (Vec<_>, Vec<_>) =
            self.rewrites.into_iter().partition(Rewrite::is_stream);
        files.into_iter().try_for_each(Rewrite::accept)?;
        if let Some(state) = self.state {
            self.files.make_way()?;
            state.commit().map_err(|error| cannot("write", &self.files.next, &error))?;
        }
        streams.into_iter().try_for_each(Rewrite::accept)?;
        Ok(0)
    }
}

/// The depfile's text.
///
/// # Errors
/// A path that it cannot hold.
fn rule(rescanned: &Rescanned<'_>) -> Result<Vec<u8>, Vec<u8>> {
    let Rescanned { options, report, displayed, .. } = rescanned;
    let target = options.stamp.as_deref().or(options.save.as_deref()).unwrap_or(&options.state);
    // Roots that only the state has are not in the rule.
    let is_named = |root: &usize| options.paths.contains(&report.roots[*root]);
    let tops = (0..report.roots.len()).filter(is_named);
    let tops = tops.map(|root| {
        (displayed.path(&RootedPath { root, path: Vec::new() }), report.roots[root].is_dir())
    });
    let below = report.entries().into_iter();
    let below = below.map(|(place, kind)| (displayed.path(&place), kind == FileType::Directory));
    depfile::rule(&with_slashes(target), tops.chain(below).collect())
}

#[cold]
fn unwritable(file: &Path, name: &[u8]) -> String {
    let name = quoted(bytes_to_path(name));
    format!(
        "cannot write {}: make or ninja cannot read the name {name}: rename it or leave it out with -E, or \
         let the build run brisk each time, without --depfile",
        quoted(file)
    )
}
