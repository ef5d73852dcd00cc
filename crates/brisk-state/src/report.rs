//! [`Report`]: what a rescan found.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use brisk::{Error, FileType, Stats, Timestamp};
use brisk_sys::output::Output;

use crate::change::{Change, Place};
use crate::found::DirInfo;
use crate::save::{Blocks, Next};
use crate::state::{State, Unusable};
use crate::volumes::Remembered;
use crate::{list, stamp};

/// What a rescan found.
#[derive(Debug)]
pub struct Report {
    pub(crate) changes: Vec<Change>,
    pub(crate) full: Option<Unusable>,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Error>,
    pub(crate) began: Timestamp,
    pub(crate) roots: Vec<PathBuf>,
    /// The names of their records in the next state, without those that only this state knows.
    pub(crate) names: Vec<Box<[u8]>>,
    pub(crate) explained: Vec<String>,
    pub(crate) stats: Stats,
    pub(crate) state: Option<State>,
    pub(crate) blocks: Blocks,
    pub(crate) volumes: Vec<Remembered>,
    /// A file system has to be asked about too much that was written before the state.
    pub(crate) is_stale: bool,
}

impl Report {
    /// The differences, sorted by root and path, component by component. A renamed entry stands
    /// where it is now.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The roots that [`Place::root`](crate::Place::root) counts: those of the rescan, each once,
    /// and then those that only the state knows, by their absolute paths.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Why this is a full listing instead of the differences to a state.
    #[must_use]
    pub fn full(&self) -> Option<&Unusable> {
        self.full.as_ref()
    }

    /// Each listed entry of the next state, and each directory, listed or not, sorted by root and
    /// path, component by component.
    #[must_use]
    pub fn entries(&self) -> Vec<(Place, FileType)> {
        list::entries(&self.next(), &self.names)
    }

    /// What failed. Such an entry, and each below such a directory, is
    /// [`Unknown`](crate::Kind::Unknown): its record stays.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// Rule files that could not be read, and lines in them that are no rules.
    #[must_use]
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// When the rescan began.
    #[must_use]
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// Which way was taken for each file system, and why not a faster one: lines of text.
    #[must_use]
    pub fn explained(&self) -> &[String] {
        &self.explained
    }

    /// What the rescan cost.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether the next state differs from the one that was compared with. If it does not, there is
    /// nothing to write.
    #[must_use]
    pub fn is_new(&self) -> bool {
        let is_other = |(key, info): (&u32, &DirInfo)| {
            let old = self.state.as_ref().and_then(|state| state.dir(*key));
            old.is_none_or(|old| (old.rules, old.is_whole) != (info.rules, info.is_whole))
        };
        self.state.is_none()
            || !self.blocks.new.is_empty()
            || self.blocks.infos.iter().any(is_other)
            || self.is_stale
            || !self.has_same_bases()
    }

    /// Whether the next rescan can ask file systems what was written since the state.
    fn has_same_bases(&self) -> bool {
        let old = self.state.as_ref().map_or(&[][..], State::volumes);
        let is_like = |(old, new): (&Remembered, &Remembered)| match (old.basis, new.basis) {
            (Some(old), Some(new)) => new.is_like(&old),
            (old, new) => old == new,
        };
        old.len() == self.volumes.len() && old.iter().zip(&self.volumes).all(is_like)
    }

    /// Writes the next state. The file replaces another at once or not at all, as
    /// [`prepare`](Report::prepare) and a commit.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        self.prepare(file)?.commit()
    }

    /// Writes the next state to a temporary beside the file. The state takes the file's place when
    /// it is committed; if it is dropped instead, the temporary is removed. A link stays: what it
    /// leads to is replaced. The state is not synced: a state is a cache, and a torn one is told
    /// from a whole one.
    ///
    /// # Errors
    /// The file cannot be written, or there is something else than a regular file.
    pub fn prepare(&self, file: &Path) -> io::Result<Output> {
        self.next().prepare(file)
    }

    /// Writes the next state to a file without a name on the file system of this directory.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn write_unnamed(&self, scratch: &Path) -> io::Result<File> {
        let file = brisk_sys::whole::create_unnamed(scratch)?;
        self.next().write_into(&file)?;
        Ok(file)
    }

    /// Writes one line for each listed entry of the next state, sorted by path: path, type, and
    /// the digest of a file's contents ([`content`](crate::Rescan::content) takes them; `?` without one)
    /// or the target of a link, with tabs between them. The same tree has the same lines wherever
    /// it is.
    ///
    /// # Errors
    /// `out` cannot be written to.
    pub fn stamp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        stamp::write(&self.next(), out)
    }

    fn next(&self) -> Next<'_> {
        Next::new(self.state.as_ref(), &self.blocks, self.volumes.clone())
    }
}
