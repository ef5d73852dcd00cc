//! [`Input`]: one of the two states that are compared.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use brisk::Fields;

use super::pieces::Pieces;
use crate::Unusable;
use crate::record::{DIGEST, Record, Stamp};
use crate::state::TOP;

/// A state that is compared with another one. The index is in memory, 48 bytes a directory; the
/// rest is read as it is needed.
#[derive(Debug)]
pub struct Input {
    pub(super) pieces: Pieces,
    live: Option<PathBuf>,
    unknown: HashSet<Vec<u8>>,
    pub(super) known: Fields,
}

/// Where the contents of a file can be learned.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Digest([u8; DIGEST]),
    /// The file at this path below the side's root.
    File(Vec<u8>),
}

impl Input {
    /// The state in this file. System calls: open, fstat, and for each piece lseek and read.
    ///
    /// # Errors
    /// The file is no state, or its header or index is damaged. A damaged block is found when the
    /// block is read.
    pub fn open(file: &Path) -> Result<Input, Unusable> {
        Pieces::open(file).map(Input::new)
    }

    /// The state in an open file, which need not have a name. System calls as [`open`](Input::open),
    /// without the open.
    ///
    /// # Errors
    /// As [`open`](Input::open).
    pub fn of(file: File) -> Result<Input, Unusable> {
        Pieces::of(file).map(Input::new)
    }

    fn new(pieces: Pieces) -> Input {
        let known = Stamp::FIELDS | Fields::LINK_TARGET;
        Input { pieces, live: None, unknown: HashSet::new(), known }
    }

    /// Says that the entries of the state are there now, below this root, and that files may be read.
    #[must_use]
    pub fn live(self, root: PathBuf) -> Input {
        Input { live: Some(root), ..self }
    }

    /// Says that what is at these paths, and below them, could not be read. The paths are those
    /// below a root, and hold for each root.
    #[must_use]
    pub fn unread(self, unknown: HashSet<Vec<u8>>) -> Input {
        Input { unknown, ..self }
    }

    /// Says that only these fields are known. Others are not compared, and renamed entries are not
    /// recognised by them.
    #[must_use]
    pub fn knowing(self, known: Fields) -> Input {
        Input { known, ..self }
    }

    /// The paths of the roots.
    pub(super) fn roots(&mut self) -> Result<Vec<Vec<u8>>, Unusable> {
        let mut top = self.pieces.enter(TOP, (TOP, 0))?;
        let mut names = Vec::with_capacity(top.len());
        for at in 0..top.len() {
            top.turn(&mut self.pieces, at)?;
            names.push(top.get(at).map_or(Vec::new(), |record| record.name.to_vec()));
        }
        Ok(names)
    }

    /// Whether it is not known what is at a path.
    pub(super) fn is_unknown(&self, path: &[u8]) -> bool {
        !self.unknown.is_empty() && self.unknown.contains(path)
    }

    /// Whether everything could be read.
    pub(super) fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Whether inode numbers tell the entries of a directory apart.
    pub(super) fn trusts_inodes(&self, dir: u32) -> bool {
        self.pieces.volume(dir).is_some_and(|volume| volume.trusts_inodes())
    }

    /// Where a file's contents can be learned: from the digest in its record, or from the file that
    /// is there.
    pub(super) fn source(&self, record: &Record<'_>, path: &[u8]) -> Option<Source> {
        match record.digest().and_then(|digest| digest.try_into().ok()) {
            Some(digest) => Some(Source::Digest(digest)),
            None => self.live.is_some().then(|| Source::File(path.to_vec())),
        }
    }

    /// Whether [`source`](Input::source) has an answer.
    pub(super) fn has_source(&self, record: &Record<'_>) -> bool {
        self.live.is_some() || record.digest().is_some_and(|digest| digest.len() == DIGEST)
    }

    /// The directory with the files that are there.
    pub(super) fn live_root(&self) -> Option<&Path> {
        self.live.as_deref()
    }
}
