//! [`Stamp`]: one of a file's times.

use brisk::filter::Test;
use brisk::{Fields, Meta, Timestamp};

/// One of a file's times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamp {
    /// When its contents were last modified.
    #[default]
    Modified,
    /// When the file was last changed in any way.
    Changed,
    /// When the file was last read.
    Accessed,
    /// When the file was created.
    Born,
}

impl Stamp {
    /// The time that a word names: `atime`, `ctime`, `btime` or `birth`. Any other word names the
    /// last modification.
    #[must_use]
    pub fn from_word(word: &str) -> Stamp {
        match word {
            "atime" => Stamp::Accessed,
            "ctime" => Stamp::Changed,
            "btime" | "birth" => Stamp::Born,
            _ => Stamp::Modified,
        }
    }

    /// The field that holds the time.
    pub fn field(self) -> Fields {
        match self {
            Stamp::Modified => Fields::MTIME,
            Stamp::Changed => Fields::CTIME,
            Stamp::Accessed => Fields::ATIME,
            Stamp::Born => Fields::BTIME,
        }
    }

    /// The time, if the file system keeps it and it was requested.
    #[inline]
    pub fn of(self, meta: &Meta) -> Option<Timestamp> {
        match self {
            Stamp::Modified => meta.mtime(),
            Stamp::Changed => meta.ctime(),
            Stamp::Accessed => meta.atime(),
            Stamp::Born => meta.btime(),
        }
    }

    /// The test that an entry's time fits.
    pub(crate) fn test(
        self,
        key: String,
        fits: impl Fn(Timestamp) -> bool + Send + Sync + 'static,
    ) -> Test {
        let fits = move |_, meta: &Meta| self.of(meta).is_some_and(&fits);
        Test::meta(key, move |_| self.field(), fits).unsteady()
    }
}
