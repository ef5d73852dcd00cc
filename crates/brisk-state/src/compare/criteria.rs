//! [`Criteria`]: what counts as a difference. [`Comparison`]: how two entries differ, if known.

use brisk::{Fields, FileType};

use crate::change::{ChangeKind, Differs};
use crate::format::record::{DIGEST, Flags, Record};

/// Fields that usually change with the contents of a file. If one of them differs, the contents may
/// differ too. But a copy of a file also differs in them.
const HINTS: Fields = Fields::MTIME.union(Fields::CTIME).union(Fields::INO);

/// What counts as a difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Criteria {
    /// Whether both sides are one tree at two times. Inodes and ctimes of two trees always differ.
    pub is_one_tree: bool,
    /// The fields that both sides know.
    pub known: Fields,
    /// Whether contents decide, so that equal sizes and times prove nothing.
    pub content: bool,
}

/// What is known about the contents of two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Same,
    Different,
    /// The records do not decide: sizes are equal or unknown. Reading the files would decide.
    Open,
    /// A file could not be read.
    Unreadable,
}

/// How two entries differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub differs: Differs,
    pub contents: Contents,
}

impl Comparison {
    /// What happened to an entry that both sides have; `None` if it is the same.
    pub fn kind(&self) -> Option<ChangeKind> {
        match self {
            _ if self.contents == Contents::Unreadable => Some(ChangeKind::Unknown),
            _ if self.differs.fields.contains(Fields::TYPE) => Some(ChangeKind::TypeChanged),
            _ if self.differs == Differs::default() => None,
            _ if self.contents == Contents::Different || self.is_suspect() => {
                Some(ChangeKind::Modified)
            }
            _ => Some(ChangeKind::MetadataOnly),
        }
    }

    /// Whether the contents are unknown, and something suggests that they differ.
    fn is_suspect(&self) -> bool {
        let Differs { fields, content } = self.differs;
        self.contents == Contents::Open && (content || fields.intersects(HINTS))
    }
}

impl Criteria {
    /// Compares two entries by their records.
    #[inline]
    pub fn compare(&self, trusts_inodes: bool, old: &Record<'_>, new: &Record<'_>) -> Comparison {
        let mut fields = old.differs(new, trusts_inodes) & (self.known | Fields::TYPE);
        if !self.is_one_tree {
            fields -= Fields::CTIME | Fields::INO;
        }
        let contents = self.contents(fields, old, new);
        let content = match contents {
            _ if !new.attrs.is_file() => false,
            _ if !self.is_asked(old, new) && !fields.is_empty() => false,
            Contents::Different => both_digests(old, new).is_some(),
            // The file may have changed without a trace in its times, and there are no digests.
            Contents::Open => old.flags.has(Flags::RECHECK),
            _ => false,
        };
        self.without_hints(fields, content, contents, [old, new])
    }

    /// Whether the user asked for digests, now or when the states were made. A digest that was
    /// taken only because the file was racy is compared only if the metadata is equal.
    fn is_asked(&self, old: &Record<'_>, new: &Record<'_>) -> bool {
        self.content || ![old, new].iter().any(|record| record.flags.has(Flags::HASHED_AS_RACY))
    }

    /// What the records say about the contents.
    fn contents(&self, fields: Fields, old: &Record<'_>, new: &Record<'_>) -> Contents {
        if fields.intersects(Fields::TYPE | Fields::LINK_TARGET | Fields::DEV) {
            return Contents::Different;
        }
        match new.attrs.file_type() {
            FileType::File => match both_digests(old, new) {
                Some((old, new)) if old == new => Contents::Same,
                Some(_) => Contents::Different,
                None if fields.contains(Fields::SIZE) => Contents::Different,
                None => Contents::Open,
            },
            FileType::Symlink if !self.known.contains(Fields::LINK_TARGET) => Contents::Open,
            _ => Contents::Same,
        }
    }

    /// Whether only reading the files can decide.
    pub fn needs_contents(&self, compared: &Comparison, new: &Record<'_>) -> bool {
        compared.contents == Contents::Open
            && new.attrs.is_file()
            && (self.content || compared.is_suspect())
    }

    /// Completes the comparison by what reading the files has shown.
    pub fn decide(
        &self,
        compared: &Comparison,
        contents: Contents,
        records: [&Record<'_>; 2],
    ) -> Comparison {
        let content = contents == Contents::Different;
        self.without_hints(compared.differs.fields, content, contents, records)
    }

    /// If the contents are the same, drops the hints where contents decide: always for links, whose
    /// contents are their targets; for files, if the user asked for contents. Otherwise the times
    /// of a file count.
    fn without_hints(
        &self,
        fields: Fields,
        content: bool,
        contents: Contents,
        [old, new]: [&Record<'_>; 2],
    ) -> Comparison {
        let has_digest = || [old, new].iter().any(|record| record.digest().is_some());
        let is_wanted = || self.content || (has_digest() && self.is_asked(old, new));
        let hints = match new.attrs.file_type() {
            _ if contents != Contents::Same => Fields::empty(),
            // File systems report different sizes for the same link.
            FileType::Symlink => HINTS | Fields::SIZE,
            FileType::File if is_wanted() => HINTS,
            _ => Fields::empty(),
        };
        Comparison { differs: Differs { fields: fields - hints, content }, contents }
    }
}

fn both_digests<'a>(
    old: &Record<'a>,
    new: &Record<'a>,
) -> Option<(&'a [u8; DIGEST], &'a [u8; DIGEST])> {
    old.digest().zip(new.digest())
}
