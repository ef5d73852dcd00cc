//! [`Outcome`]: what a rescan has shown, for whatever prints or writes it.

use brisk_state::Report;

use super::files::Files;
use super::options::Options;
use crate::show::changes::roots::Roots;

/// The report of a rescan, and what is needed to show it.
pub(super) struct Outcome<'o> {
    pub(super) options: &'o Options,
    pub(super) files: Files,
    pub(super) report: Report,
    pub(super) roots: Roots,
}
