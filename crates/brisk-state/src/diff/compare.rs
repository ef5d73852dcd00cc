//! [`Terms`]: which fields of two records count as a difference.

use brisk::{Fields, FileType};

use super::input::Input;
use super::walk::{Met, NEW, OLD};
use crate::change::Differs;
use crate::record::{Flags, Record};

/// What a copy of a file does not share with it, and what says that contents may differ.
const HINTS: Fields = Fields::MTIME.union(Fields::CTIME).union(Fields::INO);

/// What counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Both sides are one tree at two times. Inodes and ctimes of two trees always differ.
    pub is_one_tree: bool,
    /// The fields that both sides know.
    pub known: Fields,
    /// Contents decide, wherever they can be read.
    pub content: bool,
}

impl Terms {
    /// What differs, as far as the records say.
    #[inline]
    pub fn differs(&self, trusts_inodes: bool, old: &Record<'_>, new: &Record<'_>) -> Differs {
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
        if file_type != FileType::File || fields.contains(Fields::TYPE) {
            return Differs { fields, content: false };
        }
        if !self.is_asked(old, new) && !fields.is_empty() {
            return Differs { fields, content: false };
        }
        match old.digest().zip(new.digest()) {
            Some((old, new)) if old != new => Differs { fields, content: true },
            Some(_) => Differs { fields: fields - HINTS, content: false },
            // It may have changed without a trace in its times, and there is nothing to compare.
            None => Differs { fields, content: old.flags.has(Flags::RACY) },
        }
    }

    /// Whether the user asked for digests, now or when the states were made. Those that were taken
    /// because times say too little hide no time, and matter only where times are the same.
    fn is_asked(&self, old: &Record<'_>, new: &Record<'_>) -> bool {
        self.content || ![old, new].iter().any(|record| record.flags.has(Flags::UNASKED))
    }

    /// Lets the contents decide where both sides have them, and reading them says more than the
    /// records.
    pub fn settle(
        &self,
        inputs: &[Input; 2],
        differs: Differs,
        old: &Met<'_>,
        new: &Met<'_>,
    ) -> Differs {
        let Differs { fields, content } = differs;
        let is_file = new.record.stamp.file_type() == FileType::File;
        let is_open = is_file && !fields.intersects(Fields::TYPE | Fields::SIZE);
        let is_suspect = content || fields.intersects(HINTS);
        let digests = [old, new].map(|met| met.record.digest().is_some());
        let wants = self.content || digests[OLD] != digests[NEW];
        if !is_open || !is_suspect || !wants || digests == [true, true] {
            return differs;
        }
        let is_asked = self.is_asked(&old.record, &new.record);
        let settled = if is_asked { HINTS } else { Fields::empty() };
        let digests = inputs[OLD]
            .digest(&old.record, old.path)
            .zip(inputs[NEW].digest(&new.record, new.path));
        match digests {
            Some((a, b)) if a == b => Differs { fields: fields - settled, content: false },
            Some(_) => Differs { fields, content: true },
            None => differs,
        }
    }
}
