//! [`Terms`]: what counts as a difference. [`Found`]: what the records of two entries say, and what
//! is known of their contents.

use brisk::{Fields, FileType};

use crate::change::{Differs, Kind};
use crate::record::{Flags, Record};

/// What a copy of a file does not share with the file, and what says that contents may differ.
const HINTS: Fields = Fields::MTIME.union(Fields::CTIME).union(Fields::INO);

/// What counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Both sides are one tree at two times. Inodes and ctimes of two trees always differ.
    pub is_one_tree: bool,
    /// The fields that both sides know.
    pub known: Fields,
    /// Contents decide, and equal sizes and times prove nothing.
    pub content: bool,
}

/// What is known of the contents of two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Same,
    Different,
    /// The sizes are equal, or not known. Reading the files would tell.
    Open,
    /// A file could not be read.
    Unreadable,
}

/// What two entries have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub differs: Differs,
    pub contents: Contents,
}

impl Found {
    /// What became of an entry that both sides have; `None` if nothing did.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Found { contents: Contents::Unreadable, .. } => Some(Kind::Unknown),
            Found { differs, .. } if differs.fields.contains(Fields::TYPE) => {
                Some(Kind::TypeChanged)
            }
            Found { differs, .. } if *differs == Differs::default() => None,
            Found { contents: Contents::Different, .. } => Some(Kind::Modified),
            _ if self.is_suspect() => Some(Kind::Modified),
            _ => Some(Kind::MetadataOnly),
        }
    }

    /// Whether the contents are not known, and something says that they may differ.
    fn is_suspect(&self) -> bool {
        let Differs { fields, content } = self.differs;
        self.contents == Contents::Open && (content || fields.intersects(HINTS))
    }
}

impl Terms {
    /// What differs, as far as the records say.
    #[inline]
    pub fn compare(&self, trusts_inodes: bool, old: &Record<'_>, new: &Record<'_>) -> Found {
        let mut fields = old.stamp.differs(&new.stamp);
        let file_type = new.stamp.file_type();
        if !self.is_one_tree {
            fields -= Fields::CTIME | Fields::INO;
        }
        if !trusts_inodes || file_type.is_dir() {
            fields -= Fields::INO;
        }
        if file_type == FileType::Symlink && old.more != new.more {
            fields |= Fields::LINK_TARGET;
        }
        fields &= self.known | Fields::TYPE;
        let contents = self.contents(fields, old, new);
        let content = match contents {
            _ if file_type != FileType::File => false,
            _ if !self.is_asked(old, new) && !fields.is_empty() => false,
            Contents::Different => both_digests(old, new).is_some(),
            // It may have changed without a trace in its times, and there is nothing to compare.
            Contents::Open => old.flags.has(Flags::RACY),
            _ => false,
        };
        self.without_hints(Found { differs: Differs { fields, content }, contents }, old, new)
    }

    /// Whether the user asked for digests, now or when the states were made. Those that were taken
    /// because times say too little hide no time, and are named only where times are the same.
    fn is_asked(&self, old: &Record<'_>, new: &Record<'_>) -> bool {
        self.content || ![old, new].iter().any(|record| record.flags.has(Flags::UNASKED))
    }

    /// What the records say of contents.
    fn contents(&self, fields: Fields, old: &Record<'_>, new: &Record<'_>) -> Contents {
        if fields.intersects(Fields::TYPE | Fields::LINK_TARGET) {
            return Contents::Different;
        }
        match new.stamp.file_type() {
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

    /// Whether the files have to be read, if they can be.
    pub fn asks(&self, found: &Found, new: &Record<'_>) -> bool {
        let is_open = found.contents == Contents::Open;
        let is_file = new.stamp.file_type() == FileType::File;
        is_open && is_file && (self.content || found.is_suspect())
    }

    /// Adds what reading the files has shown.
    pub fn decide(
        &self,
        found: Found,
        contents: Contents,
        (old, new): (&Record<'_>, &Record<'_>),
    ) -> Found {
        let content = contents == Contents::Different;
        let differs = Differs { content, ..found.differs };
        self.without_hints(Found { differs, contents }, old, new)
    }

    /// Leaves out what equal contents make no difference. A link's target is all that there is to a
    /// link. The times of a file count, unless the user has asked for contents.
    fn without_hints(&self, found: Found, old: &Record<'_>, new: &Record<'_>) -> Found {
        let has_digest = || [old, new].iter().any(|record| record.digest().is_some());
        let is_wanted = || self.content || (has_digest() && self.is_asked(old, new));
        let Found { differs: Differs { fields, content }, contents } = found;
        let hints = match new.stamp.file_type() {
            _ if contents != Contents::Same => Fields::empty(),
            // File systems differ in what they call the size of a link.
            FileType::Symlink => HINTS | Fields::SIZE,
            FileType::File if is_wanted() => HINTS,
            _ => Fields::empty(),
        };
        Found { differs: Differs { fields: fields - hints, content }, contents }
    }
}

fn both_digests<'a>(old: &Record<'a>, new: &Record<'a>) -> Option<(&'a [u8], &'a [u8])> {
    old.digest().zip(new.digest())
}
