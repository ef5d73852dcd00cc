//! Times: which of a file's times is meant, parsing the times that users write, and printing times.

mod calendar;
pub(crate) mod format;
pub(crate) mod read;
pub(crate) mod rfc3339;
pub(crate) mod zone;

use brisk::{Fields, Meta, Timestamp};

/// One of a file's times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stamp {
    #[default]
    Modified,
    Changed,
    Accessed,
    Born,
}

impl Stamp {
    /// The time that a word names: `atime`, `ctime`, `btime` or `birth`, and any other for the last
    /// modification.
    pub(crate) fn from_word(word: &str) -> Stamp {
        match word {
            "atime" => Stamp::Accessed,
            "ctime" => Stamp::Changed,
            "btime" | "birth" => Stamp::Born,
            _ => Stamp::Modified,
        }
    }

    /// The field that holds the time.
    pub(crate) fn field(self) -> Fields {
        match self {
            Stamp::Modified => Fields::MTIME,
            Stamp::Changed => Fields::CTIME,
            Stamp::Accessed => Fields::ATIME,
            Stamp::Born => Fields::BTIME,
        }
    }

    /// The time, if the file system keeps one and it was asked for.
    #[inline]
    pub(crate) fn of(self, meta: &Meta) -> Option<Timestamp> {
        match self {
            Stamp::Modified => meta.mtime(),
            Stamp::Changed => meta.ctime(),
            Stamp::Accessed => meta.atime(),
            Stamp::Born => meta.btime(),
        }
    }
}
